package org.habitline.staff.participant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.habitline.budgets.Spending;
import org.habitline.budgets.UsedUp;
import org.habitline.conversation.stored.Author;
import org.habitline.conversation.stored.RecordReader;
import org.habitline.conversation.stored.StateReader;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowLanguages;
import org.habitline.messaging.Channels;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.ConsentState;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.Tags;
import org.habitline.safety.incidents.Incidents;
import org.habitline.staff.people.CustomFields;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.people.PeoplePage;
import org.habitline.staff.people.PeopleSearch;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Choice;
import org.habitline.staff.web.HabitLine;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Times;
import org.habitline.study.figures.Participation;
import org.habitline.timers.Agenda;
import org.habitline.timers.DailyTime;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Timers;
import org.habitline.timers.Wakeup;
import org.habitline.timers.WakeupKind;
import org.habitline.tools.Records;
import org.habitline.tools.ToolCatalog;
import org.jspecify.annotations.Nullable;

/** Builds the page of one participant. */
@Singleton
final class ParticipantPages {

  private static final int MESSAGES = 200;

  /** How many of the newest messages have their delivery status updated while the page is open. */
  private static final int FATES = 20;

  private static final int PROMPTS = 10;

  private static final int NOTES = 3;

  private static final String SAFETY_MESSAGE = "Automatic safety message";

  private static final int RECENT = 6;

  private static final Pattern MACHINE_TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");

  private final TranscriptReader transcript;

  private final TurnReader turns;
  private final StateReader states;
  private final Participants participants;
  private final PeopleSearch search;
  private final Tags tags;
  private final CustomFields customFields;
  private final RecordReader records;
  private final OccurrenceReader prompts;
  private final ConsentGate consents;
  private final Inbox inbox;
  private final Outbox outbox;
  private final Channels channels;
  private final Explanations explanations;
  private final DeliveryDiagnosisDesk silence;
  private final TakeoverDesk stepIn;
  private final Notes notes;
  private final Timeline timeline;
  private final Incidents incidents;
  private final Spending spending;
  private final FlowCatalog flows;
  private final Timers timers;
  private final Clock clock;
  private final PageFrames frames;
  private final ReadLog reads;

  ParticipantPages(
      TranscriptReader transcript,
      TurnReader turns,
      StateReader states,
      Participants participants,
      PeopleSearch search,
      Tags tags,
      CustomFields customFields,
      RecordReader records,
      OccurrenceReader prompts,
      ConsentGate consents,
      Inbox inbox,
      Outbox outbox,
      Channels channels,
      Explanations explanations,
      DeliveryDiagnosisDesk silence,
      TakeoverDesk stepIn,
      Notes notes,
      Timeline timeline,
      Incidents incidents,
      Spending spending,
      FlowCatalog flows,
      Timers timers,
      Clock clock,
      PageFrames frames,
      ReadLog reads) {
    this.transcript = transcript;
    this.turns = turns;
    this.states = states;
    this.participants = participants;
    this.search = search;
    this.tags = tags;
    this.customFields = customFields;
    this.records = records;
    this.prompts = prompts;
    this.consents = consents;
    this.inbox = inbox;
    this.outbox = outbox;
    this.channels = channels;
    this.explanations = explanations;
    this.silence = silence;
    this.stepIn = stepIn;
    this.notes = notes;
    this.timeline = timeline;
    this.incidents = incidents;
    this.spending = spending;
    this.flows = flows;
    this.timers = timers;
    this.clock = clock;
    this.frames = frames;
    this.reads = reads;
  }

  /** Returns the page, with a complaint if the last form was refused. */
  ParticipantPage page(Authentication by, Participant participant, String complaint) {
    return page(by, participant, complaint, "");
  }

  /** Returns the page with a complaint and with what staff had written in the refused form. */
  ParticipantPage page(Authentication by, Participant participant, String complaint, String draft) {
    return page(by, participant, complaint, draft, "", study(participant));
  }

