package org.habitline.staff.today;

import io.micronaut.core.util.SupplierUtil;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditLog;
import org.habitline.budgets.Spending;
import org.habitline.conversation.flags.FlagStatus;
import org.habitline.conversation.flags.Flags;
import org.habitline.conversation.flags.JdbcFlags.Flag;
import org.habitline.conversation.stored.Author;
import org.habitline.conversation.stored.JdbcStates;
import org.habitline.conversation.stored.StateReader;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.Channels;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.outbox.Senders;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.participants.ConsentState;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.safety.alerts.Alerting;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.Incidents;
import org.habitline.staff.participant.Unsent;
import org.habitline.staff.web.Attention;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Times;
import org.habitline.study.fidelity.Fidelity;
import org.habitline.study.figures.Figures;
import org.habitline.study.figures.Participation;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OccurrenceReader;
import org.jspecify.annotations.Nullable;

/**
 * Collects what needs attention now. Every list uses an index and a limit, so that its cost does
 * not grow with the number of participants; they are counted in one statement.
 */
@Singleton
final class Worklist implements Attention {

  /**
   * The period that counts as today: the last 24 hours, because a midnight in any one zone would
   * empty a list.
   */
  static final Duration DAY = Duration.ofHours(24);

  static final Duration WEEK = Duration.ofDays(7);

  /** How long a flagged participant is listed; their own page shows the flag for good. */
  static final Duration MONTH = Duration.ofDays(30);

  /** How many incidents are looked at; crises come first. */
  private static final int INCIDENTS = 1_000;

  /** How many daily prompts of a participant may be left out of a list before it gets short. */
  private static final int PROMPTS_EACH = 10;

  /** How many characters of a message an entry quotes. */
  private static final int QUOTED = 60;

  /** How many rows of a list are looked through for those of one owner. */
  static final int LOOKED_THROUGH = 1_000;

  private final Figures figures;
  private final Fidelity fidelity;
  private final Incidents incidents;
  private final Participants participants;
  private final TurnReader conversations;
  private final StateReader states;
  private final Takeover steppingIn;
  private final Inbox inbox;
  private final Unclaimed unclaimed;
  private final Outbox outbox;
  private final TranscriptReader transcript;
  private final OccurrenceReader schedules;
  private final Senders senders;
  private final Channels channels;
  private final SendingStop sending;
  private final ServiceHealth health;
  private final AuditLog audit;
  private final Spending spending;
  private final Flags flags;
  private final FlowCatalog flowCatalog;
  private final Alerting alerting;
  private final WorkOwners owners;
  private final StuckPeople stuck;
  private final Clock clock;
  private final Clock systemClock;

  Worklist(
      Figures figures,
      Fidelity fidelity,
      Incidents incidents,
      Participants participants,
      TurnReader conversations,
      StateReader states,
      Takeover steppingIn,
      Inbox inbox,
      Unclaimed unclaimed,
      Outbox outbox,
      TranscriptReader transcript,
      OccurrenceReader schedules,
      Senders senders,
      Channels channels,
      SendingStop sending,
      ServiceHealth health,
      AuditLog audit,
      Spending spending,
      Flags flags,
      FlowCatalog flowCatalog,
      Alerting alerting,
      WorkOwners owners,
      StuckPeople stuck,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.figures = figures;
    this.fidelity = fidelity;
    this.incidents = incidents;
    this.participants = participants;
    this.conversations = conversations;
    this.states = states;
    this.steppingIn = steppingIn;
    this.inbox = inbox;
    this.unclaimed = unclaimed;
    this.outbox = outbox;
    this.transcript = transcript;
    this.schedules = schedules;
    this.senders = senders;
    this.channels = channels;
    this.sending = sending;
    this.health = health;
    this.audit = audit;
    this.spending = spending;
    this.flags = flags;
    this.flowCatalog = flowCatalog;
    this.alerting = alerting;
    this.owners = owners;
    this.stuck = stuck;
    this.clock = clock;
    this.systemClock = systemClock;
  }

