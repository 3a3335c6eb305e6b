package org.habitline.staff.safety;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page of one incident.
 *
 * @param name the participant, or who they are if they have no name
 * @param participant the address of the participant's page, or empty
 * @param phone the whole number, or empty
 * @param zone the time zone of all times on the page
 * @param localTime the participant's time now, or empty if nobody is known
 * @param clinician who decides, as the study's file says, or empty
 * @param age how long it has been open, in words
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
    String zone,
    String localTime,
    String clinician,
    Facts facts,
    String age,
    List<Line> texts,
    List<Line> sent,
    List<Entry> entries,
    List<Entry> alerts,
    Form form) {

  /**
   * What is known about the incident.
   *
   * @param open whether no one has acknowledged it
   * @param foundBy the rule and the version of the rules
   * @param acknowledged who acknowledged it and when, or empty
   * @param released who released it, when and with what outcome, or empty
   */
  public record Facts(
      boolean crisis,
      boolean open,
      String level,
      String kind,
      String foundBy,
      String acknowledged,
      String released) {

    public boolean isReleased() {
      return !released.isEmpty();
    }
  }

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
   * @param outcomes the outcomes to choose from
   * @param problem why the last form was refused
   * @param kind the kind of entry that was chosen in the refused form, or empty
   * @param note what was written there about the entry, or empty
   */
  public record Form(
      String id,
      String notYet,
      String silence,
      List<Choice> outcomes,
      Problem problem,
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
  }

  /** A value to choose, and what it says. */
  public record Choice(String value, String says) {}

  /**
   * Why a form was refused.
   *
   * @param field the field, such as {@code entry-note}, or empty if it is about no one field
   * @param sentence what to show, or empty if nothing was refused
   */
  public record Problem(String field, String sentence) {

    static final Problem NONE = new Problem("", "");

    /** Returns the sentence that belongs to no one field, or empty. */
    public String general() {
      return field.isEmpty() ? sentence : "";
    }

    /** Returns the sentence about a field, or empty. */
    public String of(String named) {
      return field.equals(named) ? sentence : "";
    }
  }
}
