package org.habitline.messaging;

import java.util.Locale;
import org.habitline.participants.ParticipantStatus;

/** Why a text goes out, which decides to whom it may. */
public enum OutboundKind {
  /** The coach's answer: only to an active participant who is not opted out. */
  REPLY,
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

  boolean mayGoTo(ParticipantStatus status, boolean optedOut) {
    return switch (this) {
      case REPLY -> status == ParticipantStatus.ACTIVE && !optedOut;
      case STATUS, NOTICE -> status != ParticipantStatus.WITHDRAWN && !optedOut;
      case HELP, CONFIRMATION -> true;
    };
  }
}
