package org.habitline.audit;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Everything that the audit log records, with the words in which pages tell it. The stored word of
 * an action never changes, because old entries and programs that read the log have it.
 */
public enum AuditAction {
  API_KEY_REFUSED("API key refused", "sent an API key that was refused"),
  BACKUP_MADE("backup made", "made a backup"),
  BACKUP_RESTORED("backup restored", "decided about what waited in the restored backup: {after}"),
  BULK_ACTION_CONFIRMED("bulk action confirmed", "confirmed a bulk action: {after}"),
  BULK_ACTION_STOPPED("bulk action stopped", "stopped a bulk action: {after}"),
  CHAT_TOKENS_REVOKED("chat tokens revoked", "revoked chat tokens: {before}"),
  CHAT_TOKEN_CREATED("chat token created", "created a chat token"),
  CHAT_TOKEN_REFUSED("chat token refused", "sent a chat token that was refused"),
  COACH_MUTED("coach muted", "took over the conversation"),
  CONVERSATION_HANDED_BACK("conversation handed back", "handed the conversation back"),
  CONVERSATION_READ("conversation read", "read the conversation"),
  DEBUG_SWITCHED_OFF("debug switched off", "switched debug messages off"),
  DEBUG_SWITCHED_ON("debug switched on", "switched debug messages on"),
  DEVIATION_CLOSED("deviation closed", "closed a deviation from the plan"),
  DEVIATION_EXPLAINED("deviation explained", "explained a deviation from the plan"),
  ERASURE_FINISHED("erasure finished", "removed the participant's data from the database files"),
  FIDELITY_CHECKED("fidelity checked", "checked the monitoring figures"),
  FIELD_ADDED("field added", "added the field {subject}"),
  FLAG_CLOSED("flag closed", "closed a flag"),
  FLAG_RAISED("flag raised", "flagged something for staff: {after}"),
  FLOW_CHANGED("flow changed", "moved the participant from flow {before} to {after}"),
  IMPORT_STARTED("import started", "started an import of {after}"),
  INCIDENT_ACKNOWLEDGED("incident acknowledged", "acknowledged a safety incident"),
  INCIDENT_ENTRY_ADDED("incident entry added", "recorded a step of a safety incident: {after}"),
  INCIDENT_READ("incident read", "read a safety incident"),
  INCIDENT_RELEASED("incident released", "released a safety incident: {after}"),
  INVITATION_ACCEPTED("invitation accepted", "accepted the invitation"),
  KEY_CREATED("key created", "created the key {after}"),
  KEY_REVOKED("key revoked", "revoked the key {before}"),
  LANGUAGE_CHANGED("language changed", "changed the language from {before} to {after}"),
  MESSAGE_SENT_AGAIN("message sent again", "sent a message again"),
  MESSAGE_SENT_AGAIN_THOUGH_IT_MAY_HAVE_ARRIVED(
      "message sent again though it may have arrived",
      "sent a message again and accepted that it may arrive twice"),
  MESSAGE_WRITTEN("message written", "wrote a message of {after}"),
  NEXT_TEXT_TO_THE_SIMULATED_PHONE_BROKEN(
      "next text to the simulated phone broken",
      "set a fault for the next message to the simulated phone: {after}"),
  NOTE_ADDED("note added", "added a note of {after}"),
  NOTE_CHANGED("note changed", "edited a note"),
  NOTE_REMOVED("note removed", "removed a note"),
  NUMBER_LOOKED_UP("number looked up", "looked up a phone number"),
  OUTCOME_CODED("outcome coded", "coded the outcome of a daily prompt"),
  OUTCOME_CODES_EXPORTED("outcome codes exported", "downloaded the outcome codes"),
  OUTCOME_RECORDED("outcome recorded", "recorded the outcome of a daily prompt: {after}"),
  PARTICIPANTS_EXPORTED("participants exported", "downloaded a list of {subject}"),
  PARTICIPANT_CHANGED("participant changed", "changed the participant's details"),
  PARTICIPANT_DELETED("participant deleted", "asked to erase the participant"),
  PARTICIPANT_ENROLLED("participant enrolled", "enrolled the participant"),
  PARTICIPANT_ERASED("participant erased", "erased the participant"),
  PARTICIPANT_EXPORTED("participant exported", "downloaded the participant's data"),
  PARTICIPANT_EXPORTED_WITH_SAFETY_INCIDENTS(
      "participant exported with safety incidents",
      "downloaded the participant's data with the safety incidents"),
  PARTICIPANT_FLAGGED("participant flagged", "set the flag {after}"),
  PASSWORD_CHANGED("password changed", "changed their password"),
  PERSON_CHANGED("person changed", "changed a person's rights from {before} to {after}"),
  PERSON_INVITED("person invited", "invited a person: {after}"),
  PHONE_NUMBER_CHANGED("phone number changed", "changed the phone number from {before} to {after}"),
  PHONE_NUMBER_SHOWN("phone number shown", "viewed the full phone number"),
  PROFILE_CHANGED("profile changed", "changed the profile: {subject} from {before} to {after}"),
  PROMPT_SCHEDULED("prompt scheduled", "scheduled a requested prompt"),
  PROMPT_SENT("prompt sent", "sent a requested prompt"),
  PROMPT_SENT_NOW("prompt sent now", "sent today's prompt now"),
  PROMPT_SKIPPED("prompt skipped", "skipped the daily prompt of {after}"),
  RECOVERY_CODES_RENEWED("recovery codes renewed", "renewed their recovery codes"),
  RECOVERY_CODE_USED("recovery code used", "used a recovery code"),
  REPLY_RETRIED("reply retried", "asked the coach to reply after a failed turn"),
  RESPONSES_READ("responses read", "read the responses of many participants"),
  RESPONSE_RECORDED("response recorded", "recorded a response of {after}"),
  RETENTION_APPLIED("retention applied", "removed old data: {subject}"),
  ROW_GIVEN_BACK("row given back", "gave back a row of Today"),
  ROW_TAKEN("row taken", "took a row of Today"),
  SCHEDULE_ADDED("schedule added", "added a daily prompt at {after}"),
  SCHEDULE_CANCELLED("schedule cancelled", "cancelled a repeated scheduled message ({before})"),
  SCHEDULE_CHANGED("schedule changed", "changed the daily prompt from {before} to {after}"),
  SCHEDULE_ENDED("schedule ended", "stopped the daily prompt at {before}"),
  SECOND_FACTOR_CHANGED("second factor changed", "changed their second factor"),
  SENDERS_FORGOTTEN(
      "senders forgotten", "removed the sender ids that were matched to the participant"),
  SENDING_RESUMED("sending resumed", "resumed sending"),
  SENDING_STOPPED("sending stopped", "stopped all sending"),
  SESSION_ENDED("session ended", "ended a session"),
  SIGNED_IN("signed in", "signed in"),
  SIGN_IN_REFUSED("sign-in refused", "failed to sign in"),
  SIGN_IN_RESET("sign-in reset", "reset a person's sign-in"),
  SKIP_UNDONE("skip undone", "undid the skip of the daily prompt of {after}"),
  STUDY_CLOCK_MOVED("study clock moved", "moved the study clock from {before} to {after}"),
  STUDY_EXPORTED("study exported", "started a study export"),
  STUDY_EXPORT_DOWNLOADED("study export downloaded", "downloaded a study export"),
  STUDY_REPORT_MADE("study report made", "made the study report"),
  SUB_STATE_FORCED("sub-state forced", "moved the participant from module {before} to {after}"),
  TAG_ADDED("tag added", "added the tag {after}"),
  TAG_REMOVED("tag removed", "removed the tag {before}"),
  TEST_ALERT_ACKNOWLEDGED("test alert acknowledged", "acknowledged a test alert"),
  TEST_ALERT_SENT("test alert sent", "sent a test alert"),
  TEXT_CLAIMED("text claimed", "matched a text to the participant"),
  TEXT_DISMISSED("text dismissed", "dismissed a text from an unmatched number"),
  TIMER_CANCELLED("timer cancelled", "cancelled a scheduled job ({before})"),
  TOOL_CALLED("tool called", "called the tool {subject}: {after}"),
  UNCLAIMED_TEXTS_READ("unclaimed texts read", "read the texts from unmatched numbers"),
  VIEW_DELETED("view deleted", "deleted the view {before}"),
  VIEW_SAVED("view saved", "saved the view {after}"),
  WORDS_OF_INCIDENT_REMOVED(
      "words of incident removed", "removed the participant's words from an old safety incident");

