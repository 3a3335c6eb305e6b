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

  /** Whether its phones are only drawn on the pages of staff: nobody real is reached. */
  public boolean isSimulated() {
    return this == SIMULATOR;
  }

  /** Whether its phones ring: whoever did not ask is texted in the allowed hours only. */
  public boolean needsHours() {
    return !isSimulated();
  }

  /**
   * Whether templates of the provider can go out by it, and must where free words are not allowed.
   */
  public boolean takesTemplates() {
    return this == WHATSAPP;
  }

  /** Whether its provider may call people by a name in place of their number. */
  public boolean namesPeople() {
    return this == WHATSAPP;
  }

  /** Whether a text is charged by its length. */
  public boolean chargesByLength() {
    return this == SMS;
  }

  /** The word used in the database and over the API: lower case. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
