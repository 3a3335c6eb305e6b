package org.habitline.conversation.model;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.participants.Participant;
import org.habitline.timers.Agenda;
import org.habitline.timers.Occurrence;
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

  static String of(
      Participant participant,
      Flow flow,
      FlowModule module,
      WorkingCopy copy,
      Optional<Occurrence> prompt,
      Instant now) {
    var missing = ProfileStatus.missing(flow, copy.profile());
    return String.join(
        "\n",
        "Module: " + module.id(),
        "Local time: "
            + LOCAL.format(now.atZone(participant.zone()))
            + ", "
            + participant.zone()
            + (participant.zoneAssumed() ? " (assumed)" : ""),
        "Profile: " + ProfileStatus.line(flow, copy.profile()),
        "Missing for a habit prompt: "
            + (missing.isEmpty() ? "nothing" : String.join(", ", missing)),
        "Active schedules: " + schedules(copy.agenda()),
        "Last habit prompt: " + (copy.lastHabitPrompt() == null ? "none" : copy.lastHabitPrompt()),
        "Daily prompt: " + prompt.map(it -> daily(it, participant)).orElse("none yet"),
        guidance(flow, module, missing));
  }

  private static String schedules(Agenda agenda) {
    return agenda.planned().isEmpty()
        ? "none"
        : agenda.planned().stream().map(Agenda.Planned::text).collect(Collectors.joining("; "));
  }

  private static String daily(Occurrence prompt, Participant participant) {
    var at = Objects.requireNonNull(prompt.promptedAt()).atZone(participant.zone());
    return "sent "
        + MINUTE.format(at)
        + (prompt.respondedAt() == null ? ", waiting for a reply" : ", answered")
        + (prompt.done() ? ", done" : "");
  }

  private static String guidance(Flow flow, FlowModule module, List<String> missing) {
    if (missing.isEmpty()) {
      return "The profile is complete: a habit prompt may be written.";
    }
    if (module.id().equals(flow.initialState())) {
      return "The profile is not complete: ask for what is missing, one question at a time.";
    }
    return "The profile is not complete: use transition_state to "
        + flow.initialState()
        + " when it is needed, and do not ask intake questions here.";
  }
}
