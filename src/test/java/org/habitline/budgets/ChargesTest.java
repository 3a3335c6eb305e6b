package org.habitline.budgets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.habitline.Rows;
import org.habitline.RunningLine;
import org.habitline.llm.openai.Scripted;
import org.habitline.participants.Participant;
import org.habitline.study.figures.Figures;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What model calls and messages cost is recorded with them, and only what is known. */
final class ChargesTest {

  private static final String PRICES =
      """
      currency: USD
      models:
        cheap:
          - {valid_from: 2020-01-01, input: 9, output: 9}
          - {valid_from: 2020-07-01, input: 2, cached: 0.5, output: 10}
        large:
          - {valid_from: 2020-01-01, input: 20, output: 100}
      """;

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line = RunningLine.in(ChargesTest.class).prices(PRICES).with("openai.model", "cheap").start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static List<Map<String, Object>> charges(
      RunningLine on, Participant of, int turn, String kind) {
    return on.rows(
        "SELECT * FROM charge WHERE participant_id = ? AND turn = ? AND kind = ? ORDER BY iteration, child",
        of.id(),
        turn,
        kind);
  }

  private static void costs(Map<String, Object> charge, String cost) {
    assertThat((BigDecimal) charge.get("cost")).isEqualByComparingTo(cost);
  }

  @Test
  void aCallIsChargedAtThePriceOfItsDayWithItsPlaceInTheTurn() {
    var robin = line.greeted();
    line.fake()
        .then(
            Scripted.call("save_user_profile", "{\"prompt_anchor\":\"coffee\"}").by("cheap"),
            Scripted.say("Saved.")
                .by("cheap")
                .edited(completion ->
                    ((ObjectNode) completion.path("usage"))
                        .putObject("prompt_tokens_details")
                        .put("cached_tokens", 40)));
    line.answered(robin, "coffee");
    var calls = charges(line, robin, 2, "model");
    assertThat(calls).extracting(it -> it.get("iteration")).containsExactly(1, 2);
    assertThat(calls.getLast())
        .containsEntry("child", 0)
        .containsEntry("item", "cheap")
        .containsEntry("units_in", 100L)
        .containsEntry("units_cached", 40L)
        .containsEntry("units_out", 10L)
        .containsEntry("currency", "USD")
        .containsEntry("confidence", "exact");
    assertThat(calls.getLast().get("price_valid_from")).hasToString("2020-07-01");
    // 100 tokens for 2 and 10 for 10, of a million each; then 40 of the 100 for 0.5.
    costs(calls.getFirst(), "0.0003");
    costs(calls.getLast(), "0.00024");
    assertThat(calls.getFirst().get("units_cached")).isNull();
    assertThat(line.iterations(robin, 2).iterations().getLast().metadata())
        .containsEntry("cached_tokens", "40");
    await().untilAsserted(() -> assertThat(charges(line, robin, 2, "message")).isNotEmpty());
    var message = charges(line, robin, 2, "message").getFirst();
    assertThat(message)
        .containsEntry("item", "simulator")
        .containsEntry("confidence", "exact")
        .containsEntry("outbox_id", message.get("id"));
    costs(message, "0");
  }

  @Test
  void theModelThatAnsweredIsChargedAtItsOwnPriceIfThatIsKnown() {
    var robin = line.greeted();
    line.fake().then(Scripted.say("Hello.").by("large"));
    line.answered(robin, "hello");
    var large = charges(line, robin, 2, "model").getFirst();
    assertThat(large).containsEntry("item", "large").containsEntry("confidence", "exact");
    // 100 tokens for 20 and 10 for 100, of a million each.
    costs(large, "0.003");
    line.fake().then(Scripted.say("Hello.").by("unheard-of"));
    line.answered(robin, "hello again");
    var asked = charges(line, robin, 3, "model").getFirst();
    assertThat(asked).containsEntry("item", "cheap").containsEntry("confidence", "estimated");
    costs(asked, "0.0003");
    line.fake().then(Scripted.say("Hello.").by("cheap-2025-08-07"));
    line.answered(robin, "and again");
    assertThat(charges(line, robin, 4, "model").getFirst())
        .containsEntry("item", "cheap")
        .containsEntry("confidence", "exact");
  }

  /** A call is charged as the model that was asked, and counted as the one that answered. */
  @Test
  void cachedTokensAreCountedUnderTheNameOfTheModelThatAnswered() {
    var robin = line.greeted();
    line.fake()
        .then(
            Scripted.say("Hello.")
                .by("cheap-2025-09-09")
                .edited(completion ->
                    ((ObjectNode) completion.path("usage"))
                        .putObject("prompt_tokens_details")
                        .put("cached_tokens", 40)));
    line.answered(robin, "hello");
    assertThat(charges(line, robin, 2, "model").getFirst()).containsEntry("item", "cheap");
    // As after a crash, when the same call was made and paid for again.
    Rows.of(line)
        .write(
            "INSERT INTO charge (id, participant_id, turn, iteration, child, kind, item, units_in, units_cached,"
                + " units_out, confidence, at)"
                + " SELECT 'again', participant_id, turn, iteration, child, kind, item, units_in, 30, units_out,"
                + " confidence, at FROM charge WHERE participant_id = ? AND turn = 2 AND kind = 'model'",
            robin.id());
    var figures = line.bean(Figures.class);
    assertThat(figures.of(figures.last(2)).tokens().models())
        .filteredOn(of -> of.model().equals("cheap-2025-09-09"))
        .extracting(
            Figures.ModelTokens::model,
            Figures.ModelTokens::calls,
            Figures.ModelTokens::promptTokens,
            Figures.ModelTokens::cachedTokens)
        .containsExactly(tuple("cheap-2025-09-09", 1L, 100L, 40L));
  }

  @Test
  void anUnknownPriceStaysUnknown() {
    try (var dear =
        RunningLine.in(ChargesTest.class).prices(PRICES).with("openai.model", "dear").start()) {
      var robin = dear.greeted();
      var call = charges(dear, robin, 1, "model").getFirst();
      assertThat(call).containsEntry("confidence", "unknown").containsEntry("units_in", 100L);
      assertThat(call.get("cost")).isNull();
      assertThat(call.get("currency")).isNull();
      assertThat(call.get("price_in")).isNull();
    }
  }

  @Test
  void missingTokensAreEstimated() {
    var robin = line.greeted();
    line.fake().then(Scripted.say("Hello.").edited(completion -> completion.remove("usage")));
    line.answered(robin, "hello");
    var call = charges(line, robin, 2, "model").getFirst();
    assertThat(call).containsEntry("confidence", "estimated").containsEntry("units_out", 2L);
    assertThat((BigDecimal) call.get("cost")).isPositive();
  }
}
