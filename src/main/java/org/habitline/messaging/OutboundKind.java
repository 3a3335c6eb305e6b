package org.habitline.messaging;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import org.habitline.participants.ParticipantStatus;

/** Why a text goes out, which decides to whom it may. */
public enum OutboundKind {
  /** The coach's answer: only to an active participant who is not opted out. */
  REPLY,
  /** An answer that holds a personal prompt, to be tried right now. */
  PROMPT_NOW,
  /** A daily prompt. */
  PROMPT,
  /** The question that goes with a day's first prompt. */
  INTENSITY,
  /** The one text to somebody who stays silent after a daily prompt. */
  REMINDER,
  /** The question how a prompt went that was given in the conversation. */
  CHECK_IN,
  /** Written by a person of the staff. */
  STAFF,
  /** What the line did, for a participant for whom debug messages are on. */
  DEBUG,
  /**
   * What a script of staff's asked for, at once or by a schedule; at its time, also by night. If it
   * could not leave then it waits for the allowed hours.
   */
  SCRIPTED,
  /** What the option says that somebody chose who was asked by a script. */
  CHOSEN,
  /** The one text that says the participant is paused or done. */
  STATUS,
  /** The answer to HELP, which carriers demand even after STOP. */
  HELP,
  /** The one confirmation of a revocation in free words. */
  CONFIRMATION,
  /** The last text before an erasure; nobody who left by themselves gets one. */
  NOTICE;

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether nobody waits for it at this moment: it leaves after answers. */
  public boolean isBulk() {
    return switch (this) {
      case PROMPT, INTENSITY, REMINDER, CHECK_IN, SCRIPTED -> true;
      case REPLY, PROMPT_NOW, STAFF, DEBUG, CHOSEN, STATUS, HELP, CONFIRMATION, NOTICE -> false;
    };
  }

  /** Whether the coach says it; the line itself and staff say the rest. */
  public boolean isCoach() {
    return switch (this) {
      case REPLY, PROMPT_NOW, PROMPT, INTENSITY, REMINDER, CHECK_IN -> true;
      case STAFF, DEBUG, SCRIPTED, CHOSEN, STATUS, HELP, CONFIRMATION, NOTICE -> false;
    };
  }

  /** Whether it leaves in the allowed hours only: the line itself chose its time. */
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
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN ->
          status == ParticipantStatus.ACTIVE && !optedOut;
      case STATUS, NOTICE -> status != ParticipantStatus.WITHDRAWN && !optedOut;
      case HELP, CONFIRMATION -> true;
    };
  }
}