  /** Returns the page with the refused form of what the study itself keeps. */
  ParticipantPage page(
      Authentication by,
      Participant participant,
      EnrolmentDesk.WantedChange wanted,
      List<ApiProblem> problems) {
    var study =
        new ParticipantPage.OfStudy(
            Objects.requireNonNullElse(participant.studyId(), ""),
            customFields.shown(participants.fields(participant.id())),
            Objects.requireNonNullElse(wanted.studyId(), ""),
            problems.stream()
                .filter(problem -> problem.field().equals(Optional.of("study_id")))
                .map(ApiProblem::besideField)
                .findFirst()
                .orElse(""),
            customFields.inputs(wanted.fields(), problems),
            true,
            tags.of(participant.id()),
            tags.all());
    return page(
        by,
        participant,
        problems.stream().map(ApiProblem::onPage).collect(Collectors.joining(" ")),
        "",
        "",
        study);
  }

  private ParticipantPage.OfStudy study(Participant participant) {
    var stored = participants.fields(participant.id());
    var id = Objects.requireNonNullElse(participant.studyId(), "");
    return new ParticipantPage.OfStudy(
        id,
        customFields.shown(stored),
        id,
        "",
        customFields.inputs(stored, List.of()),
        false,
        tags.of(participant.id()),
        tags.all());
  }

  /** Returns the page with the participant's whole phone number. */
  ParticipantPage withNumber(Authentication by, Participant participant) {
    return page(by, participant, "", "", participant.phone().e164(), study(participant));
  }

  private ParticipantPage page(
      Authentication by,
      Participant participant,
      String complaint,
      String draft,
      String fullNumber,
      ParticipantPage.OfStudy study) {
    var name = name(participant);
    return new ParticipantPage(
        frames.frame(name, by, "/events?participant=" + participant.id()),
        participant.id(),
        name,
        participant.phone().toString(),
        fullNumber,
        participant.zone().getId(),
        participant.zoneAssumed(),
        Times.time(clock.instant(), participant.zone()),
        participant.flow(),
        language(participant),
        participant.channel().title(),
        participant.channel().isSimulated(),
        consent(participant),
        consents.isMissing(participant),
        participant.backgroundText().lines().toList(),
        study,
        phone(by, participant, 0),
        about(by, participant, 0),
        Actor.seesNumbers(by),
        notes(by, participant),
        timeline.page(by, participant, "", "", RECENT).entries().stream()
            .map(entry ->
                TimelinePageController.item(entry, Times.day(entry.at(), participant.zone())))
            .toList(),
        UUID.randomUUID().toString(),
        complaint,
        draft);
  }

  private List<NotesPage.Note> notes(Authentication by, Participant participant) {
    return Actor.seesNumbers(by)
        ? notes.newest(participant.id(), Long.MAX_VALUE, NOTES).stream()
            .map(note -> NotesPageController.note(note, participant, Actor.of(by)))
            .toList()
        : List.of();
  }

  private ParticipantPage.Language language(Participant participant) {
    var languages = flows.flow(participant.flow(), participant.language()).map(Flow::languages);
    return new ParticipantPage.Language(
        Objects.requireNonNullElse(participant.language(), ""),
        languages.map(FlowLanguages::own).orElse(""),
        languages.map(its -> List.copyOf(its.all())).orElse(List.of()));
  }

  private String consent(Participant participant) {
    var consent = participant.consent();
    if (consent.state() == ConsentState.NOT_ASKED && consents.version().isEmpty()) {
      return "Not recorded. This study does not ask for consent by text.";
    }
    return PeoplePage.words(consent.state())
        + (consent.version() == null ? "" : ", version " + consent.version())
        + (consent.at() == null
            ? ""
            : ", since " + Times.minutes(consent.at(), participant.zone()));
  }

  static String name(Participant participant) {
    return participant.shownName();
  }

  /** Returns the messages after a sequence number, or with 0 all that fit on a page. */
  ParticipantPage.Phone phone(Authentication by, Participant participant, long after) {
    reads.conversation(by, participant.id());
    var mayRead = Actor.seesIncidents(by);
    var crisis = incidents.crisis(participant.id()).isPresent();
    var newest = transcript.newest(participant.id(), Long.MAX_VALUE, MESSAGES);
    var firstOf = days(newest, participant);
    var waiting = inbox.unanswered(participant.id());
    var sent = sent(participant);
    return new ParticipantPage.Phone(
        newest.stream()
            .filter(message -> message.seq() > after)
            .map(message ->
                line(participant, message.shown(mayRead), firstOf.get(message.id()), mayRead, sent))
            .toList(),
        waiting.stream()
            .map(text ->
                new ParticipantPage.Waiting(
                    mayRead || (text.incidentId() == null && !crisis)
                        ? text.body()
                        : TranscriptReader.HIDDEN,
                    Times.minutes(text.storedAt(), participant.zone())))
            .toList(),
        turns.turns(participant.id(), Integer.MAX_VALUE, 1).stream()
            .anyMatch(turn -> turn.status() == TurnStatus.RUNNING),
        newest.isEmpty(),
        !mayRead
            && (newest.stream().anyMatch(message -> message.incidentId() != null)
                || waiting.stream().anyMatch(text -> text.incidentId() != null || crisis)),
        // A fixed text stands after the text that it answers, which is stored later.
        newest.stream().mapToLong(TranscriptReader.Message::seq).max().orElse(0));
  }

