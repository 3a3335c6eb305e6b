package org.habitline.participants;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The road that texts take to a participant's phone. */
public enum ChannelKind {
  SMS,
  WHATSAPP,
  SIMULATOR;

  /** The name that people read. */
  public String title() {
    return switch (this) {
      case SMS -> "SMS";
      case WHATSAPP -> "WhatsApp";
      case SIMULATOR -> "phone simulator";
    };
  }

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
