package org.habitline.participants;

import java.util.Locale;

/** The road that texts take to a participant's phone. */
public enum ChannelKind {
  SMS,
  WHATSAPP,
  SIMULATOR;

  /** The word used in the database and over the API: lower case. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
