package org.habitline.ops.start;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.env.Environment;
import io.micronaut.context.env.PropertySource;
import io.micronaut.context.env.PropertySource.Origin;
import io.micronaut.context.env.PropertySource.PropertyConvention;
import io.micronaut.http.server.HttpServerConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.habitline.llm.ModelQuirk;
import org.habitline.ops.access.Loopback;
import org.habitline.ops.database.DatabaseChoice;
import org.habitline.ops.database.Doors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The catalogue of settings, and what it says of wrong values. */
class SettingsTest {

  /** What follows this line in the guide is generated. */
  private static final String GENERATED = "<!-- SettingsTest writes what follows. -->";

  private static final String A_DURATION = "a duration ";

  /** Reads these variables as the operator's, over the program's defaults. */
  private static void with(Map<String, String> variables, Consumer<Environment> test) {
    try (var context =
        ApplicationContext.builder()
            .propertySources(
                PropertySource.of(
                    "operator",
                    new HashMap<>(variables),
                    PropertyConvention.ENVIRONMENT_VARIABLE,
                    Origin.of("the operator")))
            .build()) {
      var environment = context.getEnvironment();
      environment.start();
      test.accept(environment);
    }
  }

  private static void refused(Map<String, String> variables, String sentence) {
    with(
        variables,
        values ->
            assertThatThrownBy(() -> Settings.check(values))
                .isInstanceOf(StartFailure.class)
                .hasMessage(sentence));
  }

  @Test
  void withNothingSetEverythingIsAccepted() {
    with(
        Map.of(),
        values -> assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HABITLINE_PORT | 80a | a whole number from 0 to 65535",
        "HABITLINE_PORT | 65536 | a whole number from 0 to 65535",
        "HABITLINE_PORT | -1 | a whole number from 0 to 65535",
        "HABITLINE_HOST | a host | a host name or an address",
        "HABITLINE_PUBLIC_URL | line.example | an address that begins with http:// or https://, without a query or fragment",
        "HABITLINE_PUBLIC_URL | ftp://line.example | an address that begins with http:// or https://, without a query or fragment",
        "HABITLINE_PUBLIC_URL | https://line.example?a=b | an address that begins with http:// or https://, without a query or fragment",
        "HABITLINE_PUBLIC_URL | https://line.example/#top | an address that begins with http:// or https://, without a query or fragment",
        "TWILIO_SMS_FROM | whatsapp:+15005550006 | a number such as +15005550006, or a short code of 3 to 6 digits",
        "TWILIO_WHATSAPP_FROM | 12345 | a number such as +15005550006",
        "HABITLINE_DEFAULT_TIMEZONE | Berlin | an IANA time zone such as Europe/Berlin",
        "HABITLINE_DEFAULT_TIMEZONE | GMT+25 | an IANA time zone such as Europe/Berlin",
        "HABITLINE_DEFAULT_REGION | Germany | a region of two capital letters such as US or DE",
        "HABITLINE_MAX_BODY | 1TB | a size from 1KB to 100MB such as 500KB, 1MB or 1048576",
        "HABITLINE_MAX_BODY | 101MB | a size from 1KB to 100MB such as 500KB, 1MB or 1048576",
        "HABITLINE_MAX_BODY | 100 | a size from 1KB to 100MB such as 500KB, 1MB or 1048576",
        "HABITLINE_LOG_FORMAT | xml | text or json",
        "OPENAI_BASE_URL | localhost:11434 | an address that begins with http:// or https://",
        "MODEL_ATTEMPT_TIMEOUT | 0s | a duration longer than zero and up to 10m such as 500ms, 20s or 1m",
        "MODEL_ATTEMPT_TIMEOUT | 20 | a duration longer than zero and up to 10m such as 500ms, 20s or 1m",
        "MODEL_QUIRKS | no-temprature | words separated by commas, from"
            + " no-parallel-tool-calls, no-temperature, no-max-tokens, no-max-completion-tokens,"
            + " no-tool-choice, tools-always, alternating-roles, no-streaming, no-stream-options",
        "OPENAI_API_VERSION | latest | a version such as 2024-10-21 or 2025-03-01-preview",
        "MODEL_TOKEN_BUDGET | 10 | a whole number from 1000 to 10000000",
        "CHAT_HISTORY_LIMIT | -2 | -1 for the module's own limit, 0 for none, or a whole number up to 1000",
        "REPLY_SEGMENTS_AT_MOST | -1 | 0 for no limit, or a whole number up to 100",
        "REPLY_SEGMENTS_AT_MOST | 101 | 0 for no limit, or a whole number up to 100",
        "REPLY_SEGMENTS_AT_MOST | six | 0 for no limit, or a whole number up to 100",
        "TURN_QUIET_PERIOD | -1s | a duration from 0s to 1m such as 500ms",
        "TURN_QUIET_PERIOD | 61s | a duration from 0s to 1m such as 500ms",
        "TURN_DEADLINE | 11m | a duration longer than zero and up to 10m such as 500ms, 20s or 1m",
        "TURN_QUIET_PERIOD | a while | a duration from 0s to 1m such as 500ms",
        "TURN_DEADLINE | soon | a duration longer than zero and up to 10m such as 500ms, 20s or 1m"
      })
  void aWrongValueIsNamedWithWhatIsAccepted(String variable, String value, String accepted) {
    refused(
        Map.of(variable, value),
        variable + ": '" + value + "' is not accepted; expected " + accepted + ".");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      // Quotes belong to the values here.
      quoteCharacter = '~',
      value = {
        "HABITLINE_ADMIN_KEY | too-short | at least 16 characters, and no quotes around them",
        "HABITLINE_ADMIN_KEY | 'sixteen-letters' | at least 16 characters, and no quotes around them",
        "DATABASE_URL | jdbc:postgresql://robin:secret@db.example/study | jdbc:postgresql://host/database or postgres://user:password@host/database",
        "DATABASE_URL | jdbc:postgresql:// | jdbc:postgresql://host/database or postgres://user:password@host/database",
        "DATABASE_URL | postgres://robin:se#cret@db.example/study | jdbc:postgresql://host/database or postgres://user:password@host/database",
        "OPENAI_API_KEY | sk with blanks | a text without blanks, and no quotes around it",
        "OPENAI_API_KEY | \"sk-key\" | a text without blanks, and no quotes around it",
        "TWILIO_AUTH_TOKEN | 'token' | a token without blanks or quotes around it, or several separated by commas",
        "TWILIO_AUTH_TOKEN | new,\"old\" | a token without blanks or quotes around it, or several separated by commas",
        "TWILIO_AUTH_TOKEN | , | a token without blanks or quotes around it, or several separated by commas"
      })
  void aWrongSecretIsNotRepeated(String variable, String value, String accepted) {
    refused(
        Map.of(variable, value),
        variable + ": the value is not accepted; expected " + accepted + ".");
  }

