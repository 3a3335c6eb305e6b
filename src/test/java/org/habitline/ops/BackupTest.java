package org.habitline.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipInputStream;
import org.habitline.TestDatabase;
import org.junit.jupiter.api.Test;

/** Copies of the database file, made while the line runs. */
class BackupTest {

  private static final String ENROLMENT =
      "{\"phone_number\":\"+12065550177\",\"name\":\"Robin Example\",\"channel\":\"simulator\"}";

  /** The file in the home, whatever database the tests run on. */
  private static Doors onFile(Path home) {
    return Doors.open(
        Map.of("database.url", "", "habitline.home", home.toString(), "turn.quiet-period", "0s"));
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
    var zip = home.resolve("backups").resolve(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(zip)))
        .isEqualTo("rw-------");

    var restored = Doors.freshHome();
    unpack(zip, restored.resolve("data"));
    try (var doors = onFile(restored)) {
      var people = doors.at("/conversation/participants").key(Doors.ADMIN_KEY).get().json();
      assertThat(people.path("result").findValuesAsText("id")).containsExactly(robin);
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

  @Test
  void aFolderThatCannotBeWrittenIsNamed() throws IOException {
    var home = Doors.freshHome();
    Files.writeString(home.resolve("backups"), "a file");
    try (var doors = onFile(home)) {
      var refused = doors.at("/backup").key(Doors.ADMIN_KEY).send("POST", "");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.message()).startsWith("The folder backups of the home cannot be written");
      var page =
          doors
              .at("/system/backup")
              .header("Cookie", doors.signIn(Doors.ADMIN_KEY))
              .header("Origin", "http://" + doors.host())
              .browser()
              .form("unused", "");
      assertThat(page.status()).isEqualTo(409);
      assertThat(page.text()).contains("The folder backups of the home cannot be written");
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