  private static final Pattern CHANGE = Pattern.compile(" from (\\w+ )?\\{before} to \\{after}");

  private static final Map<String, AuditAction> BY_WORD =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(it -> it.word, Function.identity()));

  private final String word;
  private final String says;

  /**
   * @param word how the action is stored and filtered by
   * @param says what follows the name of who did it; {@code {subject}}, {@code {before}} and {@code
   *     {after}} stand for the entry's values
   */
  AuditAction(String word, String says) {
    this.word = word;
    this.says = says;
  }

  /** Returns the stored word, such as {@code tag added}. */
  public String word() {
    return word;
  }

  /** Returns the action with this stored word, or empty for one that this version does not know. */
  public static Optional<AuditAction> of(String word) {
    return Optional.ofNullable(BY_WORD.get(word));
  }

  /**
   * Returns what follows the name of who did it, such as "added the tag pilot". A value that is not
   * known, such as one removed by an erasure, leaves no gap in the sentence. A value that is the
   * same before and after is named once.
   */
  public String did(String subject, String before, String after) {
    var change = CHANGE.matcher(says);
    if (!change.find()) {
      return filled(
          filled(filled(says, "{subject}", subject), "{before}", before), "{after}", after);
    }
    var what = filled(says.substring(0, change.start()), "{subject}", subject);
    if ((before + after).isEmpty()) {
      var noun = change.group(1);
      return noun == null ? what : what + " to another " + noun.strip();
    }
    if (before.equals(after)) {
      return what + " to " + Objects.requireNonNullElse(change.group(1), "") + after;
    }
    return what
        + change
            .group()
            .replace("{before}", orNothing(before))
            .replace("{after}", orNothing(after));
  }

  private static String orNothing(String value) {
    return value.isEmpty() ? "nothing" : value;
  }

  /** Returns the sentence with a value in its place, or without the words that lead to it. */
  private static String filled(String sentence, String place, String value) {
    return value.isEmpty()
        ? sentence.replaceFirst("(:| at| of| \\()? ?\\Q" + place + "\\E\\)?", "")
        : sentence.replace(place, value);
  }

  /** Returns the action without its values, as a choice in a list: "Added the tag". */
  public String title() {
    var bare = did("", "", "");
    return bare.substring(0, 1).toUpperCase(Locale.ROOT) + bare.substring(1);
  }

  /** Returns whether the sentence has the old or the new value. */
  public boolean namesValues() {
    return says.contains("{before}") || says.contains("{after}");
  }
}
