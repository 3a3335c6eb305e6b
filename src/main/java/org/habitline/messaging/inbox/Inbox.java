package org.habitline.messaging.inbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.habitline.audit.Events;
import org.habitline.messaging.Doorbell;
import org.habitline.messaging.Restored;
import org.habitline.messaging.Waiting;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ErasedSenders;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores incoming texts and other inputs durably until a turn handles them. {@link #accept} may be
 * called from any thread; the other methods join the transaction of a turn, whose lease keeps other
 * nodes away.
 */
@Singleton
public final class Inbox {

  private static final Logger log = LoggerFactory.getLogger(Inbox.class);

  /** The longest text that is accepted, in characters (UTF-16). */
  public static final int LONGEST_TEXT = 10_000;

  /** A participant who never pauses gets a reply after this many quiet periods. */
  static final int QUIET_PERIODS_AT_MOST = 5;

  private static final int TEXTS_AT_ONCE = 100;

  /** A field's name in the answers of a form: our words, not the sender's. */
  private static final Pattern FIELD = Pattern.compile("\"[^\"]*\"\\s*:");

  /** How far back a provider's list may bring a text again. */
  public static final Duration LISTED_FOR = Duration.ofDays(7);

  /** How far the clocks of two nodes may be apart. */
  private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(5);

  private final JdbcInbox rows;
  private final JdbcUnclaimed unclaimed;
  private final RawPosts rawPosts;
  private final Newcomers newcomers;
  private final ContactTexts contactTexts;
  private final OptOutListener optOuts;
  private final ConsentKeywords keywords;
  private final IncomingScreen screen;
  private final Participants participants;
  private final ErasedSenders erasedSenders;
  private final Restored restored;
  private final Events events;
  private final Doorbell doorbell;
  private final Transactions transactions;
  private final GroupCommit<Screened, Acceptance> accepting;
  private final Duration quietPeriod;
  private final Clock clock;
  private final Clock systemClock;

  Inbox(
      JdbcInbox rows,
      JdbcUnclaimed unclaimed,
      RawPosts rawPosts,
      Newcomers newcomers,
      ContactTexts contactTexts,
      OptOutListener optOuts,
      ConsentKeywords keywords,
      IncomingScreen screen,
      Participants participants,
      ErasedSenders erasedSenders,
      Restored restored,
      Events events,
      Doorbell doorbell,
      Transactions transactions,
      MessagingSettings settings,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.unclaimed = unclaimed;
    this.rawPosts = rawPosts;
    this.newcomers = newcomers;
    this.contactTexts = contactTexts;
    this.optOuts = optOuts;
    this.keywords = keywords;
    this.screen = screen;
    this.participants = participants;
    this.erasedSenders = erasedSenders;
    this.restored = restored;
    this.events = events;
    this.doorbell = doorbell;
    this.transactions = transactions;
    this.accepting = new GroupCommit<>(transactions, this::take);
    this.quietPeriod = settings.quietPeriod();
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /**
   * Stores the text before returning; a repeated provider id is ignored. STOP and similar keywords
   * take effect in the same transaction: messages still waiting to be sent will not be sent.
   *
   * @throws IllegalArgumentException if the text is longer than {@link #LONGEST_TEXT}
   */
  public Acceptance accept(IncomingText text) {
    if (text.body().length() > LONGEST_TEXT) {
      throw new IllegalArgumentException(
          "A text has at most "
              + LONGEST_TEXT
              + " characters; this one has "
              + text.body().length()
              + ".");
    }
    var screened = screened(text);
    if (screened.alarm() == null) {
      return accepting.carryOut(screened);
    }
    try {
      return accepting.carryOut(screened);
    } catch (RuntimeException e) {
      // A lock that a frozen node holds ends after a while; the person shall get all they need.
      log.warn("A text in which a rule found a danger is stored again: {}", e.getClass().getName());
    }
    try {
      return accepting.carryOut(screened);
    } catch (RuntimeException e) {
      log.error(
          "What a text needs in which a rule found a danger could not be done; only the text and its incident are recorded: {}",
          e.getClass().getName());
      return accepting.carryOut(screened(text, screened.alarm().recordOnly()));
    }
  }

  /**
   * Stores a text from a provider's list, as {@link #accept} does. An unclaimed text keeps what
   * staff decided about it. Of a text by someone who was erased since, only the id and the opt-out
   * of the number are stored, whoever has the number now. A START does not undo a later STOP.
   *
   * @param sentAt when the provider received it, by our clock
   */
  public Acceptance acceptListed(IncomingText text, Instant sentAt) {
    var known = transactions.read(() -> unclaimed.known(text.providerId()));
    return known > 0 ? new Acceptance.Repeated() : accept(text.listed(sentAt));
  }

  /** Returns those of a provider's ids that were never stored. */
  public Set<String> unheard(Set<String> providerIds) {
    erasedSenders.recall();
    var ids = providerIds.toArray(String[]::new);
    var unheard = new LinkedHashSet<>(providerIds);
    transactions.read(() -> unheard.removeAll(rows.stored(ids)));
    transactions.read(() -> unheard.removeAll(unclaimed.known(ids)));
    return unheard;
  }

  private Screened screened(IncomingText text) {
    var data = text.more().data();
    var words =
        data == null ? text.body() : text.body() + "\n" + FIELD.matcher(data).replaceAll(" ");
    return screened(text, screen.look(words).orElse(null));
  }

  private Screened screened(IncomingText text, IncomingScreen.@Nullable Alarm alarm) {
    var body = PlainText.storable(text.body());
    return new Screened(text, body, keywords.isAny(body), alarm);
  }

  /** Stores texts that arrived at the same time: plain ones together, all others one by one. */
  private List<Acceptance> take(List<Screened> screened) {
    if (screened.size() == 1) {
      return List.of(take(screened.getFirst()));
    }
    var arrivals =
        new Arrivals(
            screened,
            keywords,
            participants.senders(Arrivals.numbers(screened)),
            participants.learntSenders(Arrivals.names(screened)),
            rows.stored(
                screened.stream().map(it -> it.text().providerId()).toArray(String[]::new)));
    store(arrivals.plain());
    return screened.stream()
        .map(it -> arrivals.outcome(it.text()).orElseGet(() -> take(it)))
        .toList();
  }

  /**
   * Stores plain texts together.
   *
   * @throws IllegalStateException if another node stored one of them just now: it cannot be told
   *     which, and the whole group is rolled back
   */
  private void store(List<Arrivals.Known> texts) {
    if (texts.isEmpty()) {
      return;
    }
    var inserted =
        rows.insertPlain(
            column(texts, text -> text.sender().id()),
            column(texts, text -> text.text().providerId()),
            column(texts, text -> text.text().channel().word()),
            column(texts, Arrivals.Known::body),
            clock.instant(),
            systemClock.instant());
    if (inserted != texts.size()) {
      throw new IllegalStateException(
          "Of " + texts.size() + " texts only " + inserted + " were new");
    }
    rawPosts.keepAll(texts);
    var ids = texts.stream().map(text -> text.sender().id()).toList();
    events.emitForEach(Events.RECEIVED, ids, Map.of("kind", InputKind.SAID.word()));
    transactions.afterCommit(() -> ids.forEach(id -> doorbell.came(id, quietPeriod)));
  }

  private static String[] column(
      List<Arrivals.Known> texts, Function<Arrivals.Known, @Nullable String> value) {
    return texts.stream().map(value).toArray(String[]::new);
  }

  private Acceptance take(Screened screened) {
    var text = screened.text();
    // Must come first: it locks the number and so waits for an erasure that is committing.
    var sender = sender(text);
    if (isOfSomebodyErased(text)) {
      return keepAway(screened);
    }
    return sender.map(it -> store(it, screened, true)).orElseGet(() -> stranger(screened));
  }

  private boolean isOfSomebodyErased(IncomingText text) {
    return text.sentAt() != null
        && erasedSenders.tookTextsFrom(text.from(), text.sender(), text.sentAt());
  }

  private Acceptance keepAway(Screened screened) {
    var text = screened.text();
    if (!rows.stored(new String[] {text.providerId()}).isEmpty()) {
      return new Acceptance.Repeated();
    }
    unclaimed.keepId(text.providerId(), text.channel(), systemClock.instant());
    if (text.from() != null) {
      var wish = Optional.ofNullable(wish(screened, true));
      if (stops(wish)) {
        participants.suppress(text.from(), OptOutSource.PROVIDER_LIST, cameAt(text));
      } else if (wish.filter(ConsentKeyword.START::equals).isPresent()
          && !isBefore(text, participants.optOutOf(text.from()))) {
        participants.optIn(text.from());
      }
    } else if (stops(Optional.ofNullable(wish(screened, true)))) {
      participants.optOutSender(text.sender(), OptOutSource.PROVIDER_LIST, cameAt(text));
    }
    return new Acceptance.Repeated();
  }

  private @Nullable ConsentKeyword wish(Screened screened, boolean optedOut) {
    if (screened.text().told() != null) {
      return screened.text().told();
    }
    return screened.mayBeKeyword() ? keywords.stored(screened.body(), optedOut).orElse(null) : null;
  }

  private static boolean stops(Optional<ConsentKeyword> wish) {
    return wish.filter(it -> it == ConsentKeyword.STOP || it == ConsentKeyword.REVOKE).isPresent();
  }

  private Instant cameAt(IncomingText text) {
    return text.sentAt() == null ? clock.instant() : text.sentAt();
  }

  /** Returns whether a text from a list was sent before the opt-out which it would undo. */
  private static boolean isBefore(IncomingText text, Optional<Participants.OptOut> optOut) {
    var sentAt = text.sentAt();
    return sentAt != null
        && optOut.map(Participants.OptOut::since).filter(sentAt::isBefore).isPresent();
  }

  private Optional<Participant> sender(IncomingText text) {
    return text.from() == null
        ? participants.sender(text.sender())
        : participants.sender(text.from());
  }

  /**
   * Handles a text whose sender is not a participant. A STOP counts for the number, also while its
   * participant is being erased, and so does the START that undoes it. Any other text enrols its
   * sender, if that is configured, and gets a reply. A contact's text is handled in the same way,
   * unless it replies to a requested prompt.
   */
  private Acceptance stranger(Screened screened) {
    var text = screened.text();
    if (!rows.stored(new String[] {text.providerId()}).isEmpty()
        || unclaimed.known(text.providerId()) > 0) {
      return new Acceptance.Repeated();
    }
    var body = screened.body();
    var wish =
        Optional.ofNullable(text.told())
            .or(() -> screened.mayBeKeyword() ? keywords.in(body, false) : Optional.empty());
    var contact =
        Optional.ofNullable(text.from()).flatMap(from -> participants.findWithContacts(from));
    if (text.from() != null && wish.isEmpty()) {
      if (contact.filter(it -> contactTexts.answers(it, body)).isPresent()) {
        return store(contact.get(), screened, true);
      }
      var newcomer = newcomers.welcome(text.from(), text.channel());
      if (newcomer.isPresent()) {
        return store(newcomer.get(), screened, true);
      }
    }
    var stored =
        unclaimed.insert(
            text.providerId(),
            text.channel(),
            text.sender(),
            body,
            text.told(),
            text.more().userId(),
            text.more().cameTo(),
            text.more().data(),
            systemClock.instant());
    if (stored == 0) {
      return new Acceptance.Repeated();
    }
    rawPosts.keep(text, null);
    if (stops(wish)) {
      optOut(text);
      contact.flatMap(it -> participants.findWithContacts(it.id())).ifPresent(optOuts::optedOut);
    } else if (text.from() != null
        && screened.mayBeKeyword()
        && wish.or(() -> keywords.in(body, true))
            .filter(it -> it == ConsentKeyword.START)
            .isPresent()
        && !isBefore(text, participants.optOutOf(text.from()))) {
      participants.optIn(text.from());
    }
    events.emit("message.unclaimed", null, Map.of());
    if (raised(screened) == null) {
      contact.ifPresent(it -> contactTexts.unclaimed(it, body));
    }
    return new Acceptance.UnknownSender();
  }

  /** Raises the alarm of a text whose sender is no participant; returns its incident. */
  private @Nullable String raised(Screened screened) {
    if (screened.alarm() == null) {
      return null;
    }
    var text = screened.text();
    var known = text.from() == null ? null : newcomers.contact(text.from(), text.channel());
    return screened
        .alarm()
        .raise(new IncomingScreen.Arrived(text.providerId(), known, text.sender(), text.channel()));
  }

  private void optOut(IncomingText text) {
    if (text.from() == null) {
      participants.optOutSender(text.sender(), OptOutSource.NOT_ENROLLED, cameAt(text));
    } else {
      participants.optOut(text.from(), OptOutSource.NOT_ENROLLED, cameAt(text));
    }
  }

  /**
   * Stores a text that staff claimed for a participant, under its own id; joins the running
   * transaction, which has locked the participant. The text may opt them out. It does not opt them
   * in, as it is from the past, nor open a window for free-form messages that is closed by now. The
   * same holds for other texts under a name that belongs to them from now on.
   *
   * @param name the provider's name for the sender, or {@code null} if it gave a number
   */
  Acceptance claimed(
      Participant participant, IncomingText text, Instant cameAt, @Nullable String name) {
    // Screened when it came.
    var acceptance = store(participant, screened(text, null), false);
    if (acceptance instanceof Acceptance.Stored) {
      screen
          .claimed(text.providerId(), participant)
          .ifPresent(incident -> rows.belongs(text.providerId(), incident));
      rows.cameAt(text.providerId(), cameAt);
      heard(participant, name, false);
    }
    return acceptance;
  }

  private Acceptance store(Participant from, Screened screened, boolean mayReturn) {
    var text = screened.text();
    // Must come first: earlier texts under the name alone may have opted them out.
    var sender = learn(from, text) ? heard(from, text.more().userId(), mayReturn) : from;
    var body = screened.body();
    var asked = wish(screened, sender.optedOut());
    var wish =
        asked == ConsentKeyword.START && isBefore(text, participants.optOutOf(sender.id()))
            ? null
            : asked;
    var said =
        new NewRow(InputKind.SAID, text.providerId(), text.channel(), body, wish, text.more());
    if (!insert(sender.id(), said, quietPeriod)) {
      return new Acceptance.Repeated();
    }
    rawPosts.keep(text, sender.id());
    if (text.more().cameTo() != null) {
      rows.insertAgent(text.more().cameTo(), systemClock.instant());
    }
    if (wish == ConsentKeyword.STOP || wish == ConsentKeyword.REVOKE) {
      optOut(
          sender.id(),
          wish == ConsentKeyword.STOP || keywords.isStopWord(body)
              ? OptOutSource.KEYWORD
              : OptOutSource.FREE_WORDS,
          cameAt(text));
      if (text.told() == ConsentKeyword.STOP) {
        participants.blockedByProvider(sender.id());
      }
    } else if (wish == ConsentKeyword.START
        && mayReturn
        && sender.status() != ParticipantStatus.WITHDRAWN) {
      optIn(sender.id(), text.told(), body, cameAt(text));
    }
    if (screened.alarm() != null) {
      raise(screened.alarm(), text, sender.id());
    }
    return new Acceptance.Stored(sender.id());
  }

  /** Raises the alarm for a stored text, with the participant as the text itself left them. */
  private void raise(IncomingScreen.Alarm alarm, IncomingText text, String senderId) {
    var sender = participants.findWithContacts(senderId).orElse(null);
    var incident =
        alarm.raise(
            new IncomingScreen.Arrived(text.providerId(), sender, text.sender(), text.channel()));
    if (incident != null) {
      rows.belongs(text.providerId(), incident);
    }
  }

  /**
   * Links a provider's name to the participant if the text shows their number as well, because the
   * number may be missing next time. A name that came with someone else's number before moves to
   * the participant who shows their number now. Returns whether the name was new.
   */
  private boolean learn(Participant sender, IncomingText text) {
    var name = text.more().userId();
    return name != null
        && sender.phone().equals(text.from())
        && rows.stored(new String[] {text.providerId()}).isEmpty()
        && participants.learnSender(name, text.channel(), sender.id());
  }

  /**
   * Applies the newest STOP or START that came under a name before it was linked to the
   * participant, unless they sent START themselves since. Returns the participant as they are
   * afterwards.
   */
  private Participant heard(Participant sender, @Nullable String name, boolean mayReturn) {
    for (var text :
        name == null ? List.<JdbcUnclaimed.Row>of() : unclaimed.under(name, TEXTS_AT_ONCE)) {
      var told = text.told();
      var wish = told == null ? keywords.in(text.body(), true) : Optional.of(told);
      if (stops(wish)) {
        if (rows.startsSince(sender.id(), text.receivedAt()) > 0) {
          return sender;
        }
        participants.optOut(sender.id(), OptOutSource.UNKNOWN_SENDER, text.receivedAt());
        var out = participants.findWithContacts(sender.id());
        out.ifPresent(optOuts::optedOut);
        return out.orElse(sender);
      }
      if (wish.filter(ConsentKeyword.START::equals).isPresent()) {
        var since = participants.optOutOf(sender.id()).map(Participants.OptOut::since);
        if (mayReturn
            && sender.status() != ParticipantStatus.WITHDRAWN
            && since.filter(text.receivedAt()::isAfter).isPresent()) {
          optIn(sender.id(), told, text.body(), text.receivedAt());
        }
        return participants.findWithContacts(sender.id()).orElse(sender);
      }
    }
    return sender;
  }

  /**
   * Lets a START count, unless only Habitline knows the word and the provider blocks the number.
   */
  private void optIn(String participantId, @Nullable ConsentKeyword told, String body, Instant at) {
    if (told == ConsentKeyword.START || keywords.isStartAtProvider(body)) {
      participants.optIn(participantId);
    } else {
      participants.askBack(participantId, at);
    }
  }

  private void optOut(String participantId, OptOutSource source, Instant at) {
    participants.optOut(participantId, source, at);
    participants.findWithContacts(participantId).ifPresent(optOuts::optedOut);
  }

  /**
   * Opts a participant out who asked for it in words that only the coach understood, just as a text
   * does in which a rule finds the request; joins the running transaction.
   */
  public void optOut(String participantId) {
    optOut(participantId, OptOutSource.FREE_WORDS, clock.instant());
  }

  /** Stores the enrolment as an input: its turn greets the participant. */
  public void enrolled(Participant participant) {
    insert(
        participant.id(),
        new NewRow(
            InputKind.ENROLLED,
            "enrolled_" + participant.id(),
            participant.channel(),
            "",
            null,
            IncomingText.More.NONE),
        Duration.ZERO);
  }

  /**
   * Stores the greeting of a participant who consented in a turn, once for the turn; joins the
   * running transaction.
   */
  public void consented(Participant participant, int turn, ChannelKind channel) {
    greet(participant, "consented_" + participant.id() + "_" + turn, channel);
  }

  /**
   * Stores the greeting of a participant whose consent staff recorded, once for the consent; joins
   * the running transaction.
   */
  public void consentRecorded(Participant participant) {
    greet(
        participant,
        "recorded_" + participant.id() + "_" + participant.consent().at(),
        participant.channel());
  }

  private void greet(Participant participant, String key, ChannelKind channel) {
    insert(
        participant.id(),
        new NewRow(InputKind.ENROLLED, key, channel, "", null, IncomingText.More.NONE),
        Duration.ZERO);
  }

  /**
   * Stores a staff request as an input, once for each id; joins the running transaction. Its turn
   * uses the channel that the participant used last.
   */
  public void asked(String participantId, String requestId) {
    insert(
        participantId,
        new NewRow(InputKind.ASKED, requestId, null, requestId, null, IncomingText.More.NONE),
        Duration.ZERO);
  }

  /** Closes whatever waits for a participant; it gets no reply. Joins the running transaction. */
  public void close(String participantId) {
    rows.cancel(participantId);
  }

  /**
   * Stores wake-ups together, each one once; joins the running transaction. Their turns use the
   * channel that the participant used last.
   *
   * @param participants participant ids by the id of the wake-up
   */
  public void woke(Map<String, String> participants) {
    var ids = List.copyOf(participants.values());
    rows.insertWoke(
        ids.toArray(String[]::new),
        participants.keySet().toArray(String[]::new),
        clock.instant(),
        systemClock.instant());
    events.emitForEach(Events.RECEIVED, ids, Map.of("kind", InputKind.WOKE.word()));
    transactions.afterCommit(() -> ids.forEach(id -> doorbell.came(id, Duration.ZERO)));
  }

  /** Returns whether any input waits or is being handled; joins the running transaction. */
  public boolean isUnfinished() {
    return rows.unfinished() > 0;
  }

  /** Erases all inputs of the participant; joins the running transaction. */
  public void erase(String participantId) {
    rows.erase(participantId);
  }

  private record NewRow(
      InputKind kind,
      String providerId,
      @Nullable ChannelKind channel,
      String body,
      @Nullable ConsentKeyword wish,
      IncomingText.More more) {}

  private boolean insert(String participantId, NewRow row, Duration quiet) {
    var inserted =
        rows.insert(
            participantId,
            row.kind(),
            row.providerId(),
            row.channel(),
            row.body(),
            row.wish(),
            row.more().cameTo(),
            row.more().data(),
            clock.instant(),
            systemClock.instant());
    if (inserted == 0) {
      return false;
    }
    events.emit(Events.RECEIVED, participantId, Map.of("kind", row.kind().word()));
    transactions.afterCommit(() -> doorbell.came(participantId, quiet));
    return true;
  }

  /** The inputs that wait for a participant, and whether it is time to handle them. */
  public sealed interface Gathered {
    /** These inputs belong in one turn. */
    record Ready(List<Input> inputs) implements Gathered {}

    /** Texts are waiting, but more may come within this time. */
    record Gathering(Duration pause) implements Gathered {}

    /** Nothing is waiting. */
    record Nothing() implements Gathered {}
  }

  /**
   * Returns the waiting inputs, oldest first. An enrolment, a wake-up and a staff request each get
   * a turn of their own; texts that wait together share one.
   */
  public Gathered gather(String participantId) {
    var waiting = rows.waiting(participantId, TEXTS_AT_ONCE);
    if (waiting.isEmpty()) {
      return new Gathered.Nothing();
    }
    if (!said(waiting.getFirst())) {
      return new Gathered.Ready(List.of(input(waiting.getFirst())));
    }
    // What is skipped of a restored backup shares no turn with what is not.
    var skipped = restored.skipsText(waiting.getFirst().seq());
    var texts =
        waiting.stream()
            .takeWhile(row -> said(row) && restored.skipsText(row.seq()) == skipped)
            .toList();
    var wait = leftOfQuietPeriod(texts.getFirst().storedAt(), texts.getLast().storedAt());
    return wait.isPositive()
        ? new Gathered.Gathering(wait)
        : new Gathered.Ready(texts.stream().map(this::input).toList());
  }

  private static boolean said(JdbcInbox.Row row) {
    return row.kind() == InputKind.SAID;
  }

  private Duration leftOfQuietPeriod(Instant oldest, Instant newest) {
    var now = systemClock.instant();
    var quiet = Duration.between(now, newest.plus(quietPeriod));
    if (quiet.compareTo(quietPeriod.plus(CLOCKS_DIFFER)) > 0) {
      // The clock was set back since.
      return Duration.ZERO;
    }
    var atMost =
        Duration.between(now, oldest.plus(quietPeriod.multipliedBy(QUIET_PERIODS_AT_MOST)));
    return quiet.compareTo(atMost) < 0 ? quiet : atMost;
  }

  /** Returns the inputs that a turn took before. */
  public List<Input> taken(String participantId, List<Long> seqs) {
    return rows.these(participantId, seqs).stream().map(this::input).toList();
  }

  /** Marks the inputs of a turn as handled. If the turn sends no reply, it records the reason. */
  public void done(String participantId, int turn, List<Input> inputs) {
    rows.done(participantId, turn, inputs.stream().map(Input::seq).toList());
  }

  /** Returns the inputs that wait for a turn, counted by kind. */
  public List<Waiting<InputKind>> waiting() {
    return transactions.read(() -> rows.queued(Waiting.COUNTED)).stream()
        .map(row -> new Waiting<>(row.what(), row.count(), row.oldest(), row.due()))
        .toList();
  }

  /** Deletes records of erased senders and of their texts' ids, once no list can repeat them. */
  public void forgetErased() {
    erasedSenders.forget();
    var before = systemClock.instant().minus(LISTED_FOR.multipliedBy(2));
    InBatches.of(transactions).delete(most -> unclaimed.erased(before, most), unclaimed::delete);
  }

  /** Returns a participant's newest text on a channel, as it came. */
  public Optional<IncomingText> newest(Participant from, ChannelKind channel) {
    return transactions
        .read(() -> rows.newest(from.id(), channel))
        .map(came -> new IncomingText(came.providerId(), from.phone(), channel, came.body()));
  }

  /** Returns the texts that no committed turn has handled yet, oldest first, for pages. */
  public List<Unanswered> unanswered(String participantId) {
    var found = new ArrayList<Unanswered>();
    for (var row : rows.open(participantId)) {
      found.add(new Unanswered(row.body(), row.storedAt(), row.incidentId()));
    }
    return List.copyOf(found);
  }

  /**
   * A participant whose texts no committed turn has handled.
   *
   * @param since when the first of them was stored, in system time
   */
  public record Silent(String participantId, long texts, Instant since) {}

  /** Returns who waits for a reply, longest wait first; looks at 10,000 texts at most. */
  public List<Silent> unanswered(int most) {
    return transactions.read(() -> rows.unanswered(Waiting.COUNTED, most)).stream()
        .map(row -> new Silent(row.participantId(), row.texts(), row.since()))
        .toList();
  }

  /**
   * A text whose turn is not committed yet.
   *
   * @param incidentId the safety incident that it opened or joined, or {@code null}
   */
  public record Unanswered(String body, Instant storedAt, @Nullable String incidentId) {}

  /** The words of a text. */
  public record Text(String body, Instant receivedAt) {}

  /**
   * Returns the texts with these ids of a provider, whoever sent them and whether or not staff have
   * claimed them, without those that no longer exist.
   */
  public List<Text> texts(List<String> providerIds) {
    if (providerIds.isEmpty()) {
      return List.of();
    }
    return transactions.read(() -> {
      var found = new LinkedHashMap<String, Text>();
      for (var row : rows.texts(providerIds)) {
        found.put(row.providerId(), new Text(row.body(), row.receivedAt()));
      }
      for (var row : unclaimed.texts(providerIds)) {
        found.putIfAbsent(row.providerId(), new Text(row.body(), row.receivedAt()));
      }
      return List.copyOf(found.values());
    });
  }

  /** Returns the provider's ids of these texts, in order; joins the running transaction. */
  public List<String> providerIds(List<Input.Said> texts) {
    return texts.isEmpty() ? List.of() : rows.providerIds(texts.stream().map(Input::seq).toList());
  }

  /** Returns whether a text of the participant awaits its turn; joins the running transaction. */
  public boolean saysSomething(String participantId) {
    return rows.waiting(participantId, TEXTS_AT_ONCE).stream().anyMatch(Inbox::said);
  }

  /** Returns whether a STOP of the participant awaits its turn, which confirms it. */
  public boolean saysStop(String participantId) {
    return transactions.read(() -> rows.waiting(participantId, TEXTS_AT_ONCE)).stream()
        .anyMatch(row -> stops(Optional.ofNullable(row.wish())));
  }

  /** Returns the channel of the participant's last text, or empty before the first. */
  public Optional<ChannelKind> lastChannel(String participantId) {
    return transactions.read(() -> rows.lastChannel(participantId).map(JdbcInbox.CameBy::channel));
  }

  private ChannelKind channel(JdbcInbox.Row row) {
    return Optional.ofNullable(row.channel())
        .or(() -> lastChannel(row.participantId()))
        .or(() -> participants.findWithLeaving(row.participantId()).map(Participant::channel))
        .orElseThrow();
  }

  private Input input(JdbcInbox.Row row) {
    var channel = channel(row);
    return switch (row.kind()) {
      case SAID ->
          new Input.Said(
              row.seq(), row.body(), row.wish(), channel, row.receivedAt(), row.incidentId());
      case ENROLLED -> new Input.Enrolled(row.seq(), channel);
      case ASKED -> new Input.StaffAsked(row.seq(), row.body(), channel);
      case WOKE -> new Input.Woke(row.seq(), row.body(), channel);
    };
  }
}
