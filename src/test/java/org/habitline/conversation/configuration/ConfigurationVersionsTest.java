package org.habitline.conversation.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.habitline.Hashes;
import org.habitline.RunningLine;
import org.habitline.conversation.configuration.ConfigurationVersions.Reason;
import org.habitline.conversation.configuration.ConfigurationVersions.Version;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.flows.Prompt;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is in force is recorded when it changes, and only then. */
final class ConfigurationVersionsTest {

  private static final String PROMPT = "intake_bot_system.txt";

  /** Returns the versions after a start; these lines have no server that starts. */
  private static List<Version> versions(RunningLine line) {
    var _ = line.bean(ConfigurationVersions.class).current();
    return line.bean(ConfigurationVersions.class).before(Long.MAX_VALUE, 10);
  }

  private static ConfigurationChanges newest(RunningLine line) {
    var all = versions(line);
    return line.bean(ConfigurationVersions.class).changes(all.get(1), all.getFirst());
  }

  private static @Nullable Object configuration(RunningLine line, Participant of) {
    return line.turn(of, line.turns(of)).orElseThrow().get("configuration");
  }

  @Test
  void aStartRecordsWhatIsInForceOnlyIfItDiffers() {
    try (var line =
        RunningLine.in(ConfigurationVersionsTest.class)
            .study("contact: {name: Sam, email: sam@example.org}\n")
            .start()) {
      var first = versions(line);
      assertThat(first).extracting(Version::number).containsExactly(1L);
      assertThat(first.getFirst().reason()).isEqualTo(Reason.START);
      assertThat(first.getFirst().endedAt()).isNull();
      var content = line.bean(ConfigurationVersions.class).content(first.getFirst());
      assertThat(content.settings())
          .containsEntry("HABITLINE_ADMIN_KEY", "not set")
          .doesNotContainKey("HABITLINE_HOME");
      assertThat(content.files())
          .extracting(FileInForce::path)
          .contains("config/study.yaml")
          .anyMatch(path -> path.endsWith(PROMPT));
      try (var same = line.second().start()) {
        assertThat(versions(same)).hasSize(1);
      }
      try (var other = line.second().with("habitline.default-region", "DE").start()) {
        assertThat(versions(other)).hasSize(2);
        var changes = newest(other);
        assertThat(changes.files()).isEmpty();
        assertThat(changes.settings())
            .containsExactly(
                new ConfigurationChanges.ChangedSetting("HABITLINE_DEFAULT_REGION", "US", "DE"));
      }
      RunningLine.write(
          line.home().resolve("config/study.yaml"),
          "contact: {name: Robin, email: sam@example.org}\n");
      try (var edited = line.second().start()) {
        var changed = newest(edited).files();
        assertThat(changed)
            .extracting(ConfigurationChanges.ChangedFile::path)
            .containsExactly("config/study.yaml");
        assertThat(changed.getFirst().diff())
            .contains("-contact: {name: Sam,", "+contact: {name: Robin,");
        assertThat(versions(edited).get(1).endedAt())
            .isEqualTo(versions(edited).getFirst().beganAt());
      }
    }
  }

  @Test
  void anEditedPromptBeginsAVersionWithTheFirstTurnThatReadsIt() {
    try (var line =
        RunningLine.in(ConfigurationVersionsTest.class).prompt(PROMPT, "Be kind.\n").start()) {
      var robin = line.greeted();
      assertThat(configuration(line, robin)).isEqualTo(1L);
      RunningLine.write(line.home().resolve("prompts").resolve(PROMPT), "Be kind and brief.\n");
      line.fake().then(Scripted.say("Sure."));
      line.answered(robin, "hello");
      assertThat(configuration(line, robin)).isEqualTo(2L);
      assertThat(versions(line).getFirst().reason()).isEqualTo(Reason.PROMPT_EDIT);
      assertThat(newest(line).files())
          .singleElement()
          .satisfies(file -> {
            assertThat(file.path()).isEqualTo("prompts/" + PROMPT);
            assertThat(file.diff()).contains("-Be kind.", "+Be kind and brief.");
          });
      line.fake().then(Scripted.say("Yes."));
      line.answered(robin, "again");
      assertThat(configuration(line, robin)).isEqualTo(2L);
      assertThat(line.rows("SELECT COUNT(*) AS n FROM configuration_version"))
          .isEqualTo(List.of(Map.of("n", 2L)));
    }
  }

  @Test
  void nodesThatKeepTheSameTextsAtOnceNeverWaitInACircle() throws Exception {
    try (var line = RunningLine.in(ConfigurationVersionsTest.class).start();
        var other = line.second().start();
        var both = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < 3; round++) {
        var prompts = prompts(round);
        var together = new CyclicBarrier(2);
        var one = both.submit(() -> kept(line, prompts, together));
        var two = both.submit(() -> kept(other, prompts.reversed(), together));
        assertThat(one.get()).isEqualTo(two.get());
      }
      assertThat(line.rows("SELECT sha256 FROM prompt_text WHERE file = 'at-once.txt'"))
          .hasSize(3 * 200);
    }
  }

  private static List<Prompt> prompts(int round) {
    return IntStream.range(0, 200)
        .mapToObj(number -> {
          var text = round + " " + number;
          return new Prompt("at-once.txt", text, Hashes.sha256(text), text, false);
        })
        .toList();
  }

  private static int kept(RunningLine line, List<Prompt> prompts, CyclicBarrier together)
      throws InterruptedException, BrokenBarrierException {
    together.await();
    line.bean(PromptTexts.class).keep(prompts);
    return prompts.size();
  }
}
