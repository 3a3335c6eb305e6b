package org.habitline.staff.bulk;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** Why a bulk action leaves a participant out, or failed for them. */
enum BulkReason {
  OPTED_OUT("opted out"),
  NO_CONSENT("without consent"),
  PAUSED("already paused", "paused"),
  COMPLETED("completed the study"),
  WITHDRAWN("withdrawn"),
  ALREADY_ACTIVE("already active"),
  /** Coaching is paused by a crisis that nobody has released. */
  INCIDENT("paused by a safety incident"),
  TAKEN_OVER("taken over by another staff member"),
  /** WhatsApp takes only templates, and messages of staff are none. */
  WINDOW_CLOSED("without a WhatsApp text in the last 24 hours"),
  /** The study does not text numbers of their country. */
  COUNTRY("with a phone number from a country that the study does not message"),
  CHANNEL_MISSING("with a channel that is not set up"),
  HAS_TAG("already tagged"),
  LACKS_TAG("without this tag"),
  TOO_MANY_TAGS("with too many tags already"),
  /** They were erased, or are being erased. */
  GONE("erased"),
  /** An internal error, which the log names. */
  FAULT("because of an internal error");

  private final String forStatus;
  private final String forMessage;

  BulkReason(String title) {
    this(title, title);
  }

  BulkReason(String forStatus, String forMessage) {
    this.forStatus = forStatus;
    this.forMessage = forMessage;
  }

  /** Returns the reason in words. */
  String title(BulkKind kind) {
    return kind == BulkKind.MESSAGE ? forMessage : forStatus;
  }

  /** Returns the name in the database and the API: lower case. */
  @JsonValue
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