  /** Returns the days of the messages that are the first of theirs, by the id of the message. */
  private static Map<String, LocalDate> days(
      List<TranscriptReader.Message> messages, Participant participant) {
    var first = new HashMap<String, LocalDate>();
    var seen = new HashSet<LocalDate>();
    for (var message : messages) {
      var day = message.createdAt().atZone(participant.zone()).toLocalDate();
      if (seen.add(day)) {
        first.put(message.id(), day);
      }
    }
    return first;
  }

  /** Returns the deliveries of each message in planned order; a long message is sent in parts. */
  private Map<String, List<Outbox.Sent>> sent(Participant participant) {
    return outbox.deliveries(participant.id(), Long.MAX_VALUE, MESSAGES).reversed().stream()
        .filter(delivery -> delivery.messageId() != null)
        .map(delivery -> delivery.explained(channels))
        .collect(Collectors.groupingBy(delivery -> String.valueOf(delivery.messageId())));
  }

  private static ParticipantPage.Line line(
      Participant participant,
      TranscriptReader.Message message,
      @Nullable LocalDate day,
      boolean mayRead,
      Map<String, List<Outbox.Sent>> sent) {
    return new ParticipantPage.Line(
        message.id(),
        message.author() != Author.PARTICIPANT,
        message.authorName() == null ? "" : message.authorName(),
        signedBy(message, sent.getOrDefault(message.id(), List.of())),
        message.content(),
        Times.minutes(message.createdAt(), participant.zone()),
        Times.time(message.createdAt(), participant.zone()),
        day == null ? "" : Times.wholeDay(day),
        message.turn(),
        incident(message.incidentId(), mayRead),
        fate(participant, message.id(), sent));
  }

  /** Returns who wrote one of our messages: staff, the coach, or Habitline itself. */
  private static String signedBy(TranscriptReader.Message message, List<Outbox.Sent> sent) {
    if (message.authorName() != null) {
      return message.authorName();
    }
    if (message.author() == Author.BOT && message.turn() == 0 && message.incidentId() != null) {
      return SAFETY_MESSAGE;
    }
    var kind = sent.isEmpty() ? OutboundKind.REPLY : sent.getFirst().kind();
    if (kind == OutboundKind.CRISIS) {
      return SAFETY_MESSAGE;
    }
    return kind.isAutomatic() ? "Automatic message" : "Coach";
  }

  private static ParticipantPage.@Nullable OfIncident incident(
      @Nullable String id, boolean mayRead) {
    return id == null ? null : new ParticipantPage.OfIncident(mayRead ? "/safety/" + id : "");
  }

  /**
   * Returns the status of the part that did worst and the size of all parts. For a part that was
   * sent again, only the last attempt counts.
   */
  private static ParticipantPage.Fate fate(
      Participant participant, String messageId, Map<String, List<Outbox.Sent>> sent) {
    var all = sent.getOrDefault(messageId, List.of());
    var again = all.stream().map(Outbox.Sent::retryOf).filter(Objects::nonNull).toList();
    var parts = all.stream().filter(part -> !again.contains(part.id())).toList();
    return parts.stream()
        .min(Comparator.comparing(Outbox.Sent::status))
        .map(worst ->
            new ParticipantPage.Fate(
                messageId,
                worst.status(),
                why(participant, worst, before(worst, all)),
                size(parts),
                again(participant, worst)))
        .orElseGet(() -> ParticipantPage.Fate.none(messageId));
  }

