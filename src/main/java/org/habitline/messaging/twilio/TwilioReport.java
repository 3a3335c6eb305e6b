package org.habitline.messaging.twilio;

import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.jspecify.annotations.Nullable;

/** Converts Twilio's delivery statuses to reports. */
final class TwilioReport {

  private TwilioReport() {}

  /**
   * Returns the report.
   *
   * @param to the receiver, as Twilio writes it
   */
  static DeliveryReport of(String sid, String status, @Nullable String errorCode, String to) {
    var code = code(errorCode);
    return new DeliveryReport(
        sid,
        status,
        DeliveryStatus.reported(status),
        code == null ? null : String.valueOf(code),
        code == null
            ? null
            : TwilioErrors.byRoad(TwilioErrors.fate(code), to.startsWith(Ours.RCS)));
  }

  private static @Nullable Integer code(@Nullable String errorCode) {
    try {
      return errorCode == null ? null : Integer.valueOf(errorCode.strip());
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
