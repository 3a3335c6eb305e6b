package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.whole.CoachScript.Step;
import org.habitline.whole.TextingLine.Database;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes share one PostgreSQL; one of them is killed in the middle of its work. */
final class TwoNodesIT {

  private static final int PEOPLE = 10;
  private static final int ROUNDS = 3;
  private static final int PROMPTED = 20;

  @TempDir Path homes;

  @Test
  void everyTextIsAnsweredOnceAndInOrderWhicheverNodeTakesItAndWhicheverDies() {
    try (var line = new TextingLine(homes.resolve("one"), Database.POSTGRESQL);
        var other = line.node(homes.resolve("two"))) {
      line.deployment().start();
      other.start();
      var numbers = IntStream.range(0, PEOPLE).mapToObj(i -> Lines.nextPhone()).toList();
      var ids = numbers.stream().map(line::greeted).toList();
      var phones = new ArrayList<>(List.of(line.phone(), line.phone(other)));

      var _ = Crowd.atOnce(numbers, number -> talk(line, phones, numbers.indexOf(number), number));
      line.script().hold(Step.ECHO);
      numbers.forEach(
          number -> phones.get(numbers.indexOf(number) % 2).text(number, "The last one"));
      line.script().await(Step.ECHO);
      other.kill();
      line.script().release(Step.ECHO);
      numbers.forEach(number -> line.awaitTexts(number, ROUNDS + 2));

      var ledger = line.ledger();
      assertSoftly(softly -> {
        for (int i = 0; i < PEOPLE; i++) {
          var said = new ArrayList<String>();
          var heard = new ArrayList<>(List.of(CoachScript.FIRST_TEXT));
          for (int round = 1; round <= ROUNDS; round++) {
            said.add("Round " + round);
          }
          said.add("The last one");
          said.forEach(text -> heard.add(CoachScript.reply(text)));
          softly.assertThat(ledger.said(ids.get(i))).isEqualTo(said);
          softly.assertThat(line.sentTo(numbers.get(i))).isEqualTo(heard);
        }
      });
      assertThat(ledger.openInbox()).isZero();
      assertThat(line.twilio().violations()).isEmpty();
      assertThat(line.deployment().model().violations()).isEmpty();
    }
  }

  @Test
  void everyPromptAndReminderComesOnceThoughTheNodeThatWasWritingThemDies() {
    var delays =
        Map.of(
            "ALLOWED_HOURS",
            "00:00-24:00",
            "AUTO_FEEDBACK_DELAY",
            "1s",
            "DAILY_PROMPT_REMINDER_DELAY",
            "3s");
    try (var line = new TextingLine(homes.resolve("one"), Database.POSTGRESQL, delays);
        var other = line.node(homes.resolve("two"), Map.of("OPENAI_API_KEY", "sk-the-other"))) {
      line.deployment().start();
      other.start();
      var zone = PromptCrashIT.whereItIsDay();
      var today = LocalDate.now(zone);
      var text = CoachScript.daily(LocalTime.now(zone).plusMinutes(90), zone);
      var numbers = IntStream.range(0, PROMPTED).mapToObj(i -> Lines.nextPhone()).toList();
      var ids = numbers.stream().map(line::greeted).toList();
      numbers.forEach(number -> line.phone().text(number, text));
      numbers.forEach(number -> line.awaitTexts(number, 2));

      line.deployment().model().forget();
      line.script().slow(Step.NESTED, Duration.ofMillis(300));
      var moved = Lines.nextPhone();
      line.greeted(moved);
      for (int i = 0; i < PROMPTED; i++) {
        line.ledger()
            .change(
                "update wakeup set due_at = now() + ? * interval '200 milliseconds' where participant_id = ?",
                i,
                ids.get(i));
      }
      // A bell rings for everybody who is due.
      line.phone().text(moved, "Move me in 1 seconds");
      Awaitility.await("some prompts are out")
          .pollInterval(Duration.ofMillis(5))
          .until(() -> prompts(line) >= PROMPTED / 4);
      (writtenBy(line, "sk-the-other") > writtenBy(line, Deployment.MODEL_KEY)
              ? other
              : line.deployment())
          .kill();
      numbers.forEach(number -> line.awaitTexts(number, 5));

      var ledger = line.ledger();
      Awaitility.await("nothing is left to be done")
          .until(() ->
              ledger.openInbox()
                      + ledger.openOutbox()
                      + ledger.count("select count(*) from wakeup where status = 'rung'")
                  == 0);
      assertSoftly(softly -> {
        for (int i = 0; i < PROMPTED; i++) {
          softly
              .assertThat(line.sentTo(numbers.get(i)))
              .containsExactly(
                  CoachScript.FIRST_TEXT,
                  CoachScript.reply(text),
                  PromptCrashIT.PROMPT,
                  PromptCrashIT.INTENSITY,
                  PromptCrashIT.REMINDER);
          softly
              .assertThat(ledger.occurrences(ids.get(i)))
              .containsExactly(today + " sent", today.plusDays(1) + " planned");
          softly
              .assertThat(ledger.wakeups(ids.get(i)))
              .containsExactlyInAnyOrder(
                  "daily_prompt done",
                  "auto_feedback done",
                  "reminder done",
                  "daily_prompt waiting");
        }
        softly
            .assertThat(ledger.count("select sum(total_prompts) from participant_state"))
            .isEqualTo(PROMPTED);
        softly.assertThat(line.twilio().violations()).isEmpty();
      });
    }
  }

  private static long prompts(TextingLine line) {
    return line.twilio().messages().stream()
        .filter(message -> message.body().equals(PromptCrashIT.PROMPT))
        .count();
  }

  /** How many prompts the model was asked for with this key. */
  private static long writtenBy(TextingLine line, String key) {
    return line.deployment().model().asked().stream()
        .filter(asked -> !asked.hasTools() && asked.authorization().contains(key))
        .count();
  }

  /** One participant's texts, each to the other node, each after the answer to the one before. */
  private static String talk(TextingLine line, List<TwilioPhone> nodes, int first, String number) {
    for (int round = 1; round <= ROUNDS; round++) {
      assertThat(nodes.get((round + first) % 2).text(number, "Round " + round).status())
          .isEqualTo(200);
      line.awaitTexts(number, 1 + round);
    }
    return number;
  }
}
