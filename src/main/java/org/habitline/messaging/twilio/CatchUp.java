package org.habitline.messaging.twilio;

import com.twilio.http.TwilioRestClient;
import com.twilio.rest.api.v2010.account.Message;
import com.twilio.rest.content.v1.content.ApprovalFetchFetcher;
import com.twilio.rest.messaging.v1.service.PhoneNumberReader;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.ProviderLists;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.InboxReader;
import org.habitline.messaging.outbox.DeliveryCosts;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.twilio.NoRetryHttpClient.ErrorAnswer;
import org.habitline.messaging.twilio.NoRetryHttpClient.NoAnswer;
import org.habitline.messaging.twilio.NoRetryHttpClient.NotAsked;
import org.habitline.storage.Database;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads Twilio's list of messages every few minutes, at the start, and after texts could not be
 * stored. Twilio does not repeat a webhook that failed, and Habitline does not know of one that
 * never arrived, because a proxy or DNS failed; but the message is in the list. Texts go through
 * the same inbox, where each sid counts once, and what staff dismissed or erased is not brought
 * back. The list also gives the prices of our messages.
 */
@Singleton
final class CatchUp {

  private static final Logger log = LoggerFactory.getLogger(CatchUp.class);

  static final String LIST = "twilio";

  /**
   * Younger texts are left to their webhook, which may still arrive and says more than the list;
   * Twilio gives up a webhook after 15 s.
   */
  static final Duration SETTLED = Duration.ofSeconds(20);

  /** How far back Twilio's list is read at most. */
  private static final Duration LONGEST_OUTAGE = Inbox.LISTED_FOR;

  /** How many texts are stored before the hold on the list is renewed. */
  private static final int RENEWED_EVERY = 100;

  /** The format of a price that fits into the database. */
  private static final Pattern PRICE = Pattern.compile("-?\\d{1,8}(\\.\\d{1,12})?");

  private final Inbox inbox;
  private final InboxReader inboxReader;
  private final Outbox outbox;
  private final ProviderLists lists;
  private final DeliveryCosts costs;
  private final ProviderClock providerClock;
  private final TwilioRestClient client;
  private final List<String> ours = new ArrayList<>();
  private final Optional<String> service;
  private final Clock clock;
  private final AtomicReference<@Nullable Missed> missed = new AtomicReference<>();

  CatchUp(
      Inbox inbox,
      InboxReader inboxReader,
      Outbox outbox,
      ProviderLists lists,
      DeliveryCosts costs,
      ProviderClock providerClock,
      TwilioRestClient client,
      TwilioSettings settings,
      @Named("system") Clock systemClock) {
    this.inbox = inbox;
    this.inboxReader = inboxReader;
    this.outbox = outbox;
    this.lists = lists;
    this.costs = costs;
    this.providerClock = providerClock;
    this.client = client;
    this.clock = systemClock;
    this.service = settings.messagingService();
    settings.smsSender().ifPresent(ours::add);
    settings.whatsappSender().map(number -> "whatsapp:" + number).ifPresent(ours::add);
  }

  /** When texts could not be stored: the first that is not fetched yet, and the last. */
  private record Missed(Instant first, Instant last) {}

  /** Records that a text could not be stored now. */
  void missed() {
    missed(clock.instant(), clock.instant());
  }

  private void missed(Instant first, Instant last) {
    missed.updateAndGet(it ->
        it == null
            ? new Missed(first, last)
            : new Missed(
                it.first().isBefore(first) ? it.first() : first,
                it.last().isAfter(last) ? it.last() : last));
  }

  /** Returns whether texts may have come that were not stored and are still to be fetched. */
  boolean isPending() {
    return missed.get() != null;
  }

  /** Returns up to when any node has read the list, or empty if it was never read. */
  Optional<Instant> readUpTo() {
    return lists.readUpTo(LIST);
  }

  @EventListener
  void beforeTheServerListens(StartupEvent event) {
    // Must be before the server listens: later, a new text would hide how long the service was
    // down.
    lists.begin(
        LIST,
        inboxReader.newestFromProviders().or(outbox::firstToProviders).orElseGet(clock::instant));
    var settled = clock.instant().minus(SETTLED);
    missed(settled, settled);
  }

  /** The list is read once more when what was sent until now is in it. */
  @EventListener
  void whenTheServerListens(ServerStartupEvent event) {
    missed();
  }

