package org.habitline.ops.start;

import io.micronaut.core.value.PropertyResolver;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Every setting, in the order of {@code docs/settings.md}. The constant's name is the environment
 * variable; it is followed by the key of {@code config/application.yml}, the accepted values, the
 * default and the meaning in Markdown, with links as in that guide. To add a setting, add a
 * constant here, its default to the built-in {@code application.yml}, and its row to the guide;
 * rules between settings belong in {@link SettingRules}.
 */
public enum Setting {
  HABITLINE_HOME(
      "habitline.home",
      SettingKind.TEXT,
      otherwise("the working directory"),
      "the folder that contains `config`, `prompts`, `data` and the key files"),
  HABITLINE_HOST(
      "habitline.host",
      SettingKind.HOST,
      standard("127.0.0.1"),
      "the address to listen on; any address other than a loopback address requires `HABITLINE_ADMIN_KEY`"),
  HABITLINE_PORT(
      "habitline.port",
      SettingKind.PORT,
      standard("8080"),
      "the port to listen on; 0 selects any free port"),
  HABITLINE_PUBLIC_URL(
      "habitline.public-url",
      SettingKind.PUBLIC_URL,
      otherwise("none"),
      "the public address, if Habitline runs behind a proxy; if it begins with https, cookies are sent over https only"),
  HABITLINE_ADMIN_KEY(
      "habitline.admin-key",
      SettingKind.SECRET,
      secret("none"),
      "an API key with the role admin; without it, on a loopback address, each start prints a one-time login link"),
  HABITLINE_SESSION_IDLE(
      "habitline.session-idle",
      SettingKind.SESSION_IDLE,
      standard("1h"),
      "a session of the pages ends when no page or form was used in it for this long"),
  HABITLINE_DEFAULT_TIMEZONE(
      "habitline.default-timezone",
      SettingKind.ZONE,
      standard("UTC"),
      "the time zone of participants who are enrolled without one"),
  HABITLINE_DEFAULT_REGION(
      "habitline.default-region",
      SettingKind.REGION,
      standard("US"),
      "the region assumed for phone numbers in national format"),
  HABITLINE_FLOW(
      "habitline.flow",
      SettingKind.TEXT,
      standard("habit"),
      "the flow of participants who are enrolled without one"),
  HABITLINE_MAX_BODY(
      "habitline.max-body", SettingKind.SIZE, standard("1MB"), "the largest request body accepted"),
  HABITLINE_REQUESTS_PER_MINUTE(
      "habitline.requests-per-minute",
      SettingKind.A_MINUTE,
      standard("1200"),
      "the maximum number of requests per minute with one key or session, on each node; 0 for no"
          + " limit"),
  HABITLINE_REQUEST_TIMEOUT(
      "habitline.request-timeout",
      SettingKind.UPLOAD_PATIENCE,
      standard("60s"),
      "a request that is not complete within this time is cut off; its headers must arrive within 20s"),
  HABITLINE_PROXY_HEADER(
      "habitline.proxy-header",
      SettingKind.HEADER,
      otherwise("none"),
      "the header in which the proxy names the client's address, such as `X-Forwarded-For`; the last entry counts. Set it only behind a proxy that sets this header"),
  HABITLINE_LOG_FORMAT(
      LogFormat.KEY,
      SettingKind.LOG_FORMAT,
      standard("text"),
      "the format of log lines: `text`, or `json` for one JSON object per line"),
  HABITLINE_DEBUG(
      "habitline.debug",
      SettingKind.YES_OR_NO,
      standard("false"),
      "whether every participant receives debug messages; staff can also switch them on for one participant or for a limited time"),
  DATABASE_URL(
      "database.url",
      SettingKind.DATABASE,
      secret("an H2 file in `data`"),
      "the address of a PostgreSQL database (15 or newer), as `jdbc:postgresql://host/database`; any number of nodes can share it"),
  DATABASE_USER("database.user", SettingKind.TEXT, otherwise("none"), "the database user"),
  DATABASE_PASSWORD(
      "database.password", SettingKind.TEXT, secret("none"), "the password of the database user"),
  AUTO_ENROLL_NEW_USERS(
      "auto-enroll.new-users",
      SettingKind.YES_OR_NO,
      standard("false"),
      "whether people who text from an unknown number are enrolled; otherwise their texts are kept for staff and get no reply"),
  RAW_RETENTION(
      "raw.retention",
      SettingKind.RETENTION,
      standard("30d"),
      "how long the provider's original requests are kept"),
  TWILIO_ACCOUNT_SID(
      "twilio.account-sid",
      SettingKind.ACCOUNT_SID,
      secret("none"),
      "the Account SID at Twilio; without it, only the phone simulator is available"),
  TWILIO_AUTH_TOKEN(
      "twilio.auth-token",
      SettingKind.AUTH_TOKEN,
      secret("none"),
      "the Auth Token of this account; while you rotate it, several tokens separated by commas: Habitline sends with the first and accepts signatures made with any of them"),
  TWILIO_SMS_FROM(
      "twilio.sms-from",
      SettingKind.SMS_SENDER,
      otherwise("none"),
      "the phone number that sends SMS"),
  TWILIO_WHATSAPP_FROM(
      "twilio.whatsapp-from",
      SettingKind.WHATSAPP_SENDER,
      otherwise("none"),
      "the phone number that sends WhatsApp messages"),
  TWILIO_MESSAGING_SERVICE_SID(
      "twilio.messaging-service-sid",
      SettingKind.SERVICE_SID,
      otherwise("none"),
      "the Messaging Service that sends SMS, instead of one number"),
  TWILIO_API_BASE_URL(
      "twilio.api-base-url",
      SettingKind.URL,
      otherwise("Twilio's"),
      "another server that implements Twilio's REST API, for tests"),
  TWILIO_VALIDATE_SIGNATURE(
      "twilio.validate-signature",
      SettingKind.YES_OR_NO,
      standard("true"),
      "whether webhook calls must be signed; `false` is accepted only on a loopback address without `HABITLINE_PUBLIC_URL`"),
  TWILIO_REQUEST_TIMEOUT(
      "twilio.request-timeout",
      SettingKind.SHORT_PATIENCE,
      standard("15s"),
      "the time limit of one request to Twilio; after a timeout, Habitline looks up at Twilio whether the message was sent"),
  TWILIO_UNKNOWN_SETTLES(
      "twilio.unknown-settles",
      SettingKind.PATIENCE,
      standard("30s"),
      "how long a message with an unknown outcome may be absent from Twilio's list; after this time it counts as not sent"),
  TWILIO_SMS_RATE(
      "twilio.sms-rate",
      SettingKind.RATE,
      standard("1"),
      "SMS segments a second that the sender may send; Twilio allows 1 for a long code, more for other senders"),
  TWILIO_WHATSAPP_RATE(
      "twilio.whatsapp-rate",
      SettingKind.RATE,
      standard("80"),
      "WhatsApp messages a second that the sender may send"),
  OPENAI_API_KEY(
      "openai.api-key",
      SettingKind.KEY,
      secret("none"),
      "the key for the model server; with neither a key nor a base URL, the rehearsal model replies"),
  OPENAI_BASE_URL(
      "openai.base-url",
      SettingKind.URL,
      otherwise("the OpenAI API"),
      "the address of any server that supports Chat Completions"),
  OPENAI_API_VERSION(
      "openai.api-version",
      SettingKind.API_VERSION,
      otherwise("none"),
      "for Azure OpenAI only: requests go to the URL of the deployment, with this `api-version` and the header `api-key`"),
  OPENAI_MODEL(
      "openai.model",
      SettingKind.TEXT,
      standard("gpt-4.1-mini"),
      "the model, unless a module of a flow names another"),
  OPENAI_FALLBACK_MODEL(
      "openai.fallback-model",
      SettingKind.TEXT,
      otherwise("none"),
      "the model that is used when the first gives no answer"),
  OPENAI_EMBEDDING_MODEL(
      "openai.embedding-model",
      SettingKind.TEXT,
      otherwise("none"),
      "the embeddings model of the same server; with it, knowledge search also finds passages by their meaning ([docs/models.md](models.md#embeddings))"),
  HABITLINE_CODER_MODEL(
      "habitline.coder.model",
      SettingKind.TEXT,
      otherwise("the value of `OPENAI_MODEL`"),
      "the model of the same server that codes outcomes after the fact ([docs/outcomes.md](outcomes.md#the-coder)); name a dated snapshot if the server has one"),
  MODEL_ATTEMPT_TIMEOUT(
      "model.attempt-timeout",
      SettingKind.PATIENCE,
      standard("20s"),
      "the time limit of one request to a model, from connecting (at most 10s) to the last part of the answer"),
  MODEL_QUIRKS(
      "model.quirks",
      SettingKind.QUIRKS,
      otherwise("learnt from refusals"),
      "what the model server does not support, as words separated by commas ([docs/models.md](models.md#quirks))"),
  MODEL_TOKEN_BUDGET(
      "model.token-budget",
      SettingKind.TOKENS,
      standard("100000"),
      "the maximum number of tokens sent to a model; if a context is longer, its oldest history is"
          + " left out"),
  CHAT_HISTORY_LIMIT(
      "chat.history-limit",
      SettingKind.HISTORY,
      otherwise("the module's"),
      "the number of recent messages shown to a model: 0 for none, -1 for the module's own limit, n for at most n, but never more than that limit"),
  REPLY_SEGMENTS_AT_MOST(
      "reply.segments-at-most",
      SettingKind.SEGMENTS,
      standard("6"),
      "if a reply takes more SMS segments than this, the model is asked once for a shorter one; 0"
          + " for no limit"),
  TURN_QUIET_PERIOD(
      "turn.quiet-period",
      SettingKind.PAUSE,
      standard("1s"),
      "a burst of texts gets its reply when no further text has arrived for this long; 0s replies at once"),
  TURNS_PER_MINUTE(
      "turns.per-minute",
      SettingKind.A_MINUTE,
      standard("12"),
      "the maximum number of turns per minute for one participant's texts; further texts wait a"
          + " little; 0 for no limit"),
  TURN_DEADLINE(
      "turn.deadline",
      SettingKind.PATIENCE,
      standard("60s"),
      "the model's time limit for one turn; after that, the flow's fallback message is sent"),
  ALERT_SMTP_PASSWORD(
      "alert.smtp-password",
      SettingKind.PASSWORD,
      secret("none"),
      "the password of `safety.email.user` in `config/study.yaml`"),
  ALERT_WEBHOOK_SECRET(
      "alert.webhook-secret",
      SettingKind.SECRET,
      secret("none"),
      "the secret that signs alerts posted to `safety.webhook` in `config/study.yaml`: `whsec_` and at least 24 random bytes in Base64"),
  ALLOWED_HOURS(
      "allowed-hours",
      SettingKind.HOURS,
      standard("08:00-21:00"),
      "the hours of a participant's day in which Habitline may send messages other than immediate"
          + " replies; on simulated phones, only reminders, check-ins and nudges keep to them"),
  DEFAULT_SCHEDULE(
      "default-schedule",
      SettingKind.TIME,
      otherwise("the flow's"),
      "the local time of a daily prompt that was requested without a time"),
  SCHEDULER_PREP_TIME_MINUTES(
      "scheduler.prep-time-minutes",
      SettingKind.MINUTES,
      standard("0"),
      "daily prompts are sent this many minutes before their time"),
  DAILY_PROMPT_MAX_LATENESS(
      "daily-prompt.max-lateness",
      SettingKind.DELAY,
      standard("2h"),
      "a daily prompt that is later than this is recorded as missed and not sent; a reminder or check-in is dropped"),
  DAILY_PROMPT_REMINDER_DELAY(
      "daily-prompt.reminder-delay",
      SettingKind.DELAY_OR_OFF,
      standard("5h"),
      "how long after a daily prompt a participant who has not replied gets one reminder; zero or less for no reminders"),
  AUTO_FEEDBACK_AFTER_PROMPT_ENABLED(
      "auto-feedback.after-prompt-enabled",
      SettingKind.YES_OR_NO,
      standard("true"),
      "whether the conversation moves to the feedback module if a daily prompt gets no reply"),
  AUTO_FEEDBACK_DELAY(
      "auto-feedback.delay",
      SettingKind.DELAY,
      standard("5m"),
      "how long after the daily prompt the conversation moves to the feedback module"),
  FEEDBACK_INITIAL_TIMEOUT(
      "feedback.initial-timeout",
      SettingKind.DELAY,
      standard("15m"),
      "how long a participant who tries a prompt in the conversation may be silent before being asked how it went"),
  FEEDBACK_FOLLOWUP_DELAY(
      "feedback.followup-delay",
      SettingKind.DELAY,
      standard("3h"),
      "how long after that first question the participant is asked once more how the prompt went");

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

  /** The default of a setting, and whether its value is secret. */
  private record Default(@Nullable String standard, String otherwise, boolean secret) {}

  /** A default value; the built-in {@code application.yml} holds the same. */
  private static Default standard(String value) {
    return new Default(value, "", false);
  }

  /** No default value; the words say what applies instead. */
  private static Default otherwise(String words) {
    return new Default(null, words, false);
  }

  /** Like {@link #otherwise(String)}, for a value that must never be shown. */
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

  /** Returns the default value, or {@code null} if there is none. */
  @Nullable String standard() {
    return standard;
  }

  /** Returns in words what applies if there is no value. */
  String otherwise() {
    return otherwise;
  }

  /** Returns whether the value must never be shown. */
  boolean secret() {
    return secret;
  }

  String meaning() {
    return meaning;
  }

  /** Returns the value, or empty if it is unset or blank. */
  Optional<String> in(PropertyResolver values) {
    return values.getProperty(key, String.class).filter(text -> !text.isBlank());
  }

  /**
   * Checks the value of this setting alone.
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
              + "; leave it unset to use the default "
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
