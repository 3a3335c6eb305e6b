package org.habitline.ops;

import com.google.i18n.phonenumbers.PhoneNumberUtil;
import io.micronaut.context.ApplicationContext;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.core.io.socket.SocketUtils;
import io.micronaut.core.value.PropertyResolver;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.text.similarity.JaroWinklerDistance;
import org.habitline.llm.ModelQuirk;
import org.habitline.timers.AllowedHours;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every setting there is: the environment variable, the key of {@code config/application.yml}, what
 * is accepted, and what it means. Values are checked before anything is built; the README's table
 * is held against this list by a test.
 */
public final class Settings {

  private static final Logger log = LoggerFactory.getLogger(Settings.class);

  /** How our variables begin. */
  private static final Set<String> OURS =
      Set.of(
          "HABITLINE_",
          "TURN_",
          "TURNS_",
          "MODEL_",
          "OPENAI_",
          "CHAT_",
          "REPLY_",
          "DATABASE_",
          "TWILIO_",
          "SCHEDULER_",
          "DAILY_PROMPT_",
          "AUTO_FEEDBACK_",
          "FEEDBACK_",
          "ALLOWED_");

  /** Names farther apart than this are no slip of the keyboard. */
  private static final double ALIKE = 0.15;

  private static final String A_DURATION = "a duration ";

  private Settings() {}

  /**
   * One setting.
   *
   * @param variable the environment variable
   * @param key the key of {@code config/application.yml}
   * @param standard the value it has if nobody sets it, as the program's own {@code
   *     application.yml} holds it; or null
   * @param otherwise what holds if there is no value at all
   * @param secret whether its value must never be shown
   */
  public record Setting(
      String variable,
      String key,
      Kind kind,
      @Nullable String standard,
      String otherwise,
      boolean secret,
      String meaning) {

    /** The row of the README's table. */
    public String row() {
      return "| `"
          + variable
          + "` | `"
          + key
          + "` | "
          + (standard == null ? otherwise : "`" + standard + "`")
          + " | "
          + meaning
          + " |";
    }
  }

