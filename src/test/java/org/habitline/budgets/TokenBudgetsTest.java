package org.habitline.budgets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.habitline.RunningLine;
import org.habitline.budgets.UsedUp.Scope;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.Participant;
import org.habitline.protocol.Budgets.Kind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What participants and the study may ask of models on one day. Every call of the fake costs 110.
 */
@Tag("database")
@Order(1)
final class TokenBudgetsTest {

  private static final int CALL = 110;
  private static final String USED_UP = "today's budget of the participant is used up: tokens";
  private static final String TEXT = "can't reply to more messages today";

  /** Two calls, and a third that begins below the limit. */
  private static final String STUDY =
      "budgets:\n  participant: {tokens: 250, segments: off}\n  study: {tokens: off}\n";

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = RunningLine.in(TokenBudgetsTest.class).study(STUDY).start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static Map<String, Object> says(Participant robin, String text) {
    line.fake().then(Scripted.say("Reply to " + text));
    return line.answered(robin, text);
  }

  private static Participant withAUsedBudget() {
    var robin = line.greeted();
    says(robin, "one");
    assertThat(says(robin, "two")).containsEntry("outcome", "replied");
    line.fake().forget();
    return robin;
  }

  private static long tokens(RunningLine of, Participant robin) {
    return of
        .column("SELECT tokens FROM participant_spend WHERE participant_id = ?", robin.id())
        .stream()
        .mapToLong(Long::parseLong)
        .sum();
  }

  private static long studyTokens(RunningLine of) {
    return of.column("SELECT tokens FROM study_spend").stream().mapToLong(Long::parseLong).sum();
  }

  @Test
  void onceTheBudgetIsUsedUpOneTextSaysSoAndNoModelIsAsked() {
    var robin = withAUsedBudget();
    assertThat(tokens(line, robin)).isEqualTo(3 * CALL);
    assertThat(line.answered(robin, "three"))
        .containsEntry("outcome", "not_for_the_coach")
        .containsEntry("reason", USED_UP);
    assertThat(line.phone(robin).getLast()).contains(TEXT);
    var texts = line.phone(robin).size();
    assertThat(line.answered(robin, "four")).containsEntry("reason", USED_UP);
    assertThat(line.phone(robin)).hasSize(texts);
    assertThat(line.fake().asked()).isEmpty();
    assertThat(line.transcript(robin)).contains("user: four");
    assertThat(tokens(line, robin)).isEqualTo(3 * CALL);
  }

  @Test
  void keywordsAndCrisesAreAnsweredWithoutABudget() {
    var robin = withAUsedBudget();
    line.answered(robin, "three");
    line.answered(robin, "help");
    assertThat(line.phone(robin).getLast()).containsIgnoringCase("stop");
    line.answered(robin, "I want to kill myself tonight");
    await()
        .until(() ->
            line.phone(robin).stream()
                .anyMatch(it -> it.startsWith("This is an automated message.")));
  }

  @Test
  void aBudgetIsOfTheParticipantsOwnDay() {
    try (var own =
        RunningLine.in(TokenBudgetsTest.class)
            .study("budgets:\n  participant: {tokens: 100}\n  study: {tokens: off}\n")
            .start()) {
      // A quarter past eight in Berlin; midnight there is an hour before midnight in UTC.
      var robin = own.greeted();
      assertThat(own.answered(robin, "now")).containsEntry("reason", USED_UP);
      own.study().advance(Duration.ofHours(15).plusMinutes(44));
      assertThat(own.study().instant()).isEqualTo(Instant.parse("2026-11-21T22:59:00Z"));
      assertThat(own.answered(robin, "before midnight")).containsEntry("reason", USED_UP);
      own.study().advance(Duration.ofMinutes(2));
      assertThat(own.answered(robin, "after midnight")).containsEntry("outcome", "replied");
      assertThat(own.answered(robin, "and again")).containsEntry("reason", USED_UP);
      // One such text on each day.
      assertThat(own.phone(robin).stream().filter(it -> it.contains(TEXT))).hasSize(2);
    }
  }

  @Test
  void aTurnThatRunsWhenTheBudgetEndsKeepsWhatItsToolsDid() {
    var robin = line.greeted();
    says(robin, "one");
    line.fake().then(Scripted.call("save_user_profile", "{\"prompt_anchor\":\"after breakfast\"}"));
    assertThat(line.answered(robin, "after breakfast"))
        .containsEntry("status", "done")
        .containsEntry("outcome", "not_for_the_coach")
        .containsEntry("reason", USED_UP);
    assertThat(line.phone(robin).getLast()).contains(TEXT);
    assertThat(line.data(robin).get("userProfile")).contains("after breakfast");
    assertThat(tokens(line, robin)).isEqualTo(3 * CALL);
  }

  @Test
  void aPersonWhoIsEnrolledWithoutABudgetIsGreetedByTheFlow() {
    try (var own =
        RunningLine.in(TokenBudgetsTest.class)
            .study("budgets:\n  study: {tokens: 100}\n")
            .start()) {
      own.greeted();
      var sam = own.enrol();
      assertThat(own.awaitTurn(sam, 1))
          .containsEntry("outcome", "not_for_the_coach")
          .containsEntry("reason", "today's budget of the study is used up: tokens");
      assertThat(own.fake().asked()).isEmpty();
      assertThat(own.phone(sam)).hasSize(1);
    }
  }

