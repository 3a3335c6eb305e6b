package org.habitline.messaging.twilio;

import org.habitline.messaging.DeliveryReport;
import org.jspecify.annotations.Nullable;

/** Reads Twilio's words for what became of a text. */
final class TwilioReport {

  private TwilioReport() {}

  static DeliveryReport of(String sid, String status, @Nullable String errorCode) {
    var code = code(errorCode);
    return new DeliveryReport(
        sid,
        status,
        rank(status),
        code == null ? null : String.valueOf(code),
        code != null && TwilioErrors.isOptOut(code));
  }

  private static @Nullable Integer code(@Nullable String errorCode) {
    try {
      return errorCode == null ? null : Integer.valueOf(errorCode.strip());
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static DeliveryReport.Rank rank(String status) {
    return switch (status) {
      case "scheduled", "accepted", "queued", "sending" -> DeliveryReport.Rank.ACCEPTED;
      case "sent" -> DeliveryReport.Rank.SENT;
      case "delivered" -> DeliveryReport.Rank.DELIVERED;
      case "read" -> DeliveryReport.Rank.READ;
      case "failed", "undelivered", "canceled" -> DeliveryReport.Rank.FAILED;
      // A word that is new to us is kept and moves nothing.
      default -> DeliveryReport.Rank.ACCEPTED;
    };
  }
}