  /**
   * One entry of a list, before its participant is loaded.
   *
   * @param quote what the message says that it is about, or empty
   * @param close the address at which it is closed, or empty
   * @param staff the name on the rota of whom an alert was for, or empty: then it is about the
   *     participant
   * @param action what staff can do about it, or {@code null} for what the list offers
   */
  private record Draft(
      String participantId,
      @Nullable Integer turn,
      Instant at,
      String what,
      Function<Participant, String> why,
      boolean bad,
      boolean leftToStaff,
      Supplier<String> quote,
      String close,
      String staff,
      TodayPage.@Nullable Action action) {

    Draft(
        String participantId,
        @Nullable Integer turn,
        Instant at,
        String what,
        Function<Participant, String> why,
        boolean bad) {
      this(participantId, turn, at, what, why, bad, false, () -> "", "", "", null);
    }

    /** Returns a copy that is marked as taken over by staff. */
    Draft heldByStaff() {
      return new Draft(participantId, turn, at, what, why, bad, true, quote, close, staff, action);
    }

    /** Returns a copy that quotes the message that it is about. */
    Draft quoting(Supplier<String> words) {
      return new Draft(
          participantId, turn, at, what, why, bad, leftToStaff, words, close, staff, action);
    }

    /** Returns a copy with the address that closes it. */
    Draft closedAt(String address) {
      return new Draft(
          participantId, turn, at, what, why, bad, leftToStaff, quote, address, staff, action);
    }

    /** Returns a copy that is about someone on the rota. */
    Draft about(String recipient) {
      return new Draft(
          participantId, turn, at, what, why, bad, leftToStaff, quote, close, recipient, action);
    }

    /** Returns a copy with what staff can do about it. */
    Draft with(TodayPage.@Nullable Action offered) {
      return new Draft(
          participantId, turn, at, what, why, bad, leftToStaff, quote, close, staff, offered);
    }
  }

  @Override
  public int count(int most) {
    var counted =
        incidents.unreleased(most).size()
            + unclaimed.texts(EnumSet.of(Unclaimed.Status.WAITING), Long.MAX_VALUE, most).size();
    for (var section : TodayPage.WORK) {
      if (counted < most) {
        counted += drafts(section, most - counted).size();
      }
    }
    return Math.min(counted, most);
  }

  /** Returns the counts at the top of the page. */
  List<TodayPage.Count> counts() {
    var prompted = schedules.promptedWithin(DAY);
    var waiting = drafts(TodayPage.Section.WAITING, Waiting.COUNTED).size();
    var failed = drafts(TodayPage.Section.FAILED, Waiting.COUNTED).size();
    var undelivered = drafts(TodayPage.Section.UNDELIVERED, Waiting.COUNTED).size();
    var stuck = drafts(TodayPage.Section.STUCK, Waiting.COUNTED).size();
    var inIntake =
        stuck == 0
            ? Stream.<TodayPage.Count>empty()
            : Stream.of(count("stuck", stuck, address(TodayPage.Section.STUCK), true));
    return Stream.concat(
            Stream.of(people(), inIntake, deviations()).flatMap(Function.identity()),
            Stream.of(
                count("waiting for a reply", waiting, address(TodayPage.Section.WAITING), true),
                count(
                    "failed turns without a reply",
                    failed,
                    address(TodayPage.Section.FAILED),
                    true),
                count(
                    "not delivered in the last 7 days",
                    undelivered,
                    address(TodayPage.Section.UNDELIVERED),
                    true),
                count(
                    "daily prompts sent in 24 hours",
                    prompted.sent(),
                    address(TodayPage.Section.SENT),
                    false),
                count(
                    "daily prompts sent in 24 hours and answered",
                    prompted.answered(),
                    address(TodayPage.Section.ANSWERED),
                    false)))
        .toList();
  }

  /** Counts the open deviations of yesterday, if there are any. */
  private Stream<TodayPage.Count> deviations() {
    var open = fidelity.openOfYesterday();
    var day = fidelity.yesterday();
    return open == 0
        ? Stream.empty()
        : Stream.of(
            count(
                "deviations from the plan yesterday",
                open,
                "/study/monitoring?state=open&from=" + day + "&to=" + day,
                true));
  }

  /** Counts those who take part; what keeps somebody from the coach is left out if it is zero. */
  private Stream<TodayPage.Count> people() {
    return figures.participation().entrySet().stream()
        .filter(each ->
            switch (each.getKey()) {
              case ACTIVE, PAUSED -> true;
              case WAITING_FOR_CONSENT, NO_CONSENT, OPTED_OUT, PAUSED_BY_INCIDENT ->
                  each.getValue() > 0;
              case COMPLETED, WITHDRAWN -> false;
            })
        .map(each ->
            count(
                each.getKey().title(),
                each.getValue(),
                "/participants?participation=" + each.getKey().word(),
                each.getKey() == Participation.PAUSED_BY_INCIDENT));
  }

  private static String address(TodayPage.Section section) {
    return "/today/" + section.word();
  }

  private static TodayPage.Count count(String what, long number, String address, boolean bad) {
    return new TodayPage.Count(
        what,
        number >= Waiting.COUNTED && !address.startsWith("/participants")
            ? Waiting.COUNTED + "+"
            : String.valueOf(number),
        address,
        bad && number > 0);
  }

