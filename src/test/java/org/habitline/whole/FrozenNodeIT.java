package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.whole.TextingLine.Database;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes share one PostgreSQL, and two of them stand still (SIGSTOP) where it hurts most:
 * one before it posts a text that it has marked as being sent, the other inside Quartz's lock and
 * then inside a commit that holds its participant's address. It waits for the real time limits of
 * server and line: about 90 s.
 */
@Tag("endurance")
final class FrozenNodeIT {

  @TempDir Path homes;

  @Test
  void theOthersGoOnWhileANodeIsFrozenAndItDoesNoHarmWhenItWakes() {
    try (var line =
            new TextingLine(
                homes.resolve("one"), Database.POSTGRESQL, Map.of("ALLOWED_HOURS", "00:00-24:00"));
        var second = line.node(homes.resolve("two"));
        var healthy = line.node(homes.resolve("three"))) {
      var sender = line.deployment().startWithDebugger();
      var stopping = Lines.nextPhone();
      var prompted = Lines.nextPhone();
      var unlucky = new ArrayList<String>();
      var others = List.of(Lines.nextPhone(), Lines.nextPhone(), Lines.nextPhone());
      var id = line.greeted(prompted);
      line.greeted(stopping);
      others.forEach(line::greeted);
      for (int i = 0; i < 5; i++) {
        unlucky.add(Lines.nextPhone());
        line.greeted(unlucky.getLast());
      }
      var zone = PromptCrashIT.whereItIsDay();
      line.phone().text(prompted, CoachScript.daily(LocalTime.now(zone).plusMinutes(90), zone));
      line.awaitTexts(prompted, 2);

      // One node has marked a text, and stands still before it posts it.
      var beforeThePost =
          sender.willFreezeAt("org.habitline.messaging.outbox.OutboxLoop", "send", 1);
      line.phone().text(stopping, "Hello");
      Deployment.await(beforeThePost);

      healthy.start();
      var phone = line.phone(healthy).listedBy(line.twilio());
      bells(line, second, prompted, id);
      commit(line, second, phone, unlucky, others);
      post(line, sender, phone, stopping);

      assertThat(line.twilio().violations()).isEmpty();
      assertThat(line.ledger().count("select count(*) from turn where outcome = 'crashed'"))
          .isZero();
    }
  }

  /** Inside Quartz's lock: prompts leave. */
  private static void bells(TextingLine line, Deployment second, String prompted, String id) {
    second.startAndFreezeAt("org.quartz.impl.jdbcjobstore.JobStoreSupport", "acquireNextTrigger");
    var before = System.nanoTime();
    line.ledger().change("update wakeup set due_at = now() where participant_id = ?", id);
    line.awaitTexts(prompted, 3);
    report("a prompt that is due, while Quartz's lock is held", before);
    assertThat(line.sentTo(prompted)).element(2).isEqualTo(PromptCrashIT.PROMPT);
    second.jar().thaw();
    second.jar().port();
  }

  /** Inside a commit: whoever has nothing to do with it does not notice. */
  private static void commit(
      TextingLine line,
      Deployment second,
      TwilioPhone phone,
      List<String> unlucky,
      List<String> others) {
    var frozen = second.willFreezeAt("org.habitline.conversation.model.Journal", "finish", 1);
    var direct = line.phone(second);
    var held =
        unlucky.stream()
            .filter(number -> isHeld(line, direct, frozen, number))
            .findFirst()
            .orElseThrow();
    var before = System.nanoTime();
    var again =
        CompletableFuture.supplyAsync(() -> {
          var status = phone.text(held, "Are you there?").status();
          report("the next text of whom it held, answered " + status, before);
          return status;
        });
    var longest = Duration.ZERO;
    var asked = 0;
    do {
      for (var other : others) {
        var begun = System.nanoTime();
        assertThat(phone.text(other, "Hello " + asked).status()).isEqualTo(200);
        var took = Duration.ofNanos(System.nanoTime() - begun);
        longest = took.compareTo(longest) > 0 ? took : longest;
      }
      asked++;
    } while (!again.isDone());
    System.out.println("the longest acknowledgement of others: " + longest);
    line.awaitTexts(held, 3);
    report("everybody whom it held is answered", before);
    for (var other : others) {
      var last = CoachScript.reply("Hello " + (asked - 1));
      Awaitility.await("an answer to " + other)
          .until(() -> line.sentTo(other).stream().anyMatch(text -> text.contains(last)));
    }
    second.jar().thaw();
    assertThat(line.sentTo(held))
        .containsExactly(
            CoachScript.FIRST_TEXT,
            CoachScript.reply("Hello"),
            CoachScript.reply("Are you there?"));
  }

  /** Whichever node takes it up: it is held, or it is answered by the other. */
  private static boolean isHeld(
      TextingLine line, TwilioPhone phone, CompletableFuture<Void> frozen, String number) {
    assertThat(phone.text(number, "Hello").status()).isEqualTo(200);
    Awaitility.await("the node is frozen, or the other has answered")
        .pollInterval(Duration.ofMillis(20))
        .until(() -> frozen.isDone() || line.sentTo(number).size() == 2);
    return frozen.isDone() && line.sentTo(number).size() < 2;
  }

  /** Before a post: another node sends the text, a STOP follows, and nothing comes after that. */
  private static void post(
      TextingLine line, Deployment sender, TwilioPhone phone, String stopping) {
    line.awaitTexts(stopping, 2);
    phone.text(stopping, "STOP");
    sender.jar().thaw();
    var left =
        sender
            .jar()
            .awaitLine("(dlv_\\w+) is handled by another worker now|stray|It is not known whether");
    assertThat(left.group()).contains("handled by another worker");
    assertThat(line.sentTo(stopping))
        .containsExactly(CoachScript.FIRST_TEXT, CoachScript.reply("Hello"));
    assertThat(line.ledger().count("select count(*) from stray_text")).isZero();
  }

  private static void report(String what, long since) {
    System.out.println(what + ": " + Duration.ofNanos(System.nanoTime() - since));
  }
}
