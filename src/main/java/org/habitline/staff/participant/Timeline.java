package org.habitline.staff.participant;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.audit.AuditAction;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.Participant;
import org.habitline.protocol.StudyFile;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.AuditedDetails;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Times;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Tells what happened to a participant, newest first, each event as one sentence. A reader gets the
 * kinds that their role may see; reading is recorded like reading the conversation.
 */
@Singleton
final class Timeline {

  /** How much of a value a sentence quotes. */
  private static final int QUOTED = 200;

  /** Sorts after every place. */
  private static final String LAST = "~";

  private static final JsonMapper JSON = new JsonMapper();

  private final JdbcTimeline rows;
  private final FlowCatalog flows;
  private final StudyFile study;
  private final ReadLog reads;
  private final Transactions transactions;
  private final Clock clock;

  Timeline(
      JdbcTimeline rows,
      FlowCatalog flows,
      StudyFile study,
      ReadLog reads,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.flows = flows;
    this.study = study;
    this.reads = reads;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * One event.
   *
   * @param at study time
   * @param by the staff member or key, absent if none did it
   * @param turn the turn that did it, absent if none did
   * @param page the page with the details, absent if there is none
   * @param tone how a page marks it: a class of the component, or empty
   */
  record Entry(
      TimelineKind kind,
      Instant at,
      String sentence,
      @Nullable String by,
      @Nullable Integer turn,
      @Nullable String page,
      String tone) {}

  /**
   * A page of the timeline, newest first.
   *
   * @param next where the next page begins, or {@code null} after the last
   */
  record Page(List<Entry> entries, @Nullable String next) {}

  /** Returns the kinds that a reader may see. */
  static Set<TimelineKind> kinds(Authentication by) {
    var kinds = EnumSet.allOf(TimelineKind.class);
    if (!Actor.seesIncidents(by)) {
      kinds.remove(TimelineKind.INCIDENT);
    }
    if (!Actor.seesNumbers(by)) {
      kinds.remove(TimelineKind.NOTE);
    }
    return kinds;
  }

  /**
   * Returns a page.
   *
   * @param kind the word of one kind, or blank for all that the reader may see
   * @param cursor where it begins, or blank for the newest
   * @throws ApiProblem 400 for a kind or cursor that is not accepted
   */
  Page page(
      Authentication by,
      Participant participant,
      @Nullable String kind,
      @Nullable String cursor,
      int most) {
    var kinds = kinds(by);
    if (kind != null && !kind.isBlank()) {
      var wanted = TimelineKind.of(kind).filter(kinds::contains);
      if (wanted.isEmpty()) {
        throw ApiProblem.bad(
            "kind: unknown; expected one of "
                + kinds.stream().map(TimelineKind::word).collect(Collectors.joining(", "))
                + ".");
      }
      kinds = EnumSet.of(wanted.get());
    }
    var wanted = kinds;
    var after = place(cursor);
    reads.conversation(by, participant.id());
    var found = transactions.read(() -> rows.newest(participant.id(), wanted, after, most + 1));
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(
        page.stream().map(row -> entry(row, participant)).toList(),
        found.size() > most ? cursor(page.getLast()) : null);
  }

  private static String cursor(JdbcTimeline.Row row) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, row.at()) + "." + row.place();
  }

  private JdbcTimeline.Place place(@Nullable String cursor) {
    if (cursor == null || cursor.isBlank()) {
      // Later events, such as a skip of a day to come, have not happened yet.
      return new JdbcTimeline.Place(clock.instant(), LAST);
    }
    var dot = cursor.indexOf('.');
    try {
      return new JdbcTimeline.Place(
          Instant.EPOCH.plus(
              Long.parseLong(cursor.substring(0, Math.max(0, dot))), ChronoUnit.MICROS),
          PlainText.storable(cursor.substring(dot + 1)));
    } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
      throw Paging.badCursor();
    }
  }

  private Entry entry(JdbcTimeline.Row row, Participant participant) {
    return new Entry(
        row.kind(),
        row.at(),
        sentence(row),
        row.who(),
        row.turn(),
        page(row, participant.id()),
        tone(row));
  }

  private static @Nullable String page(JdbcTimeline.Row row, String id) {
    var person = "/participants/" + id;
    return switch (row.event()) {
      case INCIDENT_OPENED, INCIDENT_ACKNOWLEDGED, INCIDENT_RELEASED -> "/safety/" + row.c();
      case CONFIGURED -> "/study/configurations/" + row.b() + "/page";
      case NOTED -> person + "/notes";
      case DELIVERY_FAILED -> row.c() == null ? null : person + "#" + row.c();
      case PROFILE_CHANGED -> turn(row, person, person + "/profile");
      case SCHEDULED, UNSCHEDULED -> person + "/schedules";
      case AUDITED ->
          switch (row.kind()) {
            case NOTE -> person + "/notes";
            case SCHEDULE -> person + "/schedules";
            default -> null;
          };
      default -> turn(row, person, null);
    };
  }

  private static @Nullable String turn(
      JdbcTimeline.Row row, String person, @Nullable String otherwise) {
    return row.turn() == null || row.turn() == 0 ? otherwise : person + "/turns/" + row.turn();
  }

  private static String tone(JdbcTimeline.Row row) {
    return switch (row.event()) {
      case TURN_FAILED, DELIVERY_FAILED, INCIDENT_OPENED -> "t-danger";
      case PROMPT_NOT_SENT -> "t-warn";
      case KEYWORD_TEXTED, OPTED_OUT -> "start".equals(row.a()) ? "t-ok" : "t-warn";
      case PROMPT_ANSWERED, INCIDENT_RELEASED, ENROLLED -> "t-ok";
      default -> row.who() == null ? "" : "t-accent";
    };
  }

  private String sentence(JdbcTimeline.Row row) {
    var a = said(row.a());
    var b = said(row.b());
    var c = said(row.c());
    var who = row.who();
    var dayOfA = Times.readable(a, ZoneOffset.UTC);
    return switch (row.event()) {
      case ENROLLED -> named(who) + " enrolled the participant.";
      case CONSENT_STEP ->
          consent(a) + (row.b() == null ? "" : " (version " + b + " of the consent text)") + ".";
      case KEYWORD_TEXTED ->
          a.equals("start")
              ? "The participant texted START and gets messages again."
              : "The participant opted out by text.";
      case OPTED_OUT -> "Opted out (" + words(a) + ").";
      case ZONE_CHANGED -> "The time zone changed from " + a + " to " + b + ".";
      case MODULE_BEGAN ->
          row.a() == null
              ? "Module " + flows.moduleTitle(b) + " replied for the first time."
              : "Module " + flows.moduleTitle(b) + " took over from " + flows.moduleTitle(a) + ".";
      case FLOW_CHANGED -> named(who) + " moved the participant from flow " + a + " to " + b + ".";
      case PROFILE_CHANGED ->
          c.equals("tone")
              ? "The coach learned how the participant likes to be spoken to."
              : named(who == null ? "coach" : who)
                  + " changed the profile: "
                  + words(c)
                  + " from "
                  + value(row.a())
                  + " to "
                  + value(row.b())
                  + ".";
      case SCHEDULED -> "Daily prompts were planned at " + span(a, row.b()) + ".";
      case UNSCHEDULED ->
          "Daily prompts at "
              + span(a, row.b())
              + " were stopped"
              + (row.c() == null ? "" : ": " + c)
              + ".";
      case PROMPT_SENT -> "Habitline sent the daily prompt of " + dayOfA + late(row) + ".";
      case PROMPT_ANSWERED ->
          "The participant answered the daily prompt of " + dayOfA + after(row) + ".";
      case PROMPT_NOT_SENT ->
          "The daily prompt of "
              + dayOfA
              + (b.equals("skipped")
                  ? " was skipped"
                  : b.equals("missed") ? " was missed" : " was not sent")
              + (row.c() == null ? "" : " (" + c + ")")
              + ".";
      case OUTCOME_RECORDED ->
          named(who == null ? "coach" : who)
              + (row.b() == null ? " removed" : " recorded")
              + " the outcome of the daily prompt of "
              + Times.readable(c, ZoneOffset.UTC)
              + (row.b() == null ? "" : ": " + words(b))
              + ".";
      case REMINDED -> "Habitline reminded the participant of the daily prompt of " + dayOfA + ".";
      case NUDGED ->
          a.equals("nudge")
              ? "Habitline sent a nudge because the participant was silent."
              : "Habitline asked how the prompt went.";
      case TURN_FAILED ->
          "The coach had no usable reply, so Habitline sent a fixed message ("
              + (row.b() == null ? words(a) : b)
              + ").";
      case DELIVERY_FAILED ->
          "A message was "
              + switch (b) {
                case "refused" -> "not sent";
                case "unknown" -> "sent without a report of its delivery";
                default -> "not delivered";
              }
              + " ("
              + words(a)
              + ").";
      case REPLIES_RESUMED -> "Automatic replies resumed.";
      case INCIDENT_OPENED -> "A safety incident was opened: " + words(a) + " (" + words(b) + ").";
      case INCIDENT_ACKNOWLEDGED -> named(who) + " acknowledged the safety incident.";
      case INCIDENT_RELEASED -> named(who) + " released the safety incident (" + words(b) + ").";
      case CONFIGURED ->
          "Configuration " + b + " replaced configuration " + a + " for this participant.";
      case NOTED -> named(who) + " noted: " + a;
      case AUDITED -> named(who) + " " + act(row) + ".";
    };
  }

  private String act(JdbcTimeline.Row row) {
    var word = said(row.a());
    var action = AuditAction.of(word).orElse(null);
    if (action == null) {
      return "did this: " + word;
    }
    return switch (action) {
      case PARTICIPANT_CHANGED -> "changed " + differing(row.b(), row.c());
      case SUB_STATE_FORCED -> action.did("", moduleTitle(row.b()), moduleTitle(row.c()));
      case PARTICIPANT_FLAGGED, FLAG_RAISED -> action.did("", "", words(said(row.c())));
      default ->
          action.did(
              "",
              Times.readable(said(row.b()), ZoneOffset.UTC),
              Times.readable(said(row.c()), ZoneOffset.UTC));
    };
  }

  private String moduleTitle(@Nullable String module) {
    return module == null ? "" : flows.moduleTitle(module);
  }

  /** Returns the details that differ, each with its new value. */
  private static String differing(@Nullable String before, @Nullable String after) {
    var changed =
        AuditedDetails.read(before).changesTo(AuditedDetails.read(after)).stream()
            .map(change ->
                change.what() + " to " + (change.after().isEmpty() ? "empty" : change.after()))
            .collect(Collectors.joining(", "));
    return changed.isEmpty() ? "the details" : said(changed);
  }

  private static String consent(String step) {
    return switch (step) {
      case "age_asked" -> "The participant was asked for their age";
      case "old_enough" -> "The participant is old enough to take part";
      case "too_young" -> "The participant is too young to take part";
      case "asked" -> "The participant was asked for consent";
      case "yes" -> "The participant consented";
      case "no" -> "The participant declined";
      case "unclear" -> "The participant gave an unclear answer to the question for consent";
      case "left_to_staff" -> "The question for consent was left to staff";
      case "elsewhere" -> "Consent that was given elsewhere was recorded";
      default -> "A step of consent: " + words(step);
    };
  }

  private String late(JdbcTimeline.Row row) {
    var due = row.other();
    var by = due == null ? Duration.ZERO : Duration.between(due, row.at());
    return by.compareTo(study.monitoring().lateAfter()) > 0
        ? ", " + Times.inTwoUnits(by) + " late"
        : "";
  }

  private static String after(JdbcTimeline.Row row) {
    var sent = row.other();
    return sent == null || sent.isAfter(row.at())
        ? ""
        : " after " + Times.inTwoUnits(Duration.between(sent, row.at()));
  }

  private static String span(String starts, @Nullable String ends) {
    return ends == null ? starts : starts + "-" + ends;
  }

  private static String named(@Nullable String who) {
    return who == null ? "Habitline" : who.equals("coach") ? "The coach" : who;
  }

  private static String words(String word) {
    return word.replace('_', ' ');
  }

  /** Returns a stored value of the profile in words. */
  private static String value(@Nullable String json) {
    if (json == null) {
      return "empty";
    }
    try {
      return "“" + said(ParticipantPages.shown(JSON.readTree(json))) + "”";
    } catch (JsonProcessingException e) {
      return "“" + said(json) + "”";
    }
  }

  private static String said(@Nullable String text) {
    if (text == null) {
      return "";
    }
    var line = text.strip().replace('\n', ' ');
    return line.codePointCount(0, line.length()) <= QUOTED
        ? line
        : line.substring(0, line.offsetByCodePoints(0, QUOTED)) + "…";
  }
}