  /**
   * A row that needs staff.
   *
   * @param row its key, which stays the same while the row is listed
   * @param since when it began: system time for people who wait, study time otherwise
   * @param owner the staff member who is on it, or {@code null}
   */
  record Row(
      String row,
      TodayPage.Section section,
      String participantId,
      @Nullable Integer turn,
      Instant since,
      String what,
      WorkOwners.@Nullable Owner owner) {}

  /**
   * A row that was found.
   *
   * @param owner asks who is on it now, without looking for the row again
   */
  record Found(String participantId, Supplier<Optional<WorkOwners.Owner>> owner) {}

  /** Finds the row of a list with this key, if it is among the first of them. */
  Optional<Found> find(TodayPage.Section section, String key, int most) {
    return drafts(section, most).stream()
        .filter(draft -> key(section, draft).equals(key))
        .findFirst()
        .map(draft ->
            new Found(
                draft.participantId(),
                () -> Optional.ofNullable(owners(section, List.of(draft)).get(key))));
  }

  /** Returns the first rows of a list that the reader wants to see. */
  List<Row> rows(TodayPage.Section section, int most, TodayPage.Whose whose, String reader) {
    var found = drafts(section, most, whose, reader);
    var on = owners(section, found);
    return found.stream().map(draft -> row(section, draft, on)).toList();
  }

  private static Row row(TodayPage.Section section, Draft draft, Map<String, WorkOwners.Owner> on) {
    var key = key(section, draft);
    return new Row(
        key, section, draft.participantId(), draft.turn(), draft.at(), draft.what(), on.get(key));
  }

  /**
   * Returns the key of a row. A participant waits once, whatever for; every other row is about
   * something that happened once, at its time.
   */
  private static String key(TodayPage.Section section, Draft draft) {
    var about = section.word() + "-" + draft.participantId();
    return section == TodayPage.Section.WAITING
        ? about
        : about + "-" + (draft.turn() == null ? 0 : draft.turn()) + "-" + draft.at().toEpochMilli();
  }