  @Test
  void whatALostTurnAskedIsCountedAndItsRepeatTwice() {
    var robin = line.greeted();
    var held = new CountDownLatch(1);
    line.fake().then(Scripted.say("Too late.").heldBy(held), Scripted.say("In time."));
    line.text(robin, "hello");
    await().until(() -> line.fake().pending() == 1);
    // As if the process had died: another one takes the turn while the model still answers.
    line.write(
        "UPDATE lease SET token = token + 1, owner = NULL, held_until = NULL WHERE participant_id = ?",
        robin.id());
    // Not closed: that would close the model that both share.
    var other = line.second().start();
    await().until(() -> line.phone(robin).contains("In time."));
    held.countDown();
    // The greeting, the lost call, and the repeat, which also stands for a call of a dead process.
    await().until(() -> tokens(line, robin) == 4 * CALL);
    assertThat(line.phone(robin)).doesNotContain("Too late.");
    other.stop();
  }

  @Test
  void aStudysLimitHoldsForFiftyParticipantsAtOnceOnTwoNodes() {
    var limit = 70 * CALL;
    try (var one =
            RunningLine.in(TokenBudgetsTest.class)
                .study("budgets:\n  study: {tokens: " + limit + "}\n")
                .start();
        var other = one.second().start()) {
      one.fake().otherwise(asked -> Scripted.say("Hello.").after(Duration.ofMillis(20)));
      var people = IntStream.range(0, 50).mapToObj(n -> one.enrol()).toList();
      people.forEach(it -> one.awaitTurn(it, 1));
      var asked = new ArrayList<String>();
      for (int round = 2; round <= 4; round++) {
        for (int n = 0; n < people.size(); n++) {
          (n % 2 == 0 ? one : other).text(people.get(n), "text " + round);
        }
        var turn = round;
        people.forEach(it -> one.awaitTurn(it, turn));
        one.column("SELECT outcome FROM turn WHERE number = " + round).forEach(asked::add);
      }
      var calls = one.fake().asked().size();
      assertThat(studyTokens(one)).isEqualTo((long) calls * CALL);
      assertThat(people.stream().mapToLong(it -> tokens(one, it)).sum())
          .isEqualTo((long) calls * CALL);
      // Each turn that runs when the limit is reached may finish one call: at most 50 of them.
      assertThat(calls).isBetween(70, 70 + 50);
      assertThat(one.column("SELECT outcome FROM turn WHERE number = 4"))
          .containsOnly("not_for_the_coach");
      assertThat(asked).doesNotContain("model_failed");
      one.bean(Spending.class).look();
      other.bean(Spending.class).look();
      assertThat(events(one, "\"percent\":80")).hasSize(1);
      assertThat(events(one, "\"percent\":100")).hasSize(1);
      assertThat(one.bean(Spending.class).warnings()).singleElement().asString().contains("tokens");
      assertThat(one.bean(Spending.class).usedShare(Scope.STUDY, Kind.TOKENS).orElseThrow())
          .isGreaterThanOrEqualTo(1);
    }
  }

  private static List<String> events(RunningLine of, String payload) {
    return of.column("SELECT payload FROM event WHERE type = 'budget.reached'").stream()
        .filter(it -> it.contains(payload) && it.contains("tokens"))
        .toList();
  }

  @Test
  void staffSeeWhoUsedTheirBudgetOnceADay() {
    var robin = withAUsedBudget();
    var spending = line.bean(Spending.class);
    spending.look();
    spending.look();
    assertThat(spending.reached(Duration.ofHours(24), 1000))
        .filteredOn(it -> it.participantId().equals(robin.id()))
        .extracting(Spending.Reached::percent)
        .containsExactly(100, 80);
    assertThat(
            line.column(
                "SELECT payload FROM event WHERE type = 'budget.reached' AND participant_id = ?",
                robin.id()))
        .hasSize(2);
    assertThat(spending.used(Scope.PARTICIPANT, spending.today(robin).participant(), true))
        .first()
        .isEqualTo("330 of 250 tokens");
  }

  @Test
  void anErasureAndTheEndOfTheRetentionLeaveNothing() {
    var robin = withAUsedBudget();
    line.bean(Spending.class).look();
    line.write(
        "UPDATE participant_spend SET local_date = '2026-01-01' WHERE participant_id = ?",
        robin.id());
    line.bean(Spending.class).forget();
    assertThat(tokens(line, robin)).isZero();
    says(robin, "again");
    assertThat(tokens(line, robin)).isEqualTo(CALL);
  }

  @Test
  void aLimitOfCostNeedsThePriceOfTheModelInUse() {
    var limited = "budgets: {participant: {cost: 0.001}}\n";
    var priced =
        """
        currency: USD
        models:
          cheap: [{valid_from: 2026-01-01, input: 2, output: 10}]
        messages:
          sms: [{valid_from: 2026-01-01, segment: 0}]
        """;
    var setup =
        RunningLine.in(TokenBudgetsTest.class)
            .study(limited)
            .prices(priced)
            .with("openai.model", "dear");
    assertThatThrownBy(setup::build)
        .rootCause()
        .hasMessageContaining("config/prices.yaml: models has no price for dear")
        .hasMessageContaining("dear: [{valid_from: 2026-01-01, input: 0.15, output: 0.60}]");
    try (var own =
        RunningLine.in(TokenBudgetsTest.class)
            .study(limited)
            .prices(priced)
            .with("openai.model", "cheap")
            .start()) {
      var robin = own.greeted();
      // 100 tokens for 2 and 10 for 10, of a million each.
      assertThat(own.column("SELECT cost FROM participant_spend")).containsExactly("300");
      own.answered(robin, "two");
      own.answered(robin, "three");
      assertThat(own.answered(robin, "four")).containsEntry("outcome", "replied");
      assertThat(own.answered(robin, "five"))
          .containsEntry("reason", "today's budget of the participant is used up: cost");
    }
  }
}
