package org.habitline.ops;

import com.google.i18n.phonenumbers.PhoneNumberUtil;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.env.Environment;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.core.io.socket.SocketUtils;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every setting there is: the environment variable, the key of {@code config/application.yml}, what
 * is accepted, and what it means. Values are checked before anything is built; the README's table
 * is held against this list by a test.
 */
public final class Settings {

  private Settings() {}

  /**
   * One setting.
   *
   * @param variable the environment variable
   * @param key the key of {@code config/application.yml}
   * @param otherwise what holds when nothing is set, as the table shows it
   * @param secret whether its value must never be shown
   */
  public record Setting(
      String variable, String key, Kind kind, String otherwise, boolean secret, String meaning) {

    /** The row of the README's table. */
    public String row() {
      return "| `" + variable + "` | " + otherwise + " | " + meaning + " |";
    }
  }

  /** What a setting accepts. */
  public enum Kind {
    TEXT("a text", value -> true),
    SECRET("at least 16 characters", value -> value.length() >= 16),
    KEY("a text without blanks", value -> value.chars().noneMatch(Character::isWhitespace)),
    HOST("a host name or an address", value -> value.matches("[A-Za-z0-9.:\\[\\]_-]+")),
    PORT("a whole number from 0 to 65535", whole(0, SocketUtils.MAX_PORT_RANGE)),
    ZONE("an IANA time zone such as Europe/Berlin", Kind::zone),
    REGION("a region of two capital letters such as US or DE", Kind::region),
    URL("an address that begins with http:// or https://", Kind::url),
    DURATION("a duration such as 500ms, 20s or 1m", value -> duration(value).isPresent()),
    POSITIVE_DURATION(
        "a duration longer than zero such as 500ms, 20s or 1m",
        value -> duration(value).filter(Duration::isPositive).isPresent()),
    TOKENS("a whole number from 1000 to 10000000", whole(1000, 10_000_000)),
    HISTORY("-1 for all, 0 for none, or a whole number up to 1000", whole(-1, 1000)),
    SIZE("a size such as 500KB or 1MB", value -> value.matches("[1-9][0-9]*(B|KB|MB)?"));

    private final String accepted;

    @SuppressWarnings("ImmutableEnumChecker") // the predicates are constants without state
    private final Predicate<String> test;

    Kind(String accepted, Predicate<String> test) {
      this.accepted = accepted;
      this.test = test;
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

    private static boolean zone(String value) {
      try {
        var _ = ZoneId.of(value);
        return true;
      } catch (DateTimeException e) {
        return false;
      }
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
        setting(
            "HABITLINE_HOME",
            "habitline.home",
            Kind.TEXT,
            "the working directory",
            "the folder that holds `config`, `prompts` and `data`"),
        setting(
            "HABITLINE_HOST",
            "habitline.host",
            Kind.HOST,
            "`127.0.0.1`",
            "the address to listen on; any but a loopback address needs `HABITLINE_ADMIN_KEY`"),
        setting(
            "HABITLINE_PORT",
            "habitline.port",
            Kind.PORT,
            "`8080`",
            "the port to listen on; 0 takes any free one"),
        setting(
            "HABITLINE_PUBLIC_URL",
            "habitline.public-url",
            Kind.URL,
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
            "`UTC`",
            "the zone of participants enrolled without one"),
        setting(
            "HABITLINE_DEFAULT_REGION",
            "habitline.default-region",
            Kind.REGION,
            "`US`",
            "the region by which national phone numbers are read"),
        setting(
            "HABITLINE_FLOW",
            "habitline.flow",
            Kind.TEXT,
            "`habit`",
            "the flow of participants enrolled without naming one"),
        setting(
            "HABITLINE_MAX_BODY",
            "habitline.max-body",
            Kind.SIZE,
            "`1MB`",
            "the largest request body accepted"),
        secret(
            "OPENAI_API_KEY",
            "openai.api-key",
            Kind.KEY,
            "the key of the model's server; with neither key nor base URL the rehearsal model answers"),
        setting(
            "OPENAI_BASE_URL",
            "openai.base-url",
            Kind.URL,
            "the OpenAI API",
            "any server that speaks Chat Completions"),
        setting(
            "OPENAI_MODEL",
            "openai.model",
            Kind.TEXT,
            "`gpt-4.1-mini`",
            "the model asked, unless a module of a flow names another"),
        setting(
            "OPENAI_FALLBACK_MODEL",
            "openai.fallback-model",
            Kind.TEXT,
            "none",
            "the model asked when the first gives no answer"),
        setting(
            "MODEL_ATTEMPT_TIMEOUT",
            "model.attempt-timeout",
            Kind.POSITIVE_DURATION,
            "`20s`",
            "bound of one request to a model"),
        setting(
            "MODEL_TOKEN_BUDGET",
            "model.token-budget",
            Kind.TOKENS,
            "`100000`",
            "a longer context loses its oldest history"),
        setting(
            "CHAT_HISTORY_LIMIT",
            "chat.history-limit",
            Kind.HISTORY,
            "the module's",
            "newest messages shown to a model: 0 none, -1 all that is loaded, n at most n"),
        setting(
            "TURN_QUIET_PERIOD",
            "turn.quiet-period",
            Kind.DURATION,
            "`1s`",
            "a burst of texts is answered when none came for this long; 0s answers at once"),
        setting(
            "TURN_DEADLINE",
            "turn.deadline",
            Kind.POSITIVE_DURATION,
            "`60s`",
            "the model has this long for a turn, then the flow's own text goes out"));
  }

  private static Setting setting(
      String variable, String key, Kind kind, String otherwise, String meaning) {
    return new Setting(variable, key, kind, otherwise, false, meaning);
  }

  private static Setting secret(String variable, String key, Kind kind, String meaning) {
    return new Setting(variable, key, kind, "none", true, meaning);
  }

  /** The README's table. */
  public static String table() {
    return Stream.concat(
            Stream.of("| variable | default | meaning |", "|---|---|---|"),
            all().stream().map(Setting::row))
        .collect(Collectors.joining("\n"));
  }

  /**
   * Checks every value that is set, wherever it is set.
   *
   * @throws StartFailure with one sentence for the first that is wrong
   */
  public static void check() {
    try (var context = ApplicationContext.builder().build()) {
      var environment = context.getEnvironment();
      environment.start();
      all().forEach(setting -> check(environment, setting));
      checkTogether(environment);
    }
  }

  private static void check(Environment environment, Setting setting) {
    var value = value(environment, setting.key());
    if (value.isPresent() && !setting.kind().test.test(value.get().strip())) {
      throw new StartFailure(
          setting.variable()
              + ": "
              + (setting.secret() ? "the value" : "'" + value.get() + "'")
              + " is not accepted; expected "
              + setting.kind().accepted
              + ".");
    }
  }

  private static Optional<String> value(Environment environment, String key) {
    return environment.getProperty(key, String.class).filter(text -> !text.isBlank());
  }

  private static void checkTogether(Environment environment) {
    var host = value(environment, "habitline.host").orElse("");
    if (!Loopback.isLoopback(host) && value(environment, "habitline.admin-key").isEmpty()) {
      throw new StartFailure(
          "HABITLINE_ADMIN_KEY: not set; expected at least 16 characters, because HABITLINE_HOST is not a"
              + " loopback address and nobody else could sign in safely.");
    }
  }
}
