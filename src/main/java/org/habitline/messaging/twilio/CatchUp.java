package org.habitline.messaging.twilio;

import com.twilio.http.TwilioRestClient;
import com.twilio.rest.api.v2010.account.Message;
import com.twilio.rest.api.v2010.account.MessageReader;
import com.twilio.rest.messaging.v1.service.PhoneNumberReader;
import io.micronaut.context.event.StartupEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.messaging.Acceptance;
import org.habitline.messaging.Inbox;
import org.habitline.messaging.Outbox;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the texts that came while the line could not store them: Twilio does not repeat a webhook
 * that was answered with an error, but keeps the message in its list. They go through the same
 * inbox, where each sid counts once. At every start from the newest text that is stored, or the
 * first that was sent if none ever came, and after an outage from its beginning.
 */
@Singleton
final class CatchUp {

  private static final Logger log = LoggerFactory.getLogger(CatchUp.class);

  /** Twilio's clock and ours differ, and a webhook takes its time. */
  private static final Duration MARGIN = Duration.ofMinutes(5);

  /** Twilio's list is asked for this far back at the most. */
  private static final Duration LONGEST_OUTAGE = Inbox.LISTED_FOR;

  private static final int PAGE = 200;

  private final Inbox inbox;
  private final Outbox outbox;
  private final TwilioRestClient client;
  private final List<String> ours = new ArrayList<>();
  private final Optional<String> service;
  private final Clock clock;
  private final AtomicReference<@Nullable Instant> missedSince = new AtomicReference<>();

  CatchUp(
      Inbox inbox,
      Outbox outbox,
      TwilioRestClient client,
      TwilioSettings settings,
      @Named("system") Clock systemClock) {
    this.inbox = inbox;
    this.outbox = outbox;
    this.client = client;
    this.clock = systemClock;
    this.service = settings.messagingService();
    settings.smsSender().ifPresent(ours::add);
    settings.whatsappSender().map(number -> "whatsapp:" + number).ifPresent(ours::add);
  }

  /** A text could not be stored now. */
  void missed() {
    var now = clock.instant();
    missedSince.updateAndGet(since -> since == null ? now : since);
  }

  /** Whether texts may have come that were not stored and are still to be fetched. */
  boolean isPending() {
    return missedSince.get() != null;
  }

  @EventListener
  void beforeTheServerListens(StartupEvent event) {
    // Later, a new text would hide how long the line was away.
    inbox.newestFromProviders().or(outbox::firstToProviders).ifPresent(missedSince::set);
  }

  /** Does nothing unless something may have been missed; tries again until it worked. */
  @Scheduled(initialDelay = "2s", fixedDelay = "20s")
  void fetch() {
    // Taken away first: what is missed while the list is read counts for the next time.
    var since = missedSince.getAndSet(null);
    if (since == null) {
      return;
    }
    try {
      var fetched = 0;
      for (var number : numbers()) {
        fetched += fetch(number, earliest(since));
      }
      if (fetched > 0) {
        log.info("{} texts that came during an outage are stored now", fetched);
      }
    } catch (RuntimeException e) {
      missedSince.set(since);
      log.warn("Twilio's list cannot be fetched now and will be again: {}", e.getClass().getName());
    }
  }

  /** Those that are configured, and those that the Messaging Service sends from. */
  private Set<String> numbers() {
    var numbers = new LinkedHashSet<>(ours);
    service.ifPresent(sid ->
        new PhoneNumberReader(sid)
            .read(client)
            .forEach(number -> numbers.add(number.getPhoneNumber().toString())));
    return numbers;
  }

  private Instant earliest(Instant since) {
    var longest = clock.instant().minus(LONGEST_OUTAGE);
    var earliest = since.minus(MARGIN);
    return earliest.isBefore(longest) ? longest : earliest;
  }

  /** Oldest first, so that texts are answered in their order. */
  private int fetch(String number, Instant earliest) {
    var missed = new ArrayList<Message>();
    var list = new MessageReader();
    list.setTo(number);
    for (var listed : list.pageSize(PAGE).read(client)) {
      if (listed.getDateCreated().toInstant().isBefore(earliest)) {
        break;
      }
      if (listed.getDirection() == Message.Direction.INBOUND) {
        missed.addFirst(listed);
      }
    }
    var stored = 0;
    for (var message : missed) {
      stored += store(message) ? 1 : 0;
    }
    return stored;
  }

  private boolean store(Message message) {
    var form =
        new Form(
            Map.of(
                "From", List.of(message.getFrom().toString()),
                "To", List.of(String.valueOf(message.getTo())),
                "Body", List.of(Optional.ofNullable(message.getBody()).orElse("")),
                "NumMedia", List.of(Optional.ofNullable(message.getNumMedia()).orElse("0"))));
    var acceptance = inbox.acceptListed(new WebhookForm(form, "").text(message.getSid()));
    return !(acceptance instanceof Acceptance.Repeated);
  }
}