  /**
   * Returns what staff can do about a message, or {@code null} if it arrived or was refused for
   * good.
   */
  private static ParticipantPage.@Nullable Again again(Participant participant, Outbox.Sent text) {
    if (text.resendable()) {
      return offered(participant, text);
    }
    if (!DeliveryStatus.NOT_DELIVERED.contains(text.status())
        || text.status() == DeliveryStatus.REFUSED
        || text.endedAt() == null) {
      return null;
    }
    if (text.arrived()) {
      return new ParticipantPage.Again("The provider reported later that it arrived.", "", false);
    }
    return new ParticipantPage.Again(
        (Unsent.NOT_AGAIN + " " + Unsent.remedy(text.failure())).strip(), "", false);
  }

  private static ParticipantPage.Again offered(Participant participant, Outbox.Sent text) {
    var mayHaveArrived = text.status() == DeliveryStatus.UNKNOWN;
    return Unsent.whyNotNow(participant)
        .map(why -> new ParticipantPage.Again(why, "", false))
        .orElseGet(() ->
            new ParticipantPage.Again(
                mayHaveArrived ? Unsent.MAY_ARRIVE_TWICE : "",
                "/participants/%s/deliveries/%s/resend%s"
                    .formatted(
                        participant.id(), text.id(), mayHaveArrived ? "?even_if_arrived=true" : ""),
                mayHaveArrived));
  }

  private static Outbox.@Nullable Sent before(Outbox.Sent text, List<Outbox.Sent> all) {
    return all.stream().filter(it -> it.id().equals(text.retryOf())).findFirst().orElse(null);
  }

  private static String why(
      Participant participant, Outbox.Sent text, Outbox.@Nullable Sent before) {
    if (before != null && text.reason() == null && text.status() == DeliveryStatus.PLANNED) {
      return before.status().word()
          + " ("
          + code(before)
          + "), to be sent again "
          + (text.notBefore() == null
              ? "now"
              : "at " + Times.minutes(text.notBefore(), participant.zone()));
    }
    return code(text);
  }

  private static String code(Outbox.Sent text) {
    return Stream.of(text.reason(), text.errorCode())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse("");
  }

  private static String size(List<Outbox.Sent> parts) {
    var encodings = parts.stream().map(Outbox.Sent::encoding).filter(Objects::nonNull).distinct();
    var named = encodings.map(word -> word.toUpperCase(Locale.ROOT)).toList();
    var segments = parts.stream().mapToInt(Outbox.Sent::segments).sum();
    return named.isEmpty()
        ? ""
        : segments
            + (segments == 1 ? " segment (" : " segments (")
            + String.join(", ", named)
            + ")";
  }

  /** Returns the internal data; whoever may not see the phone number sees its last digits. */
  private String state(Authentication by, Participant participant) {
    var shown = explanations.pretty(states.state(participant, Actor.seesIncidents(by)));
    return Actor.seesNumbers(by)
        ? shown
        : shown.replace(participant.phone().e164(), participant.phone().masked());
  }

  /**
   * Returns the current state of a participant, with delivery statuses of messages up to a sequence
   * number.
   */
  ParticipantPage.About about(Authentication by, Participant participant, long shown) {
    var standing =
        Optional.ofNullable(states.standings(List.of(participant)).get(participant.id()));
    var sent = sent(participant);
    var kept = records.byKind(participant.id());
    var profile = states.profile(participant);
    var held = silence.held(participant);
    var participation = participation(participant, held);
    return new ParticipantPage.About(
        participant.status().word(),
        participation.title(),
        participation == Participation.ACTIVE,
        participant.optedOut(),
        standing.map(StateReader.Standing::subState).orElse(""),
        standing
            .map(StateReader.Standing::subState)
            .map(module -> flows.moduleTitle(participant.flow(), module))
            .orElse(""),
        hold(participant),
        incidents
            .crisis(participant.id())
            .map(it -> incident(it.id(), Actor.seesIncidents(by)))
            .orElse(null),
        standing.map(StateReader.Standing::failure).orElse(""),
        standing.map(StateReader.Standing::brake).orElse(""),
        silence.reasons(participant),
        spending.used(
            UsedUp.Scope.PARTICIPANT,
            spending.today(participant).participant(),
            participant.channel().isSimulated()),
        fields(profile.json()),
        profile.flags().stream().map(ParticipantPages::label).toList(),
        profile.missing().stream().map(ParticipantPages::label).toList(),
        states.profileChanges(participant.id()).reversed().stream()
            .map(change ->
                new ParticipantPage.Change(
                    Objects.requireNonNullElse(change.turn(), 0),
                    Objects.requireNonNullElse(change.changedBy(), ""),
                    label(change.field()),
                    shown(change.before()),
                    shown(change.after()),
                    Times.minutes(change.changedAt(), participant.zone())))
            .toList(),
        exports(participant, kept),
        kept(kept),
        // Without its flow, what a participant still has is shown.
        flows.flow(participant.flow()).stream().allMatch(flow -> flow.dailyPrompt() != null),
        prompts.standing(participant).agenda().planned().stream()
            .map(planned -> shown(planned, participant, held))
            .toList(),
        prompts.newest(participant.id(), null, PROMPTS).stream()
            .map(ParticipantPages::shown)
            .toList(),
        habitLine(participant),
        timers.open(participant.id()).stream().map(it -> due(it, participant)).toList(),
        state(by, participant),
        fates(participant, shown, sent));
  }

