package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.whole.CoachScript.Step;
import org.habitline.whole.Crowd.Person;
import org.habitline.whole.TextingLine.Database;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes share one PostgreSQL, and one after the other is killed with signal 9 and started
 * again while 200 people text through all of them. Each kill leaves turns to the others, which wait
 * 30 s for the leases of the dead, and texts of unknown fate, which wait 45 s; so what comes after
 * the last kill is most of the time that this takes.
 */
@Tag("endurance")
final class ThreeNodesIT {

  private static final int PEOPLE = 200;

  /** Everybody texts in so many rounds, and goes on until the last kill. */
  private static final int ROUNDS = 3;

  private static final int KILLS = 3;

  /** So much has gone out since the last start when the next node is killed. */
  private static final int BETWEEN_KILLS = 60;

  @TempDir Path homes;

  @Test
  void nothingIsLostOrDoubledWhileOneOfThreeNodesIsKilledAgainAndAgain() {
    var seed = Long.getLong("habitline.seed", System.nanoTime());
    System.out.println("Seed of the kills (-Dhabitline.seed=): " + seed);
    try (var line = new TextingLine(homes.resolve("one"), Database.POSTGRESQL);
        var two = line.node(homes.resolve("two"));
        var three = line.node(homes.resolve("three"))) {
      var nodes = List.of(line.deployment(), two, three);
      var _ = Crowd.atOnce(nodes, Deployment::start);
      var crowd = Crowd.greeted(line, PEOPLE);
      // So that some turns and some texts are under way whenever a node dies.
      line.script().slow(Step.ECHO, Duration.ofSeconds(2));
      line.twilio().otherwise(posted -> TwilioAnswer.accept().heldAfterAccepting(opening()));
      var balancer = new Balancer(line, nodes);

      var killer =
          CompletableFuture.runAsync(() -> killOneAfterTheOther(line, nodes, new Random(seed)));
      crowd.everybody(person -> {
        for (int round = 1; round <= ROUNDS || !killer.isDone(); round++) {
          talk(crowd, balancer, person, round);
        }
      });
      killer.join();
      crowd.awaitNothingLeft();

      show(line, balancer);
      crowd.assertThatNothingIsLostOrDoubled(person -> balancer.said.get(person.number()));
      crowd
          .people()
          .forEach(person ->
              assertThatEveryRoundWasAnsweredInOrder(
                  line.sentTo(person.number()), balancer.said.get(person.number()).size() / 2));
    }
  }

  /** Two texts; returns after the answer to the second. */
  private static void talk(Crowd crowd, Balancer balancer, Person person, int round) {
    balancer.text(person, "Round %d, first".formatted(round));
    var last = "Round %d, second".formatted(round);
    balancer.text(person, last);
    crowd.awaitHeard(person, CoachScript.reply(last));
  }

  /**
   * Of a round there is one answer to both texts, or one to each; whatever comes last is to the
   * last.
   */
  private static void assertThatEveryRoundWasAnsweredInOrder(List<String> heard, int rounds) {
    var inOrder = new ArrayList<>(List.of(CoachScript.FIRST_TEXT));
    for (int round = 1; round <= rounds; round++) {
      var first = CoachScript.reply("Round %d, first".formatted(round));
      if (heard.contains(first)) {
        inOrder.add(first);
      }
      inOrder.add(CoachScript.reply("Round %d, second".formatted(round)));
    }
    assertThat(heard).isEqualTo(inOrder);
  }

  private static void killOneAfterTheOther(
      TextingLine line, List<Deployment> nodes, Random random) {
    for (int kill = 0; kill < KILLS; kill++) {
      var before = line.twilio().messages().size();
      Awaitility.await("texts go out")
          .pollInterval(Duration.ofMillis(20))
          .until(() -> line.twilio().messages().size() >= before + BETWEEN_KILLS);
      var victim = nodes.get(random.nextInt(nodes.size()));
      victim.kill();
      victim.start();
    }
  }

  private static CountDownLatch opening() {
    var latch = new CountDownLatch(1);
    CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(latch::countDown);
    return latch;
  }

  /**
   * Stands before the nodes: a call goes to one after the other, and again to the next if a node
   * fails it or dies over it. Now and then Twilio itself calls twice.
   */
  private static final class Balancer {

    private static final int TRIES = 50;
    private static final int REPEATED_EVERY = 10;

    private final TextingLine line;
    private final List<Deployment> nodes;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private final Map<String, List<String>> said = new ConcurrentHashMap<>();

    Balancer(TextingLine line, List<Deployment> nodes) {
      this.line = line;
      this.nodes = nodes;
    }

    /** Returns once a node has acknowledged the text. */
    void text(Person person, String body) {
      var text = line.phone().sms(person.number(), body);
      said.computeIfAbsent(person.number(), number -> new CopyOnWriteArrayList<>()).add(body);
      deliver(text);
      if (next.get() % REPEATED_EVERY == 0) {
        repeated.incrementAndGet();
        deliver(text);
      }
    }

    private void deliver(TwilioPhone.Inbound text) {
      for (int i = 0; i < TRIES; i++) {
        if (isTaken(text)) {
          return;
        }
        failed.incrementAndGet();
      }
      throw new IllegalStateException("No node took " + text.sid());
    }

    private boolean isTaken(TwilioPhone.Inbound text) {
      var node = nodes.get(Math.floorMod(next.getAndIncrement(), nodes.size()));
      try {
        var call = new TwilioPhone.Inbound(line.phone(node), text.form(), null);
        return call.post().status() == 200;
      } catch (RuntimeException e) {
        return false;
      }
    }
  }

  private static void show(TextingLine line, Balancer balancer) {
    var ledger = line.ledger();
    System.out.printf(
        "%d texts in (%d calls failed and went to another node, %d repeated), %d turns, %d replies,"
            + " %d kills, %d turns resumed, %d deliveries of unknown fate looked up (%d look-ups), %d texts posted to Twilio%n",
        balancer.said.values().stream().mapToInt(List::size).sum(),
        balancer.failed.get(),
        balancer.repeated.get(),
        ledger.count("select count(*) from turn"),
        line.twilio().messages().size(),
        KILLS,
        ledger.count("select count(*) from turn where attempts > 1"),
        ledger.count("select count(*) from outbox where unknown_since is not null or attempts > 1"),
        line.twilio().reads().stream()
            .filter(read -> !read.contains(TwilioPhone.LINE_NUMBER.substring(1)))
            .count(),
        line.twilio().posts().size());
  }
}
