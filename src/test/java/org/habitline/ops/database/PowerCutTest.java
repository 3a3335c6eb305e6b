package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.RestLine;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.habitline.messaging.twilio.TwilioPhone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the disk of the H2 file does: the power goes, there is no room, it fails. */
@Tag("file")
class PowerCutTest {

  private static final String OPTIONS =
      ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;WRITE_DELAY=0;RETENTION_TIME=1000;DB_CLOSE_ON_EXIT=FALSE"
          + ";TRACE_LEVEL_FILE=0;LOCK_TIMEOUT=10000;QUERY_CACHE_SIZE=256;OPTIMIZE_REUSE_RESULTS=0";

  private static final String PUBLIC_URL = "https://line.example";
  private static final int PEOPLE = 6;
  private static final int TEXTS = 4;

  @TempDir Path cuts;

  private final FakeTwilio twilio = FakeTwilio.start();
  private final AtomicInteger number = new AtomicInteger();
  private final List<String> lost = new CopyOnWriteArrayList<>();
  private RestLine line;
  private TwilioPhone phone;
  private PowerCuts.Disk disk;

  @BeforeEach
  void start() {
    var settings =
        new HashMap<>(
            twilio.settings("habitline.public-url", PUBLIC_URL, "twilio.sms-rate", "1000"));
    settings.put(
        "datasources.default.url", PowerCuts.address("${habitline.home}/data/habitline") + OPTIONS);
    line = RestLine.start(PowerCutTest.class, settings);
    phone = TwilioPhone.calling(line.url(), PUBLIC_URL).listedBy(twilio);
    twilio.reaching(PUBLIC_URL, line.url());
    disk = PowerCuts.disk(line.home().resolve("data/habitline.mv.db"));
  }

  @AfterEach
  void stop() {
    line.close();
    twilio.close();
  }

  /** Notes what is missing after a power cut now, if the query finds nothing there. */
  private void mustBeThere(String what, String query, String value) {
    var name = "cut" + number.incrementAndGet();
    // The seed differs from cut to cut and not from run to run.
    disk.cut(cuts.resolve(name + ".mv.db"), new SplittableRandom(name.hashCode()));
    try (var connection =
            DriverManager.getConnection(
                "jdbc:h2:file:" + cuts.resolve(name) + OPTIONS, "habitline", "");
        var statement = connection.prepareStatement(query)) {
      statement.setString(1, value);
      try (var rows = statement.executeQuery()) {
        if (!rows.next()) {
          lost.add(what);
        }
      }
    } catch (SQLException e) {
      lost.add(what + ": the file cannot be opened: " + e.getMessage());
    }
  }

  @Test
  void whatWasAcknowledgedAndWhatIsPostedIsOnTheDiskWhenThePowerGoes() throws Exception {
    twilio.otherwise(posted -> {
      mustBeThere(
          "the mark of " + posted.body(),
          "SELECT 1 FROM outbox WHERE status = 'sending' AND body = ?",
          posted.body());
      return TwilioAnswer.accept();
    });
    var ended = new ArrayList<Future<?>>();
    try (var people = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < PEOPLE; i++) {
        var from = "+1206555020" + i;
        ended.add(
            people.submit(() -> {
              var id = line.enrol(Map.of("phone_number", from)).result().path("id").asText();
              mustBeThere("participant " + from, "SELECT 1 FROM participant WHERE id = ?", id);
              for (int text = 0; text < TEXTS; text++) {
                var answered = phone.text(from, "text " + text + " of " + from);
                assertThat(answered.status()).isEqualTo(200);
                mustBeThere(
                    "text " + text + " of " + from,
                    "SELECT 1 FROM inbox WHERE provider_id = ?",
                    answered.sid());
              }
            }));
      }
    }
    for (var person : ended) {
      person.get();
    }
    await()
        .until(() ->
            line.rows("SELECT 1 FROM outbox WHERE open").isEmpty()
                && line.rows("SELECT 1 FROM inbox WHERE status = 'waiting'").isEmpty());
    assertThat(twilio.posts()).hasSizeGreaterThan(PEOPLE);
    assertThat(lost).isEmpty();
    assertThat(disk.forces()).isGreaterThan(PEOPLE);
  }

  @Test
  void whenTheDiskIsFullNothingIsAcknowledgedAndWhenItHasRoomAgainTextsAreTakenWithoutARestart()
      throws IOException {
    troubled(true);
  }

  @Test
  void whatTheDiskDoesNotForceIsNotAcknowledgedAndTheFileIsOpenedAgain() throws IOException {
    troubled(false);
  }

  private void troubled(boolean full) throws IOException {
    var from = "+12065550300";
    line.enrol(Map.of("phone_number", from));
    assertThat(phone.text(from, "before").status()).isEqualTo(200);
    assertThat(readiness()).isEqualTo(200);
    trouble(full, true);
    for (int i = 0; i < 30; i++) {
      assertThat(phone.text(from, "meanwhile " + i).status()).isGreaterThanOrEqualTo(500);
    }
    assertThat(readiness()).isEqualTo(503);
    trouble(full, false);
    await().until(() -> phone.text(from, "again").status() == 200);
    for (int i = 0; i < 30; i++) {
      var answered = phone.text(from, "later " + i);
      assertThat(answered.status()).isEqualTo(200);
      mustBeThere("later " + i, "SELECT 1 FROM inbox WHERE provider_id = ?", answered.sid());
    }
    await().until(() -> readiness() == 200);
    assertThat(lost).isEmpty();
    assertThat(Files.exists(line.home().resolve("data/habitline.mv.db"))).isTrue();
  }

  private void trouble(boolean full, boolean now) {
    if (full) {
      disk.full(now);
    } else {
      disk.refuses(now);
    }
  }

  private int readiness() {
    return line.get("/health/readiness").status();
  }
}
