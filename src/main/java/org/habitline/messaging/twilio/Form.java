package org.habitline.messaging.twilio;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What Twilio posted: every key with every value, blank ones too, in the order they came. New keys
 * appear without notice, so nothing here knows their names.
 */
record Form(Map<String, List<String>> values) {

  /**
   * Reads a body of the type {@code application/x-www-form-urlencoded}.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Form read(String body) {
    var values = new LinkedHashMap<String, List<String>>();
    for (var pair : body.split("&", -1)) {
      if (!pair.isEmpty()) {
        var parts = pair.split("=", 2);
        values
            .computeIfAbsent(decoded(parts[0]), key -> new ArrayList<>())
            .add(parts.length > 1 ? decoded(parts[1]) : "");
      }
    }
    return new Form(values);
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part, StandardCharsets.UTF_8);
  }

  /** Returns the first value of a key unless it is blank. */
  Optional<String> value(String key) {
    return values.getOrDefault(key, List.of()).stream()
        .findFirst()
        .filter(value -> !value.isBlank());
  }
}
