package org.habitline.safety.incidents;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.habitline.audit.Events;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.Leases;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.IncomingScreen;
import org.habitline.messaging.outbox.CoachingPause;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumbers;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.habitline.safety.rules.Verdict;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens an incident for every text in which the rules see a danger, in the transaction that stores
 * the text, and plans the fixed text that the person gets. A later text joins the open incident.
 * Staff acknowledge an incident, add what they did, and release it; until a crisis is released, the
 * participant gets no coaching. An incident opens while its participant is locked, as turns commit,
 * so that no reply of the coach is committed after it.
 */
@Singleton
public final class Incidents implements IncomingScreen, CoachingPause, ParticipantListener {

  private static final Logger log = LoggerFactory.getLogger(Incidents.class);

  /** The type of the event when an incident opened or changed. */
  public static final String CHANGED = "incident.changed";

  /** Within this time after a fixed text, further texts get none. */
  static final Duration HOLDING = Duration.ofHours(12);

  /**
   * How long an acknowledgement counts for new signs of danger. One that comes later opens the
   * crisis again, with banner and alerts: whoever looked after it may not be there any more.
   */
  static final Duration QUIET = Duration.ofHours(1);

  private final JdbcIncidents rows;
  private final JdbcIncidentEntries entries;
  private final CrisisRules rules;
  private final ConsentGate consents;
  private final PhoneNumbers numbers;
  private final ReadingTimes reading;
  private final IncidentMessages messages;
  private final Leases leases;
  private final Outbox outbox;
  private final Participants participants;
  private final Events events;
  private final Transactions transactions;
  private final Clock clock;

  Incidents(
      JdbcIncidents rows,
      JdbcIncidentEntries entries,
      CrisisRules rules,
      ConsentGate consents,
      PhoneNumbers numbers,
      ReadingTimes reading,
      IncidentMessages messages,
      Leases leases,
      Outbox outbox,
      Participants participants,
      Events events,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.entries = entries;
    this.rules = rules;
    this.consents = consents;
    this.numbers = numbers;
    this.reading = reading;
    this.messages = messages;
    this.leases = leases;
    this.outbox = outbox;
    this.participants = participants;
    this.events = events;
    this.transactions = transactions;
    this.clock = clock;
  }

  @Override
  public Optional<String> claimed(String textId, Participant by) {
    return rows.ofText(textId)
        .map(JdbcIncidents.Row::incident)
        .filter(Incident::isCrisis)
        .map(incident -> {
          if (rows.adopt(incident.id(), by.id()) > 0
              && incident.status() != IncidentStatus.RELEASED) {
            pauseCoaching(by);
          }
          return incident.id();
        });
  }

  @Override
  public Optional<Alarm> look(String words) {
    var verdict = judged(words, rules::judge);
    if (verdict.level() != Level.NONE) {
      return Optional.of(new Found(verdict.findings().getFirst(), true));
    }
    var age = judged(words, rules::judgeAge);
    return age.level() == Level.NONE
        ? Optional.empty()
        : Optional.of(new Found(age.findings().getFirst(), true));
  }

  /**
   * Returns whether the coach takes somebody for old enough. Before their first consent, the
   * question for the age is the place to say otherwise.
   */
  private boolean takesForOldEnough(@Nullable Participant sender) {
    return sender != null
        && !sender.contact()
        && (!consents.isMissing(sender) || sender.consent().state().isConsent());
  }

  /**
   * What a rule found in a text; {@code whole}: whether everything is done that the person needs,
   * or only the incident is recorded.
   */
  private final class Found implements Alarm {
    private final Verdict.Finding finding;
    private final boolean whole;

    private Found(Verdict.Finding finding, boolean whole) {
      this.finding = finding;
      this.whole = whole;
    }

    @Override
    public @Nullable String raise(Arrived text) {
      return finding.kind().isDanger() || takesForOldEnough(text.sender())
          ? Incidents.this.raise(finding, text, whole)
          : null;
    }

    @Override
    public Alarm recordOnly() {
      return new Found(finding, false);
    }
  }

  /** Returns what the rules say; a fault in them must not lose the text. */
  private Verdict judged(String words, Function<String, Verdict> judge) {
    try {
      return judge.apply(words);
    } catch (RuntimeException e) {
      log.error("A text could not be screened: {}", e.getClass().getName());
      return new Verdict(List.of());
    }
  }

  /** Opens an incident or joins the current one; returns its id if no model may see the text. */
  private @Nullable String raise(Verdict.Finding found, Arrived text, boolean whole) {
    var incident = raise(found, EntryKind.TEXT, text.providerId(), text, whole);
    return incident.isCrisis() ? incident.id() : null;
  }

