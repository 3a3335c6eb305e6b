package org.habitline.messaging;

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
  /** The one text that says the participant is paused or done. */
  STATUS,
  /** The answer to HELP, which carriers demand even after STOP. */
  HELP,
  /** The one confirmation of a revocation in free words. */
  CONFIRMATION,
  /** The last text before an erasure; nobody who left by themselves gets one. */
  NOTICE;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static OutboundKind of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /** Whether nobody waits for it at this moment: it leaves after answers, and by day only. */
  boolean isBulk() {
    return switch (this) {
      case PROMPT, INTENSITY, REMINDER, CHECK_IN -> true;
      case REPLY, PROMPT_NOW, STAFF, DEBUG, STATUS, HELP, CONFIRMATION, NOTICE -> false;
    };
  }

  boolean mayGoTo(ParticipantStatus status, boolean optedOut) {
    return switch (this) {
      case REPLY, PROMPT_NOW, PROMPT, INTENSITY, REMINDER, CHECK_IN, STAFF, DEBUG ->
          status == ParticipantStatus.ACTIVE && !optedOut;
      case STATUS, NOTICE -> status != ParticipantStatus.WITHDRAWN && !optedOut;
      case HELP, CONFIRMATION -> true;
    };
  }
}
