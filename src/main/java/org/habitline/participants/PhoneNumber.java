package org.habitline.participants;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A phone number in E.164 form: a plus sign and 8 to 15 digits. {@link #toString} shows only the
 * last two digits, so that a number in a log line or an exception stays private.
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

  /** Returns the number if the text is exactly one in E.164 form, else empty. */
  public static Optional<PhoneNumber> of(String text) {
    return Optional.of(text).filter(it -> E164.matcher(it).matches()).map(PhoneNumber::new);
  }

  /** Returns the number as people see it who may not see all of it: its last four digits. */
  public String masked() {
    return "••• " + e164.substring(e164.length() - 4);
  }

  @Override
  public String toString() {
    return "…" + e164.substring(e164.length() - 2);
  }
}
