package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.ZipInputStream;
import org.h2.mvstore.SteadyCopy;
import org.habitline.FreshHome;
import org.habitline.HomeBytes;
import org.habitline.TestDatabase;
import org.habitline.ops.start.EraseCommand;
import org.habitline.ops.start.SuppressionKey;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of the database file, made while the line runs. */
@Order(1)
class BackupTest {

  private static final String ENROLMENT =
      "{\"phone_number\":\"+12065550177\",\"name\":\"Robin Example\",\"channel\":\"simulator\"}";

  /** The file in the home, whatever database the tests run on. */
  private static Doors onFile(Path home) {
    return Doors.open(settings(home));
  }

  private static Map<String, Object> settings(Path home) {
    return Map.of("database.url", "", "habitline.home", home.toString(), "turn.quiet-period", "0s");
  }

  @Test
  void aBackupThatIsPutBackHoldsEverythingUntilItWasMade() throws IOException {
    var home = Doors.freshHome();
    String file;
    String robin;
    try (var doors = onFile(home)) {
      robin = enrolled(doors, ENROLMENT);
      var made = doors.at("/backup").key(Doors.ADMIN_KEY).send("POST", "");
      assertThat(made.status()).isEqualTo(201);
      file = made.json().at("/result/file").asText();
      assertThat(file).matches("habitline-\\d{8}T\\d{6}\\.\\d{3}Z\\.zip");
      assertThat(made.json().at("/result/bytes").asLong())
          .isEqualTo(Files.size(home.resolve("backups").resolve(file)));
      enrolled(doors, ENROLMENT.replace("0177", "0178"));
      assertThat(doors.at("/backup").key(Doors.ADMIN_KEY).get().text()).contains(file);
      assertThat(doors.at("/backup?cursor=x").key(Doors.ADMIN_KEY).get().status()).isEqualTo(400);
      assertThat(doors.at("/audit?action=backup+made").key(Doors.ADMIN_KEY).get().text())
          .contains(file);
      var staff = doors.newKey("no admin", "staff").path("key").asText();
      assertThat(doors.at("/backup").key(staff).send("POST", "").status()).isEqualTo(403);
    }
    assertThat(permissions(home.resolve("data")))
        .containsOnlyKeys("data", "habitline.mv.db")
        .containsEntry("data", "rwx------")
        .containsEntry("habitline.mv.db", "rw-------");
    assertThat(permissions(home.resolve("backups")))
        .containsEntry("backups", "rwx------")
        .containsEntry(file, "rw-------");

    var zip = home.resolve("backups").resolve(file);
    var restored = Doors.freshHome();
    var data = restored.resolve("data");
    unpack(zip, data);
    Files.writeString(data.resolve("habitline.trace.db"), "what H2 once wrote");
    Files.writeString(Files.createDirectories(data.resolve("older")).resolve("copy.mv.db"), "x");
    Files.copy(zip, Files.createDirectories(restored.resolve("backups")).resolve(file));
    for (var folder : List.of(data, data.resolve("older"), restored.resolve("backups"))) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.setPosixFilePermissions(
        data.resolve("habitline.mv.db"), PosixFilePermissions.fromString("rw-r--r--"));
    keepTheKey(home, restored);
    try (var doors = onFile(restored)) {
      assertThat(permissions(restored.resolve("backups")).values())
          .containsExactlyInAnyOrder("rwx------", "rw-------");
      assertThat(permissions(data))
          .hasSize(5)
          .containsEntry("data", "rwx------")
          .containsEntry("older", "rwx------")
          .containsEntry("copy.mv.db", "rw-------")
          .containsEntry("habitline.mv.db", "rw-------")
          .containsEntry("habitline.trace.db", "rw-------");
      var people = doors.at("/conversation/participants").key(Doors.ADMIN_KEY).get().json();
      assertThat(people.path("result").findValuesAsText("id")).containsExactly(robin);
    }
  }