  /**
   * Opens an incident for what a turn found, or joins the current one. Does nothing if rules found
   * the same or worse in each of the texts. Joins the turn's transaction, which has locked the
   * participant.
   *
   * @param to the participant as they are now, and the channel of their texts
   * @param textIds the provider's ids of the turn's texts
   * @return the incident, or empty if there is nothing new
   */
  public Optional<Incident> raise(Sign sign, Arrived to, List<String> textIds) {
    var found = sign.finding();
    var before = textIds.stream().flatMap(id -> rows.ofText(id).stream()).toList();
    if (!sign.urgent()
        && !textIds.isEmpty()
        && before.size() == textIds.size()
        && before.stream().allMatch(row -> row.level().compareTo(found.level()) >= 0)) {
      return Optional.empty();
    }
    var now = clock.instant();
    var quietSince = now.minus(QUIET);
    if (sign.urgent()) {
      current(found.level(), to).ifPresent(it -> rows.alertAgain(it.id(), quietSince, now));
    }
    var fresh = textIds.stream().filter(id -> rows.ofText(id).isEmpty()).toList();
    var incident = raise(found, sign.how(), fresh.isEmpty() ? null : fresh.getFirst(), to, true);
    fresh.stream()
        .skip(1)
        .forEach(id -> add(entry(incident, sign.how(), null).ofText(id, found.rule())));
    if (sign.urgent()) {
      var _ = rows.alertAgain(incident.id(), quietSince, now);
    }
    return Optional.of(incident);
  }

  private Incident raise(
      Verdict.Finding found, EntryKind how, @Nullable String textId, Arrived text, boolean whole) {
    var current = current(found.level(), text);
    var incident = current.orElseGet(() -> opened(found, text));
    add(entry(incident, how, null).ofText(textId, found.rule()));
    if (current.isPresent()) {
      if (found.level() == Level.CRISIS) {
        var now = clock.instant();
        // Whoever acknowledged that somebody may be too young was not alerted of a danger.
        var quiet = !incident.kind().isDanger() && found.kind().isDanger() ? Duration.ZERO : QUIET;
        var _ = rows.openAgain(incident.id(), now.minus(quiet), now);
      }
      // A concern beside an age stays what alerts nobody.
      var counts = incident.kind() != RiskKind.UNDERAGE || found.level() == Level.CRISIS;
      var kinds = EnumSet.of(incident.kind(), counts ? found.kind() : incident.kind());
      rows.joined(incident.id(), clock.instant(), kinds.iterator().next());
    } else if (whole && incident.isCrisis() && text.sender() != null) {
      pauseCoaching(text.sender());
    }
    if (whole) {
      var tooYoung = found.kind() == RiskKind.UNDERAGE && !incident.kind().isDanger();
      if (found.kind().isDanger() || tooYoung) {
        answer(incident, found, text);
      }
      changed(incident);
    } else {
      add(entry(incident, EntryKind.NOT_SENT, null).noted("a fault; the log says which"));
    }
    return incident;
  }

  /** Ends what the coach is doing for the participant: a running turn, and messages that wait. */
  private void pauseCoaching(Participant participant) {
    leases.revoke(participant.id());
    outbox.withholdCoaching(participant);
  }

  /** Returns the incident that a text joins: a crisis takes in everything, a concern no crisis. */
  private Optional<Incident> current(Level level, Arrived text) {
    var crisis = current(text, Level.CRISIS);
    return level == Level.CRISIS ? crisis : crisis.or(() -> current(text, Level.CONCERN));
  }

  private Optional<Incident> current(Arrived text, Level level) {
    var sender = text.sender();
    return (sender == null
            ? rows.currentOfUnknown(text.from(), text.channel(), level)
            : rows.current(sender.id(), level))
        .map(JdbcIncidents.Row::incident);
  }

  private Incident opened(Verdict.Finding found, Arrived text) {
    var id = Ids.next("inc");
    rows.open(
        id,
        text.sender() == null ? null : text.sender().id(),
        found.level(),
        found.kind(),
        found.rule(),
        rules.version(),
        clock.instant());
    return rows.find(id).map(JdbcIncidents.Row::incident).orElseThrow();
  }

  /**
   * Plans a fixed text, unless the person got one for this kind of danger within {@link #HOLDING}.
   */
  private void answer(Incident incident, Verdict.Finding found, Arrived text) {
    var now = clock.instant();
    var last = entries.answeredAt(incident.id(), found.kind());
    if (last != null && last.plus(HOLDING).isAfter(now)) {
      return;
    }
    var sender = text.sender();
    if (sender == null || sender.optedOut()) {
      var why = sender == null ? "no number to text" : "opted out";
      add(entry(incident, EntryKind.NOT_SENT, null).noted(why));
      return;
    }
    var country = numbers.country(sender.phone()).orElse(null);
    var when = reading.at(now, sender);
    var words =
        last == null
            ? rules.text(found, sender.language(), country, when)
            : rules.holdingText(found, sender.language(), country, when);
    var message = messages.send(sender, words, OutboundKind.CRISIS, text.channel(), incident.id());
    add(entry(incident, EntryKind.SENT, null).withMessage(message, found.kind()));
    rows.answered(incident.id(), now, found.kind());
  }

  private JdbcIncidentEntries.Row entry(Incident incident, EntryKind kind, @Nullable String by) {
    return new JdbcIncidentEntries.Row(
        null, incident.id(), kind, clock.instant(), by, null, null, null, null, null);
  }

