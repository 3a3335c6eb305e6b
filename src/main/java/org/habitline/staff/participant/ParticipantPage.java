package org.habitline.staff.participant;

import java.util.List;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.staff.web.PageFrame;
import org.jspecify.annotations.Nullable;

/**
 * One participant: the transcript of the conversation, and what is known about them.
 *
 * @param phoneNumber its last two digits
 * @param fullNumber all of it, or empty unless it was asked for
 * @param zone the participant's own, in which times are shown
 * @param simulated whether somebody can text as them
 * @param formId makes sending the same form twice harmless
 * @param complaint why the last form was not accepted, or empty
 * @param draft what staff wrote in it, or empty
 */
public record ParticipantPage(
    PageFrame frame,
    String id,
    String name,
    String phoneNumber,
    String fullNumber,
    String zone,
    boolean zoneAssumed,
    String flow,
    String channel,
    boolean simulated,
    List<String> background,
    Phone phone,
    About about,
    String formId,
    String complaint,
    String draft) {

  /**
   * What the phone shows.
   *
   * @param lines committed messages, oldest first
   * @param waiting texts that no committed turn has answered yet
   * @param typing whether a turn is running
   * @param empty whether nothing was ever said
   * @param newest the place of the newest message shown
   */
  public record Phone(
      List<Line> lines, List<Waiting> waiting, boolean typing, boolean empty, long newest) {}

  /**
   * One message.
   *
   * @param ours whether the line said it
   * @param author who of the staff wrote it, or empty
   * @param turn the turn that explains it, or 0 if a person wrote it
   */
  public record Line(
      String id, boolean ours, String author, String text, String at, int turn, Fate fate) {}

  /**
   * What became of a message of ours.
   *
   * @param status what became of it, or {@code null} for a message of the participant
   * @param reason why it did not go out, or empty
   * @param size what it is charged as, if that goes by its length, or empty
   */
  public record Fate(
      String messageId, @Nullable DeliveryStatus status, String reason, String size) {
    static Fate none(String messageId) {
      return new Fate(messageId, null, "", "");
    }

    public String word() {
      return status == null ? "" : status.word();
    }

    /** As phones draw it: one tick is on its way, two have arrived. */
    public String tick() {
      return switch (status) {
        case null -> "";
        case PLANNED, LOOKING, SENDING -> "◷ ";
        case SCHEDULED, ACCEPTED, QUEUED, SENT -> "✓ ";
        case DELIVERED, READ -> "✓✓ ";
        case REFUSED, FAILED, UNDELIVERED, CANCELED, UNKNOWN -> "! ";
      };
    }

    /** Whether it did not arrive as it should. */
    public boolean bad() {
      return status != null && DeliveryStatus.NOT_DELIVERED.contains(status);
    }
  }

  /** A text on its way to an answer. */
  public record Waiting(String text, String at) {}

  /**
   * Where the participant stands.
   *
   * @param fates what became of messages the page shows already
   * @param hold what staff want of the conversation
   * @param failure why the newest turn failed, or empty
   * @param brake why it was left without an answer, or empty
   * @param silence why they hear nothing, and what would change it
   * @param fields the profile, in the order of the flow
   * @param missing fields that a habit prompt still needs
   * @param schedules the daily prompts that are planned, in words
   * @param prompts the newest occurrences, newest first
   * @param wakeups what is due for them, soonest first
   * @param state all state data, as JSON
   */
  public record About(
      String status,
      boolean optedOut,
      String subState,
      Hold hold,
      String failure,
      String brake,
      List<DeliveryDiagnosis.Reason> silence,
      List<Field> fields,
      List<String> missing,
      List<Change> changes,
      List<String> schedules,
      List<Prompt> prompts,
      List<Due> wakeups,
      String state,
      List<Fate> fates) {}

  /**
   * What staff want of the conversation.
   *
   * @param mutedUntil local time until which the coach is silent, or empty
   * @param mutedBy who keeps it silent, or empty
   * @param debugUntil UTC until which debug messages go to them, or empty
   * @param modules what may answer, in the order of the flow
   */
  public record Hold(String mutedUntil, String mutedBy, String debugUntil, List<String> modules) {
    /** Whether somebody of the staff holds the conversation. */
    public boolean muted() {
      return !mutedUntil.isEmpty();
    }
  }

  /**
   * Something that is due.
   *
   * @param at local time
   * @param in how long it takes until then, in words
   */
  public record Due(String what, String at, String in) {}

  /**
   * One daily prompt.
   *
   * @param at local date and time
   * @param reason why it was not sent, or empty
   * @param answer what came of it, or empty
   */
  public record Prompt(String at, String status, String reason, String answer) {}

  /** One field of the profile. */
  public record Field(String name, String value) {}

  /** One change of one field. */
  public record Change(int turn, String field, String before, String after, String at) {}
}
