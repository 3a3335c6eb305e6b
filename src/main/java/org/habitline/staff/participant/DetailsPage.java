package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page on which a participant's name, background and time zone are changed.
 *
 * @param name the participant
 * @param inputs the fields of the form
 * @param zones the time zones to choose from
 * @param reason what was entered as the reason
 * @param complaint why the form was refused, or empty
 */
public record DetailsPage(
    PageFrame frame,
    String id,
    String name,
    List<Input> inputs,
    List<String> zones,
    String reason,
    String complaint) {

  public DetailsPage {
    inputs = List.copyOf(inputs);
    zones = List.copyOf(zones);
  }

  /**
   * One field.
   *
   * @param name its name in the form and over REST
   * @param value as it is stored or was entered
   * @param most the most characters
   * @param problem why it was refused, or empty
   */
  public record Input(
      String name, String label, String hint, String value, int most, String problem) {

    public boolean isLong() {
      return name.equals("background");
    }

    public boolean isZone() {
      return name.equals("timezone");
    }
  }
}
