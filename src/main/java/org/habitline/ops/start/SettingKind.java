package org.habitline.ops.start;

import com.google.i18n.phonenumbers.PhoneNumberUtil;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.core.io.socket.SocketUtils;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.habitline.llm.ModelQuirk;
import org.habitline.ops.database.DatabaseChoice;
import org.habitline.timers.AllowedHours;

/** The values that a setting accepts. */
enum SettingKind {
  TEXT("a text", value -> true),
  SECRET(
      "at least 16 characters, and no quotes around them",
      value -> value.length() >= 16 && !quoted(value)),
  PASSWORD("a text without quotes around it", value -> !value.isBlank() && !quoted(value)),
  KEY("a text without blanks, and no quotes around it", SettingKind::key),
  AUTH_TOKEN(
      "a token without blanks or quotes around it, or several separated by commas",
      value ->
          !value.replace(",", "").isEmpty()
              && Stream.of(value.split(",")).allMatch(SettingKind::key)),
  YES_OR_NO("true or false", Set.of("true", "false")::contains),
  ACCOUNT_SID("AC and 32 hexadecimal digits", value -> value.matches("AC[0-9a-fA-F]{32}")),
  SERVICE_SID("MG and 32 hexadecimal digits", value -> value.matches("MG[0-9a-fA-F]{32}")),
  SMS_SENDER(
      "a number such as +15005550006, or a short code of 3 to 6 digits",
      value -> value.matches("\\+[0-9]{8,15}|[0-9]{3,6}")),
  WHATSAPP_SENDER(
      "a number such as +15005550006", value -> value.matches("(whatsapp:)?\\+[0-9]{8,15}")),
  RETENTION(
      "a duration from 1h to 3650d such as 30d",
      duration(Duration.ofHours(1), Duration.ofDays(3650))),
  SHORT_PATIENCE(
      "a duration longer than zero and up to 20s such as 500ms or 15s",
      duration(Duration.ofNanos(1), Duration.ofSeconds(20))),
  SESSION_IDLE(
      "a duration from 1m to 12h such as 1h",
      duration(Duration.ofMinutes(1), Duration.ofHours(12))),
  UPLOAD_PATIENCE(
      "a duration from 1s to 1h such as 60s", duration(Duration.ofSeconds(1), Duration.ofHours(1))),
  DATABASE(
      "jdbc:postgresql://host/database or postgres://user:password@host/database",
      DatabaseChoice::understands),
  HOST("a host name or an address", value -> value.matches("[A-Za-z0-9.:\\[\\]_-]+")),
  PORT("a whole number from 0 to 65535", whole(0, SocketUtils.MAX_PORT_RANGE)),
  ZONE("an IANA time zone such as Europe/Berlin", SettingKind::zone),
  REGION("a region of two capital letters such as US or DE", SettingKind::region),
  HEADER(
      "the name of an HTTP header such as X-Forwarded-For",
      value -> value.matches("[A-Za-z0-9-]+")),
  URL("an address that begins with http:// or https://", SettingKind::url),
  PUBLIC_URL(
      "an address that begins with http:// or https://, without a query or fragment",
      value -> url(value) && !value.contains("?") && !value.contains("#")),
  PAUSE("a duration from 0s to 1m such as 500ms", duration(Duration.ZERO, Duration.ofMinutes(1))),
  PATIENCE(
      "a duration longer than zero and up to 10m such as 500ms, 20s or 1m",
      duration(Duration.ofNanos(1), Duration.ofMinutes(10))),
  HOURS(
      "local hours such as 08:00-21:00 that end after they start, at most 24:00",
      value -> AllowedHours.read(value).isPresent()),
  TIME("a local time such as 11:15", value -> value.matches("([01]\\d|2[0-3]):[0-5]\\d")),
  MINUTES("a whole number from 0 to 720", whole(0, 720)),
  DELAY(
      "a duration longer than zero and up to 30d such as 5m or 3h",
      duration(Duration.ofNanos(1), Duration.ofDays(30))),
  DELAY_OR_OFF(
      "a duration up to 30d such as 5h; zero or less for none",
      value -> duration(Duration.ZERO, Duration.ofDays(30)).test(value.replaceFirst("^-", ""))),
  RATE(
      "a number from 0.01 to 1000 such as 1 or 0.5",
      value ->
          value.matches("[0-9]{1,4}(\\.[0-9]{1,3})?")
              && Double.parseDouble(value) >= 0.01
              && Double.parseDouble(value) <= 1000),
  API_VERSION(
      "a version such as 2024-10-21 or 2025-03-01-preview",
      value -> value.matches("\\d{4}-\\d{2}-\\d{2}(-preview)?")),
  QUIRKS(
      "words separated by commas, from " + ModelQuirk.words(),
      value -> ModelQuirk.read(value).isPresent()),
  TOKENS("a whole number from 1000 to 10000000", whole(1000, 10_000_000)),
  LOG_FORMAT("text or json", Set.of("text", "json")::contains),
  A_MINUTE("0 for no limit, or a whole number up to 1000000", whole(0, 1_000_000)),
  SEGMENTS("0 for no limit, or a whole number up to 100", whole(0, 100)),
  HISTORY(
      "-1 for the module's own limit, 0 for none, or a whole number up to 1000", whole(-1, 1000)),
  SIZE("a size from 1KB to 100MB such as 500KB, 1MB or 1048576", SettingKind::size);

  private final String accepted;

  @SuppressWarnings("ImmutableEnumChecker") // the predicates are constants without state
  private final Predicate<String> test;

  SettingKind(String accepted, Predicate<String> test) {
    this.accepted = accepted;
    this.test = test;
  }

  /** Returns the accepted values in words, to follow "expected". */
  String accepted() {
    return accepted;
  }

  boolean accepts(String value) {
    return test.test(value);
  }

  private static Predicate<String> duration(Duration least, Duration most) {
    return value ->
        ConversionService.SHARED
            .convert(value, Duration.class)
            .filter(it -> it.compareTo(least) >= 0 && it.compareTo(most) <= 0)
            .isPresent();
  }

  private static Predicate<String> whole(int least, int most) {
    return value -> {
      try {
        var number = Integer.parseInt(value);
        return number >= least && number <= most;
      } catch (NumberFormatException e) {
        return false;
      }
    };
  }

  private static boolean key(String value) {
    return value.chars().noneMatch(Character::isWhitespace) && !quoted(value);
  }

  /**
   * Returns whether the value is in quotes: files of environment variables are not read by a shell,
   * so quotes in them become part of the value.
   */
  private static boolean quoted(String value) {
    return value.length() > 1
        && "\"'`".indexOf(value.charAt(0)) >= 0
        && value.charAt(0) == value.charAt(value.length() - 1);
  }

  private static boolean zone(String value) {
    return ZoneId.getAvailableZoneIds().contains(value);
  }

  private static boolean size(String value) {
    return value.matches("[1-9][0-9]{0,8}(KB|MB)?")
        && bytes(value) >= 1 << 10
        && bytes(value) <= 100 << 20;
  }

  private static long bytes(String value) {
    var number = Long.parseLong(value.replaceAll("[A-Z]", ""));
    return value.endsWith("KB") ? number << 10 : value.endsWith("MB") ? number << 20 : number;
  }

  private static boolean region(String value) {
    return PhoneNumberUtil.getInstance().getSupportedRegions().contains(value);
  }

  private static boolean url(String value) {
    try {
      var uri = new URI(value);
      return uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()));
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
