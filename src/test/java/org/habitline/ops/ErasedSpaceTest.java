package org.habitline.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.habitline.HomeBytes;
import org.habitline.RunningLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Erasures;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.participants.Suppressed;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is left of people who were erased in the files of a home, while the line runs. */
final class ErasedSpaceTest {

  private static final Duration A_MINUTE = Duration.ofMinutes(1);

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
        .atMost(A_MINUTE)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() -> assertThat(HomeBytes.holding(line.home(), words)).isEmpty());
  }

  @Test
  void withinAMinuteNoFileHoldsAnythingOfWhoWasErasedWhileTheLineGoesOn() {
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
        .atMost(A_MINUTE)
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
                    new Enrolment(
                        new PhoneNumber("+12075" + (550000 + i * 7)),
                        null,
                        null,
                        null,
                        null,
                        ZoneId.of("Europe/Berlin"),
                        false,
                        "habit",
                        ChannelKind.SIMULATOR,
                        false)))
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
    participants.optOut(robin.id(), "keyword");
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
}
