package org.habitline.ops;

import io.micronaut.core.value.PropertyResolver;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Every setting there is, in the order of the README's table: the name of a constant is the
 * environment variable, followed by the key of {@code config/application.yml}, what is accepted,
 * the default, and what the setting means. To add a setting, add its constant here and its default
 * to the program's own {@code application.yml}; what must hold between settings belongs in {@link
 * SettingRules}.
 */
enum Setting {
  HABITLINE_HOME(
      "habitline.home",
      SettingKind.TEXT,
      otherwise("the working directory"),
      "the folder that holds `config`, `prompts` and `data`"),
  HABITLINE_HOST(
      "habitline.host",
      SettingKind.HOST,
      standard("127.0.0.1"),
      "the address to listen on; any but a loopback address needs `HABITLINE_ADMIN_KEY`"),
  HABITLINE_PORT(
      "habitline.port",
      SettingKind.PORT,
      standard("8080"),
      "the port to listen on; 0 takes any free one"),
  HABITLINE_PUBLIC_URL(
      "habitline.public-url",
      SettingKind.PUBLIC_URL,
      otherwise("none"),
      "the address people use, when a proxy stands in front; with https, cookies travel only over https"),
  HABITLINE_ADMIN_KEY(
      "habitline.admin-key",
      SettingKind.SECRET,
      secret("none"),
      "an API key with the role admin; without it, on a loopback address, each start prints a one-time login link"),
  HABITLINE_DEFAULT_TIMEZONE(
      "habitline.default-timezone",
      SettingKind.ZONE,
      standard("UTC"),
      "the zone of participants enrolled without one"),
  HABITLINE_DEFAULT_REGION(
      "habitline.default-region",
      SettingKind.REGION,
      standard("US"),
      "the region by which national phone numbers are read"),
  HABITLINE_FLOW(
      "habitline.flow",
      SettingKind.TEXT,
      standard("habit"),
      "the flow of participants enrolled without naming one"),
  HABITLINE_MAX_BODY(
      "habitline.max-body", SettingKind.SIZE, standard("1MB"), "the largest request body accepted"),
  HABITLINE_REQUESTS_PER_MINUTE(
      "habitline.requests-per-minute",
      SettingKind.A_MINUTE,
      standard("1200"),
      "requests a minute that are answered with one key or session on each node; 0 for no bound"),
  HABITLINE_REQUEST_TIMEOUT(
      "habitline.request-timeout",
      SettingKind.UPLOAD_PATIENCE,
      standard("60s"),
      "a request that is not complete within this time is cut off; its headers have 20s at most"),
  HABITLINE_PROXY_HEADER(
      "habitline.proxy-header",
      SettingKind.HEADER,
      otherwise("none"),
      "the header in which the proxy in front says who asks, such as `X-Forwarded-For`; its last entry counts. Only behind a proxy that sets it"),
  HABITLINE_LOG_FORMAT(
      LogFormat.KEY,
      SettingKind.LOG_FORMAT,
      standard("text"),
      "how log lines are written: `text`, or `json` for one JSON object each"),
  HABITLINE_DEBUG(
      "habitline.debug",
      SettingKind.YES_OR_NO,
      standard("false"),
      "whether every participant receives debug messages; for one of them, or for a while, staff switch them on"),
  DATABASE_URL(
      "database.url",
      SettingKind.DATABASE,
      secret("an H2 file in `data`"),
      "a database of PostgreSQL 15 or newer, as `jdbc:postgresql://host/database`; any number of nodes may share it"),
  DATABASE_USER("database.user", SettingKind.TEXT, otherwise("none"), "who signs in there"),
  DATABASE_PASSWORD("database.password", SettingKind.TEXT, secret("none"), "with which password"),
  AUTO_ENROLL_NEW_USERS(
      "auto-enroll.new-users",
      SettingKind.YES_OR_NO,
      standard("false"),
      "whether whoever texts from an unknown number is enrolled; else their texts are kept for staff, unanswered"),
  RAW_RETENTION(
      "raw.retention",
      SettingKind.RETENTION,
      standard("30d"),
      "how long what a provider posted is kept as it was posted"),
  TWILIO_ACCOUNT_SID(
      "twilio.account-sid",
      SettingKind.ACCOUNT_SID,
      secret("none"),
      "the account at Twilio; without it there is only the phone simulator"),
  TWILIO_AUTH_TOKEN(
      "twilio.auth-token",
      SettingKind.AUTH_TOKEN,
      secret("none"),
      "its token; several, separated by commas, while it is rotated: the first sends, any may sign"),
  TWILIO_SMS_FROM(
      "twilio.sms-from",
      SettingKind.SMS_SENDER,
      otherwise("none"),
      "the number that SMS come from"),
  TWILIO_WHATSAPP_FROM(
      "twilio.whatsapp-from",
      SettingKind.WHATSAPP_SENDER,
      otherwise("none"),
      "the number that WhatsApp messages come from"),
  TWILIO_MESSAGING_SERVICE_SID(
      "twilio.messaging-service-sid",
      SettingKind.SERVICE_SID,
      otherwise("none"),
      "the Messaging Service that sends SMS, instead of one number"),
  TWILIO_API_BASE_URL(
      "twilio.api-base-url",
      SettingKind.URL,
      otherwise("Twilio's"),
      "another server that speaks Twilio's REST API, for tests"),
  TWILIO_VALIDATE_SIGNATURE(
      "twilio.validate-signature",
      SettingKind.YES_OR_NO,
      standard("true"),
      "whether webhook calls must be signed; `false` only on a loopback address without `HABITLINE_PUBLIC_URL`"),
  TWILIO_REQUEST_TIMEOUT(
      "twilio.request-timeout",
      SettingKind.SHORT_PATIENCE,
      standard("15s"),
      "bound of one request to Twilio; what became of a text is unknown afterwards, and looked up"),
  TWILIO_UNKNOWN_SETTLES(
      "twilio.unknown-settles",
      SettingKind.PATIENCE,
      standard("30s"),
      "a text of unknown fate that Twilio's list lacks after this long was not sent"),
  TWILIO_SMS_RATE(
      "twilio.sms-rate",
      SettingKind.RATE,
      standard("1"),
      "segments of SMS a second that the sender may send; Twilio allows 1 for a long code, more for others"),
  TWILIO_WHATSAPP_RATE(
      "twilio.whatsapp-rate",
      SettingKind.RATE,
      standard("80"),
      "WhatsApp messages a second that the sender may send"),
  OPENAI_API_KEY(
      "openai.api-key",
      SettingKind.KEY,
      secret("none"),
      "the key of the model's server; with neither key nor base URL the rehearsal model answers"),
  OPENAI_BASE_URL(
      "openai.base-url",
      SettingKind.URL,
      otherwise("the OpenAI API"),
      "any server that speaks Chat Completions"),
  OPENAI_API_VERSION(
      "openai.api-version",
      SettingKind.API_VERSION,
      otherwise("none"),
      "of Azure OpenAI only: requests go to the deployment's URL with this `api-version` and the header `api-key`"),
  OPENAI_MODEL(
      "openai.model",
      SettingKind.TEXT,
      standard("gpt-4.1-mini"),
      "the model asked, unless a module of a flow names another"),
  OPENAI_FALLBACK_MODEL(
      "openai.fallback-model",
      SettingKind.TEXT,
      otherwise("none"),
      "the model asked when the first gives no answer"),
  MODEL_ATTEMPT_TIMEOUT(
      "model.attempt-timeout",
      SettingKind.PATIENCE,
      standard("20s"),
      "bound of one request to a model, from connecting (at most 10s) to the last piece of its answer"),
  MODEL_QUIRKS(
      "model.quirks",
      SettingKind.QUIRKS,
      otherwise("learnt from refusals"),
      "what the model's server does not take, as words separated by commas ([docs/models.md](docs/models.md#quirks))"),
  MODEL_TOKEN_BUDGET(
      "model.token-budget",
      SettingKind.TOKENS,
      standard("100000"),
      "a longer context loses its oldest history"),
  CHAT_HISTORY_LIMIT(
      "chat.history-limit",
      SettingKind.HISTORY,
      otherwise("the module's"),
      "newest messages shown to a model: 0 none, -1 all that is loaded, n at most n"),
  REPLY_SEGMENTS_AT_MOST(
      "reply.segments-at-most",
      SettingKind.SEGMENTS,
      standard("6"),
      "a model whose reply takes more SMS segments is asked once for a shorter one; 0 for no bound"),
  TURN_QUIET_PERIOD(
      "turn.quiet-period",
      SettingKind.PAUSE,
      standard("1s"),
      "a burst of texts is answered when none came for this long; 0s answers at once"),
  TURNS_PER_MINUTE(
      "turns.per-minute",
      SettingKind.A_MINUTE,
      standard("12"),
      "somebody who texts so often that they would be answered more often waits a little; 0 for no bound"),
  TURN_DEADLINE(
      "turn.deadline",
      SettingKind.PATIENCE,
      standard("60s"),
      "the model has this long for a turn, then the flow's own text goes out"),
  ALLOWED_HOURS(
      "allowed-hours",
      SettingKind.HOURS,
      standard("08:00-21:00"),
      "the hours of a participant's day in which the line may text without being asked; simulated phones are exempt"),
  DEFAULT_SCHEDULE(
      "default-schedule",
      SettingKind.TIME,
      otherwise("the flow's"),
      "the local time of a daily prompt that was asked for without one"),
  SCHEDULER_PREP_TIME_MINUTES(
      "scheduler.prep-time-minutes",
      SettingKind.MINUTES,
      standard("0"),
      "daily prompts leave this many minutes before their time"),
  DAILY_PROMPT_MAX_LATENESS(
      "daily-prompt.max-lateness",
      SettingKind.DELAY,
      standard("2h"),
      "a daily prompt later than this is recorded as missed and not sent; a reminder or check-in is dropped"),
  DAILY_PROMPT_REMINDER_DELAY(
      "daily-prompt.reminder-delay",
      SettingKind.DELAY_OR_OFF,
      standard("5h"),
      "whoever is silent this long after a daily prompt is reminded once; zero or less for no reminders"),
  AUTO_FEEDBACK_AFTER_PROMPT_ENABLED(
      "auto-feedback.after-prompt-enabled",
      SettingKind.YES_OR_NO,
      standard("true"),
      "whether the feedback module answers once a daily prompt went out"),
  AUTO_FEEDBACK_DELAY(
      "auto-feedback.delay",
      SettingKind.DELAY,
      standard("5m"),
      "how long after the prompt that is"),
  FEEDBACK_INITIAL_TIMEOUT(
      "feedback.initial-timeout",
      SettingKind.DELAY,
      standard("15m"),
      "whoever tries a prompt in the conversation and is silent this long is asked how it went"),
  FEEDBACK_FOLLOWUP_DELAY(
      "feedback.followup-delay",
      SettingKind.DELAY,
      standard("3h"),
      "and is asked once more after this long");