  /** Permissions of a folder and of everything in it, by name. */
  private static Map<String, String> permissions(Path folder) throws IOException {
    var found = new HashMap<String, String>();
    try (var paths = Files.walk(folder)) {
      for (var path : paths.toList()) {
        found.put(
            String.valueOf(path.getFileName()),
            PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
      }
    }
    return found;
  }

  @Test
  void aFileSystemWithoutPermissionsIsSaidToHaveNone(@TempDir Path folder) throws IOException {
    try (var zip = FileSystems.newFileSystem(folder.resolve("a.zip"), Map.of("create", "true"))) {
      var data = Files.createDirectories(zip.getPath("/data"));
      assertThat(PrivateFolders.tighten(data))
          .hasValueSatisfying(said ->
              assertThat(said)
                  .isEqualTo(
                      "The file system of /data has no file permissions. Make sure that only the user"
                          + " that runs the service can read that folder."));
      assertThat(PrivateFolders.tighten(zip.getPath("/nowhere"))).isEmpty();
    }
  }

  private static String enrolled(Doors doors, String body) {
    return doors
        .at("/conversation/participants")
        .key(Doors.ADMIN_KEY)
        .json(body)
        .json()
        .at("/result/id")
        .asText();
  }

  private static void unpack(Path zip, Path folder) throws IOException {
    Files.createDirectories(folder);
    try (var entries = new ZipInputStream(Files.newInputStream(zip))) {
      for (var entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
        Files.copy(entries, folder.resolve(Path.of(entry.getName()).getFileName()));
      }
    }
  }

  /** What is written, freed and moved while a copy is made must neither wait nor get into it. */
  @Test
  void othersWriteWhileACopyIsMadeAndItHoldsWhatWasThereWhenItBegan() throws IOException {
    var home = Doors.freshHome();
    var restored = Doors.freshHome();
    var file = Files.createDirectories(restored.resolve("data")).resolve("habitline.mv.db");
    var before = new TreeSet<String>();
    try (var doors = onFile(home)) {
      for (int i = 100; i < 130; i++) {
        before.add(enrolled(doors, ENROLMENT.replace("0177", "0" + i)));
      }
      var meanwhile = new AtomicInteger(200);
      try (var copy = SteadyCopy.of(doors.mvStore().orElseThrow()).orElseThrow();
          var out = new SlowFile(file, () -> busy(doors, meanwhile))) {
        copy.writeTo(out);
        assertThat(copy.length()).isEqualTo(Files.size(file));
      }
      assertThat(meanwhile.get()).as("somebody enrolled while it was copied").isGreaterThan(203);
      busy(doors, meanwhile);
    }
    keepTheKey(home, restored);
    try (var doors = onFile(restored)) {
      assertThat(ids(doors)).containsExactlyInAnyOrderElementsOf(before);
      // The copy goes on as any other line does.
      enrolled(doors, ENROLMENT);
    }
  }

  /** Enrols somebody, erases somebody, and does at once what else happens from time to time. */
  private static void busy(Doors doors, AtomicInteger number) {
    enrolled(doors, ENROLMENT.replace("0177", "0" + number.incrementAndGet()));
    var leaving = ids(doors).getFirst();
    doors.at("/conversation/participants/" + leaving).key(Doors.ADMIN_KEY).send("DELETE", "");
    doors.bean(FileCompaction.class).compact();
    doors.bean(ErasedSpace.class).run();
  }

  private static List<String> ids(Doors doors) {
    return doors
        .at("/conversation/participants?limit=200")
        .key(Doors.ADMIN_KEY)
        .get()
        .json()
        .path("result")
        .findValuesAsText("id");
  }

  /** Lets something happen before each piece that is written. */
  private static final class SlowFile extends FilterOutputStream {
    private final Runnable meanwhile;

    private SlowFile(Path file, Runnable meanwhile) throws IOException {
      super(Files.newOutputStream(file));
      this.meanwhile = meanwhile;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      for (int at = 0; at < length; at += 200_000) {
        meanwhile.run();
        out.write(bytes, from + at, Math.min(200_000, length - at));
      }
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      write(bytes, 0, bytes.length);
    }
  }

  @Test
  void aBackupFromBeforeAnErasureBringsNobodyBack() throws IOException {
    var home = Doors.freshHome();
    var words = List.of("+12065550177", "Robin Example");
    String zip;
    String stays;
    try (var doors = onFile(home)) {
      stays = enrolled(doors, "{\"phone_number\":\"+12065550999\",\"channel\":\"simulator\"}");
      var robin = enrolled(doors, ENROLMENT);
      zip =
          doors
              .at("/backup")
              .key(Doors.ADMIN_KEY)
              .send("POST", "")
              .json()
              .at("/result/file")
              .asText();
      doors.at("/conversation/participants/" + robin).key(Doors.ADMIN_KEY).send("DELETE", "");
      isDone(doors, robin);
      assertThat(HomeBytes.holding(home.resolve("data"), words)).isEmpty();
    }
    var written = home.resolve(ErasureFile.NAME);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(written)))
        .isEqualTo("rw-------");

