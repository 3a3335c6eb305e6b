package org.habitline.rehearsal;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.participants.Zones;
import org.habitline.timers.Occurrence;

/**
 * Finds what went wrong in a rehearsal and describes it in one sentence each. It compares
 * participants' requests, the messages on their phones, and the calendar. Of Habitline's own
 * records it trusts only that a prompt was missed or refused, if a reason is recorded.
 */
final class Anomalies {

  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  /** How long a question about an outcome waits for the reply to a text of the same moment. */
  private static final Duration AFTER_A_TEXT = Duration.ofMinutes(10);

  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);
  private static final Set<Occurrence.Status> EXCUSES =
      EnumSet.of(Occurrence.Status.MISSED, Occurrence.Status.REFUSED);

  private final Plan plan;
  private final FlowWords words;
  private final Evidence evidence;
  private final List<String> found = new ArrayList<>();

  private Anomalies(Plan plan, FlowWords words, Evidence evidence) {
    this.plan = plan;
    this.words = words;
    this.evidence = evidence;
  }

  /** Returns one sentence for each anomaly, in the order of participants. */
  static List<String> in(
      Plan plan, FlowWords words, Map<String, Diary> diaries, Evidence evidence) {
    var anomalies = new Anomalies(plan, words, evidence);
    diaries.forEach((id, diary) -> anomalies.new One(id, diary).look());
    if (evidence.accepted() != evidence.phones().size()) {
      anomalies.found.add(
          "%d messages are recorded as delivered, but %d are on the phones."
              .formatted(evidence.accepted(), evidence.phones().size()));
    }
    return List.copyOf(anomalies.found);
  }

  /** The checks of one participant. */
  private final class One {
    private final Diary diary;
    private final List<JdbcEvidence.PhoneText> phone;
    private final List<Instant> prompts;
    private final List<Instant> reminders;
    private final List<JdbcEvidence.Said> said;
    private final List<JdbcEvidence.Turn> turns;
    private final Set<LocalDate> excused = new HashSet<>();

    One(String id, Diary diary) {
      this.diary = diary;
      this.phone = evidence.phones().stream().filter(it -> it.participantId().equals(id)).toList();
      this.prompts = arrivals(it -> words.prompt(it.body(), it.kind()));
      this.reminders = arrivals(it -> it.body().equals(words.reminder()));
      this.said = evidence.said().stream().filter(it -> it.participantId().equals(id)).toList();
      this.turns = evidence.turns().stream().filter(it -> it.participantId().equals(id)).toList();
      evidence.occurrences().stream()
          .filter(it -> it.participantId().equals(id))
          .filter(it -> EXCUSES.contains(it.status()) && it.reason() != null)
          .forEach(it -> excused.add(LocalDate.parse(it.localDate())));
    }

    private List<Instant> arrivals(Predicate<JdbcEvidence.PhoneText> known) {
      return phone.stream().filter(known).map(JdbcEvidence.PhoneText::arrivedAt).sorted().toList();
    }

    void look() {
      noDateHasTwoPrompts();
      everyPromptComesAtItsTime();
      everyDateHasAPrompt();
      whoeverIsSilentIsRemindedOnce();
      nobodyIsTextedAfterStop();
      theCoachIsSilentInACrisis();
      everythingIsAnswered();
      everyTextIsExplained();
    }

    private void tell(Instant at, String sentence) {
      tell(local(at), sentence);
    }

    private void tell(String when, String sentence) {
      found.add("%s, %s: %s".formatted(diary.phone().e164(), when, sentence));
    }

    private String local(Instant at) {
      var zone = diary.at(at).zone();
      return LOCAL.format(at.atZone(zone)) + " " + zone.getId();
    }

    /** Returns the date of a prompt in the participant's time zone when it arrives. */
    private LocalDate date(Instant prompt) {
      return prompt.plus(words.early()).atZone(diary.at(prompt).zone()).toLocalDate();
    }

    private void noDateHasTwoPrompts() {
      var dates = new HashMap<LocalDate, Integer>();
      prompts.forEach(prompt -> dates.merge(date(prompt), 1, Integer::sum));
      dates.forEach((date, count) -> {
        if (count > 1) {
          tell(date.toString(), count + " prompts were sent on one date.");
        }
      });
    }

    private void everyPromptComesAtItsTime() {
      for (var prompt : prompts) {
        var span = diary.at(prompt);
        if (span.time() == null) {
          tell(prompt, "a prompt was sent before the participant chose a time.");
        } else if (span.wants() == Diary.Wants.NO_PROMPTS) {
          tell(prompt, "a prompt was sent after the last day.");
        } else if (!inTime(prompt, span)) {
          tell(
              prompt,
              "a prompt was sent at this time, but was requested for %s."
                  .formatted(span.time().text()));
        }
        var wall = prompt.atZone(span.zone()).toLocalTime();
        if (!plan.allowedHours().allow(wall)) {
          tell(
              prompt,
              "a prompt was sent outside the allowed hours %s."
                  .formatted(plan.allowedHours().text()));
        }
      }
    }

    private boolean inTime(Instant prompt, Diary.Span span) {
      var last =
          span.time() == null
              ? null
              : span.time().on(date(prompt), span.zone(), words.early()).floor(prompt);
      return last != null && prompt.isBefore(last.plus(A_MINUTE));
    }

    private void everyDateHasAPrompt() {
      var had = new HashSet<LocalDate>();
      prompts.forEach(prompt -> had.add(date(prompt)));
      for (var span : diary.spans()) {
        if (span.time() == null || span.wants() != Diary.Wants.ALL) {
          continue;
        }
        var to = span.to().equals(Instant.MAX) ? end(span.zone()) : span.to();
        var last = to.atZone(span.zone()).toLocalDate();
        var date = span.from().atZone(span.zone()).toLocalDate();
        for (; !date.isAfter(last); date = date.plusDays(1)) {
          var times = span.time().on(date, span.zone(), words.early());
          var whole = times.first().isAfter(span.from()) && times.last().isBefore(to);
          if (whole && !had.contains(date) && !excused.contains(date)) {
            tell(
                date + " " + span.zone().getId(),
                "no prompt was sent, and no reason is recorded; it was requested for %s."
                    .formatted(span.time().text()));
          }
        }
      }
    }

    private Instant end(ZoneId zone) {
      return plan.after().atStartOfDay(zone).toInstant();
    }

    private void whoeverIsSilentIsRemindedOnce() {
      var left = new ArrayList<>(reminders);
      for (var prompt : prompts) {
        if (!words.reminderDelay().isPositive()) {
          break;
        }
        var due = due(prompt);
        var came =
            left.stream()
                .filter(it ->
                    near(it, due)
                        || (words.asksLater() && saidAt(due) && near(it, due.plus(AFTER_A_TEXT))))
                .toList();
        var newer = prompts.stream().anyMatch(it -> it.isAfter(prompt) && !it.isAfter(due));
        if (newer || answered(prompt, due)) {
          // A reply that does not say what came of it leaves the question to be asked.
          if (!came.isEmpty() && !saidAt(due) && (!words.asksLater() || saidOutcome(prompt, due))) {
            tell(due, "a reminder was sent for a prompt that needed none.");
          }
        } else if (came.size() != 1) {
          tell(
              due,
              "%d reminders were sent for the prompt of %s, which had no reply."
                  .formatted(came.size(), local(prompt)));
        }
        left.removeAll(came);
      }
      left.forEach(reminder -> tell(reminder, "a reminder was sent without a prompt."));
    }

    /** The reminder, or the question about the outcome, is moved into the allowed hours. */
    private Instant due(Instant prompt) {
      var due = prompt.plus(words.reminderDelay());
      return plan.allowedHours().within(prompt, due, new Zones(diary.at(due).zone(), null));
    }

    private static boolean near(Instant reminder, Instant due) {
      return !reminder.isBefore(due) && reminder.isBefore(due.plus(A_MINUTE));
    }

    private boolean answered(Instant prompt, Instant due) {
      return said.stream()
          .map(JdbcEvidence.Said::receivedAt)
          .anyMatch(at -> !at.isBefore(prompt) && !at.isAfter(due));
    }

    private boolean saidOutcome(Instant prompt, Instant due) {
      return said.stream()
          .filter(it -> !it.receivedAt().isBefore(prompt) && !it.receivedAt().isAfter(due))
          .anyMatch(it -> words.saysOutcome(it.body()));
    }

    private boolean saidAt(Instant instant) {
      return said.stream().anyMatch(it -> it.receivedAt().equals(instant));
    }

    private void nobodyIsTextedAfterStop() {
      for (var span : diary.spans()) {
        if (span.wants() != Diary.Wants.NOTHING) {
          continue;
        }
        var came =
            phone.stream()
                .filter(it -> !it.arrivedAt().isBefore(span.from()))
                .filter(it -> it.arrivedAt().isBefore(span.to()))
                // What rang at this very instant may have arrived before they said STOP.
                .dropWhile(it -> it.arrivedAt().equals(span.from()) && !isConfirmation(it))
                .toList();
        var confirmations = came.stream().filter(this::isConfirmation).count();
        if (came.size() > Math.min(confirmations, 1)) {
          tell(came.getLast().arrivedAt(), "a message was sent after STOP.");
        }
      }
    }

    private boolean isConfirmation(JdbcEvidence.PhoneText text) {
      return text.body().equals(words.confirmation());
    }

    private void theCoachIsSilentInACrisis() {
      diary.spans().stream()
          .filter(span -> span.wants() == Diary.Wants.PEOPLE_ONLY)
          .forEach(span ->
              phone.stream()
                  .filter(it -> span.holds(it.arrivedAt()) && !it.byPeople())
                  .forEach(it ->
                      tell(it.arrivedAt(), "the coach sent a message while it had to be silent.")));
    }

    private void everythingIsAnswered() {
      said.stream()
          .filter(it -> !it.answered())
          .forEach(it -> tell(it.receivedAt(), "a text got no reply."));
      for (var turn : turns) {
        if (turn.status() != TurnStatus.DONE) {
          tell(
              turn.startedAt(),
              "turn %d is %s (%s%s)."
                  .formatted(
                      turn.number(),
                      turn.status().word(),
                      turn.outcome() == null ? "no outcome" : turn.outcome().word(),
                      turn.reason() == null ? "" : ", " + turn.reason()));
        } else if (turn.outcome() == Outcome.WOKE && turn.reason() != null) {
          tell(turn.startedAt(), "turn %d: %s.".formatted(turn.number(), turn.reason()));
        }
      }
    }

    private void everyTextIsExplained() {
      phone.stream()
          .filter(it -> it.outcome() == null && !it.byPeople())
          .forEach(it -> tell(it.arrivedAt(), "a message was sent that no turn wrote."));
    }
  }
}