  private HabitLine habitLine(Participant participant) {
    return Objects.requireNonNull(
        search.habitLines(List.of(participant), clock.instant()).get(participant.id()));
  }

  /** Returns how a participant takes part now. */
  Participation participation(Participant participant) {
    return participation(participant, silence.held(participant));
  }

  private static Participation participation(
      Participant participant, Set<DeliveryDiagnosis.Held> held) {
    return Participation.of(
        participant,
        held.contains(DeliveryDiagnosis.Held.BY_INCIDENT),
        held.contains(DeliveryDiagnosis.Held.BY_CONSENT));
  }

  /**
   * Returns the delivery statuses of the newest messages up to a sequence number, which a page
   * already shows.
   */
  private List<ParticipantPage.Fate> fates(
      Participant participant, long shown, Map<String, List<Outbox.Sent>> sent) {
    return transcript.newest(participant.id(), Long.MAX_VALUE, FATES).stream()
        .filter(message -> message.seq() <= shown && sent.containsKey(message.id()))
        .map(message -> fate(participant, message.id(), sent))
        .toList();
  }

  private ParticipantPage.Hold hold(Participant participant) {
    var mute = stepIn.muted(participant.id());
    return new ParticipantPage.Hold(
        mute.map(it ->
                Times.minutes(it.until(), participant.zone()) + " " + participant.zone().getId())
            .orElse(""),
        mute.map(Takeover.Mute::by).orElse(""),
        stepIn
            .debugging(participant.id())
            .map(it -> Times.minutes(it.until(), ZoneOffset.UTC))
            .orElse(""),
        flows
            .flow(participant.flow())
            .map(flow ->
                flow.modules().values().stream()
                    .map(module -> new Choice(module.id(), module.title()))
                    .toList())
            .orElse(List.of()));
  }

  private ParticipantPage.Due due(Wakeup wakeup, Participant participant) {
    return new ParticipantPage.Due(
        job(wakeup.kind(), participant),
        Times.minutes(wakeup.dueAt(), participant.zone()),
        Times.until(Duration.between(clock.instant(), wakeup.dueAt())));
  }

  private static String shown(
      Agenda.Planned planned, Participant participant, Set<DeliveryDiagnosis.Held> held) {
    var time = planned.schedule().time();
    return switch (time) {
          case DailyTime.Fixed fixed -> "Every day at " + time.text();
          case DailyTime.Random random -> "Every day at a random time in " + time.text();
        }
        + "; "
        + (participant.mayBeTexted()
            ? next(planned, held)
            : "the next one is not scheduled because the participant gets no messages now");
  }

  private static String next(Agenda.Planned planned, Set<DeliveryDiagnosis.Held> held) {
    if (held.contains(DeliveryDiagnosis.Held.BY_INCIDENT)) {
      return "not sent while coaching is paused for a safety incident";
    }
    return held.contains(DeliveryDiagnosis.Held.BY_CONSENT)
        ? "not sent until they consent"
        : "next " + Times.readable(planned.next().text(), ZoneOffset.UTC);
  }

  private String job(WakeupKind kind, Participant participant) {
    return switch (kind) {
      case DAILY_PROMPT -> "daily prompt";
      case REMINDER -> asksLater(participant) ? "question about the prompt" : "reminder";
      case AUTO_FEEDBACK -> "automatic move to feedback";
      case CHECK_IN -> "check-in";
      case FOLLOW_UP -> "follow-up to the check-in";
      case TRANSITION -> "move to another module";
      case HAND_BACK -> "automatic replies resume";
      case RETRY -> "reply to a text whose turn failed";
      case ZONE_MOVE -> "move to another time zone";
      case NUDGE -> "nudge to a silent participant";
      case SCRIPTED -> "requested prompt";
    };
  }