    // In the same home the start does it by itself.
    Files.delete(home.resolve("data").resolve("habitline.mv.db"));
    unpack(home.resolve("backups").resolve(zip), home.resolve("data"));
    try (var doors = onFile(home)) {
      assertThat(ids(doors)).containsExactly(stays);
      assertThat(erasedCounts(doors)).as("counted as at the first erasure").containsExactly("1");
      assertThat(doors.bean(ErasedAgain.class).notice())
          .startsWith(
              "This database held 1 participant whose erasure is recorded in erasures.jsonl");
      await()
          .untilAsserted(
              () -> assertThat(HomeBytes.holding(home.resolve("data"), words)).isEmpty());
    }

    // In another home somebody has to name the files; one of them was cut off by a crash.
    var other = Doors.freshHome();
    unpack(home.resolve("backups").resolve(zip), other.resolve("data"));
    var torn = Files.writeString(other.resolve("torn.jsonl"), "{\"id\":\"conv_no");
    keepTheKey(home, other);
    var said = new ByteArrayOutputStream();
    var code =
        EraseCommand.run(
            List.of("--again", written.toString(), torn.toString()),
            ApplicationContext.builder().properties(settings(other)).build(),
            new PrintStream(said, true, StandardCharsets.UTF_8),
            System.err);
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("1 erasures are recorded; 1 of them were carried out again.")
        .contains("None of their data is left.");
    assertThat(code).isZero();
    assertThat(HomeBytes.holding(other.resolve("data"), words)).isEmpty();
    assertThat(Files.readString(other.resolve(ErasureFile.NAME)))
        .isEqualTo(Files.readString(written));
    try (var doors = onFile(other)) {
      assertThat(ids(doors)).containsExactly(stays);
      assertThat(erasedCounts(doors)).containsExactly("1");
    }
  }

  private static List<String> erasedCounts(Doors doors) {
    return FreshHome.rows(doors.context(), "SELECT study_day FROM erased_count").stream()
        .map(row -> String.valueOf(row.get("study_day")))
        .toList();
  }

  /** The key of hashed numbers goes with the database, as the guide says. */
  private static void keepTheKey(Path from, Path to) throws IOException {
    Files.copy(from.resolve(SuppressionKey.NAME), to.resolve(SuppressionKey.NAME));
  }

  private static void isDone(Doors doors, String participantId) {
    await()
        .until(() -> {
          var newest = doors.at("/erasures").key(Doors.ADMIN_KEY).get().json().at("/result/0");
          return newest.path("participant_id").asText().equals(participantId)
              && newest.path("status").asText().equals("done");
        });
  }

  @Test
  void theEraseCommandSaysWhatItTakes() {
    var said = new ByteArrayOutputStream();
    var err = new PrintStream(said, true, StandardCharsets.UTF_8);
    assertThat(EraseCommand.run(List.of(), System.out, err)).isEqualTo(2);
    assertThat(EraseCommand.run(List.of("--again"), System.out, err)).isEqualTo(2);
    assertThat(EraseCommand.run(List.of("--again", "/none/such.jsonl"), System.out, err))
        .isEqualTo(2);
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("Expected --again and one or more files")
        .contains("/none/such.jsonl: there is no such file");
  }

  @Test
  void aFolderThatCannotBeWrittenIsNamed() throws IOException {
    var home = Doors.freshHome();
    Files.writeString(home.resolve("backups"), "a file");
    try (var doors = onFile(home)) {
      var refused = doors.at("/backup").key(Doors.ADMIN_KEY).send("POST", "");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.message())
          .startsWith("The backups folder in the home folder cannot be written");
      var page =
          doors
              .at("/system/backup")
              .header("Cookie", doors.signIn(Doors.ADMIN_KEY))
              .header("Origin", "http://" + doors.host())
              .browser()
              .form("unused", "");
      assertThat(page.status()).isEqualTo(409);
      assertThat(page.text()).contains("The backups folder in the home folder cannot be written");
    }
  }

  @Test
  void onPostgresqlTheToolOfThatIsNamed() {
    try (var doors = Doors.open(new HashMap<>(TestDatabase.postgres()))) {
      var refused = doors.at("/backup").key(Doors.ADMIN_KEY).send("POST", "");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.message()).contains("pg_dump");
      assertThat(doors.at("/backup").key(Doors.ADMIN_KEY).get().json().path("result")).isEmpty();
      assertThat(doors.at("/system").key(Doors.ADMIN_KEY).browser().get().text())
          .contains("pg_dump");
    }
  }
}
