package org.habitline.staff.bulk;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.habitline.staff.web.ApiProblem;
import org.jspecify.annotations.Nullable;

/**
 * The form of the participants' list: the chosen ones, or all that match a filter, and what to do.
 *
 * @param ids the values of the repeated field {@code id}, in their order
 * @param fields the other fields; of a repeated one, the last value
 */
record Selection(List<String> ids, Map<String, String> fields) {

  static final String ID = "id";

  /**
   * Reads a form as it was sent, because a map keeps one value of a repeated field.
   *
   * @throws ApiProblem 400 if it is no form
   */
  static Selection read(byte @Nullable [] body) {
    var ids = new ArrayList<String>();
    var fields = new HashMap<String, String>();
    var form = body == null ? "" : new String(body, StandardCharsets.UTF_8);
    for (var pair : form.split("&", -1)) {
      var equals = pair.indexOf('=');
      if (equals > 0) {
        var name = decoded(pair.substring(0, equals));
        var value = decoded(pair.substring(equals + 1));
        if (name.equals(ID)) {
          ids.add(value);
        } else {
          fields.put(name, value);
        }
      }
    }
    return new Selection(List.copyOf(ids), Map.copyOf(fields));
  }

  private static String decoded(String part) {
    try {
      return URLDecoder.decode(part, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw ApiProblem.bad("The form is not readable; load the page again.");
    }
  }

  /**
   * Returns whether everybody who matches the filter is chosen, also on other pages of the list.
   */
  boolean all() {
    return "true".equals(fields.get("all"));
  }
}
