package org.habitline.participants;

import com.google.i18n.phonenumbers.NumberParseException;
import com.google.i18n.phonenumbers.PhoneNumberUtil;
import com.google.i18n.phonenumbers.PhoneNumberUtil.PhoneNumberFormat;
import com.google.i18n.phonenumbers.PhoneNumberUtil.ValidationResult;
import com.google.i18n.phonenumbers.Phonenumber;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads phone numbers as people write them. A plus sign followed by 8 to 15 digits (E.164) is
 * accepted as written; if the numbering plan does not know it, the result has a warning. Everything
 * else is parsed by libphonenumber.
 */
@Singleton
public final class PhoneNumbers {

  /** The library's word for no country. */
  private static final String UNKNOWN = "ZZ";

  private static final Pattern E164 = Pattern.compile("\\+[0-9]{8,15}");
  private static final Pattern WRITTEN =
      Pattern.compile("[+\\uFF0B]?[\\p{Nd}\\s\\u00A0()./\\-\\u2010-\\u2015]{1,64}");

  /** Invisible direction marks, which address books put around a copied number. */
  private static final Pattern INVISIBLE = Pattern.compile("\\p{Cf}");

  private final PhoneNumberUtil util = PhoneNumberUtil.getInstance();

  /** The prefix that most countries dial before a country code. */
  private static final String DIALLED_ABROAD = "00";

  private final String region;

  PhoneNumbers(PhoneSettings settings) {
    this.region = settings.defaultRegion();
  }

  /** The number that was read, and warnings about it. */
  public record Read(PhoneNumber number, List<String> warnings) {}

  /**
   * Returns the country of a number (ISO 3166-1): if the numbering plan does not know the number,
   * the main country of its country code; empty if there is none.
   */
  public Optional<String> country(PhoneNumber number) {
    try {
      var parsed = util.parse(number.e164(), null);
      return Optional.ofNullable(util.getRegionCodeForNumber(parsed))
          .or(() -> Optional.of(util.getRegionCodeForCountryCode(parsed.getCountryCode())))
          .filter(region -> Character.isLetter(region.charAt(0)) && !region.equals(UNKNOWN));
    } catch (NumberParseException e) {
      return Optional.empty();
    }
  }

  /**
   * Reads a number; a national one belongs to the region {@code HABITLINE_DEFAULT_REGION}. A
   * leading 00 is read as the plus sign.
   *
   * @throws UnreadablePhoneNumber if the text is no number, has letters or an extension, lacks the
   *     area code, or is impossible in the region
   */
  public Read read(String text) {
    var given = INVISIBLE.matcher(text).replaceAll("").strip();
    if (E164.matcher(given).matches()) {
      return read(new PhoneNumber(given));
    }
    if (!WRITTEN.matcher(given).matches()) {
      throw unreadable();
    }
    var digits = PhoneNumberUtil.normalizeDigitsOnly(given);
    if (!international(given) && digits.startsWith(DIALLED_ABROAD)) {
      return read(e164("+" + digits.substring(DIALLED_ABROAD.length())));
    }
    if (international(given)) {
      // Counts the digits as written: parsing drops a superfluous 0, which must not make a number
      // shorter.
      e164("+" + PhoneNumberUtil.normalizeDigitsOnly(given));
    }
    var parsed = parse(given);
    if (international(given) && parsed.filter(util::isPossibleNumber).isEmpty()) {
      return read(e164("+" + PhoneNumberUtil.normalizeDigitsOnly(given)));
    }
    var number = parsed.orElseThrow(this::unreadable);
    if (util.isPossibleNumberWithReason(number) != ValidationResult.IS_POSSIBLE) {
      throw unreadable();
    }
    return read(e164(util.format(number, PhoneNumberFormat.E164)));
  }

  /**
   * Reads a number as scripts write it, perhaps without the plus sign. A valid number of the
   * region, with or without its country code, is read as that; otherwise a valid number of another
   * country as that. If the numbering plans know neither, the number is national if its length is
   * possible in the region, else a country code and number. A leading 00 is read as the plus sign.
   *
   * @throws UnreadablePhoneNumber if the text is no number
   */
  public Read readWithoutPlus(String text) {
    var digits = PhoneNumberUtil.normalizeDigitsOnly(text);
    if (!international(text.strip()) && digits.startsWith(DIALLED_ABROAD)) {
      return read("+" + digits.substring(DIALLED_ABROAD.length()));
    }
    var abroad = withPlus(text);
    var here = parse(INVISIBLE.matcher(text).replaceAll("").strip());
    if (abroad.isEmpty()) {
      return read(text);
    }
    var there = parse(abroad.get().e164()).filter(util::isValidNumber);
    var isOfTheRegion =
        there.filter(it -> it.getCountryCode() == util.getCountryCodeForRegion(region)).isPresent();
    if (!isOfTheRegion && here.filter(util::isValidNumber).isPresent()) {
      return read(text);
    }
    var isPossible =
        here.filter(it -> util.isPossibleNumberWithReason(it) == ValidationResult.IS_POSSIBLE)
            .isPresent();
    return isPossible && there.isEmpty() ? read(text) : read(abroad.get());
  }

  /**
   * Returns the digits with a plus sign before them; empty if the text has one already, or if they
   * begin with 0 or are not 8 to 15.
   */
  public Optional<PhoneNumber> withPlus(String text) {
    var given = INVISIBLE.matcher(text).replaceAll("").strip();
    return Optional.of(given)
        .filter(it -> !international(it) && WRITTEN.matcher(it).matches())
        .map(PhoneNumberUtil::normalizeDigitsOnly)
        .filter(digits -> !digits.startsWith("0"))
        .flatMap(digits -> PhoneNumber.of("+" + digits));
  }

  private static boolean international(String given) {
    return given.startsWith("+") || given.startsWith("\uFF0B");
  }

  private Read read(PhoneNumber number) {
    var parsed = parse(number.e164());
    if (parsed.filter(util::isPossibleNumber).isEmpty()) {
      return new Read(
          number,
          List.of(
              "phone_number: this is not a valid number in its country; messages may not arrive."));
    }
    var usual = util.format(parsed.get(), PhoneNumberFormat.E164);
    if (!usual.equals(number.e164())) {
      return new Read(
          number,
          List.of(
              "phone_number: this number may be mistyped, for example with a 0"
                  + " after the country code; texts from it may not be recognised."));
    }
    return new Read(number, List.of());
  }

  private Optional<Phonenumber.PhoneNumber> parse(String given) {
    try {
      return Optional.of(util.parse(given, region));
    } catch (NumberParseException e) {
      return Optional.empty();
    }
  }

  private PhoneNumber e164(String number) {
    if (!E164.matcher(number).matches()) {
      throw unreadable();
    }
    return new PhoneNumber(number);
  }

  private UnreadablePhoneNumber unreadable() {
    return new UnreadablePhoneNumber(
        "phone_number: not a phone number; enter it like +1 555 010 0142, or as a"
            + " national number ("
            + region
            + ") with its area code.");
  }
}