  /** Reads the list if it is time or something may have been missed, unless another node does. */
  @Scheduled(initialDelay = "2s", fixedDelay = "20s")
  void fetch() {
    var begun = clock.instant();
    var before = missed.get();
    var atOnce = before != null && isSettled(before.first(), begun);
    try {
      var from = lists.take(LIST, atOnce);
      if (from.isEmpty()) {
        return;
      }
      if (before != null) {
        // Cleared first, so that what is missed during the read counts for the next one.
        missed.compareAndSet(before, left(before, begun));
      }
      read(from.get());
      lists.read(LIST, begun);
    } catch (RuntimeException e) {
      if (before != null) {
        missed(before.first(), before.last());
      }
      log.warn(
          "Twilio's list cannot be fetched now; this is tried again: {}", e.getClass().getName());
      giveUp();
    }
  }

  /** Returns what is too young to be in the list that is read now. */
  private static @Nullable Missed left(Missed missed, Instant begun) {
    return isSettled(missed.last(), begun) ? null : new Missed(missed.last(), missed.last());
  }

  private static boolean isSettled(Instant missed, Instant now) {
    return !missed.plus(SETTLED).isAfter(now);
  }

  private void giveUp() {
    try {
      lists.failed(LIST);
    } catch (RuntimeException e) {
      log.debug("The list is read again when the lease of this node has ended", e);
    }
  }

  /**
   * Reads texts of all numbers first, then prices and categories. An error with one number does not
   * keep the others from being read.
   */
  private void read(Instant from) {
    var numbers = numbers();
    var failure = fetchAll(numbers, from);
    aside("Prices of messages", () -> numbers.forEach(number -> readCosts(number, from)));
    aside("Categories of templates", () -> costs.templatesToCheck().forEach(this::readCategory));
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  /** Returns the error of a number that could not be read, if any; it is read again next time. */
  private Optional<ErrorAnswer> fetchAll(Set<String> numbers, Instant from) {
    var fetched = 0;
    var failure = Optional.<ErrorAnswer>empty();
    for (var number : numbers) {
      try {
        fetched += fetch(number, from);
      } catch (ErrorAnswer e) {
        if (isRefusedForRcs(number, e)) {
          log.warn(
              "Twilio does not list messages of an RCS agent ({}): they cannot be fetched",
              e.getMessage());
        } else {
          failure = Optional.of(e);
        }
      }
    }
    if (fetched > 0) {
      log.info(
          "{} texts that had not reached the service, for example during an outage, are now"
              + " stored",
          fetched);
    }
    return failure;
  }

  private static boolean isRefusedForRcs(String number, ErrorAnswer e) {
    return number.startsWith(Ours.RCS) && e.isAboutTheRequest();
  }

  /** Runs something that no text depends on; an error is logged, and the next read tries again. */
  private void aside(String what, Runnable act) {
    try {
      act.run();
    } catch (HoldLost e) {
      throw e;
    } catch (RuntimeException e) {
      lists.passedOver(1);
      log.warn(
          "{} cannot be read from Twilio now; this is tried again: {}",
          what,
          e.getClass().getName());
    }
  }

  /** Thrown when another node has begun to read the list, so this one stops. */
  private static final class HoldLost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HoldLost() {
      super("another node reads the list", null, false, false);
    }
  }

  private void keepHold() {
    if (!lists.renew(LIST)) {
      throw new HoldLost();
    }
  }

  /** Returns our senders: those configured, those seen, and those of the Messaging Service. */
  private Set<String> numbers() {
    var numbers = new LinkedHashSet<>(ours);
    service.ifPresent(sid ->
        new PhoneNumberReader(sid)
            .read(client)
            .forEach(number -> numbers.add(number.getPhoneNumber().toString())));
    numbers.addAll(inboxReader.agents());
    return numbers;
  }

  /**
   * Returns the earliest time to read, by Twilio's clock. Call it after Twilio has responded: only
   * then is it known how far its clock is from ours.
   */
  private Instant earliest(Instant from) {
    var longest = clock.instant().minus(LONGEST_OUTAGE);
    return providerClock.earliest(from.isBefore(longest) ? longest : from);
  }

  /** Stores missed texts of a number, oldest first, so that they are handled in order. */
  private int fetch(String number, Instant from) {
    var missed = new ArrayList<Message>();
    inPages(MessageList.to(number, client), from, page -> missed.addAll(unheard(page)));
    var stored = 0;
    var looked = 0;
    for (var message : missed.reversed()) {
      stored += storeOrPassOver(message) ? 1 : 0;
      looked++;
      if (looked % RENEWED_EVERY == 0) {
        keepHold();
      }
    }
    return stored;
  }

