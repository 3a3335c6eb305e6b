package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The simulated phone of one participant.
 *
 * @param simulated whether they have a simulated phone
 * @param zone the participant's time zone, in which times are shown
 * @param about what the texts change, beside the phone
 * @param debug the newest debug messages, which the transcript leaves out
 * @param faults the faults that the next messages to the phone will meet
 * @param textId makes sending the same text twice harmless
 * @param notice what the last button did, or empty
 * @param complaint why the last form was refused, or empty
 */
public record SimulatorPage(
    PageFrame frame,
    String id,
    String name,
    String phoneNumber,
    String channel,
    boolean simulated,
    String zone,
    boolean zoneAssumed,
    ParticipantPage.Phone phone,
    ParticipantPage.About about,
    List<Debug> debug,
    List<String> faults,
    String textId,
    String notice,
    String complaint) {

  /** Returns the first letters of the participant's name. */
  public String initials() {
    return PageFrame.initials(name);
  }

  /**
   * All simulated phones.
   *
   * @param older where the page after this one starts, or empty
   */
  public record All(PageFrame frame, List<Row> rows, String older) {}

  /**
   * A debug message.
   *
   * @param at when it arrived, in the participant's zone
   */
  public record Debug(String body, String at) {}

  /** One simulated phone. */
  public record Row(String id, String name, String phoneNumber, String status, String enrolledAt) {}
}
