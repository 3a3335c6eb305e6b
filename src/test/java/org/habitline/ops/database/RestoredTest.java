package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.ZipInputStream;
import org.habitline.RestLine;
import org.habitline.TestDatabase;
import org.habitline.messaging.Restored;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.TwilioMessage;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.ops.start.RestoredCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup that is put back says nothing by itself that may have been said before. */
class RestoredTest {

  private static final AtomicInteger NUMBERS = new AtomicInteger(100);
  private static final String PUBLIC_URL = "https://line.example";

  private final FakeTwilio twilio = FakeTwilio.start();

  @TempDir Path folder;

  @AfterEach
  void stop() {
    twilio.close();
  }

  private static String newNumber() {
    return "+1206555" + "%04d".formatted(NUMBERS.incrementAndGet());
  }

  private Map<String, String> settings(Path home) {
    var settings =
        new HashMap<>(
            twilio.settings("habitline.public-url", PUBLIC_URL, "twilio.sms-rate", "1000"));
    settings.put("habitline.home", home.toString());
    settings.put("database.url", "");
    return settings;
  }

  private RestLine started(Path home) {
    var line = RestLine.start(RestoredTest.class, settings(home));
    twilio.reaching(PUBLIC_URL, line.url());
    return line;
  }

  private static TwilioPhone phone(RestLine line) {
    return TwilioPhone.calling(line.url(), PUBLIC_URL);
  }

  private long sentTo(String number) {
    return twilio.messages().stream()
        .filter(message -> !message.inbound() && message.to().endsWith(number))
        .count();
  }

  private static void put(RestLine line, String path, String body) {
    assertThat(line.send("PUT", path, body).status()).isEqualTo(200);
  }