  @ParameterizedTest
  @ValueSource(strings = {"+15005550006", "whatsapp:+15005550006"})
  void aNumberForWhatsAppMayBeWrittenAsTwilioDoes(String number) {
    with(
        Map.of(
            "TWILIO_ACCOUNT_SID",
            "AC00000000000000000000000000000000",
            "TWILIO_AUTH_TOKEN",
            "new,old",
            "TWILIO_WHATSAPP_FROM",
            number),
        values -> assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:postgresql://db.example/study | jdbc:postgresql://db.example/study | robin | of-the-setting",
        "jdbc:postgresql://one:1,two:2/study?user=kim@home | jdbc:postgresql://one:1,two:2/study?user=kim@home | robin | of-the-setting",
        "postgres://db.example/study | jdbc:postgresql://db.example/study | robin | of-the-setting",
        "postgres://kim@db.example/study | jdbc:postgresql://db.example/study | kim | of-the-setting",
        "postgres://kim:p%40ss@db.example:5433/study | jdbc:postgresql://db.example:5433/study | kim | p@ss"
      })
  void whatIsAcceptedAsADatabaseIsUnderstood(
      String given, String url, String user, String password) {
    with(
        Map.of("DATABASE_URL", given),
        values -> assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException());
    assertThat(DatabaseChoice.Address.of(given, "robin", "of-the-setting"))
        .isEqualTo(new DatabaseChoice.Address(url, user, password));
  }

  @Test
  void aHomeThatIsNoFolderIsNamed(@TempDir Path folder) throws IOException {
    assertThatCode(() -> Settings.checkHome(folder)).doesNotThrowAnyException();
    var file = Files.writeString(folder.resolve("line"), "a file");
    for (var home : List.of(file, folder.resolve("lime"))) {
      assertThatThrownBy(() -> Settings.checkHome(home))
          .isInstanceOf(StartFailure.class)
          .hasMessage(
              "HABITLINE_HOME: there is no folder '"
                  + home
                  + "'; create it, or name an existing folder.");
    }
  }

