package org.habitline.conversation.requests;

import com.fasterxml.jackson.core.type.TypeReference;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.participants.PhoneNumber;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.habitline.timers.CalendarRule;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.jspecify.annotations.Nullable;

/**
 * Accepts what scripts request: messages at once and messages by schedule, to participants and to
 * contacts. Each message is a turn of its receiver, so that a crash neither loses nor repeats it;
 * the next wake-up of a schedule is planned in the transaction that handles the last one.
 */
@Singleton
public final class RequestedPrompts implements ParticipantListener {

  /** The most senders that statistics list one by one. */
  private static final int SENDERS_AT_MOST = 1000;

  private static final TypeReference<RequestedPrompt> PROMPT = new TypeReference<>() {};
  private static final TypeReference<Rule> RULE = new TypeReference<>() {};

  private final JdbcRequestedPrompts rows;
  private final Inbox inbox;
  private final Outbox outbox;
  private final Timers timers;
  private final PromptTimes times;
  private final Transactions transactions;
  private final Clock clock;

  RequestedPrompts(
      JdbcRequestedPrompts rows,
      Inbox inbox,
      Outbox outbox,
      Timers timers,
      PromptTimes times,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.inbox = inbox;
    this.outbox = outbox;
    this.timers = timers;
    this.times = times;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Queues a prompt and returns its id; joins the running transaction.
   *
   * @param by who requests it
   */
  public String ask(Participant to, RequestedPrompt prompt, String by) {
    var id = Ids.next("snd");
    rows.ask(id, to.id(), prompt.word(), by, TurnJson.write(prompt), clock.instant());
    inbox.asked(to.id(), id);
    return id;
  }

  /**
   * Schedules a prompt until it is cancelled or its receiver is erased, and returns the schedule's
   * id; joins the running transaction.
   */
  public String schedule(Participant to, RequestedPrompt prompt, CalendarRule rule, String by) {
    var id = Ids.next("sched");
    var next = rule.next(clock.instant());
    rows.schedule(
        id,
        to.id(),
        prompt.word(),
        by,
        TurnJson.write(prompt),
        TurnJson.write(Rule.of(rule)),
        next,
        clock.instant());
    arm(to.id(), id, rule, next);
    return id;
  }

  private void arm(String participantId, String scheduleId, CalendarRule rule, Instant next) {
    timers.plan(
        new Timers.Plan(
            participantId, WakeupKind.SCRIPTED, next, rule.zone(), scheduleId, scheduleId));
  }

  /**
   * A running schedule.
   *
   * @param seq its place in order of creation
   * @param type the type of its prompt
   * @param nextAt study time, like {@code createdAt}
   */
  public record Running(
      long seq,
      String id,
      String participantId,
      String type,
      CalendarRule rule,
      Instant nextAt,
      Instant createdAt) {}

  /** Returns running schedules after a {@code seq} (0 for the first), oldest first. */
  public List<Running> running(long after, int most) {
    return transactions.read(() -> rows.running(after, most)).stream()
        .map(RequestedPrompts::read)
        .toList();
  }

  public Optional<Running> running(String id) {
    return transactions.read(() -> rows.running(id)).map(RequestedPrompts::read);
  }

  private static Running read(JdbcRequestedPrompts.Schedule row) {
    return new Running(
        row.seq(),
        row.id(),
        row.participantId(),
        row.type(),
        TurnJson.read(row.rule(), RULE).rule(),
        row.nextAt(),
        row.createdAt());
  }

  /**
   * Ends a schedule: its prompt is not sent any more, unless the turn is over. Returns false if the
   * schedule is not running. Joins the running transaction.
   */
  public boolean cancel(Running schedule) {
    timers.cancel(
        schedule.participantId(), WakeupKind.SCRIPTED, schedule.id(), "the schedule was cancelled");
    return rows.end(schedule.id(), clock.instant()) > 0;
  }

  /** The delivery status of a message; {@code sent} also while it is only queued. */
  public record Receipt(long seq, String to, String status, Instant at) {}

  /** Returns the delivery status of the newest messages before a {@code seq}, newest first. */
  public List<Receipt> receipts(long before, int most) {
    return transactions.read(() -> {
      var sent = rows.newest(before, most);
      var progress =
          outbox.progress(sent.stream().flatMap(it -> Stream.ofNullable(it.messageId())).toList());
      return sent.stream().map(it -> receipt(it, progress)).toList();
    });
  }

  private static Receipt receipt(
      JdbcRequestedPrompts.Sent sent, Map<String, Outbox.Progress> progress) {
    var message = sent.messageId();
    var fared = message == null ? null : progress.get(message);
    if (fared != null) {
      return new Receipt(sent.seq(), sent.phone(), fared.stage().word(), fared.at());
    }
    var status = sent.status().unsent() ? sent.status().word() : Outbox.Stage.SENT.word();
    return new Receipt(sent.seq(), sent.phone(), status, sent.at());
  }

  /** A text from someone whom a script messaged, or one that a script recorded as a response. */
  public record Response(long seq, String from, String body, Instant at) {}

  /** Records a text as a response; joins the running transaction. */
  public void record(PhoneNumber from, @Nullable String participantId, String body) {
    rows.hear(participantId, from.e164(), body, clock.instant());
  }

  /** Returns the newest responses before a {@code seq}, newest first. */
  public List<Response> responses(long before, int most) {
    return transactions.read(() -> rows.heard(before, most)).stream()
        .map(row -> new Response(row.seq(), row.sender(), row.body(), row.receivedAt()))
        .toList();
  }

  /**
   * Statistics of all responses.
   *
   * @param perSender number of responses by phone number, for the 1000 who sent most
   * @param averageLength average length in characters
   */
  public record Stats(long total, Map<String, Long> perSender, double averageLength) {}

  public Stats stats() {
    return transactions.read(() -> {
      var perSender = new LinkedHashMap<String, Long>();
      rows.bySender(SENDERS_AT_MOST).forEach(row -> perSender.put(row.sender(), row.count()));
      var totals = rows.totals();
      return new Stats(totals.total(), perSender, totals.average());
    });
  }

  /**
   * The origin of a requested prompt: a request to send at once, or a schedule.
   *
   * @param type the type of the prompt
   * @param by who requested it
   */
  public record Errand(String type, String by, @Nullable String requestId, @Nullable Ring ring) {}

  /** One occurrence of a schedule. */
  record Ring(String scheduleId, CalendarRule rule, Instant dueAt) {}

  /**
   * The result of a requested prompt.
   *
   * @param opens the choice that is open from now on
   */
  public record Settled(Status status, @Nullable String reason, @Nullable OpenBranch opens) {

    /** The status of a requested prompt, as stored. */
    public enum Status {
      /** Queued in the outbox, which tracks the delivery. */
      QUEUED,
      CANCELLED,
      FAILED,
      /** Waiting for its turn. */
      WAITING;

      /** Returns whether nothing is sent. */
      boolean unsent() {
        return this == CANCELLED || this == FAILED;
      }

      String word() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    public static Settled queued(@Nullable OpenBranch opens) {
      return new Settled(Status.QUEUED, null, opens);
    }

    public static Settled cancelled(String reason) {
      return new Settled(Status.CANCELLED, reason, null);
    }

    public static Settled failed(String reason) {
      return new Settled(Status.FAILED, reason, null);
    }
  }

  /** A requested prompt and its origin. */
  public record Wanted(Errand errand, RequestedPrompt prompt) {}

  /** Returns a prompt requested at once, unless it was sent or cancelled. */
  public Optional<Wanted> asked(String requestId) {
    return transactions
        .read(() -> rows.waiting(requestId))
        .map(row ->
            new Wanted(
                new Errand(row.type(), row.askedBy(), row.id(), null),
                TurnJson.read(row.prompt(), PROMPT)));
  }

  /** Returns the prompt of a schedule that is due at an instant, if the schedule still runs. */
  public Optional<Wanted> rang(String scheduleId, Instant dueAt) {
    return transactions
        .read(() -> rows.running(scheduleId))
        .map(row ->
            new Wanted(
                new Errand(
                    row.type(),
                    row.askedBy(),
                    null,
                    new Ring(row.id(), TurnJson.read(row.rule(), RULE).rule(), dueAt)),
                TurnJson.read(row.prompt(), PROMPT)));
  }

  /**
   * Records the result of a turn and plans the schedule's next wake-up; joins the turn's
   * transaction.
   */
  public void settle(Claim claim, Errand errand, Settled settled, @Nullable String messageId) {
    var id = claim.participant().id();
    var status = settled.status();
    if (errand.requestId() != null) {
      rows.settle(
          errand.requestId(), status, settled.reason(), claim.turn(), messageId, clock.instant());
    }
    var ring = errand.ring();
    if (ring != null) {
      rows.came(
          Ids.next("snd"),
          id,
          ring.scheduleId(),
          errand.type(),
          errand.by(),
          status,
          settled.reason(),
          claim.turn(),
          messageId,
          clock.instant());
      armNext(id, ring);
    }
  }

  /** Plans the next occurrence; skips those that are already too late. */
  private void armNext(String participantId, Ring ring) {
    var notBefore = clock.instant().minus(times.maxLateness());
    var next = ring.rule().next(ring.dueAt().isBefore(notBefore) ? notBefore : ring.dueAt());
    if (rows.moveOn(ring.scheduleId(), next) > 0) {
      arm(participantId, ring.scheduleId(), ring.rule(), next);
    }
  }

  /** Records the message sent for a chosen option; joins the transaction of that turn. */
  public void chosen(Claim claim, String by, String messageId) {
    rows.came(
        Ids.next("snd"),
        claim.participant().id(),
        null,
        "branch",
        by,
        Settled.Status.QUEUED,
        null,
        claim.turn(),
        messageId,
        clock.instant());
  }

  /**
   * Records texts from someone whom a script messaged, except those already recorded as unclaimed
   * texts and those of a safety incident; joins the transaction of their turn.
   */
  public void heard(Claim claim) {
    claim.said().stream()
        .filter(said -> claim.incidentOf(said) == null)
        .filter(said -> rows.heardUnclaimed(said.seq()) == 0)
        .forEach(said ->
            rows.hear(
                claim.participant().id(),
                claim.participant().phone().e164(),
                said.text(),
                said.receivedAt()));
  }

  @Override
  public void leaving(Participant participant) {
    rows.endAll(participant.id(), clock.instant());
  }

  @Override
  public void absorbed(String contactId, String participantId) {
    rows.eraseTexts(contactId);
    rows.eraseSchedules(contactId);
    rows.giveResponses(contactId, participantId);
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.eraseTexts(participantId);
    rows.eraseSchedules(participantId);
    rows.eraseResponses(participantId);
    rows.eraseResponsesFromNumberOf(participantId);
  }

  /** A rule as it is stored. */
  record Rule(
      @Nullable Integer minute,
      @Nullable Integer hour,
      @Nullable Integer day,
      @Nullable Integer month,
      @Nullable Integer weekday,
      String timezone) {

    static Rule of(CalendarRule rule) {
      return new Rule(
          rule.minute(),
          rule.hour(),
          rule.day(),
          rule.month(),
          rule.weekday(),
          rule.zone().getId());
    }

    CalendarRule rule() {
      return new CalendarRule(
          minute, hour, day, month, weekday, ZoneId.of(Objects.requireNonNull(timezone)));
    }
  }
}
