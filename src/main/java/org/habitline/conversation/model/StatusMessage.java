package org.habitline.conversation.model;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcTranscript;
import org.habitline.conversation.stored.MessageRole;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.participants.Participant;
import org.habitline.timers.Agenda;
import org.habitline.timers.Occurrence;
import org.habitline.tools.ProfileJson;
import org.habitline.tools.ProfileStatus;
import org.habitline.tools.WorkingCopy;

/**
 * Writes the status section of a request: the participant's current situation. The labels are part
 * of the contract with prompt files and with the rehearsal model.
 */
final class StatusMessage {

  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm, EEEE", Locale.ENGLISH);

  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ENGLISH);

  private StatusMessage() {}

  /**
   * What a request shows besides the stored state.
   *
   * @param newest the messages before this turn, newest first
   */
  record Shown(List<JdbcTranscript.Said> newest, ReplyBudget budget) {}

  static String of(Claim claim, Flow flow, FlowModule module, WorkingCopy copy, Shown shown) {
    var participant = claim.participant();
    var complete =
        missing(flow, module, copy).isEmpty()
            && (flow.promptGenerator() == null || missingForPrompt(flow, copy).isEmpty());
    var lines = new ArrayList<String>();
    for (var part : module.status()) {
      lines.add(
          switch (part) {
            case PARTICIPANT_ID ->
                "Participant: " + participant.id() + " (use exactly this as user_id)";
            case MODULE -> "Module: " + module.id();
            case LOCAL_TIME ->
                "Local time: "
                    + localTime(participant, claim.pinned().instant())
                    + move(participant);
            case LAST_MESSAGES ->
                "Last messages before now: theirs "
                    + last(MessageRole.USER, shown, participant)
                    + ", yours "
                    + last(MessageRole.ASSISTANT, shown, participant);
            case PROFILE -> "Profile: " + ProfileStatus.line(flow, module, copy.profile());
            case MISSING -> "Missing: " + listed(missing(flow, module, copy));
            case MISSING_FOR_PROMPT ->
                "Missing for a habit prompt: " + listed(missingForPrompt(flow, copy));
            case EARLIER_MODULES -> "Earlier modules: " + earlier(flow, module, copy);
            case SCHEDULES ->
                "Active schedules: "
                    + schedules(copy.agenda())
                    + differing(flow, copy)
                    + unplanned(flow, copy, complete);
            case LAST_HABIT_PROMPT ->
                "Last habit prompt: "
                    + (copy.lastHabitPrompt() == null ? "none" : copy.lastHabitPrompt());
            case DAILY_PROMPT ->
                "Daily prompt: "
                    + copy.newestPrompt().map(it -> daily(it, claim)).orElse("none yet");
          });
    }
    var askNow = ProfileStatus.toAskNow(flow, module, copy.profile());
    if (!askNow.isEmpty()) {
      lines.add("Ask now: " + String.join(", ", askNow));
    }
    if (flow.languages().own().equals(participant.language())) {
      lines.add("Language: write to the participant in " + flow.languages().own());
    }
    shown.budget().told().ifPresent(lines::add);
    lines.add(complete ? module.guidance().complete() : module.guidance().incomplete());
    return String.join("\n", lines);
  }

  private static List<String> missing(Flow flow, FlowModule module, WorkingCopy copy) {
    return ProfileStatus.missing(flow, module, copy.profile());
  }

  private static List<String> missingForPrompt(Flow flow, WorkingCopy copy) {
    return ProfileStatus.missing(flow, copy.profile());
  }

  private static String listed(List<String> missing) {
    return missing.isEmpty() ? "nothing" : String.join(", ", missing);
  }

  /** Returns what the other modules collected, as one line of JSON. */
  private static String earlier(Flow flow, FlowModule module, WorkingCopy copy) {
    var parts = ProfileJson.byModule(flow, copy.profile());
    parts.remove(module.id().toLowerCase(Locale.ROOT));
    return parts.isEmpty() ? "none" : parts.toString();
  }

  private static String localTime(Participant participant, Instant now) {
    return LOCAL.format(now.atZone(participant.zone()))
        + ", "
        + participant.zone()
        + (participant.zoneAssumed() ? " (assumed)" : "");
  }

  private static String move(Participant participant) {
    var move = participant.move();
    return move == null
        ? ""
        : "\nPlanned move: from %s on in %s".formatted(move.from(), move.to().getId());
  }

  /** Returns when the newest message of a side was written, on the participant's clock. */
  private static String last(MessageRole role, Shown shown, Participant participant) {
    return shown.newest().stream()
        .filter(said -> said.role() == role)
        .findFirst()
        .map(said -> MINUTE.format(said.createdAt().atZone(participant.zone())))
        .orElse("none");
  }

  /** Returns a line that says that the schedules do not fit the time in the profile. */
  private static String differing(Flow flow, WorkingCopy copy) {
    var daily = flow.dailyPrompt();
    var field = daily == null ? null : daily.time();
    if (field == null) {
      return "";
    }
    var times = copy.agenda().planned().stream().map(it -> it.schedule().time()).toList();
    return copy.profile()
        .value(field)
        .filter(words -> SavedTime.contradicts(words.asText(), times))
        .map(words ->
            "\n%s in the profile and the schedule differ: ask which one they want, and set the other right."
                .formatted(field.name()))
        .orElse("");
  }

  /** Returns a line that says that a time which is only in the profile sends nothing. */
  private static String unplanned(Flow flow, WorkingCopy copy, boolean complete) {
    var daily = flow.dailyPrompt();
    if (daily == null || !copy.agenda().planned().isEmpty()) {
      return "";
    }
    var time = daily.time();
    return complete || (time != null && copy.profile().value(time).isPresent())
        ? "\nNo daily prompt is planned yet: a time in the profile alone sends nothing."
        : "";
  }

  /** Returns the schedules; a next prompt in another zone than the present one names its zone. */
  private static String schedules(Agenda agenda) {
    return agenda.planned().isEmpty()
        ? "none"
        : agenda.planned().stream()
            .map(it ->
                it.next().zone().equals(agenda.zone())
                    ? it.text()
                    : it.text() + " (" + it.next().zone() + ")")
            .collect(Collectors.joining("; "));
  }

  private static String daily(Occurrence prompt, Claim claim) {
    var promptedAt = Objects.requireNonNull(prompt.promptedAt());
    // The reply of this turn is recorded only when the turn is committed.
    var answered =
        prompt.respondedAt() != null
            || claim.said().stream().anyMatch(said -> !said.receivedAt().isBefore(promptedAt));
    return "sent "
        + MINUTE.format(promptedAt.atZone(claim.participant().zone()))
        + (answered ? ", answered" : ", waiting for a reply")
        + outcome(prompt, claim.participant(), claim.pinned().instant());
  }

  private static String outcome(Occurrence prompt, Participant participant, Instant now) {
    if (prompt.outcome() != null) {
      return ", " + prompt.outcome().word();
    }
    return prompt.askedAt() == null
            && prompt.pending()
            && prompt.reminderDueAt() != null
            && prompt.reminderDueAt().isAfter(now)
        ? ", a message at "
            + MINUTE.format(prompt.reminderDueAt().atZone(participant.zone()))
            + " asks how it went, so do not ask before"
        : "";
  }
}
