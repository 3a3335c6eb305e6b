package org.habitline.participants;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The channel over which messages reach a participant's phone. */
public enum ChannelKind {
  SMS,
  WHATSAPP,
  SIMULATOR;

  /** Returns the name to show to people. */
  public String title() {
    return switch (this) {
      case SMS -> "SMS";
      case WHATSAPP -> "WhatsApp";
      case SIMULATOR -> "phone simulator";
    };
  }

  /**
   * Returns whether its phones exist only on the staff pages, so that no real person is reached.
   */
  public boolean isSimulated() {
    return this == SIMULATOR;
  }

  /**
   * Returns whether unsolicited messages are limited to the allowed hours, because real phones
   * ring.
   */
  public boolean needsHours() {
    return !isSimulated();
  }

  /**
   * Returns whether the channel supports the provider's message templates, which are required where
   * free-form messages are not allowed.
   */
  public boolean takesTemplates() {
    return this == WHATSAPP;
  }

  /** Returns whether its provider may identify people by a name instead of their phone number. */
  public boolean namesPeople() {
    return this == WHATSAPP;
  }

  /** Returns whether a message is charged by its length. */
  public boolean chargesByLength() {
    return this == SMS;
  }

  /** Returns the lower-case word used in the database and the API. */
  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