  /** Stores a text; one that cannot be stored is passed over, so that the others are stored. */
  private boolean storeOrPassOver(Message message) {
    try {
      return store(message);
    } catch (RuntimeException e) {
      if (Database.isPassing(e)) {
        throw e;
      }
      lists.passedOver(1);
      log.error(
          "Message {} of Twilio's list cannot be stored and is skipped: {}. It is tried again"
              + " for another {} min; look it up at Twilio",
          message.getSid(),
          e.getClass().getName(),
          ProviderLists.OVERLAP.toMinutes());
      return false;
    }
  }

  private List<Message> unheard(List<Message> page) {
    var settled = clock.instant().plus(providerClock.ahead()).minus(SETTLED);
    var inbound = new LinkedHashMap<String, Message>();
    page.stream()
        .filter(message -> message.getDirection() == Message.Direction.INBOUND)
        .filter(message -> !message.getDateCreated().toInstant().isAfter(settled))
        .forEach(message -> inbound.put(message.getSid(), message));
    if (inbound.isEmpty()) {
      return List.of();
    }
    inbound.keySet().retainAll(inbox.unheard(inbound.keySet()));
    return List.copyOf(inbound.values());
  }

  /** Reads pages, newest first, until entries are older than {@code from} or a page has none. */
  private void inPages(MessageList list, Instant from, Consumer<List<Message>> reader) {
    var page = list.nextPage();
    while (page.isPresent()) {
      var listed = page.get().messages();
      var young = listed.stream().takeWhile(it -> !isBefore(it, earliest(from))).toList();
      tellUnreadable(page.get().unreadable());
      reader.accept(young);
      keepHold();
      page = young.isEmpty() || young.size() < listed.size() ? Optional.empty() : list.nextPage();
    }
  }

  private static boolean isBefore(Message message, Instant earliest) {
    return message.getDateCreated().toInstant().isBefore(earliest);
  }

  private void tellUnreadable(int howMany) {
    if (howMany > 0) {
      lists.passedOver(howMany);
      log.warn("{} messages of Twilio's list cannot be read and are skipped", howMany);
    }
  }

  private boolean store(Message message) {
    var form =
        new Form(
            Map.of(
                "From", List.of(message.getFrom().toString()),
                "To", List.of(String.valueOf(message.getTo())),
                "Body", List.of(Optional.ofNullable(message.getBody()).orElse("")),
                "NumMedia", List.of(Optional.ofNullable(message.getNumMedia()).orElse("0"))));
    var sentAt = message.getDateCreated().toInstant().minus(providerClock.ahead());
    var acceptance = inbox.acceptListed(new WebhookForm(form, "").text(message.getSid()), sentAt);
    return !(acceptance instanceof Acceptance.Repeated);
  }

  private void readCosts(String number, Instant from) {
    try {
      inPages(
          MessageList.from(number, client),
          from,
          page -> costs.record(page.stream().flatMap(it -> charge(it).stream()).toList()));
    } catch (ErrorAnswer e) {
      if (!isRefusedForRcs(number, e)) {
        throw e;
      }
    }
  }

  /** Returns the charge. Twilio's prices are negative, as they are deducted from the balance. */
  private Optional<DeliveryCosts.Charge> charge(Message message) {
    if (message.getPrice() == null) {
      return Optional.empty();
    }
    var price = message.getPrice().strip();
    if (!PRICE.matcher(price).matches()) {
      lists.passedOver(1);
      log.warn("The price of message {} is not readable and is skipped", message.getSid());
      return Optional.empty();
    }
    return Optional.of(
        new DeliveryCosts.Charge(
            message.getSid(),
            new BigDecimal(price).abs(),
            message.getPriceUnit() == null ? null : message.getPriceUnit().getCurrencyCode()));
  }

  /** Reads a category; an error is passed over, unless Twilio does not respond. */
  private void readCategory(String template) {
    keepHold();
    try {
      costs.checked(template, category(template));
    } catch (NoAnswer | NotAsked e) {
      throw e;
    } catch (RuntimeException e) {
      if (Database.isPassing(e)) {
        throw e;
      }
      lists.passedOver(1);
      log.warn(
          "The category of template {} cannot be read now; this is tried again: {}",
          template,
          e.getClass().getName());
    }
  }

  private Optional<String> category(String template) {
    try {
      var approval = new ApprovalFetchFetcher(template).fetch(client).getWhatsapp();
      var category = approval instanceof Map<?, ?> fields ? fields.get("category") : null;
      return Optional.ofNullable(category)
          .map(word -> word.toString().strip().toLowerCase(Locale.ROOT))
          .filter(word -> !word.isEmpty() && word.length() <= LONGEST_CATEGORY);
    } catch (ErrorAnswer e) {
      // Not a template of this account, or deleted since: there is no category.
      return Optional.empty();
    }
  }

  private static final int LONGEST_CATEGORY = 32;
}