  private void add(JdbcIncidentEntries.Row entry) {
    var _ = entries.save(entry);
  }

  private void changed(Incident incident) {
    events.emit(CHANGED, incident.participantId(), Map.of("incident_id", incident.id()));
  }

  @Override
  public boolean isInForce(String participantId) {
    return rows.pausing(participantId) > 0;
  }

  /** Returns the incident, or empty if there is none with this id. */
  public Optional<Incident> find(String id) {
    return transactions.read(() -> rows.find(id)).map(JdbcIncidents.Row::incident);
  }

  /** Returns incidents that are not released: crises first, then the longest open. */
  public List<Incident> unreleased(int most) {
    return incidents(transactions.read(() -> rows.unreleased(most)));
  }

  /** Returns released incidents, newest first. */
  public List<Incident> released(int most) {
    return incidents(transactions.read(() -> rows.released(most)));
  }

  private static List<Incident> incidents(List<JdbcIncidents.Row> found) {
    return found.stream().map(JdbcIncidents.Row::incident).toList();
  }

  /** Returns the crisis for which a participant's coaching is paused, or empty if it is not. */
  public Optional<Incident> crisis(String participantId) {
    return transactions
        .read(() -> rows.current(participantId, Level.CRISIS))
        .map(JdbcIncidents.Row::incident);
  }

  /** Returns what happened in an incident, oldest first. */
  public List<IncidentEntry> entries(String incidentId) {
    return transactions.read(() -> entries.of(incidentId)).stream()
        .map(JdbcIncidentEntries.Row::entry)
        .toList();
  }

  /** Returns those of a provider's ids whose texts belong to a crisis, released or not. */
  public Set<String> textsOfCrises(List<String> textIds) {
    return textIds.isEmpty()
        ? Set.of()
        : Set.copyOf(transactions.read(() -> entries.inCrises(textIds)));
  }

  /**
   * Records that a staff member looks after the incident, or that they saw the text that joined it
   * since somebody acknowledged it.
   *
   * @throws IncidentRefused if it is released, or if somebody acknowledged it and no text came
   *     since
   */
  public void acknowledge(Incident incident, String by) {
    transactions.write(() -> {
      hold(incident);
      if (rows.acknowledge(incident.id(), clock.instant(), by) == 0) {
        throw new IncidentRefused("Someone has acknowledged this incident already.");
      }
      add(entry(incident, EntryKind.ACKNOWLEDGED, by));
      changed(incident);
    });
  }

  /**
   * Adds what a staff member did: an attempt, a contact or a clinical decision.
   *
   * @throws IncidentRefused if the incident is released
   */
  public void record(Incident incident, EntryKind kind, String note, String by) {
    transactions.write(() -> {
      hold(incident);
      unreleased(incident.id());
      add(entry(incident, kind, by).noted(note));
      changed(incident);
    });
  }

  /**
   * Releases an incident; coaching resumes with the participant's next text or prompt. Joins the
   * running transaction.
   *
   * @throws IncidentRefused if it is released, if nobody acknowledged it, or if it is a crisis
   *     without a recorded contact or clinical decision
   */
  public void release(
      Incident incident, IncidentOutcome outcome, @Nullable String note, String by) {
    transactions.write(() -> {
      hold(incident);
      var now = unreleased(incident.id());
      if (now.status() == IncidentStatus.OPEN) {
        throw new IncidentRefused("Acknowledge the incident before you release it.");
      }
      if (now.isCrisis()
          && entries.of(now.id()).stream().noneMatch(entry -> entry.kind().letsRelease())) {
        throw new IncidentRefused(
            "Record a contact with the participant or a clinical decision before you release the"
                + " incident.");
      }
      rows.release(now.id(), clock.instant(), by, outcome);
      add(entry(now, EntryKind.RELEASED, by).noted(note));
      changed(now);
    });
  }

  /** Records the first message that staff wrote at the release; joins the running transaction. */
  public void firstMessage(Incident incident, String messageId) {
    entries.firstMessage(incident.id(), messageId);
  }

  private void hold(Incident incident) {
    if (incident.participantId() != null) {
      participants.hold(incident.participantId());
    }
  }

  private Incident unreleased(String id) {
    return rows.find(id)
        .map(JdbcIncidents.Row::incident)
        .filter(it -> it.status() != IncidentStatus.RELEASED)
        .orElseThrow(() -> new IncidentRefused("This incident is released."));
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    crisis(participantId).ifPresent(this::changed);
    entries.forget(participantId);
    rows.forget(participantId, clock.instant());
  }

  @Override
  public void absorbed(String contactId, String participantId) {
    rows.move(contactId, participantId);
  }

  /** Returns how long the longest wait for an acknowledgement is. */
  public Optional<Duration> unacknowledged() {
    var now = clock.instant();
    return unreleased(Integer.MAX_VALUE).stream()
        .filter(it -> it.status() == IncidentStatus.OPEN)
        .map(Incident::openSince)
        .min(Instant::compareTo)
        .map(at -> Duration.between(at, now));
  }
}