  /** What a setting accepts. */
  public enum Kind {
    TEXT("a text", value -> true),
    SECRET(
        "at least 16 characters, and no quotes around them",
        value -> value.length() >= 16 && !quoted(value)),
    KEY("a text without blanks, and no quotes around it", Kind::key),
    AUTH_TOKEN(
        "a token without blanks or quotes around it, or several separated by commas",
        value ->
            !value.replace(",", "").isEmpty() && Stream.of(value.split(",")).allMatch(Kind::key)),
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
        value ->
            upTo(Duration.ofDays(3650)).test(value)
                && duration(value)
                    .filter(it -> it.compareTo(Duration.ofHours(1)) >= 0)
                    .isPresent()),
    SHORT_PATIENCE(
        "a duration longer than zero and up to 20s such as 500ms or 15s",
        value ->
            upTo(Duration.ofSeconds(20)).test(value)
                && duration(value).filter(Duration::isPositive).isPresent()),
    UPLOAD_PATIENCE(
        "a duration from 1s to 1h such as 60s",
        value ->
            upTo(Duration.ofHours(1)).test(value)
                && duration(value)
                    .filter(it -> it.compareTo(Duration.ofSeconds(1)) >= 0)
                    .isPresent()),
    DATABASE(
        "jdbc:postgresql://host/database or postgres://user:password@host/database",
        DatabaseChoice::understands),
    HOST("a host name or an address", value -> value.matches("[A-Za-z0-9.:\\[\\]_-]+")),
    PORT("a whole number from 0 to 65535", whole(0, SocketUtils.MAX_PORT_RANGE)),
    ZONE("an IANA time zone such as Europe/Berlin", Kind::zone),
    REGION("a region of two capital letters such as US or DE", Kind::region),
    HEADER(
        "the name of an HTTP header such as X-Forwarded-For",
        value -> value.matches("[A-Za-z0-9-]+")),
    URL("an address that begins with http:// or https://", Kind::url),
    PUBLIC_URL(
        "an address that begins with http:// or https://, without a query or fragment",
        value -> url(value) && !value.contains("?") && !value.contains("#")),
    PAUSE("a duration from 0s to 1m such as 500ms", upTo(Duration.ofMinutes(1))),
    PATIENCE(
        "a duration longer than zero and up to 10m such as 500ms, 20s or 1m",
        value ->
            upTo(Duration.ofMinutes(10)).test(value)
                && duration(value).filter(Duration::isPositive).isPresent()),
    HOURS(
        "local hours such as 08:00-21:00 that end after they start, at most 24:00",
        value -> AllowedHours.read(value).isPresent()),
    TIME("a local time such as 11:15", value -> value.matches("([01]\\d|2[0-3]):[0-5]\\d")),
    MINUTES("a whole number from 0 to 720", whole(0, 720)),
    DELAY(
        "a duration longer than zero and up to 30d such as 5m or 3h",
        value ->
            upTo(Duration.ofDays(30)).test(value)
                && duration(value).filter(Duration::isPositive).isPresent()),
    DELAY_OR_OFF(
        "a duration up to 30d such as 5h; zero or less for none",
        value -> upTo(Duration.ofDays(30)).test(value.replaceFirst("^-", ""))),
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
        "words separated by commas out of " + ModelQuirk.words(),
        value -> ModelQuirk.read(value).isPresent()),
    TOKENS("a whole number from 1000 to 10000000", whole(1000, 10_000_000)),
    LOG_FORMAT("text or json", Set.of("text", "json")::contains),
    A_MINUTE("0 for no bound, or a whole number up to 1000000", whole(0, 1_000_000)),
    SEGMENTS("0 for no bound, or a whole number up to 100", whole(0, 100)),
    HISTORY("-1 for all, 0 for none, or a whole number up to 1000", whole(-1, 1000)),
    SIZE("a size from 1KB to 100MB such as 500KB, 1MB or 1048576", Kind::size);

    private final String accepted;

    @SuppressWarnings("ImmutableEnumChecker") // the predicates are constants without state
    private final Predicate<String> test;

    Kind(String accepted, Predicate<String> test) {
      this.accepted = accepted;
      this.test = test;
    }

    private static Predicate<String> upTo(Duration most) {
      return value -> duration(value).filter(duration -> duration.compareTo(most) <= 0).isPresent();
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

    /** Files of variables are not read by a shell, and quotes in them become part of the value. */
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

    private static Optional<Duration> duration(String value) {
      return ConversionService.SHARED
          .convert(value, Duration.class)
          .filter(duration -> !duration.isNegative());
    }
  }

  /** All of them, in the order of the table. */
  public static List<Setting> all() {
    return List.of(
        optional(
            "HABITLINE_HOME",
            "habitline.home",
            Kind.TEXT,
            "the working directory",
            "the folder that holds `config`, `prompts` and `data`"),
        setting(
            "HABITLINE_HOST",
            "habitline.host",
            Kind.HOST,
            "127.0.0.1",
            "the address to listen on; any but a loopback address needs `HABITLINE_ADMIN_KEY`"),
        setting(
            "HABITLINE_PORT",
            "habitline.port",
            Kind.PORT,
            "8080",
            "the port to listen on; 0 takes any free one"),
        optional(
            "HABITLINE_PUBLIC_URL",
            "habitline.public-url",
            Kind.PUBLIC_URL,
            "none",
            "the address people use, when a proxy stands in front; with https, cookies travel only over https"),
        secret(
            "HABITLINE_ADMIN_KEY",
            "habitline.admin-key",
            Kind.SECRET,
            "an API key with the role admin; without it, on a loopback address, each start prints a one-time login link"),
        setting(
            "HABITLINE_DEFAULT_TIMEZONE",
            "habitline.default-timezone",
            Kind.ZONE,
            "UTC",
            "the zone of participants enrolled without one"),
        setting(
            "HABITLINE_DEFAULT_REGION",
            "habitline.default-region",
            Kind.REGION,
            "US",
            "the region by which national phone numbers are read"),
        setting(
            "HABITLINE_FLOW",
            "habitline.flow",
            Kind.TEXT,
            "habit",
            "the flow of participants enrolled without naming one"),
        setting(
            "HABITLINE_MAX_BODY",
            "habitline.max-body",
            Kind.SIZE,
            "1MB",
            "the largest request body accepted"),
        setting(
            "HABITLINE_REQUESTS_PER_MINUTE",
            "habitline.requests-per-minute",
            Kind.A_MINUTE,
            "1200",
            "requests a minute that are answered with one key or session on each node; 0 for no bound"),
        setting(
            "HABITLINE_REQUEST_TIMEOUT",
            "habitline.request-timeout",
            Kind.UPLOAD_PATIENCE,
            "60s",
            "a request that is not complete within this time is cut off; its headers have 20s at most"),
        optional(
            "HABITLINE_PROXY_HEADER",
            "habitline.proxy-header",
            Kind.HEADER,
            "none",
            "the header in which the proxy in front says who asks, such as `X-Forwarded-For`; its last entry counts. Only behind a proxy that sets it"),
        setting(
            "HABITLINE_LOG_FORMAT",
            LogFormat.KEY,
            Kind.LOG_FORMAT,
            "text",
            "how log lines are written: `text`, or `json` for one JSON object each"),
        setting(
            "HABITLINE_DEBUG",
            "habitline.debug",
            Kind.YES_OR_NO,
            "false",
            "whether every participant receives debug messages; for one of them, or for a while, staff switch them on"),
        new Setting(
            "DATABASE_URL",
            "database.url",
            Kind.DATABASE,
            null,
            "an H2 file in `data`",
            true,
            "a database of PostgreSQL 15 or newer, as `jdbc:postgresql://host/database`; any number of nodes may share it"),
        optional("DATABASE_USER", "database.user", Kind.TEXT, "none", "who signs in there"),
        secret("DATABASE_PASSWORD", "database.password", Kind.TEXT, "with which password"),
        setting(
            "AUTO_ENROLL_NEW_USERS",
            "auto-enroll.new-users",
            Kind.YES_OR_NO,
            "false",
            "whether whoever texts from an unknown number is enrolled; else their texts are kept for staff, unanswered"),
        setting(
            "RAW_RETENTION",
            "raw.retention",
            Kind.RETENTION,
            "30d",
            "how long what a provider posted is kept as it was posted"),
        secret(
            "TWILIO_ACCOUNT_SID",
            "twilio.account-sid",
            Kind.ACCOUNT_SID,
            "the account at Twilio; without it there is only the phone simulator"),
        secret(
            "TWILIO_AUTH_TOKEN",
            "twilio.auth-token",
            Kind.AUTH_TOKEN,
            "its token; several, separated by commas, while it is rotated: the first sends, any may sign"),
        optional(
            "TWILIO_SMS_FROM",
            "twilio.sms-from",
            Kind.SMS_SENDER,
            "none",
            "the number that SMS come from"),
        optional(
            "TWILIO_WHATSAPP_FROM",
            "twilio.whatsapp-from",
            Kind.WHATSAPP_SENDER,
            "none",
            "the number that WhatsApp messages come from"),
        optional(
            "TWILIO_MESSAGING_SERVICE_SID",
            "twilio.messaging-service-sid",
            Kind.SERVICE_SID,
            "none",
            "the Messaging Service that sends SMS, instead of one number"),
        optional(
            "TWILIO_API_BASE_URL",
            "twilio.api-base-url",
            Kind.URL,
            "Twilio's",
            "another server that speaks Twilio's REST API, for tests"),
        setting(
            "TWILIO_VALIDATE_SIGNATURE",
            "twilio.validate-signature",
            Kind.YES_OR_NO,
            "true",
            "whether webhook calls must be signed; `false` only on a loopback address without `HABITLINE_PUBLIC_URL`"),
        setting(
            "TWILIO_REQUEST_TIMEOUT",
            "twilio.request-timeout",
            Kind.SHORT_PATIENCE,
            "15s",
            "bound of one request to Twilio; what became of a text is unknown afterwards, and looked up"),
        setting(
            "TWILIO_UNKNOWN_SETTLES",
            "twilio.unknown-settles",
            Kind.PATIENCE,
            "30s",
            "a text of unknown fate that Twilio's list lacks after this long was not sent"),
        setting(
            "TWILIO_SMS_RATE",
            "twilio.sms-rate",
            Kind.RATE,
            "1",
            "segments of SMS a second that the sender may send; Twilio allows 1 for a long code, more for others"),
        setting(
            "TWILIO_WHATSAPP_RATE",
            "twilio.whatsapp-rate",
            Kind.RATE,
            "80",
            "WhatsApp messages a second that the sender may send"),
        secret(
            "OPENAI_API_KEY",
            "openai.api-key",
            Kind.KEY,
            "the key of the model's server; with neither key nor base URL the rehearsal model answers"),
        optional(
            "OPENAI_BASE_URL",
            "openai.base-url",
            Kind.URL,
            "the OpenAI API",
            "any server that speaks Chat Completions"),
        optional(
            "OPENAI_API_VERSION",
            "openai.api-version",
            Kind.API_VERSION,
            "none",
            "of Azure OpenAI only: requests go to the deployment's URL with this `api-version` and the header `api-key`"),
        setting(
            "OPENAI_MODEL",
            "openai.model",
            Kind.TEXT,
            "gpt-4.1-mini",
            "the model asked, unless a module of a flow names another"),
        optional(
            "OPENAI_FALLBACK_MODEL",
            "openai.fallback-model",
            Kind.TEXT,
            "none",
            "the model asked when the first gives no answer"),
        setting(
            "MODEL_ATTEMPT_TIMEOUT",
            "model.attempt-timeout",
            Kind.PATIENCE,
            "20s",
            "bound of one request to a model, from connecting (at most 10s) to the last piece of its answer"),
        optional(
            "MODEL_QUIRKS",
            "model.quirks",
            Kind.QUIRKS,
            "learnt from refusals",
            "what the model's server does not take, as words separated by commas ([docs/models.md](docs/models.md#quirks))"),
        setting(
            "MODEL_TOKEN_BUDGET",
            "model.token-budget",
            Kind.TOKENS,
            "100000",
            "a longer context loses its oldest history"),
        optional(
            "CHAT_HISTORY_LIMIT",
            "chat.history-limit",
            Kind.HISTORY,
            "the module's",
            "newest messages shown to a model: 0 none, -1 all that is loaded, n at most n"),
        setting(
            "REPLY_SEGMENTS_AT_MOST",
            "reply.segments-at-most",
            Kind.SEGMENTS,
            "6",
            "a model whose reply takes more SMS segments is asked once for a shorter one; 0 for no bound"),
        setting(
            "TURN_QUIET_PERIOD",
            "turn.quiet-period",
            Kind.PAUSE,
            "1s",
            "a burst of texts is answered when none came for this long; 0s answers at once"),
        setting(
            "TURNS_PER_MINUTE",
            "turns.per-minute",
            Kind.A_MINUTE,
            "12",
            "somebody who texts so often that they would be answered more often waits a little; 0 for no bound"),
        setting(
            "TURN_DEADLINE",
            "turn.deadline",
            Kind.PATIENCE,
            "60s",
            "the model has this long for a turn, then the flow's own text goes out"),
        setting(
            "ALLOWED_HOURS",
            "allowed-hours",
            Kind.HOURS,
            "08:00-21:00",
            "the hours of a participant's day in which the line may text without being asked; simulated phones are exempt"),
        optional(
            "DEFAULT_SCHEDULE",
            "default-schedule",
            Kind.TIME,
            "the flow's",
            "the local time of a daily prompt that was asked for without one"),
        setting(
            "SCHEDULER_PREP_TIME_MINUTES",
            "scheduler.prep-time-minutes",
            Kind.MINUTES,
            "0",
            "daily prompts leave this many minutes before their time"),
        setting(
            "DAILY_PROMPT_MAX_LATENESS",
            "daily-prompt.max-lateness",
            Kind.DELAY,
            "2h",
            "a daily prompt later than this is recorded as missed and not sent; a reminder or check-in is dropped"),
        setting(
            "DAILY_PROMPT_REMINDER_DELAY",
            "daily-prompt.reminder-delay",
            Kind.DELAY_OR_OFF,
            "5h",
            "whoever is silent this long after a daily prompt is reminded once; zero or less for no reminders"),
        setting(
            "AUTO_FEEDBACK_AFTER_PROMPT_ENABLED",
            "auto-feedback.after-prompt-enabled",
            Kind.YES_OR_NO,
            "true",
            "whether the feedback module answers once a daily prompt went out"),
        setting(
            "AUTO_FEEDBACK_DELAY",
            "auto-feedback.delay",
            Kind.DELAY,
            "5m",
            "how long after the prompt that is"),
        setting(
            "FEEDBACK_INITIAL_TIMEOUT",
            "feedback.initial-timeout",
            Kind.DELAY,
            "15m",
            "whoever tries a prompt in the conversation and is silent this long is asked how it went"),
        setting(
            "FEEDBACK_FOLLOWUP_DELAY",
            "feedback.followup-delay",
            Kind.DELAY,
            "3h",
            "and is asked once more after this long"));
  }

  private static Setting setting(
      String variable, String key, Kind kind, String standard, String meaning) {
    return new Setting(variable, key, kind, standard, "", false, meaning);
  }

  private static Setting optional(
      String variable, String key, Kind kind, String otherwise, String meaning) {
    return new Setting(variable, key, kind, null, otherwise, false, meaning);
  }

  private static Setting secret(String variable, String key, Kind kind, String meaning) {
    return new Setting(variable, key, kind, null, "none", true, meaning);
  }

  /** The README's table. */
  public static String table() {
    return Stream.concat(
            Stream.of("| variable | key | default | meaning |", "|---|---|---|---|"),
            all().stream().map(Setting::row))
        .collect(Collectors.joining("\n"));
  }

  /**
   * Checks the folder that is the home; a name that was mistyped would start the shipped flow on an
   * empty database.
   *
   * @throws StartFailure with one sentence if there is none
   */
  public static void checkHome(Path home) {
    if (!Files.isDirectory(home)) {
      throw new StartFailure(
          "HABITLINE_HOME: there is no folder '"
              + home
              + "'; make it, or name the one that is meant.");
    }
  }

  /**
   * Checks every value that is set, wherever it is set, and warns about variables that look like
   * ours and are not. Log lines are in the format that is set from here on.
   *
   * @param options settings of the command line, which win over all others
   * @throws StartFailure with one sentence for the first that is wrong
   */
  public static void check(String... options) {
    check(Settings::check, options);
  }

  /**
   * The same for a rehearsal, which has phones, a model and a database of its own: what is set must
   * be right by itself, and need not make up a line.
   */
  public static void checkEach() {
    check(Settings::checkEach);
  }

  private static void check(Consumer<PropertyResolver> checked, String... options) {
    try (var context = ApplicationContext.builder().args(options).build()) {
      var environment = context.getEnvironment();
      environment.start();
      value(environment, LogFormat.KEY).ifPresent(LogFormat::use);
      unknown(System.getenv().keySet()).forEach(log::warn);
      checked.accept(environment);
    }
  }

  static void checkEach(PropertyResolver values) {
    all().forEach(setting -> check(values, setting));
  }

  static void check(PropertyResolver values) {
    checkEach(values);
    var host = value(values, "habitline.host").orElse("");
    checkDatabase(values);
    if (given(values, "openai.api-version").isPresent()
        && given(values, "openai.base-url").isEmpty()) {
      throw new StartFailure(
          "OPENAI_API_VERSION: set without OPENAI_BASE_URL; expected the address of the Azure resource"
              + " there, such as https://name.openai.azure.com.");
    }
    checkTwilio(values, Loopback.isLoopback(host));
    if (!Loopback.isLoopback(host) && given(values, "habitline.admin-key").isEmpty()) {
      throw new StartFailure(
          "HABITLINE_ADMIN_KEY: not set; expected at least 16 characters, because HABITLINE_HOST ('"
              + host
              + "') is not a loopback address and nobody could sign in safely.");
    }
  }

  /** The paragraph of the README on how long durations may be, one line for each kind. */
  static List<String> durations() {
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.accepted.startsWith(A_DURATION))
        .map(kind ->
            "- "
                + all().stream()
                    .filter(setting -> setting.kind() == kind)
                    .map(setting -> "`" + setting.variable() + "`")
                    .collect(Collectors.joining(", "))
                + ": "
                + kind.accepted.substring(A_DURATION.length()))
        .toList();
  }

  private static void checkTwilio(PropertyResolver values, boolean loopback) {
    if (given(values, "twilio.account-sid").isEmpty()) {
      checkNothingOfTwilio(values);
      return;
    }
    if (given(values, "twilio.auth-token").isEmpty()) {
      throw new StartFailure(
          "TWILIO_AUTH_TOKEN: not set; expected the token of TWILIO_ACCOUNT_SID, which is set.");
    }
    if (Stream.of("twilio.sms-from", "twilio.whatsapp-from", "twilio.messaging-service-sid")
        .allMatch(key -> given(values, key).isEmpty())) {
      throw new StartFailure(
          "TWILIO_SMS_FROM, TWILIO_WHATSAPP_FROM, TWILIO_MESSAGING_SERVICE_SID: none is set; expected at least"
              + " one sender, because TWILIO_ACCOUNT_SID is set.");
    }
    if (value(values, "twilio.validate-signature").orElse("true").equals("false")
        && (!loopback || given(values, "habitline.public-url").isPresent())) {
      throw new StartFailure(
          "TWILIO_VALIDATE_SIGNATURE: 'false' is accepted only on a loopback address (HABITLINE_HOST) and"
              + " without HABITLINE_PUBLIC_URL, because anybody could text in anybody's name.");
    }
  }

  /** Without the account the line has no road to real phones, whatever else is set of them. */
  private static void checkNothingOfTwilio(PropertyResolver values) {
    firstGiven(
            values,
            "twilio.auth-token",
            "twilio.sms-from",
            "twilio.whatsapp-from",
            "twilio.messaging-service-sid")
        .ifPresent(variable -> {
          throw new StartFailure(
              "TWILIO_ACCOUNT_SID: not set; expected "
                  + Kind.ACCOUNT_SID.accepted
                  + ", because "
                  + variable
                  + " is set, and without the account nobody would be texted.");
        });
  }

  private static void checkDatabase(PropertyResolver values) {
    if (given(values, "database.url").isPresent()) {
      return;
    }
    firstGiven(values, "database.user", "database.password")
        .ifPresent(variable -> {
          throw new StartFailure(
              "DATABASE_URL: not set; expected "
                  + Kind.DATABASE.accepted
                  + ", because "
                  + variable
                  + " is set, and the H2 file in data has no use for it.");
        });
  }

  /** Returns the variable of the first of these settings that has a value. */
  private static Optional<String> firstGiven(PropertyResolver values, String... keys) {
    return Stream.of(keys)
        .filter(key -> given(values, key).isPresent())
        .findFirst()
        .flatMap(key -> all().stream().filter(setting -> setting.key().equals(key)).findFirst())
        .map(Setting::variable);
  }

  private static void check(PropertyResolver values, Setting setting) {
    var value = value(values, setting.key()).orElse("");
    if (value.isBlank()) {
      if (setting.standard() != null) {
        throw new StartFailure(
            setting.variable()
                + ": empty; expected "
                + setting.kind().accepted
                + ", or nothing set for the default "
                + setting.standard()
                + ".");
      }
    } else if (!setting.kind().test.test(value)) {
      throw new StartFailure(
          setting.variable()
              + ": "
              + (setting.secret() ? "the value" : "'" + value + "'")
              + " is not accepted; expected "
              + setting.kind().accepted
              + ".");
    }
  }

  private static Optional<String> value(PropertyResolver values, String key) {
    return values.getProperty(key, String.class);
  }

  private static Optional<String> given(PropertyResolver values, String key) {
    return value(values, key).filter(text -> !text.isBlank());
  }

  /** One sentence for each variable that begins like one of ours and is none, with the nearest. */
  static List<String> unknown(Set<String> variables) {
    var known = all().stream().map(Setting::variable).collect(Collectors.toSet());
    return variables.stream()
        .filter(variable -> OURS.stream().anyMatch(variable::startsWith))
        .filter(variable -> !known.contains(variable))
        .sorted()
        .map(variable ->
            variable
                + ": there is no such setting, it has no effect"
                + nearest(variable, known).map(name -> "; did you mean " + name + "?").orElse("."))
        .toList();
  }

  private static Optional<String> nearest(String variable, Set<String> known) {
    // Jaro-Winkler gives weight to how names begin; ours say there what they are about.
    var distance = new JaroWinklerDistance();
    return known.stream()
        .filter(name -> distance.apply(variable, name) < ALIKE)
        .min(
            Comparator.<String>comparingDouble(name -> distance.apply(variable, name))
                .thenComparing(Comparator.naturalOrder()));
  }
}
