package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The simulated phone of one participant.
 *
 * @param simulated whether they have one
 * @param zone the participant's own, in which times are shown
 * @param debug the newest debug messages, which stand in no transcript
 * @param faults what the next texts to the phone will meet
 * @param textId makes sending the same text twice harmless
 * @param notice what the last button did, or empty
 * @param complaint why the last form was not accepted, or empty
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
    List<Debug> debug,
    List<String> faults,
    String textId,
    String notice,
    String complaint) {

  /**
   * All simulated phones.
   *
   * @param older where the page after this one starts, or empty
   */
  public record All(PageFrame frame, List<Row> rows, String older) {}

  /**
   * A debug message.
   *
   * @param at when it came, in the participant's zone
   */
  public record Debug(String body, String at) {}

  /** One of them. */
  public record Row(String id, String name, String phoneNumber, String status, String enrolledAt) {}
}
