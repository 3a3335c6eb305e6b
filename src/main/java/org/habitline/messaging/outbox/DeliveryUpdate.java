package org.habitline.messaging.outbox;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.participants.ChannelKind;
import org.jspecify.annotations.Nullable;

/** The payload of the event {@code delivery.updated}. */
final class DeliveryUpdate {

  static final String TYPE = "delivery.updated";

  /** The form of an error code: the provider's own, or an HTTP status. */
  private static final Pattern CODE = Pattern.compile("[0-9]{5}|HTTP [0-9]{3}");

  private DeliveryUpdate() {}

  /**
   * Returns the payload.
   *
   * @param code the provider's error; left out if it is not a code
   */
  static Map<String, String> of(
      String id, DeliveryStatus status, ChannelKind channel, @Nullable String code) {
    var payload = new TreeMap<String, String>();
    payload.put("id", id);
    payload.put("status", status.word());
    payload.put("channel", channel.word());
    if (code != null && CODE.matcher(code).matches()) {
      payload.put("code", code);
    }
    return payload;
  }
}
