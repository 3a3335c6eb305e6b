package org.habitline.staff.safety;

import java.util.List;
import org.habitline.staff.web.PageFrame;
import org.jspecify.annotations.Nullable;

/**
 * The page of one incident.
 *
 * @param name the participant, or who they are if they have no name
 * @param participant the address of the participant's page, or empty
 * @param phone the whole number, or empty
 * @param clock what time it is for the participant
 * @param duty who is on duty, or {@code null} if the study's file does not say
 * @param texts what the participant wrote
 * @param sent what was sent to them
 * @param entries what happened, newest first
 * @param alerts whom the incident alerted, newest first; times are system time
 * @param form the forms, filled in again if one was refused
 */
public record IncidentPage(
    PageFrame frame,
    String id,
    String name,
    String participant,
    String phone,
    LocalClock clock,
    Facts facts,
    @Nullable Duty duty,
    List<Line> texts,
    List<Line> sent,
    List<Entry> entries,
    List<Entry> alerts,
    Form form) {

  /** Returns whether the incident should have alerted staff and the study names nobody to alert. */
  public boolean unalerted() {
    return facts.alerts() && duty == null && alerts.isEmpty();
  }

  /** Returns the newest text, or empty if there is none. */
  public String lastText() {
    return texts.isEmpty() ? "" : texts.getLast().text();
  }

  /**
   * What time it is for the participant.
   *
   * @param zone their time zone, in which the times on the page are
   * @param theirs their time now, or empty if nobody is known
   * @param ours the time of staff now, or empty if it is the same
   * @param assumed whether nobody said that this is their time zone
   */
  public record LocalClock(String zone, String theirs, String ours, boolean assumed) {}

  /**
   * What is known about the incident.
   *
   * @param crisis whether coaching is paused
   * @param danger whether it is a crisis because somebody may be in danger
   * @param aboutAge whether all that it is about is their age
   * @param open whether no one has acknowledged it
   * @param age how long it has been open, in words
   * @param news that a text came after the acknowledgement, in words, or empty
   * @param kind level and kind, in words
   * @param alerts whether incidents of its kind alert staff
   * @param foundBy what found it, in words
   * @param rule the rule and the version of the rules, in a sentence, or empty
   * @param fixedText how far the newest fixed text came, or why there was none, or empty
   * @param fixedTextFailed whether it did not arrive
   * @param target by when somebody must acknowledge it, or empty
   * @param late whether that is over
   * @param acknowledged who acknowledged it and when, or empty
   * @param released who released it, when and with what outcome, or empty
   */
  public record Facts(
      boolean crisis,
      boolean danger,
      boolean aboutAge,
      boolean open,
      String age,
      String news,
      String kind,
      boolean alerts,
      String foundBy,
      String rule,
      String fixedText,
      boolean fixedTextFailed,
      String target,
      boolean late,
      String acknowledged,
      String released) {

    public boolean isReleased() {
      return !released.isEmpty();
    }
  }

  /**
   * Who is on duty, as the study's file says.
   *
   * @param now the names of those on duty now, or that nobody is
   * @param next when the next alert goes to whom, or empty if none does
   * @param coverage when a person reads messages, or empty
   * @param clinician who decides, or empty
   * @param contact how to reach the clinician, or empty
   * @param telephone the clinician's number to call, or empty
   */
  public record Duty(
      String now,
      String next,
      String coverage,
      String clinician,
      String contact,
      String telephone) {}

  /**
   * A text or a message.
   *
   * @param author the staff member who wrote it, or empty
   * @param delivery how far it came, in words, or empty
   * @param bad whether it did not arrive
   */
  public record Line(String author, String text, String at, String delivery, boolean bad) {}

  /**
   * What happened.
   *
   * @param by the staff member, or empty
   * @param note what they wrote, or empty
   */
  public record Entry(String at, String what, String by, String note) {}

  /**
   * The forms.
   *
   * @param id makes submitting the same form twice harmless
   * @param notYet why the incident cannot be released yet, or empty
   * @param silence why no message can be sent to the participant now, or empty
   * @param entries the kinds of entries to choose from
   * @param outcomes the outcomes to choose from
   * @param problems why the last form was refused, in the order of its fields
   * @param kind the kind of entry that was chosen in the refused form, or empty
   * @param note what was written there about the entry, or empty
   */
  public record Form(
      String id,
      String notYet,
      String silence,
      List<Choice> entries,
      List<Choice> outcomes,
      List<Problem> problems,
      String kind,
      String note,
      String outcome,
      String message,
      String releaseNote) {

    public boolean mayRelease() {
      return notYet.isEmpty();
    }

    public boolean mayWrite() {
      return silence.isEmpty();
    }

    /** Returns the sentence about a field, such as {@code entry-note}, or empty. */
    public String problem(String field) {
      return problems.stream()
          .filter(it -> it.field().equals(field))
          .map(Problem::sentence)
          .findFirst()
          .orElse("");
    }
  }

  /** A value to choose, and what it says. */
  public record Choice(String value, String says) {}

  /**
   * Why a form was refused.
   *
   * @param field the field, such as {@code entry-note}, or empty if it is about no one field
   * @param sentence what to show
   */
  public record Problem(String field, String sentence) {}
}
