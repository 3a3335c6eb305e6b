package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.habitline.whole.CoachScript.Step;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process dies again and again at moments nobody chose, while participants text. Whatever was
 * acknowledged is in the transcript once, and every turn has one reply.
 */
@Tag("endurance")
class RandomCrashIT {

  private static final int ROUNDS = 10;
  private static final int PARTICIPANTS = 5;

  @TempDir Path home;

  /** Texts that were acknowledged, and those whose acknowledgement the crash may have cut off. */
  private final Map<String, List<String>> acknowledged = new ConcurrentHashMap<>();

  private final Set<String> uncertain = ConcurrentHashMap.newKeySet();

  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

  @Test
  void whateverWasAcknowledgedIsAnsweredOnceHoweverOftenTheProcessDies() throws Exception {
    var seed = Long.getLong("habitline.seed", System.nanoTime());
    System.out.println("Seed of the random kills (-Dhabitline.seed=): " + seed);
    var random = new Random(seed);
    try (var line = new Deployment(home, Map.of())) {
      var script = CoachScript.playedBy(line.model());
      for (var step : Step.values()) {
        script.slow(step, Duration.ofMillis(random.nextInt(20, 120)));
      }
      line.start();
      var ids = new ArrayList<String>();
      for (int i = 0; i < PARTICIPANTS; i++) {
        ids.add(line.enrolAndGreet("+4915100000" + (100 + i)));
      }
      for (int round = 1; round <= ROUNDS; round++) {
        textUntilItDies(line, ids, round, random);
        line.start();
      }
      for (var id : ids) {
        line.textAndAwaitAnswer(id, "The last word of " + id);
        note(id, "The last word of " + id);
      }
      line.stop();
      check(line, ids);
    }
  }

  private void textUntilItDies(Deployment line, List<String> ids, int round, Random random)
      throws InterruptedException {
    try (var killer = Executors.newSingleThreadScheduledExecutor();
        var phones = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var id : ids) {
        var own = new Random(random.nextLong());
        var _ = phones.submit(() -> textOnAndOn(line, id, round, own));
      }
      var _ = killer.schedule(line::kill, random.nextInt(50, 1500), TimeUnit.MILLISECONDS);
    }
  }

  /** Bursts of one to three texts, each burst when the one before was answered. */
  private void textOnAndOn(Deployment line, String id, int round, Random random) {
    try {
      for (int burst = 1; ; burst++) {
        var text = "";
        var texts = random.nextInt(1, 4);
        for (int i = 1; i <= texts; i++) {
          text =
              (random.nextBoolean() ? "Plan" : "Note")
                  + " %d-%d-%d of %s".formatted(round, burst, i, id);
          uncertain.add(text);
          line.text(id, text);
          uncertain.remove(text);
          note(id, text);
        }
        line.awaitOnPhone(id, CoachScript.reply(text));
      }
    } catch (UncheckedIOException e) {
      // The process died, as it should.
    } catch (RuntimeException e) {
      wrong.add(e.toString());
    }
  }

  private void note(String id, String text) {
    acknowledged
        .computeIfAbsent(id, i -> Collections.synchronizedList(new ArrayList<>()))
        .add(text);
  }

  private void check(Deployment line, List<String> ids) {
    var ledger = line.ledger();
    var texts = acknowledged.values().stream().mapToInt(List::size).sum();
    System.out.printf(
        "%d kills, %d texts acknowledged, %d uncertain, turns by attempts: %s%n",
        ROUNDS,
        texts,
        uncertain.size(),
        ledger.rows(
            "select attempts, status, count(*) as turns from turn group by attempts, status"));
    assertThat(line.model().violations()).isEmpty();
    assertThat(wrong).isEmpty();
    assertThat(ledger.openInbox()).isZero();
    assertThat(ledger.words("select status from turn group by status")).doesNotContain("running");
    assertThat(ledger.words("select status from outbox group by status"))
        .containsExactly("accepted");
    assertSoftly(softly -> {
      for (var id : ids) {
        var said = ledger.said(id);
        softly.assertThat(said).doesNotHaveDuplicates();
        var sure = said.stream().filter(text -> !uncertain.contains(text)).toList();
        softly.assertThat(sure).containsExactlyElementsOf(acknowledged.get(id));
        softly.assertThat(ledger.arrived(id)).isEqualTo(ledger.answered(id));
        softly.assertThat(ledger.repliesByTurn(id)).isNotEmpty().containsOnly(1L);
        softly.assertThat(ledger.brokenChanges(id, "prompt_anchor")).isEmpty();
        // A turn that was given up after too many crashes keeps what its finished calls asked for.
        softly
            .assertThat(ledger.turnsThatChanged(id, "prompt_anchor"))
            .doesNotHaveDuplicates()
            .containsAll(ledger.turnsOn(id, "Plan", "done"))
            .isSubsetOf(ledger.turnsOn(id, "Plan", "done", "failed"));
      }
    });
    line.assertThatTheLogIsDiscreet("Plan ", "Note ", "last word", "I heard", "the coach");
  }
}
