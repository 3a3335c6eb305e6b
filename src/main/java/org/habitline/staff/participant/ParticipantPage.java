package org.habitline.staff.participant;

import java.time.ZoneId;
import java.util.List;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.participants.ParticipantStatus;
import org.habitline.staff.people.CustomFields;
import org.habitline.staff.web.Choice;
import org.habitline.staff.web.HabitLine;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/**
 * The page of one participant: the transcript of the conversation and what is known about them.
 *
 * @param phoneNumber the last two digits of the phone number
 * @param fullNumber the whole phone number, or empty unless staff asked to see it
 * @param zone the participant's time zone, in which times are shown
 * @param localTime the time of day where they are
 * @param language the language that they are written to in
 * @param simulated whether staff can text as the participant, on a simulated phone
 * @param study what the study itself keeps of them
 * @param consent their consent, in words
 * @param consentMissing whether the coach waits for it
 * @param readsNotes whether the reader may read the notes of staff
 * @param notes the newest of them, newest first
 * @param recent the newest entries of the timeline, newest first
 * @param formId makes submitting the same form twice harmless
 * @param complaint why the last form was refused, or empty
 * @param draft what staff wrote in that form, or empty
 */
public record ParticipantPage(
    PageFrame frame,
    String id,
    String name,
    String phoneNumber,
    String fullNumber,
    String zone,
    boolean zoneAssumed,
    String localTime,
    String flow,
    Language language,
    String channel,
    boolean simulated,
    String consent,
    boolean consentMissing,
    List<String> background,
    OfStudy study,
    Phone phone,
    About about,
    boolean readsNotes,
    List<NotesPage.Note> notes,
    List<TimelinePage.Item> recent,
    String formId,
    String complaint,
    String draft) {

  /** Returns the city that the time zone is named after, such as "New York". */
  public String city() {
    return Times.place(ZoneId.of(zone));
  }

  /**
   * What the study itself keeps of the participant, with the form that changes it.
   *
   * @param id the study's own id, or empty
   * @param fields values of the study's own fields
   * @param enteredId the study id in the form
   * @param problem why that was refused, or empty
   * @param inputs the fields in the form
   * @param refused whether the form was refused
   * @param tags the tags of the participant
   * @param allTags the tags that any participant has
   */
  public record OfStudy(
      String id,
      List<CustomFields.Stored> fields,
      String enteredId,
      String problem,
      List<CustomFields.Input> inputs,
      boolean refused,
      List<String> tags,
      List<String> allTags) {}

  /**
   * The language that the participant is written to in.
   *
   * @param own what was chosen for them, or empty for the default of the flow
   * @param inForce the language of their messages
   * @param all the languages to choose from
   */
  public record Language(String own, String inForce, List<String> all) {

    /** Returns the language in words. */
    public String shown() {
      return inForce + (own.equals(inForce) ? "" : " (default of the flow)");
    }
  }

  /**
   * The conversation as the phone shows it.
   *
   * @param lines committed messages, oldest first
   * @param waiting texts that no committed turn has replied to yet
   * @param typing whether a turn is running
   * @param empty whether the conversation has no messages at all
   * @param partHidden whether words are hidden from the reader, because they belong to an incident
   * @param newest sequence number of the newest message shown
   */
  public record Phone(
      List<Line> lines,
      List<Waiting> waiting,
      boolean typing,
      boolean empty,
      boolean partHidden,
      long newest) {}

  /**
   * One message.
   *
   * @param ours whether Habitline or staff wrote it
   * @param author the staff member who wrote it, or empty
   * @param text what was written, or a sentence that says that it is hidden
   * @param at local date and time
   * @param time local time of day
   * @param day the date, if the message is the first of its day; otherwise empty
   * @param signedBy who wrote one of ours: staff, the coach, or Habitline itself
   * @param turn the turn that explains it, or 0 if a person wrote it
   * @param incident the safety incident that it belongs to, or {@code null}
   */
  public record Line(
      String id,
      boolean ours,
      String author,
      String signedBy,
      String text,
      String at,
      String time,
      String day,
      int turn,
      @Nullable OfIncident incident,
      Fate fate) {}

  /**
   * A safety incident, as much of it as this page shows.
   *
   * @param address the page of the incident, or empty for people who may not open it
   */
  public record OfIncident(String address) {
    public boolean mayOpen() {
      return !address.isEmpty();
    }
  }

  /**
   * The delivery status of a message that we sent.
   *
   * @param status the delivery status, or {@code null} for a message of the participant
   * @param reason why it was not sent, or empty
   * @param size what it is charged as, if the charge depends on its length, or empty
   * @param again whether it can be sent again, or {@code null} if it needs not be
   */
  public record Fate(
      String messageId,
      @Nullable DeliveryStatus status,
      String reason,
      String size,
      @Nullable Again again) {
    static Fate none(String messageId) {
      return new Fate(messageId, null, "", "", null);
    }

    public String word() {
      return status == null ? "" : status == DeliveryStatus.LOOKING ? "checking" : status.word();
    }

    /**
     * Returns the mark that phones show: one tick for a message on its way, two for one that
     * arrived.
     */
    public String tick() {
      return switch (status) {
        case null -> "";
        case PLANNED, LOOKING, SENDING -> "◷ ";
        case SCHEDULED, ACCEPTED, QUEUED, SENT -> "✓ ";
        case DELIVERED, READ -> "✓✓ ";
        case REFUSED, FAILED, UNDELIVERED, CANCELED, UNKNOWN -> "! ";
      };
    }

    /** Returns whether it was not delivered. */
    public boolean bad() {
      return status != null && DeliveryStatus.NOT_DELIVERED.contains(status);
    }
  }

  /**
   * What staff can do about a message that did not arrive.
   *
   * @param sentence why it cannot be sent again or what to accept before that, or empty
   * @param address where to send it again, or empty if that is not possible
   * @param mayHaveArrived whether staff must accept that it arrives twice
   */
  public record Again(String sentence, String address, boolean mayHaveArrived) {}

  /** A participant's text that has no reply yet. */
  public record Waiting(String text, String at) {}

  /**
   * The current state of a participant.
   *
   * @param participation how they take part, in words
   * @param coached whether the coach writes to them
   * @param fates delivery statuses of messages that the page already shows
   * @param hold what staff have set for the conversation
   * @param crisis the safety incident for which coaching is paused, or {@code null}
   * @param failure why the newest turn failed, or empty
   * @param brake why the newest turn sent no reply, or empty
   * @param silence the reasons for their messaging status, and what would change it
   * @param module what the module is called that replies next, or empty
   * @param used what they used of today's budgets, in words
   * @param fields the profile, in the order of the flow
   * @param flags the flags of the flow that are true
   * @param missing fields that a habit prompt still needs, or in a flow without prompts the
   *     required fields without a value
   * @param exports the exported forms; {@code null} if the flow exports none
   * @param kept what other tools keep, in the order of kinds
   * @param dailyPrompts whether the flow has daily prompts
   * @param schedules the planned daily prompts, in words
   * @param prompts the newest occurrences, newest first
   * @param line what came of the daily prompts of the last days
   * @param wakeups the jobs scheduled for them, soonest first
   * @param state all state data, as JSON
   */
  public record About(
      String status,
      String participation,
      boolean coached,
      boolean optedOut,
      String subState,
      String module,
      Hold hold,
      @Nullable OfIncident crisis,
      String failure,
      String brake,
      List<DeliveryDiagnosis.Reason> silence,
      List<String> used,
      List<Field> fields,
      List<String> flags,
      List<String> missing,
      List<Change> changes,
      @Nullable List<Export> exports,
      List<Kept> kept,
      boolean dailyPrompts,
      List<String> schedules,
      List<Prompt> prompts,
      HabitLine line,
      List<Due> wakeups,
      String state,
      List<Fate> fates) {

    /**
     * Returns whether staff cannot write to them: they opted out, or their status is not active.
     */
    public boolean getsNoMessages() {
      return optedOut || !status.equals(ParticipantStatus.ACTIVE.word());
    }

    /** Returns the fields of the profile whose values are words. */
    public List<Field> inWords() {
      return fields.stream().filter(field -> !field.raw()).toList();
    }

    /** Returns the fields of the profile whose values are data. */
    public List<Field> raw() {
      return fields.stream().filter(Field::raw).toList();
    }
  }

  /**
   * What staff have set for the conversation.
   *
   * @param mutedUntil local time until which automatic replies are paused, or empty
   * @param mutedBy the staff member who took over, or empty
   * @param debugUntil UTC time until which debug messages are sent to them, or empty
   * @param modules the modules that can reply, in the order of the flow
   */
  public record Hold(String mutedUntil, String mutedBy, String debugUntil, List<Choice> modules) {
    /** Returns whether a staff member has taken over the conversation. */
    public boolean muted() {
      return !mutedUntil.isEmpty();
    }
  }

  /**
   * A scheduled job.
   *
   * @param at local time
   * @param in time left until then, in words
   */
  public record Due(String what, String at, String in) {}

  /**
   * One daily prompt.
   *
   * @param at local date and time
   * @param reason why it was not sent, or empty
   * @param answer the outcome, "answered", "reminded", or empty
   */
  public record Prompt(String at, String status, String reason, String answer) {}

  /**
   * An exported form.
   *
   * @param address where it is downloaded
   * @param at local time of the export
   */
  public record Export(String address, String at, List<Field> fields) {}

  /**
   * The records of one kind.
   *
   * @param kind what they are, such as "task"
   * @param lines each record's fields on one line
   */
  public record Kept(String kind, List<String> lines) {}

  /**
   * One field of the profile.
   *
   * @param raw whether the value is data rather than words: JSON or a time of the machine
   */
  public record Field(String name, String value, boolean raw) {}

  /**
   * One change of one field.
   *
   * @param turn the turn that changed it, or 0 if staff did
   * @param by the staff member who changed it, or empty
   */
  public record Change(int turn, String by, String field, String before, String after, String at) {}
}