  /**
   * A reply waits in the backup, and is sent after it was made. Returns the home it is put back to.
   */
  private Path restoredWithAReplyThatWaits(String number) throws IOException {
    var home = Files.createDirectories(folder.resolve("before"));
    String file;
    try (var line = started(home)) {
      line.enrol(Map.of("phone_number", number));
      await().until(() -> sentTo(number) == 1);
      put(line, "/sending", "{\"sending\":false,\"reason\":\"to have something wait\"}");
      phone(line).text(number, "hello");
      await()
          .until(() ->
              line.rows("SELECT 1 FROM outbox WHERE status = 'planned' AND kind = 'reply'").size()
                  == 1);
      file = line.send("POST", "/backup", "").result().path("file").asText();
      put(line, "/sending", "{\"sending\":true}");
      await().until(() -> sentTo(number) == 2);
    }
    var next = Files.createDirectories(folder.resolve("after"));
    var data = Files.createDirectories(next.resolve("data"));
    try (var zip =
        new ZipInputStream(Files.newInputStream(home.resolve("backups").resolve(file)))) {
      for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Files.copy(zip, data.resolve(entry.getName()));
      }
    }
    Files.copy(home.resolve("suppression.key"), next.resolve("suppression.key"));
    assertThat(data.resolve(Backups.MARK)).exists();
    return next;
  }

  private static List<Map<String, Object>> outbox(RestLine line, String kind) {
    return line.rows("SELECT * FROM outbox WHERE kind = ? ORDER BY seq", kind);
  }

  @Test
  void aBackupThatIsPutBackWaitsAndWhatIsSkippedIsNeverSaid() throws IOException {
    var robin = newNumber();
    var kim = newNumber();
    var home = restoredWithAReplyThatWaits(robin);
    try (var line = started(home)) {
      assertThat(home.resolve("data").resolve(Backups.MARK)).doesNotExist();
      // A stop of all sending is something else.
      put(line, "/sending", "{\"sending\":true}");
      var text = phone(line).text(robin, "are you there?");
      assertThat(text.status()).isEqualTo(200);
      line.enrol(Map.of("phone_number", kim));
      phone(line).text(kim, "I want to kill myself tonight");
      await().until(() -> sentTo(kim) == 1);
      assertThat(outbox(line, "crisis")).hasSize(1);
      var view = line.get("/restored").result();
      assertThat(view.path("undecided").asBoolean()).isTrue();
      assertThat(view.path("messages").asLong()).isGreaterThanOrEqualTo(1);
      assertThat(view.path("texts").asLong()).isGreaterThanOrEqualTo(1);
      assertThat(line.get("/").response().body())
          .contains("This is the backup of", "Skip what waits", "Send and answer it");
      assertThat(line.send("PUT", "/restored", "{\"what_waits\":\"?\"}").status()).isEqualTo(400);
      var waiting = line.rows("SELECT id FROM outbox WHERE kind = 'reply' AND status = 'planned'");
      assertThat(waiting).hasSize(1);
      var jo = newNumber();
      line.enrol(Map.of("phone_number", jo));

      // The next start sees the same mark, in the database.
      line.restart();
      twilio.reaching(PUBLIC_URL, line.url());
      assertThat(line.get("/restored").result().path("undecided").asBoolean()).isTrue();
      assertThat(sentTo(robin)).isEqualTo(2);

      put(line, "/restored", "{\"what_waits\":\"skip\"}");
      assertThat(line.send("PUT", "/restored", "{\"what_waits\":\"skip\"}").status())
          .isEqualTo(409);
      await()
          .until(() ->
              line.rows("SELECT 1 FROM inbox WHERE status = 'waiting'").isEmpty()
                  && line.rows("SELECT 1 FROM outbox WHERE open").isEmpty());
      assertThat(
              line.rows(
                  "SELECT reason FROM outbox WHERE id = ?",
                  String.valueOf(waiting.getFirst().get("id"))))
          .containsExactly(Map.of("reason", Restored.REASON));
      await().until(() -> sentTo(jo) == 1);
      assertThat(line.rows("SELECT reason FROM turn WHERE reason = ?", Restored.REASON))
          .isNotEmpty();
      assertThat(line.rows("SELECT * FROM audit_event WHERE action = 'backup restored'"))
          .singleElement()
          .satisfies(row -> assertThat(row).containsEntry("new_value", "skipped"));
      assertThat(sentTo(robin)).isEqualTo(2);

      phone(line).text(robin, "and now?");
      await().until(() -> sentTo(robin) == 3);
    }
  }

  @Test
  void whatWaitsInABackupIsSentAndAnsweredIfAnAdminWantsThat() throws IOException {
    var robin = newNumber();
    var home = restoredWithAReplyThatWaits(robin);
    try (var line = started(home)) {
      put(line, "/sending", "{\"sending\":true}");
      phone(line).text(robin, "are you there?");
      put(line, "/restored", "{\"what_waits\":\"send\"}");
      await().until(() -> sentTo(robin) == 4);
      assertThat(line.get("/restored").result().path("undecided").asBoolean()).isFalse();
    }
  }

  @Test
  void aConfirmationOfStopLeavesARestoredBackup() throws IOException {
    var robin = newNumber();
    var home = restoredWithAReplyThatWaits(robin);
    try (var line = started(home)) {
      put(line, "/sending", "{\"sending\":true}");
      phone(line).text(robin, "ALTO");
      await().until(() -> sentTo(robin) == 3);
      assertThat(outbox(line, "confirmation"))
          .extracting(row -> row.get("body"))
          .containsExactly(last(robin).body());
    }
  }

  private TwilioMessage last(String number) {
    return twilio.messages().stream()
        .filter(message -> !message.inbound() && message.to().endsWith(number))
        .reduce((before, message) -> message)
        .orElseThrow();
  }

  @Test
  void aCommandMarksADatabaseOfPostgresqlWithTheTimeOfItsNewestEvent() {
    var settings = new HashMap<String, Object>(TestDatabase.postgres());
    settings.put("habitline.home", folder.toString());
    var said = new ByteArrayOutputStream();
    var out = new PrintStream(said, true, StandardCharsets.UTF_8);
    for (int i = 0; i < 2; i++) {
      assertThat(
              RestoredCommand.run(
                  List.of(), ApplicationContext.builder().properties(settings).build(), out, out))
          .isZero();
    }
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("The database is marked as the backup of");
    try (var context = ApplicationContext.builder().properties(settings).start()) {
      assertThat(context.getBean(Restored.class).look()).isTrue();
    }
  }
}