  /** Returns who is on the rows of a list, by key; one statement. */
  private Map<String, WorkOwners.Owner> owners(TodayPage.Section section, List<Draft> drafts) {
    if (!TodayPage.WORK.contains(section)) {
      return Map.of();
    }
    var byKey =
        drafts.stream()
            .collect(
                Collectors.toMap(
                    draft -> key(section, draft), Function.identity(), (one, same) -> one));
    return owners.of(byKey.keySet()).entrySet().stream()
        .filter(owned -> isStillOn(section, byKey.get(owned.getKey()), owned.getValue()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /**
   * Returns whether somebody who took a row is still on it. A reply ends the row of a waiting
   * participant. The start time of the row cannot decide this, because each text left to staff
   * moves it.
   */
  private static boolean isStillOn(
      TodayPage.Section section, @Nullable Draft draft, WorkOwners.Owner owner) {
    return section != TodayPage.Section.WAITING
        || (draft != null
            && !owner.replied()
            && (draft.leftToStaff() || !draft.at().isAfter(owner.studyAt())));
  }

  /** Returns a list with at most the given number of entries, as this staff member sees it. */
  TodayPage.Listed list(TodayPage.Section section, int most, TodayPage.Whose whose, String reader) {
    var found = drafts(section, most + 1, whose, reader);
    var shown = found.subList(0, Math.min(most, found.size()));
    var on = owners(section, shown);
    var people =
        participants
            .theseWithContacts(shown.stream().map(Draft::participantId).collect(Collectors.toSet()))
            .stream()
            .collect(Collectors.toMap(Participant::id, Function.identity()));
    var entries = new ArrayList<TodayPage.Entry>();
    for (var draft : shown) {
      Optional.ofNullable(people.get(draft.participantId()))
          .map(participant ->
              entry(
                  section,
                  draft,
                  participant,
                  entries.size(),
                  TodayPage.Owner.of(on.get(key(section, draft)), reader, systemClock.instant())))
          .ifPresent(entries::add);
    }
    return new TodayPage.Listed(section, List.copyOf(entries), found.size() > most, whose);
  }

  private TodayPage.Entry entry(
      TodayPage.Section section,
      Draft draft,
      Participant participant,
      int place,
      TodayPage.@Nullable Owner owner) {
    var lasted = lasted(section, draft);
    return new TodayPage.Entry(
        participant.id(),
        section.word() + "-" + participant.id() + "-" + place,
        address(draft, participant),
        draft.staff().isEmpty() ? participant.shownName() : draft.staff(),
        participant.studyId() == null ? "" : participant.studyId(),
        participant.phone().toString(),
        draft.at().toString(),
        utc(draft.at()),
        dayAndTime(draft.at()),
        lasted.isNegative() ? "" : Times.inOneUnit(lasted),
        lasted.compareTo(DAY) >= 0,
        draft.what(),
        draft.why().apply(participant),
        draft.quote().get(),
        draft.bad(),
        TodayPage.WORK.contains(section) ? key(section, draft) : "",
        owner,
        action(section, draft, participant));
  }

  /**
   * Returns how long ago an entry began. What waits is timed in real time, except what a turn
   * caused: that may lie ahead of real time, because the study clock can only be moved forward.
   */
  private Duration lasted(TodayPage.Section section, Draft draft) {
    var real =
        switch (section) {
          case WAITING, UNDELIVERED -> !draft.at().isAfter(systemClock.instant());
          case FLAGGED, FAILED, BLOCKED, STUCK, DUE, MISSED, BUDGETS, SENT, ANSWERED -> false;
        };
    return Duration.between(draft.at(), (real ? systemClock : clock).instant());
  }

  private static TodayPage.@Nullable Action action(
      TodayPage.Section section, Draft draft, Participant participant) {
    if (!draft.close().isEmpty()) {
      return TodayPage.Action.open("Close flag", draft.close());
    }
    if (participant.contact() || !draft.staff().isEmpty()) {
      return null;
    }
    var page = "/participants/" + participant.id();
    // Nothing is sent to somebody who opted out, nor again to somebody who is paused or has left.
    var gets =
        section == TodayPage.Section.UNDELIVERED
            ? participant.mayBeTexted()
            : !participant.optedOut();
    if (draft.action() != null && gets) {
      return draft.action();
    }
    return switch (section) {
      case WAITING -> TodayPage.Action.open("Reply", page + "#staff-text");
      case STUCK -> TodayPage.Action.open("Message", page + "#staff-text");
      case FLAGGED, FAILED, UNDELIVERED, BLOCKED, BUDGETS, DUE, MISSED, SENT, ANSWERED ->
          TodayPage.Action.open("Open", page);
    };
  }

  /**
   * Returns the address of the participant or turn, or empty for staff and for a contact who is not
   * enrolled and has no page.
   */
  private static String address(Draft draft, Participant participant) {
    if (participant.contact() || !draft.staff().isEmpty()) {
      return "";
    }
    var address = "/participants/" + participant.id();
    return draft.turn() == null ? address : address + "/turns/" + draft.turn();
  }

  /** Returns the first entries of a list with the wanted owner, among its first rows. */
  private List<Draft> drafts(
      TodayPage.Section section, int most, TodayPage.Whose whose, String reader) {
    if (whose == TodayPage.Whose.ALL || !TodayPage.WORK.contains(section)) {
      return drafts(section, most);
    }
    var found = drafts(section, LOOKED_THROUGH);
    var on = owners(section, found);
    return found.stream()
        .filter(draft -> whose.shows(on.get(key(section, draft)), reader))
        .limit(most)
        .toList();
  }

  private List<Draft> drafts(TodayPage.Section section, int most) {
    return switch (section) {
      case WAITING -> waiting(most);
      case FLAGGED -> flagged(most);
      case FAILED ->
          conversations.unsettled(clock.instant().minus(WEEK), most).stream()
              .map(Worklist::failed)
              .toList();
      case UNDELIVERED -> undelivered(most);
      case BUDGETS -> budgets(most);
      case BLOCKED -> participants.askedBackInVain(most).stream().map(Worklist::blocked).toList();
      case STUCK -> stuck(most);
      case DUE -> due(most);
      case MISSED -> missed(most);
      case SENT -> prompts(Occurrence.Status.SENT, most).map(Worklist::sent).toList();
      case ANSWERED ->
          prompts(Occurrence.Status.SENT, Waiting.COUNTED)
              .filter(it -> it.prompt().respondedAt() != null)
              .limit(most)
              .map(Worklist::sent)
              .toList();
    };
  }

  /**
   * Returns each waiting participant once: those with texts that have no reply yet, those whose
   * reply has not been sent, those who get no reply because their texts repeat, and those left to
   * staff.
   */
  private List<Draft> waiting(int most) {
    var held = held();
    var drafts =
        Stream.of(
                inbox.unanswered(most).stream().map(this::unanswered),
                outbox.unsentAnswers(most).stream()
                    .map(text -> unsent(text.explained(channels), held)),
                conversations.braked(clock.instant().minus(DAY), most).stream().map(this::braked),
                conversations.leftToStaff(clock.instant().minus(DAY), most).stream()
                    .flatMap(this::leftToStaff))
            .flatMap(Function.identity())
            .collect(Collectors.toMap(Draft::participantId, Function.identity(), Worklist::both));
    return drafts.values().stream()
        .sorted(Comparator.comparing(Draft::at).thenComparing(Draft::participantId))
        .limit(most)
        .toList();
  }

  /**
   * Merges two entries of one participant. An entry left to staff wins and mentions the other;
   * otherwise the older one wins.
   */
  private static Draft both(Draft one, Draft other) {
    if (other.leftToStaff()) {
      return leftToStaff(other, one);
    }
    if (one.leftToStaff()) {
      return leftToStaff(one, other);
    }
    return one.at().isAfter(other.at()) ? other : one;
  }

  private static Draft leftToStaff(Draft left, Draft also) {
    return new Draft(
            left.participantId(),
            left.turn(),
            left.at().isAfter(also.at()) ? also.at() : left.at(),
            left.what(),
            participant ->
                left.why().apply(participant)
                    + " "
                    + also.what()
                    + ". "
                    + also.why().apply(participant),
            true)
        .heldByStaff()
        .quoting(left.quote());
  }

  private Draft unanswered(Inbox.Silent silent) {
    return new Draft(
            silent.participantId(),
            null,
            silent.since(),
            (silent.texts() == 1
                    ? "1 text waiting for "
                    : silent.texts() + " texts waiting, the first for ")
                + Times.inOneUnit(Duration.between(silent.since(), systemClock.instant())),
            this::whyUnanswered,
            false)
        .quoting(() -> waitingText(silent.participantId()));
  }

  /** Returns the beginning of the text that waits longest, or empty if a safety incident has it. */
  private String waitingText(String participantId) {
    return incidents.crisis(participantId).isPresent()
        ? ""
        : inbox.unanswered(participantId).stream()
            .findFirst()
            .filter(text -> text.incidentId() == null)
            .map(text -> firstWords(text.body()))
            .orElse("");
  }

  /** Returns the beginning of the text that a turn is about, or empty if an incident has it. */
  private String textOf(TurnReader.Whose whose) {
    return transcript.ofTurn(whose.participantId(), whose.turn().number()).stream()
        .filter(message -> message.author() == Author.PARTICIPANT)
        .findFirst()
        .filter(message -> message.incidentId() == null)
        .map(message -> firstWords(message.content()))
        .orElse("");
  }

  /** Returns why a text has no reply yet, as far as that is known. */
  private String whyUnanswered(Participant participant) {
    var turn = conversations.turns(participant.id(), Integer.MAX_VALUE, 1).stream().findFirst();
    var attempts =
        turn.filter(it -> it.status() == TurnStatus.RUNNING)
            .map(it ->
                it.attempts() > 1
                    ? "The reply is being prepared (attempt " + it.attempts() + ")."
                    : "The reply is being prepared.")
            .orElse("Work on the reply has not started.");
    return health.modelFails() ? attempts + " The model is failing at the moment." : attempts;
  }

  /** Returns why messages are held back, by channel; the empty key stands for every channel. */
  private Map<String, String> held() {
    if (sending.inForce().isPresent()) {
      return Map.of("", "All sending is stopped.");
    }
    return senders.stopped().stream()
        .collect(
            Collectors.toMap(
                sender -> sender.channel().word(),
                sender ->
                    "The provider accepts no messages: error "
                        + channels.explained(sender.channel(), sender.code())
                        + "."));
  }

  private Draft unsent(Outbox.Held text, Map<String, String> held) {
    var why =
        held.getOrDefault(
            "", held.getOrDefault(text.channel().word(), Unsent.why(text, Worklist::utc)));
    var waited = Times.inOneUnit(Duration.between(text.plannedAt(), systemClock.instant()));
    return new Draft(
            text.participantId(),
            text.turn(),
            text.plannedAt(),
            text.before() == null
                ? "A reply has been waiting to be sent for " + waited
                : "A reply was sent " + waited + " ago and has not arrived",
            participant -> why,
            text.reason() != null
                || text.before() != null
                || held.containsKey("")
                || held.containsKey(text.channel().word()))
        .quoting(() ->
            quote(
                text.messageId(),
                () -> transcript.outsideIncidents(List.of(String.valueOf(text.messageId())))));
  }

  private static String utc(Instant at) {
    return Times.minutes(at, ZoneOffset.UTC) + " UTC";
  }

  private Draft braked(TurnReader.Whose braked) {
    return new Draft(
            braked.participantId(),
            braked.turn().number(),
            ended(braked.turn()),
            "No reply sent",
            participant ->
                "They sent "
                    + (braked.turn().reason() == null
                        ? "the same text again and again"
                        : braked.turn().reason())
                    + ", as an automated system would. They get replies again when they send a different text.",
            true)
        .quoting(() -> textOf(braked));
  }

  /** Returns an entry if the participant still waits for staff to reply after a takeover. */
  private Stream<Draft> leftToStaff(TurnReader.Whose left) {
    return conversations.unanswered(left.participantId()).stream()
        .map(since ->
            new Draft(
                    left.participantId(),
                    null,
                    ended(left.turn()),
                    "Waiting for staff",
                    this::whoHolds,
                    true)
                .heldByStaff()
                .quoting(() -> textOf(left)));
  }

  private String whoHolds(Participant participant) {
    if (participant.consent().state() == ConsentState.LEFT_TO_STAFF) {
      return "Their answers about age or consent could not be understood. Call them. If they"
          + " consent, record it on their page.";
    }
    return steppingIn
        .muted(participant.id())
        .map(mute -> mute.by() + " paused automatic replies until " + utc(mute.until()) + ".")
        .orElse(
            "The takeover has ended. The coach replies when the participant's allowed hours"
                + " begin.");
  }

  private static Instant ended(TurnReader.Turn turn) {
    var ended = turn.completedAt();
    return ended == null ? turn.startedAt() : ended;
  }

  private static Draft failed(TurnReader.Whose failed) {
    var turn = failed.turn();
    return new Draft(
            failed.participantId(),
            turn.number(),
            ended(turn),
            "Turn " + turn.number() + " failed",
            participant ->
                PageFrames.sentence(
                    turn.reason() == null
                        ? turn.outcome() == null ? "" : turn.outcome().word().replace('_', ' ')
                        : ModelFailure.explained(turn.reason(), turn.failure())),
            true)
        .with(
            turn.kind() == InputKind.SAID
                ? TodayPage.Action.post(
                    "Retry",
                    "/participants/"
                        + failed.participantId()
                        + "/turns/"
                        + turn.number()
                        + "/retry/form")
                : null);
  }

  /**
   * Returns each stuck participant once: those who stayed silent after their nudge, then the
   * others, each the longest first.
   */
  private List<Draft> stuck(int most) {
    var drafts = new LinkedHashMap<String, Draft>();
    for (var nudged : states.stuck(most)) {
      drafts.putIfAbsent(nudged.participantId(), stuck(nudged));
    }
    for (var person : stuck.all()) {
      if (drafts.size() >= most) {
        break;
      }
      drafts.putIfAbsent(person.participantId(), stuck(person));
    }
    return List.copyOf(drafts.values());
  }

  private Draft stuck(StuckPeople.Stuck person) {
    var lasted = Times.inOneUnit(Duration.between(person.since(), clock.instant()));
    return switch (person.kind()) {
      case FIRST_MODULE ->
          stuck(
              person,
              "In " + flowCatalog.moduleTitle(person.module()) + " for " + lasted,
              "They have not finished the first module. Write to them, or move them to another module.",
              null);
      case SILENT ->
          stuck(
              person,
              "Silent for " + person.prompts() + " daily prompts",
              "They have not texted since. Write to them or call them.",
              null);
      case NO_SCHEDULE ->
          stuck(
              person,
              "No daily prompt is scheduled",
              "Ask them for a time, or add one.",
              TodayPage.Action.open(
                  "Add daily prompt", "/participants/" + person.participantId() + "/schedules"));
    };
  }

  private static Draft stuck(
      StuckPeople.Stuck person, String what, String why, TodayPage.@Nullable Action action) {
    return new Draft(person.participantId(), null, person.since(), what, participant -> why, true)
        .with(action);
  }

  private Draft stuck(JdbcStates.Stuck stuck) {
    return new Draft(
        stuck.participantId(),
        null,
        stuck.stuckSince(),
        "Silent in " + flowCatalog.moduleTitle(stuck.module()),
        participant ->
            (stuck.nudgedAt() == null
                    ? "They are silent, and their nudge could not be sent."
                    : "They got a nudge at " + utc(stuck.nudgedAt()) + " and are silent now.")
                + " Call them, or write to them from their page.",
        true);
  }

  private static Draft blocked(Participants.AskedBack blocked) {
    return new Draft(
        blocked.participantId(),
        null,
        blocked.at(),
        "Asked for messages again",
        participant -> "Twilio still blocks this number: they must text START. Call them.",
        true);
  }

  /** Returns the most of each budget that a participant used, newest first. */
  private List<Draft> budgets(int most) {
    var drafts = new LinkedHashMap<String, Draft>();
    for (var reached : spending.reached(DAY, 2 * most)) {
      drafts.putIfAbsent(
          reached.participantId() + reached.date() + reached.kind(), budget(reached));
    }
    return drafts.values().stream().limit(most).toList();
  }

  private Draft budget(Spending.Reached reached) {
    var usedUp = reached.percent() >= Spending.ALL;
    return new Draft(
        reached.participantId(),
        null,
        reached.at(),
        reached.percent() + " % of the budget of " + reached.kind().word() + " used",
        participant ->
            usedUp
                ? "The coach replies again when the next day begins for the participant. Until then"
                    + " they get only the flow's own text."
                : "At 100 %, they get only the flow's own text until their next day.",
        usedUp);
  }

  /** Returns what the coach flagged and nobody closed, then the flags of the profile. */
  private List<Draft> flagged(int most) {
    return Stream.concat(
            flags.list(FlagStatus.OPEN, most).stream().map(Worklist::flagged),
            profileFlags(most).stream())
        .limit(most)
        .toList();
  }

  private static Draft flagged(Flag flag) {
    return new Draft(
            flag.participantId(),
            flag.turn(),
            flag.raisedAt(),
            "Flagged: " + FlagDesk.says(flag.kind()),
            participant -> "Read the conversation, then close the flag.",
            true)
        .closedAt("/today/flags/" + flag.id());
  }

  /** Returns the flags that were raised lately and whose participants are not erased. */
  private List<Draft> profileFlags(int most) {
    var since = systemClock.instant().minus(MONTH);
    return audit
        .entries(
            new AuditLog.Filter("", "", AuditAction.PARTICIPANT_FLAGGED.word()),
            Long.MAX_VALUE,
            most)
        .stream()
        .takeWhile(written -> written.at().isAfter(since))
        .filter(written ->
            written.entry().participantId() != null && written.entry().newValue() != null)
        .map(written ->
            new Draft(
                String.valueOf(written.entry().participantId()),
                null,
                written.at(),
                "Flagged: " + String.valueOf(written.entry().newValue()).replace('_', ' '),
                participant -> "Read the conversation and decide what to do.",
                true))
        .toList();
  }

  private List<Draft> undelivered(int most) {
    var found = outbox.undelivered(WEEK, most);
    // Read only if the list is shown, and not to count its entries.
    var said =
        SupplierUtil.memoized(() ->
            transcript.outsideIncidents(
                found.stream()
                    .filter(Outbox.Held::resendable)
                    .map(Outbox.Held::messageId)
                    .filter(Objects::nonNull)
                    .toList()));
    return found.stream()
        .map(text ->
            undelivered(text.explained(channels)).quoting(() -> quote(text.messageId(), said)))
        .toList();
  }

  private static String quote(@Nullable String messageId, Supplier<Map<String, String>> said) {
    return messageId == null ? "" : firstWords(said.get().getOrDefault(messageId, ""));
  }

  private static String firstWords(String text) {
    var line = text.strip().replaceAll("\\s+", " ");
    if (line.codePointCount(0, line.length()) <= QUOTED) {
      return line;
    }
    var cut = line.substring(0, line.offsetByCodePoints(0, QUOTED));
    var space = cut.lastIndexOf(' ');
    return (space > 0 ? cut.substring(0, space) : cut) + "…";
  }

  private Draft undelivered(Outbox.Held text) {
    if (text.kind() == OutboundKind.ALERT) {
      var alert = text.messageId();
      return new Draft(
              text.participantId(),
              null,
              text.saidAt(),
              "Alert to staff by " + text.channel().title(),
              participant -> whyUndelivered(text),
              true)
          .about(
              (alert == null ? Optional.<String>empty() : alerting.recipient(alert)).orElse("Staff")
                  + " (on the rota)");
    }
    return new Draft(
            text.participantId(),
            text.turn(),
            text.saidAt(),
            "Message by " + text.channel().title() + " (" + kind(text.kind()) + ")",
            participant -> whyUndelivered(text, participant),
            true)
        .with(text.resendable() ? sendAgain(text) : null);
  }

  private static TodayPage.Action sendAgain(Outbox.Held text) {
    var words = "Send again";
    var address =
        "/participants/" + text.participantId() + "/deliveries/" + text.id() + "/resend/form";
    return text.status() == DeliveryStatus.UNKNOWN
        ? TodayPage.Action.confirm(
            words, address + "?even_if_arrived=true", Unsent.MAY_ARRIVE_TWICE)
        : TodayPage.Action.post(words, address);
  }

  private static String kind(OutboundKind kind) {
    return switch (kind) {
      case REPLY -> "reply";
      case PROMPT_NOW -> "prompt to try now";
      case PROMPT -> "daily prompt";
      case INTENSITY -> "intensity question";
      case REMINDER -> "reminder";
      case CHECK_IN -> "check-in";
      case NUDGE -> "nudge";
      case STAFF -> "written by staff";
      case DEBUG -> "debug message";
      case SCRIPTED -> "requested prompt";
      case CHOSEN -> "message for a chosen option";
      case STATUS -> "notice that they are paused or done";
      case HELP -> "reply to HELP";
      case CONFIRMATION -> "opt-out confirmation";
      case NOTICE -> "deletion notice";
      case CRISIS -> "safety message";
      case CONSENT -> "question about consent";
      case ALERT -> "alert to staff";
    };
  }

  private static String whyUndelivered(Outbox.Held text, Participant participant) {
    return whyUndelivered(text)
        + (text.resendable() ? Unsent.whyNotNow(participant).map(why -> " " + why).orElse("") : "");
  }

  private static String whyUndelivered(Outbox.Held text) {
    return switch (text.status()) {
      case REFUSED ->
          "It was not sent and will not be sent"
              + (text.reason() == null ? "." : ": " + PageFrames.sentence(text.reason()));
      case UNKNOWN ->
          text.open()
              ? Unsent.LOOKED_UP
              : "It is not known whether this message was sent. Habitline asks the provider about it for one day and does not send it again automatically.";
      default ->
          "The provider accepted the message but could not deliver it"
              + (text.errorCode() == null ? "." : ": error " + text.errorCode() + ".");
    };
  }

  /**
   * Returns participants whose coaching is paused by a crisis. Nothing is due or missing for them:
   * their own pages say why they get no daily prompts.
   */
  private Set<String> pausedByIncident() {
    return incidents.unreleased(INCIDENTS).stream()
        .filter(Incident::isCrisis)
        .map(Incident::participantId)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  private List<Draft> due(int most) {
    var paused = pausedByIncident();
    return schedules.due(DAY, DAY, most + PROMPTS_EACH * paused.size()).stream()
        .filter(it -> !paused.contains(it.participantId()))
        .limit(most)
        .map(this::due)
        .toList();
  }

  private Draft due(OccurrenceReader.Whose due) {
    var moment = due.prompt().moment();
    return new Draft(
        due.participantId(),
        null,
        moment.at(),
        local(due.prompt()),
        participant -> moment.at().isBefore(clock.instant()) ? "It is due now." : "",
        false);
  }

  /** Returns a time of today as "15:20", and one of another day as "Sat 07:00", in UTC. */
  private String dayAndTime(Instant at) {
    var utc = at.atOffset(ZoneOffset.UTC);
    var today = clock.instant().atOffset(ZoneOffset.UTC).toLocalDate();
    var day =
        utc.toLocalDate().equals(today)
            ? ""
            : utc.getDayOfWeek().getDisplayName(TextStyle.SHORT, Locale.ENGLISH) + " ";
    return day + Times.time(at, ZoneOffset.UTC);
  }

  private static String local(Occurrence prompt) {
    return Times.readable(prompt.moment().text(), ZoneOffset.UTC)
        + " in "
        + prompt.moment().zone().getId();
  }

  private List<Draft> missed(int most) {
    var paused = pausedByIncident();
    var read = most + PROMPTS_EACH * paused.size();
    return Stream.concat(
            prompts(Occurrence.Status.MISSED, read), prompts(Occurrence.Status.REFUSED, read))
        .filter(missed -> !paused.contains(missed.participantId()))
        .map(missed ->
            new Draft(
                missed.participantId(),
                missed.prompt().turn(),
                missed.prompt().moment().at(),
                local(missed.prompt()),
                participant ->
                    (missed.prompt().status() == Occurrence.Status.MISSED
                            ? "It was not sent in time"
                            : "It could not be sent")
                        + (missed.prompt().reason() == null
                            ? "."
                            : ": " + PageFrames.sentence(missed.prompt().reason())),
                true))
        .sorted(Comparator.comparing(Draft::at).reversed())
        .limit(most)
        .toList();
  }

  private Stream<OccurrenceReader.Whose> prompts(Occurrence.Status status, int most) {
    return schedules.lately(status, DAY, most).stream();
  }

  private static Draft sent(OccurrenceReader.Whose sent) {
    var prompt = sent.prompt();
    return new Draft(
        sent.participantId(),
        prompt.turn(),
        prompt.moment().at(),
        local(prompt),
        participant -> {
          if (prompt.outcome() != null) {
            return switch (prompt.outcome()) {
              case DONE -> "They reported doing the habit.";
              case PARTLY -> "They reported doing some of it.";
              case NOT_DONE -> "They reported not doing it.";
            };
          }
          if (prompt.respondedAt() != null) {
            return "They answered.";
          }
          return prompt.remindedAt() == null ? "No answer yet." : "No answer yet. Reminded.";
        },
        false);
  }
}
