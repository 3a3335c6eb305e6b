package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.ops.access.Access;
import org.habitline.ops.access.LoginBrake;
import org.habitline.ops.database.Doors;
import org.habitline.ops.database.ErasedAgain;
import org.habitline.protocol.StudyFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What whoever starts the line is told. */
@Isolated("It reads the log of the whole process.")
@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
class BannerTest {

  private static Doors doors;

  @BeforeAll
  static void open() {
    doors = Doors.open(Map.of("habitline.admin-key", ""));
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  private static String banner(String host, String publicUrl) {
    return banner(host, publicUrl, "");
  }

  private static String banner(String host, String publicUrl, String databaseUrl) {
    return printed(
        new Banner(
            doors.bean(LanguageModel.class),
            doors.bean(Channels.class),
            doors.bean(Access.class),
            doors.bean(LoginBrake.class),
            doors.bean(ErasedAgain.class),
            doors.bean(StudyFile.class),
            host,
            publicUrl,
            "/srv/line",
            databaseUrl,
            true));
  }

  private static String printed(Banner banner) {
    var out = new ByteArrayOutputStream();
    banner.print(8080, new PrintStream(out, true, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void itNamesAddressModelChannelAndData() {
    assertThat(banner("127.0.0.1", ""))
        .contains(
            "Habitline is up at http://127.0.0.1:8080",
            "phone simulator",
            "data:    /srv/line/data")
        .containsIgnoringCase("rehearsal");
  }

  @Test
  void itsLinkSignsIn() {
    var link =
        banner("127.0.0.1", "")
            .lines()
            .filter(line -> line.contains("sign in: http://127.0.0.1:8080/login#token="))
            .findFirst()
            .orElseThrow();
    var cookie = doors.signIn(link.replaceFirst(".*token=", ""));
    assertThat(doors.at("/keys").header("Cookie", cookie).get().status()).isEqualTo(200);
  }

  @Test
  void everyBannerHasALinkOfItsOwn() {
    assertThat(banner("127.0.0.1", "")).isNotEqualTo(banner("127.0.0.1", ""));
  }

  @Test
  void withAnAdminKeyThereIsNoLink() {
    try (var closed = Doors.open(Map.of())) {
      assertThat(printed(closed.bean(Banner.class))).contains("is up at").doesNotContain("token");
    }
  }

  @Test
  void whereOthersCanReachTheLineThereIsNoLink() {
    assertThat(banner("0.0.0.0", "")).contains("is up at").doesNotContain("token");
  }

  @Test
  void addressesAreOnesThatABrowserTakes() {
    assertThat(banner("::1", ""))
        .contains("is up at http://[::1]:8080\n", "http://[::1]:8080/login");
    assertThat(banner("127.0.0.1", "https://line.example/"))
        .contains(
            "is up at http://127.0.0.1:8080\n",
            "public:  https://line.example\n",
            "https://line.example/login#token=");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db.example:5433/study?user=robin&password=secret",
        "postgres://robin:secret@db.example:5433/study?sslmode=require"
      })
  void aDatabaseIsNamedWithoutWhoSignsIn(String url) {
    assertThat(banner("127.0.0.1", "", url))
        .contains("data:    PostgreSQL, db.example:5433/study\n")
        .doesNotContain("robin", "secret", "/srv/line");
  }

  @Test
  void aLineWithoutRealPhonesIsNotWarnedOf() {
    assertThat(banner("127.0.0.1", "")).doesNotContain("WARNING");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://db.example/study, true",
    "jdbc:postgresql://db.example:5433/study?user=robin, true",
    "postgres://robin:secret@db.example/study, true",
    "postgres://robin:secret@db.example/study?sslmode=prefer, true",
    "jdbc:postgresql://db.example/study?sslmode=disable, true",
    "jdbc:postgresql://db.example/study?sslmode=allow&ssl=true, true",
    "jdbc:postgresql://db.example/study?ssl=false, true",
    "'jdbc:postgresql://localhost,db.example/study', true",
    "jdbc:postgresql://[2001:db8::1]:5433/study, true",
    "jdbc:postgresql://db.example/study?ssl=true, false",
    "jdbc:postgresql://db.example/study?user=robin&sslmode=require, false",
    "postgres://robin:secret@db.example/study?sslmode=verify-full, false",
    "jdbc:postgresql://localhost/study, false",
    "jdbc:postgresql://127.0.0.1:5433/study, false",
    "jdbc:postgresql://[::1]:5433/study, false",
    "jdbc:postgresql:///study, false"
  })
  void aDatabaseElsewhereThatIsReachedWithoutTlsIsWarnedOf(String url, boolean warned) {
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    var logger = (Logger) LoggerFactory.getLogger(Banner.class);
    logger.addAppender(lines);
    try {
      var printed = banner("127.0.0.1", "", url);
      assertThat(printed.contains("WARNING: DATABASE_URL names another host without TLS"))
          .isEqualTo(warned);
      assertThat(printed).doesNotContain("secret");
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .filteredOn(line -> line.getThreadName().equals(Thread.currentThread().getName()))
        .hasSize(warned ? 1 : 0);
  }

  /** What is warned of on a line that texts over Twilio, in the banner and in the log alike. */
  private static List<String> warnings(String... settings) {
    var logger = (Logger) LoggerFactory.getLogger(Banner.class);
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    logger.addAppender(lines);
    try (var twilio = FakeTwilio.start();
        var real = Doors.open(new HashMap<>(twilio.settings(settings)))) {
      var printed =
          printed(real.bean(Banner.class))
              .lines()
              .filter(line -> line.contains("WARNING"))
              .map(line -> line.replace("  WARNING: ", ""))
              .toList();
      assertThat(lines.list)
          .allSatisfy(line -> assertThat(line.getLevel()).isEqualTo(Level.WARN))
          .extracting(ILoggingEvent::getFormattedMessage)
          .isEqualTo(printed);
      return printed;
    } finally {
      logger.detachAppender(lines);
    }
  }

  @Test
  void aLineThatChecksNoSignatureIsWarnedOfThatAndNotOfWhatItWouldRefuse() {
    assertThat(warnings("twilio.validate-signature", "false", "openai.api-key", "sk-of-a-test"))
        .hasSize(2)
        .first()
        .asString()
        .startsWith("TWILIO_VALIDATE_SIGNATURE is false: anyone");
  }

  @Test
  void whatRealPeopleWouldMissIsWarnedOf() {
    assertThat(warnings())
        .satisfiesExactly(
            address -> assertThat(address).startsWith("HABITLINE_PUBLIC_URL is not set: "),
            model -> assertThat(model).startsWith("OPENAI_API_KEY and OPENAI_BASE_URL are not set"),
            contact -> assertThat(contact).startsWith("config/study.yaml names no contact"));
    assertThat(
            warnings(
                "habitline.public-url", "http://line.example", "openai.api-key", "sk-of-a-test"))
        .hasSize(2)
        .first()
        .asString()
        .startsWith("HABITLINE_PUBLIC_URL begins with http://");
    assertThat(
            warnings(
                "habitline.public-url", "https://line.example", "openai.api-key", "sk-of-a-test"))
        .satisfiesExactly(
            proxy -> assertThat(proxy).startsWith("HABITLINE_PROXY_HEADER is not set"),
            contact -> assertThat(contact).startsWith("config/study.yaml names no contact"));
  }

  @Test
  void thatBehindAProxyEverybodyIsOneAddressIsSaidAtTheStartAndOnThePageUntilTheHeaderIsNamed() {
    for (var header : List.of("", "X-Forwarded-For")) {
      try (var behind =
          Doors.open(
              Map.of(
                  "habitline.public-url",
                  "https://line.example",
                  "habitline.proxy-header",
                  header))) {
        for (var told :
            List.of(
                printed(behind.bean(Banner.class)),
                behind.at("/system").key(Doors.ADMIN_KEY).get().text())) {
          assertThat(told.contains("HABITLINE_PROXY_HEADER is not set: all requests"))
              .isEqualTo(header.isEmpty());
        }
      }
    }
  }
}