  private final String key;
  private final SettingKind kind;
  private final @Nullable String standard;
  private final String otherwise;
  private final boolean secret;
  private final String meaning;

  Setting(String key, SettingKind kind, Default without, String meaning) {
    this.key = key;
    this.kind = kind;
    this.standard = without.standard();
    this.otherwise = without.otherwise();
    this.secret = without.secret();
    this.meaning = meaning;
  }

  /** What holds if nobody sets a setting, and whether its value may be shown if somebody does. */
  private record Default(@Nullable String standard, String otherwise, boolean secret) {}

  /** The value it has if nobody sets it, as the program's own {@code application.yml} holds it. */
  private static Default standard(String value) {
    return new Default(value, "", false);
  }

  /** There is no value if nobody sets it; these words say what holds then. */
  private static Default otherwise(String words) {
    return new Default(null, words, false);
  }

  /** As {@link #otherwise(String)}, and its value must never be shown. */
  private static Default secret(String otherwise) {
    return new Default(null, otherwise, true);
  }

  /** Returns the environment variable. */
  String variable() {
    return name();
  }

  /** Returns the key of {@code config/application.yml}. */
  String key() {
    return key;
  }

  SettingKind kind() {
    return kind;
  }

  /** Returns the value it has if nobody sets it, or {@code null} if there is none. */
  @Nullable String standard() {
    return standard;
  }

