package org.habitline.messaging.twilio;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The form that Twilio posted: every key with every value, blank ones too, in the order they came.
 * Twilio adds keys without notice, so no names are fixed here.
 */
record Form(Map<String, List<String>> values) {

  /**
   * Reads a body of the type {@code application/x-www-form-urlencoded}.
   *
   * @throws IllegalArgumentException if the body is not of that type
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
