package org.habitline.messaging;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the event {@code delivery.updated} holds. */
final class DeliveryUpdate {

  static final String TYPE = "delivery.updated";

  /** What stands at the end of a reason if a provider gave a code: its own, or that of HTTP. */
  private static final Pattern CODE = Pattern.compile("(?:^|: )([0-9]{5}|HTTP [0-9]{3})$");

  private DeliveryUpdate() {}

  /**
   * Returns the payload.
   *
   * @param channel its word
   * @param reason why the text stands so; of it only a provider's code is told
   */
  static Map<String, String> of(String id, String status, String channel, @Nullable String reason) {
    var payload = new TreeMap<String, String>();
    payload.put("id", id);
    payload.put("status", status);
    payload.put("channel", channel);
    code(reason).ifPresent(code -> payload.put("code", code));
    return payload;
  }

  private static Optional<String> code(@Nullable String reason) {
    return Optional.ofNullable(reason)
        .map(CODE::matcher)
        .filter(Matcher::find)
        .map(found -> found.group(1));
  }
}