  private boolean asksLater(Participant participant) {
    return flows
        .flow(participant.flow())
        .map(Flow::dailyPrompt)
        .map(DailyPrompt::askAfter)
        .isPresent();
  }

  private static String status(Occurrence.Status status) {
    return status == Occurrence.Status.PROMPTING
        ? "being sent"
        : status.name().toLowerCase(Locale.ROOT);
  }

  private static ParticipantPage.Prompt shown(Occurrence occurrence) {
    return new ParticipantPage.Prompt(
        Times.readable(occurrence.moment().text(), ZoneOffset.UTC),
        status(occurrence.status()),
        occurrence.reason() == null ? "" : occurrence.reason(),
        answer(occurrence));
  }

  private static String answer(Occurrence occurrence) {
    if (occurrence.outcome() != null) {
      return occurrence.outcome().word().replace('_', ' ');
    }
    if (occurrence.respondedAt() != null) {
      return "answered";
    }
    return occurrence.remindedAt() == null ? "" : "reminded";
  }

  /** Returns the exported forms, or {@code null} if the flow exports none and there is none. */
  private @Nullable List<ParticipantPage.Export> exports(
      Participant participant, Map<String, List<RecordReader.StoredRecord>> records) {
    var exports = records.getOrDefault(Records.EXPORT, List.of());
    var exporting =
        flows.flow(participant.flow()).stream()
            .flatMap(flow -> flow.modules().values().stream())
            .anyMatch(module -> module.tools().contains(ToolCatalog.EXPORT));
    if (exports.isEmpty() && !exporting) {
      return null;
    }
    return exports.stream()
        .map(export ->
            new ParticipantPage.Export(
                "/conversation/participants/%s/records/%s/%s"
                    .formatted(participant.id(), export.key().kind(), export.key().id()),
                Times.minutes(export.updatedAt(), participant.zone()),
                fields(Optional.of(export.json()))))
        .toList();
  }

  /** Returns the records of other kinds; what tools only count with is left out. */
  private static List<ParticipantPage.Kept> kept(
      Map<String, List<RecordReader.StoredRecord>> records) {
    return records.entrySet().stream()
        .filter(kind -> !kind.getKey().equals(Records.EXPORT))
        .filter(kind -> !kind.getKey().equals(Records.COUNTER))
        .map(kind ->
            new ParticipantPage.Kept(
                label(kind.getKey()),
                kind.getValue().stream().map(ParticipantPages::line).toList()))
        .toList();
  }

  private static String line(RecordReader.StoredRecord record) {
    return fields(Optional.of(record.json())).stream()
        .map(field -> field.name() + ": " + field.value())
        .collect(Collectors.joining(", "));
  }

  private static List<ParticipantPage.Field> fields(Optional<JsonNode> json) {
    var fields = new ArrayList<ParticipantPage.Field>();
    json.orElseGet(JsonNodeFactory.instance::objectNode)
        .properties()
        .forEach(field ->
            fields.add(
                new ParticipantPage.Field(
                    label(field.getKey()), shown(field.getValue()), isRaw(field.getValue()))));
    return List.copyOf(fields);
  }

  private static boolean isRaw(JsonNode value) {
    return value.isContainerNode()
        ? entries(value).isEmpty()
        : value.isTextual() && MACHINE_TIME.matcher(value.textValue()).matches();
  }

  /** Returns dated entries as a reader sees them, or empty if a value has none. */
  private static Optional<String> entries(JsonNode value) {
    return value.isArray() && value.path(0).has("text")
        ? Optional.of(
            StreamSupport.stream(value.spliterator(), false)
                .map(entry ->
                    (entry.has("date") ? entry.path("date").asText() + ": " : "")
                        + entry.path("text").asText())
                .collect(Collectors.joining("; ")))
        : Optional.empty();
  }

  /** Returns the label of a profile field. */
  static String label(String field) {
    return field.replace('_', ' ');
  }

  /** Returns a value of the profile as a reader sees it, or empty for none. */
  static String shown(@Nullable JsonNode value) {
    if (value == null || value.isNull()) {
      return "";
    }
    return value.isTextual() ? value.textValue() : entries(value).orElseGet(value::toString);
  }
}