  @Test
  void anEmptyValueIsRefusedWhereThereIsADefaultAndNothingWhereThereIsNone() {
    refused(
        Map.of("HABITLINE_PORT", ""),
        "HABITLINE_PORT: empty; expected a whole number from 0 to 65535; leave it unset to use the default 8080.");
    with(
        Map.of(
            "HABITLINE_ADMIN_KEY", "",
            "HABITLINE_PUBLIC_URL", "",
            "OPENAI_API_KEY", "",
            "OPENAI_BASE_URL", "",
            "OPENAI_FALLBACK_MODEL", "",
            "CHAT_HISTORY_LIMIT", ""),
        values -> assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "192.0.2.1", "line.example", "::"})
  void toBeReachedFromElsewhereTheLineNeedsAnAdminKey(String host) {
    refused(
        Map.of("HABITLINE_HOST", host),
        "HABITLINE_ADMIN_KEY: not set; expected at least 16 characters, because HABITLINE_HOST ('"
            + host
            + "') is not a loopback address, and without a key no one could sign in safely.");
    with(
        Map.of("HABITLINE_HOST", host, "HABITLINE_ADMIN_KEY", "sixteen-letters!"),
        values -> assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException());
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.0.0.53", "localhost", "::1", "[::1]"})
  void onThisMachineItDoesNot(String host) {
    with(
        Map.of("HABITLINE_HOST", host),
        values -> assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException());
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1.evil.example", "127.evil.example", "localhost.example"})
  void aNameThatOnlyLooksLikeThisMachineIsElsewhere(String host) {
    assertThat(Loopback.isLoopback(host)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "TWILIO_AUTH_TOKEN, 0123456789abcdef",
    "TWILIO_SMS_FROM, +15005550006",
    "TWILIO_WHATSAPP_FROM, whatsapp:+15005550006",
    "TWILIO_MESSAGING_SERVICE_SID, MG00000000000000000000000000000000"
  })
  void aLineThatIsToTextRealPeopleDoesNotStartAsASimulator(String variable, String value) {
    refused(
        Map.of(variable, value),
        "TWILIO_ACCOUNT_SID: not set; expected AC and 32 hexadecimal digits, because "
            + variable
            + " is set, and without the account no message can be sent.");
    aRehearsalDoesNotMind(Map.of(variable, value));
  }

  @ParameterizedTest
  @ValueSource(strings = {"DATABASE_USER", "DATABASE_PASSWORD"})
  void aLineThatIsToUsePostgresqlDoesNotStartOnAFile(String variable) {
    refused(
        Map.of(variable, "habitline"),
        "DATABASE_URL: not set; expected jdbc:postgresql://host/database or"
            + " postgres://user:password@host/database, because "
            + variable
            + " is set. The H2 file in data does not use it.");
    aRehearsalDoesNotMind(Map.of(variable, "habitline"));
  }

  private static void aRehearsalDoesNotMind(Map<String, String> variables) {
    with(
        variables,
        values -> assertThatCode(() -> Settings.checkEach(values)).doesNotThrowAnyException());
  }

  @Test
  void aSecretMayBeInAFile(@TempDir Path folder) throws IOException {
    var key = Files.writeString(folder.resolve("key"), "a-key-of-some-length\n");
    var empty = Files.writeString(folder.resolve("empty"), "\n");
    assertThat(
            Settings.inFiles(
                Map.of(
                    "HABITLINE_ADMIN_KEY_FILE", key.toString(), "HABITLINE_HOST_FILE", "nowhere")))
        .containsExactly(Map.entry("habitline.admin-key", "a-key-of-some-length"));
    for (var unread : List.of(empty.toString(), folder.resolve("none").toString(), "\0")) {
      assertThatThrownBy(() -> Settings.inFiles(Map.of("OPENAI_API_KEY_FILE", unread)))
          .isInstanceOf(StartFailure.class)
          .hasMessage(
              "OPENAI_API_KEY_FILE: '"
                  + unread
                  + "' cannot be read or is empty; expected a file with the value of OPENAI_API_KEY.");
    }
    assertThatThrownBy(() ->
            Settings.inFiles(
                Map.of(
                    "HABITLINE_ADMIN_KEY_FILE", key.toString(), "HABITLINE_ADMIN_KEY", "another")))
        .isInstanceOf(StartFailure.class)
        .hasMessage(
            "HABITLINE_ADMIN_KEY_FILE: HABITLINE_ADMIN_KEY is set, too; set only one of them.");
  }

  @Test
  void aVariableThatLooksLikeOursAndIsNotIsPointedOut() {
    assertThat(
            Settings.unknown(
                Set.of(
                    "HABITLINE_PROT",
                    "TURN_QUIET",
                    "MODEL_TOKENS",
                    "PATH",
                    "HABITLINE_HOST",
                    "DATABASE_URL_FILE")))
        .containsExactly(
            "HABITLINE_PROT: there is no such setting; it has no effect; did you mean HABITLINE_PORT?",
            "MODEL_TOKENS: there is no such setting; it has no effect; did you mean"
                + " MODEL_TOKEN_BUDGET?",
            "TURN_QUIET: there is no such setting; it has no effect; did you mean TURN_QUIET_PERIOD?");
  }

  @Test
  void theDefaultsOfTheCatalogueAreThoseOfTheProgram() {
    with(
        Map.of(),
        values ->
            Stream.of(Setting.values())
                // The home folder is set by whoever starts the program.
                .filter(setting -> !setting.key().equals("habitline.home"))
                .forEach(setting ->
                    assertThat(values.getProperty(setting.key(), String.class))
                        .as(setting.variable())
                        .isEqualTo(Optional.ofNullable(setting.standard()))));
  }

  @Test
  void everyVariableReachesItsKey() {
    Stream.of(Setting.values())
        .forEach(setting ->
            with(
                Map.of(setting.variable(), "given by the operator"),
                values -> {
                  if (!setting.key().equals("habitline.home")) {
                    assertThat(values.getProperty(setting.key(), String.class))
                        .as(setting.variable())
                        .contains("given by the operator");
                  }
                }));
  }

  @ParameterizedTest
  @CsvSource({"2KB, 2048", "3MB, 3145728", "1048576, 1048576"})
  void whatIsAcceptedAsASizeIsUnderstood(String size, long bytes) {
    with(
        Map.of("HABITLINE_MAX_BODY", size),
        values -> assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException());
    try (var doors = Doors.open(Map.of("habitline.max-body", size))) {
      assertThat(doors.bean(HttpServerConfiguration.class).getMaxRequestSize()).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @CsvSource({"1s, 1000", "1m, 60000", "500ms, 500", "0s, 0"})
  void whatIsAcceptedAsADurationIsUnderstood(String duration, long millis) {
    with(
        Map.of("TURN_QUIET_PERIOD", duration),
        values -> {
          assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException();
          assertThat(values.getProperty("turn.quiet-period", Duration.class))
              .contains(Duration.ofMillis(millis));
        });
  }

  @Test
  void aVersionOfAzureNeedsItsAddress() {
    refused(
        Map.of("OPENAI_API_VERSION", "2024-10-21"),
        "OPENAI_API_VERSION: set without OPENAI_BASE_URL; expected the address of the Azure resource"
            + " there, such as https://name.openai.azure.com.");
    with(
        Map.of(
            "OPENAI_API_VERSION", "2024-10-21",
            "OPENAI_BASE_URL", "https://name.openai.azure.com",
            "MODEL_QUIRKS", "no-temperature, alternating-roles"),
        values -> assertThatCode(() -> Settings.check(values)).doesNotThrowAnyException());
  }

  @Test
  void theGuideSaysWhatEveryQuirkMeans() throws IOException {
    var guide = Files.readString(Path.of("docs/models.md"));
    assertThat(ModelQuirk.values())
        .allSatisfy(quirk ->
            assertThat(guide).contains("| `" + quirk.word() + "` | " + quirk.meaning() + " |"));
  }

  @Test
  void theGuideToSettingsHasEachWithDefaultAndMeaning() throws IOException {
    var guide = Files.readString(Path.of("docs/settings.md"));
    assertThat(guide).contains(GENERATED);
    var right = guide.substring(0, guide.indexOf(GENERATED)) + GENERATED + "\n\n" + generated();
    if (!guide.equals(right)) {
      Files.writeString(Files.createDirectories(Path.of("target")).resolve("settings.md"), right);
    }
    assertThat(guide.lines())
        .as("the lines of docs/settings.md; `cp target/settings.md docs/settings.md` corrects them")
        .containsExactlyElementsOf(right.lines().toList());
  }

  private static String generated() {
    return """
    | variable | key | default | meaning |
    |---|---|---|---|
    %s

    Write durations with a unit (`ms`, `s`, `m`, `h` or `d`). Accepted values:

    %s
    """
        .formatted(
            Stream.of(Setting.values()).map(SettingsTest::row).collect(joining("\n")),
            Stream.of(SettingKind.values())
                .filter(kind -> kind.accepted().startsWith(A_DURATION))
                .map(SettingsTest::limits)
                .collect(joining("\n")));
  }

  private static String row(Setting setting) {
    return "| `%s` | `%s` | %s | %s |"
        .formatted(
            setting.variable(),
            setting.key(),
            setting.standard() == null ? setting.otherwise() : "`" + setting.standard() + "`",
            setting.meaning());
  }

  private static String limits(SettingKind kind) {
    return Stream.of(Setting.values())
        .filter(setting -> setting.kind() == kind)
        .map(setting -> "`" + setting.variable() + "`")
        .collect(joining(", ", "- ", ": " + kind.accepted().substring(A_DURATION.length())));
  }
}
