package org.habitline.ops.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.habitline.HomeBytes;
import org.habitline.RunningLine;
import org.habitline.TestDatabase;
import org.habitline.llm.openai.Scripted;
import org.habitline.ops.start.StartFailure;
import org.habitline.ops.start.SuppressionKey;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.ErasureRecord;
import org.habitline.participants.Erasures;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.participants.Suppressed;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of people who were erased in the files of a home, while the line runs. */
final class ErasedSpaceTest {

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = RunningLine.onFile(ErasedSpaceTest.class).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static void nothingIsLeftOf(List<String> words) {
    await()
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() -> assertThat(HomeBytes.holding(line.home(), words)).isEmpty());
  }

  @Test
  void noFileHoldsAnythingOfWhoWasErasedWhileTheLineGoesOn() {
    var other = line.greeted();
    var robin = line.enrol(ChannelKind.SIMULATOR, "Robin Quillfeather");
    line.awaitTurn(robin, 1);
    line.fake()
        .then(
            Scripted.call("save_user_profile", "{\"prompt_anchor\":\"marzipan kettle\"}"),
            Scripted.say("Noted, Robin Quillfeather."));
    line.answered(robin, "I have a marzipan kettle");
    line.answered(other, "hello");
    var words = List.of("Robin Quillfeather", robin.phone().e164(), "marzipan kettle", "marzipan");
    assertThat(HomeBytes.holding(line.home(), words)).isNotEmpty();

    line.bean(Participants.class).leave(robin.id(), false);
    line.answered(other, "and on it goes");
    nothingIsLeftOf(words);
    await()
        .until(() ->
            line.bean(Erasures.class)
                .find(robin.id())
                .filter(it -> it.status() == Erasures.Status.DONE)
                .isPresent());
    assertThat(line.column("SELECT action FROM audit_event WHERE participant_id = ?", robin.id()))
        .endsWith("participant erased", "erasure finished");
    line.answered(other, "still here");
    assertThat(line.transcript(other)).contains("user: hello", "user: and on it goes");
  }

  /** Deleting a row leaves its key in the pages that part the leaves of an index. */
  @Test
  void noIndexKeepsTheNumbersOfWhoWasErased() {
    var participants = line.bean(Participants.class);
    var people =
        IntStream.range(0, 600)
            .mapToObj(i ->
                participants.meet(
                    Enrolment.of(
                        new PhoneNumber("+12075" + (550000 + i * 7)),
                        ZoneId.of("Europe/Berlin"),
                        "habit",
                        ChannelKind.SIMULATOR)))
            .toList();
    var gone = new ArrayList<String>();
    for (int i = 0; i < people.size(); i++) {
      // A leaf of numbers that only grow is split at its middle, at every 24th: those go.
      if (i % 3 != 1) {
        gone.add(people.get(i).phone().e164());
        participants.leave(people.get(i).id(), false);
      }
    }
    nothingIsLeftOf(gone);
    for (int i = 0; i < people.size(); i++) {
      assertThat(participants.findWithContacts(people.get(i).phone()).isPresent())
          .as(people.get(i).phone().e164())
          .isEqualTo(i % 3 == 1);
    }
  }

  /** Under another key nobody could tell who said STOP. */
  @Test
  void aStartUnderAnotherKeyThanTheHashesOfNumbersIsRefused() throws IOException {
    var participants = line.bean(Participants.class);
    var robin = line.enrol(ChannelKind.SIMULATOR);
    participants.optOut(robin.id(), OptOutSource.KEYWORD);
    participants.leave(robin.id(), false);
    nothingIsLeftOf(List.of(robin.phone().e164()));
    var file = line.home().resolve(SuppressionKey.NAME);
    var key = Files.readString(file);
    assertThat(key).matches("[0-9a-f]{64}\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    SuppressionKey.check(line.bean(Suppressed.class));
    Files.writeString(file, "0".repeat(64));
    var next = line.second().build();
    try {
      assertThatThrownBy(() -> SuppressionKey.check(next.bean(Suppressed.class)))
          .isInstanceOf(StartFailure.class)
          .hasMessageContaining("suppression.key");
    } finally {
      next.stop();
      Files.writeString(file, key);
    }
  }

  /** Otherwise the first STOP that is hashed on one node would stop the other one. */
  @Test
  void aNodeWithAnotherKeyIsRefusedAlsoBeforeAnyNumberIsHashed() throws IOException {
    try (var first = RunningLine.on(ErasedSpaceTest.class, TestDatabase.postgres()).build()) {
      SuppressionKey.check(first.bean(Suppressed.class));
      assertThat(first.rows("SELECT * FROM suppressed_number")).isEmpty();
      Files.writeString(first.home().resolve(SuppressionKey.NAME), "0".repeat(64));
      var next = first.second().build();
      try {
        assertThatThrownBy(() -> SuppressionKey.check(next.bean(Suppressed.class)))
            .isInstanceOf(StartFailure.class)
            .hasMessageContaining("Copy that file");
      } finally {
        next.stop();
      }
    }
  }

  /** Nobody else has the file of H2 open: a key that hashed nothing is nobody's. */
  @Test
  void aFileInANewHomeTakesTheNewKeyWhileNothingIsHashed() throws IOException {
    try (var first = RunningLine.onFile(ErasedSpaceTest.class).build()) {
      SuppressionKey.check(first.bean(Suppressed.class));
      Files.writeString(first.home().resolve(SuppressionKey.NAME), "0".repeat(64));
      var next = first.second().build();
      try {
        SuppressionKey.check(next.bean(Suppressed.class));
        assertThat(next.bean(Suppressed.class).knowsTheKey()).isTrue();
      } finally {
        next.stop();
      }
    }
  }

  /** A vacuum leaves rows that an older transaction may still read. */
  @Test
  void onPostgresqlAnErasureIsDoneOnceNobodyMayReadTheDeletedRows() throws SQLException {
    var database = TestDatabase.postgres();
    try (var own = RunningLine.on(ErasedSpaceTest.class, database).start();
        var reader =
            DriverManager.getConnection(
                String.valueOf(database.get("database.url")),
                String.valueOf(database.get("database.user")),
                String.valueOf(database.get("database.password")))) {
      var robin = own.greeted();
      reader.setAutoCommit(false);
      reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      long process = number(reader, "SELECT pg_backend_pid() FROM participant");
      own.bean(Participants.class).leave(robin.id(), false);
      var space = own.bean(ErasedSpace.class);
      await()
          .until(() -> {
            space.run();
            // For a while it may be a transaction of another test on the same server.
            return space.unfinished() == 1
                && space
                    .heldUpBy()
                    .equals(Optional.of("the transaction of server process " + process));
          });
      assertThat(space.finish()).isFalse();
      assertThat(own.bean(Erasures.class).find(robin.id()).orElseThrow().status())
          .isEqualTo(Erasures.Status.REWRITING);
      assertThat(number(reader, "SELECT COUNT(*) FROM participant"))
          .as("what it kept readable")
          .isEqualTo(1);
      reader.rollback();
      await()
          .until(() -> {
            space.run();
            return space.unfinished() == 0;
          });
      assertThat(own.bean(Erasures.class).find(robin.id()).orElseThrow().status())
          .isEqualTo(Erasures.Status.DONE);
    }
  }

  private static long number(Connection connection, String query) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Test
  @SuppressWarnings("unchecked") // the bean has no other type
  void anErasureThatWasUndoneIsNotCarriedOutByTheNextStart() throws IOException {
    var participants = line.bean(Participants.class);
    var robin = line.greeted();
    var transactions = line.bean(Transactions.class);
    assertThatThrownBy(() ->
            transactions.write(() -> {
              assertThat(participants.leave(robin.id(), false)).isTrue();
              throw new IllegalStateException("The request is refused.");
            }))
        .hasMessage("The request is refused.");
    var file = line.bean(ErasureFile.class);
    assertThat(Files.readString(line.home().resolve(ErasureFile.NAME))).contains(robin.id());
    assertThat(file.read()).doesNotContainKey(robin.id());
    line.bean(ErasedAgain.class).atStart();
    assertThat(participants.find(robin.id())).isPresent();

    // Killed before it could say that it failed: nobody was told.
    file.add(new ErasureRecord.Entry(robin.id(), line.system().instant(), false, List.of()));
    line.bean(ErasedAgain.class).atStart();
    assertThat(participants.findWithLeaving(robin.id())).isEmpty();
  }

  @Test
  void oneNodesRefusalDoesNotTakeBackWhatAnotherNodeCarriedOut(@TempDir Path folder)
      throws IOException {
    var refused =
        Files.writeString(
            folder.resolve("refused.jsonl"),
            """
            {"id":"conv_1","at":"2026-11-20T10:00:00Z","keep_transcript":false,"senders":["ab"]}
            {"id":"conv_2","at":"2026-11-20T10:00:01Z","keep_transcript":false,"senders":["cd"]}
            {"id":"conv_1","at":"2026-11-20T10:00:00Z","not_carried_out":true}
            {"id":"conv_2","at":"2026-11-20T10:00:01Z","not_carried_out":true}
            """);
    var carriedOut =
        Files.writeString(
            folder.resolve("carried-out.jsonl"),
            "{\"id\":\"conv_1\",\"at\":\"2026-11-20T09:59:59Z\",\"keep_transcript\":true}\n");
    for (var files : List.of(List.of(refused, carriedOut), List.of(carriedOut, refused))) {
      assertThat(ErasureFile.union(files)).containsOnlyKeys("conv_1");
    }
  }
}
