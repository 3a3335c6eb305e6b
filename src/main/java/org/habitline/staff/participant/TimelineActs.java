package org.habitline.staff.participant;

import java.util.List;
import java.util.Map;

/** The actions of the audit log, as a participant's timeline shows them. */
final class TimelineActs {

  /** Actions that another table tells better, and those that only read. */
  static final List<String> ELSEWHERE =
      List.of(
          "participant enrolled",
          "profile changed",
          "flow changed",
          "note added",
          "outcome recorded",
          "conversation read",
          "incident read",
          "phone number shown",
          "row taken",
          "row given back",
          "participant exported",
          "participant exported with safety incidents");

  /**
   * An action.
   *
   * @param says what follows the name of who did it; {@code {before}} and {@code {after}} are the
   *     values, {@code {words}} the value after it without underscores
   */
  record Act(TimelineKind kind, String says) {}

  private static final Map<String, Act> ACTS =
      Map.ofEntries(
          act(
              TimelineKind.SETTINGS,
              "phone number changed",
              "changed the phone number from {before} to {after}"),
          act(
              TimelineKind.SETTINGS,
              "language changed",
              "changed the language from {before} to {after}"),
          act(
              TimelineKind.MODULE,
              "sub-state forced",
              "moved the participant from module {before} to {after}"),
          act(TimelineKind.SCHEDULE, "schedule added", "added a daily prompt at {after}"),
          act(
              TimelineKind.SCHEDULE,
              "schedule changed",
              "changed the daily prompt from {before} to {after}"),
          act(TimelineKind.SCHEDULE, "schedule ended", "stopped the daily prompt at {before}"),
          act(TimelineKind.SCHEDULE, "prompt skipped", "skipped the daily prompt of {after}"),
          act(
              TimelineKind.SCHEDULE,
              "skip undone",
              "undid the skip of the daily prompt of {after}"),
          act(TimelineKind.SCHEDULE, "prompt sent now", "sent today's prompt now"),
          act(TimelineKind.TAKEOVER, "coach muted", "took over the conversation"),
          act(TimelineKind.TAKEOVER, "conversation handed back", "handed the conversation back"),
          act(TimelineKind.NOTE, "note changed", "edited a note"),
          act(TimelineKind.NOTE, "note removed", "removed a note"),
          act(TimelineKind.STAFF, "message written", "wrote a message"),
          act(TimelineKind.STAFF, "participant flagged", "set the flag {words}"),
          act(TimelineKind.STAFF, "flag raised", "flagged something for staff: {words}"),
          act(TimelineKind.STAFF, "flag closed", "closed a flag"),
          act(TimelineKind.STAFF, "debug switched on", "switched debug messages on"),
          act(TimelineKind.STAFF, "debug switched off", "switched debug messages off"),
          act(TimelineKind.STAFF, "text claimed", "matched a text to the participant"),
          act(
              TimelineKind.STAFF,
              "senders forgotten",
              "removed the sender ids that were matched to the participant"),
          act(TimelineKind.STAFF, "reply retried", "asked the coach to reply after a failed turn"),
          act(TimelineKind.STAFF, "tag added", "added the tag {after}"),
          act(TimelineKind.STAFF, "tag removed", "removed the tag {before}"),
          act(TimelineKind.STAFF, "tool called", "called a tool: {after}"),
          act(TimelineKind.STAFF, "participant deleted", "asked to erase the participant"));

  private TimelineActs() {}

  private static Map.Entry<String, Act> act(TimelineKind kind, String action, String says) {
    return Map.entry(action, new Act(kind, says));
  }

  /** Returns how to show an action. */
  static Act of(String action) {
    return action.equals(CHANGED)
        ? new Act(TimelineKind.SETTINGS, "")
        : ACTS.getOrDefault(action, new Act(TimelineKind.STAFF, "did this: " + action));
  }

  /** The action whose values list all details, changed and unchanged ones. */
  static final String CHANGED = "participant changed";

  /** Returns the SQL that gives the kind of an action. */
  static String kind(String column) {
    var cases = new StringBuilder("CASE " + column + " WHEN '" + CHANGED + "' THEN 'settings'");
    ACTS.forEach((action, act) ->
        cases
            .append(" WHEN '")
            .append(action)
            .append("' THEN '")
            .append(act.kind().word())
            .append("'"));
    return cases.append(" ELSE '" + TimelineKind.STAFF.word() + "' END").toString();
  }
}
