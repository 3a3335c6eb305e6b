package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page on which staff change a participant's profile.
 *
 * @param name the participant
 * @param zone the time zone of all times on the page
 * @param none why nothing can be changed, or empty
 * @param timeField the label of the field with the time of daily prompts in their words, or empty
 * @param prepared whether the coach has already written the next prompt
 * @param inputs the fields of the flow, in its order
 * @param unused stored values of fields that the flow does not have
 * @param history the newest changes, newest first
 * @param reason what was entered as the reason
 * @param complaint why the form was refused, or empty
 * @param notes what the flow's rules made of other fields when the form was saved, or empty
 */
public record ProfilePage(
    PageFrame frame,
    String id,
    String name,
    String zone,
    String none,
    String timeField,
    boolean prepared,
    List<Input> inputs,
    List<ParticipantPage.Field> unused,
    List<Past> history,
    String reason,
    String complaint,
    String notes) {

  public ProfilePage {
    inputs = List.copyOf(inputs);
    unused = List.copyOf(unused);
    history = List.copyOf(history);
  }

  /** How a field is entered. */
  public enum Control {
    LINE,
    AREA,
    NUMBER,
    DATE,
    CHOICE
  }

  /**
   * One field of the form.
   *
   * @param hint what is accepted
   * @param value as it is stored or was entered, or empty
   * @param seen as it was stored when the form was shown, or empty
   * @param choices the accepted values of a choice
   * @param problem why it was refused, or empty
   */
  public record Input(
      String name,
      String label,
      String hint,
      Control control,
      String value,
      String seen,
      List<String> choices,
      String problem) {
    public Input {
      choices = List.copyOf(choices);
    }
  }

  /**
   * One change of one field.
   *
   * @param by the staff member, or empty if a turn made it
   * @param turn the turn, or 0
   * @param restorable whether staff can give the field its value before this change
   */
  public record Past(
      long seq,
      String field,
      String before,
      String after,
      String at,
      String by,
      int turn,
      boolean restorable) {}
}
