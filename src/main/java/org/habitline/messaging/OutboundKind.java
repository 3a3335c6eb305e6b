package org.habitline.messaging;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.habitline.participants.ParticipantStatus;

/** Why a message is sent, which decides who may receive it. */
public enum OutboundKind {
  /** The coach's reply; only to an active participant who has not opted out. */
  REPLY,
  /** A reply with a personal prompt to try right now. */
  PROMPT_NOW,
  /** A daily prompt. */
  PROMPT,
  /** The question that is sent with the first prompt of a day. */
  INTENSITY,
  /** The one message to a participant who did not reply to a daily prompt. */
  REMINDER,
  /** The question how a prompt given in the conversation went. */
  CHECK_IN,
  /** The one message to a participant who has been silent in a module. */
  NUDGE,
  /** Written by a staff member. */
  STAFF,
  /** What Habitline did, for a participant who has debug messages switched on. */
  DEBUG,
  /**
   * A message that staff requested or scheduled. It is sent at its time, also by night; if it could
   * not be sent then, it waits for the allowed hours.
   */
  SCRIPTED,
  /** The message attached to the option that a participant chose in a requested prompt. */
  CHOSEN,
  /**
   * The one message that says why no reply comes: the participant is paused or done, or a budget is
   * used up.
   */
  STATUS,
  /** The reply to HELP, which carriers require even after STOP. */
  HELP,
  /** The one confirmation of an opt-out in free words. */
  CONFIRMATION,
  /** The last message before an erasure; not sent to participants who opted out. */
  NOTICE,
  /**
   * The fixed text to a participant who may be in danger. It goes out at any hour, whatever their
   * status and also while all sending is stopped, ahead of every other message; not to someone who
   * opted out.
   */
  CRISIS,
  /** The question for the age or for consent, and the thanks for the answer. */
  CONSENT,
  /**
   * An alert to somebody on the study's rota, whose number may belong to no participant. It goes
   * out as a crisis text does.
   */
  ALERT;

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether no one is waiting for the message at this moment: it is sent after replies. */
  public boolean isBulk() {
    return switch (this) {
      case PROMPT, INTENSITY, REMINDER, CHECK_IN, NUDGE, SCRIPTED -> true;
      case REPLY,
          PROMPT_NOW,
          STAFF,
          DEBUG,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE,
          CRISIS,
          CONSENT,
          ALERT ->
          false;
    };
  }

  /** Returns whether the coach wrote it; the rest comes from Habitline itself or from staff. */
  public boolean isCoach() {
    return switch (this) {
      case REPLY, PROMPT_NOW, PROMPT, INTENSITY, REMINDER, CHECK_IN, NUDGE -> true;
      case STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE,
          CRISIS,
          CONSENT,
          ALERT ->
          false;
    };
  }

  /** Returns whether it is not sent while coaching is paused for a safety incident. */
  public boolean waitsForSafety() {
    return waitsForConsent() || this == CONSENT;
  }

  /** Returns whether it is not sent while the participant's consent is missing. */
  public boolean waitsForConsent() {
    return !isAutomatic() && this != STAFF;
  }

  /**
   * Returns whether it has fixed words that Habitline sends by itself: an answer to a keyword, a
   * question about consent, a message about the study, or one about a crisis.
   */
  public boolean isAutomatic() {
    return switch (this) {
      case STATUS, HELP, CONFIRMATION, NOTICE, CONSENT, CRISIS, ALERT -> true;
      case REPLY,
          PROMPT_NOW,
          PROMPT,
          INTENSITY,
          REMINDER,
          CHECK_IN,
          NUDGE,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN ->
          false;
    };
  }

  /** Returns whether it is sent ahead of every other message, and also while sending is stopped. */
  public boolean isUrgent() {
    return this == CRISIS || this == ALERT;
  }

  /** Returns whether it waits until real channels may be used, as {@code LaunchGate} says. */
  public boolean waitsForLaunch() {
    return !isUrgent() && this != HELP && this != CONFIRMATION;
  }

  /** Returns whether it is sent only in the allowed hours, because Habitline chose its time. */
  public boolean isByDay() {
    return isBulk() && this != SCRIPTED;
  }

  public boolean mayGoTo(ParticipantStatus status, boolean optedOut) {
    return switch (this) {
      case REPLY,
          PROMPT_NOW,
          PROMPT,
          INTENSITY,
          REMINDER,
          CHECK_IN,
          NUDGE,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          CONSENT ->
          status == ParticipantStatus.ACTIVE && !optedOut;
      case STATUS, NOTICE -> status != ParticipantStatus.WITHDRAWN && !optedOut;
      case CRISIS, ALERT -> !optedOut;
      case HELP, CONFIRMATION -> true;
    };
  }
}