  /** Returns in words what holds if there is no value at all. */
  String otherwise() {
    return otherwise;
  }

  /** Returns whether its value must never be shown. */
  boolean secret() {
    return secret;
  }

  String meaning() {
    return meaning;
  }

  /** Returns its row of the README's table. */
  String row() {
    return "| `"
        + name()
        + "` | `"
        + key
        + "` | "
        + (standard == null ? otherwise : "`" + standard + "`")
        + " | "
        + meaning
        + " |";
  }

  /** Returns the value it has, or empty if it has none or a blank one. */
  Optional<String> in(PropertyResolver values) {
    return values.getProperty(key, String.class).filter(text -> !text.isBlank());
  }

  /**
   * Checks the value it has, by itself.
   *
   * @throws StartFailure with one sentence that says what is accepted; a secret is not repeated
   */
  void check(PropertyResolver values) {
    var value = in(values);
    if (value.isEmpty() && standard != null) {
      throw new StartFailure(
          name()
              + ": empty; expected "
              + kind.accepted()
              + ", or nothing set for the default "
              + standard
              + ".");
    }
    value
        .filter(it -> !kind.accepts(it))
        .ifPresent(wrong -> {
          throw new StartFailure(
              name()
                  + ": "
                  + (secret ? "the value" : "'" + wrong + "'")
                  + " is not accepted; expected "
                  + kind.accepted()
                  + ".");
        });
  }
}
