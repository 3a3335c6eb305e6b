package org.habitline.participants;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A telephone number in E.164 form: a plus sign and 8 to 15 digits. {@link #toString} shows at most
 * the last two digits, so that a number that slips into a log line or an exception stays private.
 */
public record PhoneNumber(String e164) {

  private static final Pattern E164 = Pattern.compile("\\+[0-9]{8,15}");

  /**
   * @throws IllegalArgumentException when the text is not a plus sign and 8 to 15 digits; the
   *     message does not repeat it
   */
  public PhoneNumber {
    if (!E164.matcher(e164).matches()) {
      throw new IllegalArgumentException("A phone number is a plus sign and 8 to 15 digits.");
    }
  }

  /** Returns the number that a text is, to the letter, or empty if it is none. */
  public static Optional<PhoneNumber> of(String text) {
    return Optional.of(text).filter(it -> E164.matcher(it).matches()).map(PhoneNumber::new);
  }

  @Override
  public String toString() {
    return "…" + e164.substring(e164.length() - 2);
  }
}
