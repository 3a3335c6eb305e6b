package org.habitline.participants;

import com.google.i18n.phonenumbers.NumberParseException;
import com.google.i18n.phonenumbers.PhoneNumberUtil;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberFormat;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads phone numbers as people write them, by libphonenumber. Any plus sign with 8 to 15 digits
 * (E.164) is taken at its word, also when the numbering plan does not know it: that is only a
 * warning.
 */
@Singleton
public final class PhoneNumbers {

  private static final int LONGEST = 64;
  private static final Pattern INTERNATIONAL = Pattern.compile("\\+[0-9][0-9 ().\\-/]*");
  private static final Pattern NOT_DIGITS = Pattern.compile("[^0-9]");

  private final PhoneNumberUtil util = PhoneNumberUtil.getInstance();
  private final String region;

  PhoneNumbers(PhoneSettings settings) {
    this.region = settings.defaultRegion();
  }

  /** A number that was read, and what is doubtful about it. */
  public record Read(PhoneNumber number, List<String> warnings) {}

  /**
   * Reads a number.
   *
   * @throws UnreadablePhoneNumber if it is none
   */
  public Read read(String text) {
    var given = text.strip();
    if (given.length() <= LONGEST && INTERNATIONAL.matcher(given).matches()) {
      return international("+" + NOT_DIGITS.matcher(given).replaceAll(""));
    }
    return national(given);
  }

  private Read international(String e164) {
    if (e164.length() < 9 || e164.length() > 16) {
      throw unreadable();
    }
    return new Read(new PhoneNumber(e164), possible(e164) ? List.of() : List.of(warning()));
  }

  private boolean possible(String e164) {
    try {
      return util.isPossibleNumber(util.parse(e164, region));
    } catch (NumberParseException e) {
      return false;
    }
  }

  private Read national(String given) {
    try {
      var parsed = util.parse(given, region);
      if (given.length() > LONGEST || !util.isPossibleNumber(parsed)) {
        throw unreadable();
      }
      return new Read(new PhoneNumber(util.format(parsed, PhoneNumberFormat.E164)), List.of());
    } catch (NumberParseException | IllegalArgumentException e) {
      throw unreadable();
    }
  }

  private static String warning() {
    return "phone_number: the numbering plan of its country does not know such a number; texts may not arrive.";
  }

  private UnreadablePhoneNumber unreadable() {
    return new UnreadablePhoneNumber(
        "phone_number: not a phone number; write it as +, country code and number (8 to 15 digits), or as a"
            + " national number of the region "
            + region
            + ".");
  }
}
