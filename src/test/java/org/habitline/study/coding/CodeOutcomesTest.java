package org.habitline.study.coding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.Rows;
import org.habitline.budgets.Spending;
import org.habitline.budgets.Spent;
import org.habitline.conversation.model.CallCosts;
import org.habitline.conversation.model.PinnedModels;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer.Asked;
import org.habitline.ops.start.CodeOutcomesCommand;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A model codes what came of daily prompts, blind, once for each version, when somebody asks. */
final class CodeOutcomesTest {

  private static final String CODER = "coder-2026-01-01";
  private static final String DONE = "yes, two minutes";

  private static PromptDay day;

  /** What the coder answers. */
  private static final AtomicReference<Scripted> CODE = new AtomicReference<>();

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeAll
  static void start() {
    day = PromptDay.of(CodeOutcomesTest.class, setup -> setup.with("habitline.coder.model", CODER));
  }

  @AfterAll
  static void stop() {
    day.close();
  }

  @BeforeEach
  void begin() {
    day.begin();
    var rows = Rows.of(day.line());
    rows.forgetEverybody();
    rows.write("DELETE FROM outcome_code");
    CODE.set(coded("done"));
    day.fake()
        .otherwise(asked ->
            isCoder(asked)
                ? CODE.get()
                : Scripted.say(asked.hasTools() ? "All right." : PromptDay.PROMPT));
  }

  private static Scripted coded(String outcome) {
    return Scripted.call("code_outcome", "{\"outcome\":\"%s\"}".formatted(outcome));
  }

  private static boolean isCoder(Asked asked) {
    return asked.body().path("model").asText().equals(CODER);
  }

  private static List<Asked> asked() {
    return day.fake().asked().stream().filter(CodeOutcomesTest::isCoder).toList();
  }

  /** What the command does, in the process that is there. */
  private static OutcomeCoding.Report code() {
    return code(null, null);
  }

  private static OutcomeCoding.Report code(@Nullable String from, @Nullable String to) {
    return day.line()
        .bean(OutcomeCoding.class)
        .code(
            from == null ? null : LocalDate.parse(from),
            to == null ? null : LocalDate.parse(to),
            Duration.ofSeconds(20));
  }

  /** The command as somebody types it, on the same home and database. */
  private int run() {
    return run(day.line().second().with("habitline.coder.model", CODER).unstarted());
  }

  private int run(ApplicationContext context, String... arguments) {
    out.reset();
    err.reset();
    return CodeOutcomesCommand.run(
        List.of(arguments),
        context,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private static List<Map<String, Object>> codes(Participant participant) {
    return day.line()
        .rows("SELECT * FROM outcome_code WHERE participant_id = ? ORDER BY seq", participant.id());
  }

  private static void away(Participant participant, String text, String how) {
    day.line()
        .write(
            "UPDATE message SET " + how + " WHERE participant_id = ? AND content = ?",
            participant.id(),
            text);
  }

  @Test
  void theModelSeesTheParticipantsTextsAndNothingElse() {
    var robin = day.scheduled("09:30");
    var silent = day.scheduled("09:30");
    day.ringsAt("09:30");
    day.line().awaitTurn(robin, 3);
    day.line().awaitTurn(silent, 3);
    day.at("10:00");
    day.line().answered(robin, "not yet, \"later\"");
    day.line().answered(robin, DONE);
    day.line().answered(robin, "my number is 5550100");
    day.at("11:00");
    day.line().answered(robin, "this belongs to a crisis");
    day.line().answered(robin, "this came before consent");
    day.line().answered(robin, "this was cleared");
    away(robin, "this belongs to a crisis", "incident_id = 'inc_of_a_test'");
    away(robin, "this came before consent", "before_consent = TRUE");
    away(robin, "this was cleared", "content = ''");
    day.fake().forget();
    day.at("09:40");

    assertThat(run()).isZero();
    assertThat(err()).isEmpty();
    assertThat(asked()).hasSize(1);
    var request = asked().getFirst();
    assertThat(request.body().path("temperature").asDouble(-1)).isZero();
    assertThat(request.texts("system").getFirst())
        .startsWith("You code data for a study")
        .doesNotContain("<!--");
    assertThat(request.messages()).hasSize(2);
    assertThat(request.lastUserText())
        .isEqualTo(
            "{\"messages\":[{\"message\":\"the daily prompt\"},"
                + "{\"message\":\"the question whether they did it\"},"
                + "{\"message\":\"a question about something else\"},"
                + "{\"text\":\"not yet, \\\"later\\\"\"},{\"message\":\"a reply of the coach\"},"
                + "{\"text\":\"yes, two minutes\"},{\"message\":\"a reply of the coach\"},"
                + "{\"text\":\"my number is 5550100\"}]}");
    assertThat(request.body().toString())
        .doesNotContain(
            robin.id(), robin.phone().e164(), "Robin", PromptDay.PROMPT, "All right.", "Berlin");

    var last =
        day.line()
            .column(
                "SELECT id FROM message WHERE participant_id = ? AND content LIKE 'my number%'",
                robin.id())
            .getFirst();
    assertThat(codes(robin)).hasSize(1);
    assertThat(codes(robin).getFirst())
        .containsEntry("coder", "model")
        .containsEntry("coded_by", null)
        .containsEntry("outcome_coded", "done")
        .containsEntry("local_date", day.today())
        .containsEntry("texts", 3)
        .containsEntry("last_message_id", last);
    assertThat(String.valueOf(codes(robin).getFirst().get("coder_version")))
        .matches("[0-9a-f]{12} " + CODER);
    assertThat(codes(silent))
        .extracting(code -> code.get("outcome_coded"))
        .containsExactly("no_answer");
    assertThat(out())
        .contains("Coder: " + codes(robin).getFirst().get("coder_version"))
        .containsPattern("1 coded by the model \\(\\d+ tokens\\)")
        .contains("1 without a text");
    assertThat(day.occurrence(robin, day.today()))
        .as("what the coach recorded stays")
        .containsEntry("outcome", null);
  }

  @Test
  void aWindowEndsWithTheNextPromptAndIsCodedADayAfterItsOwn() {
    var robin = day.prompted();
    day.at("20:00");
    day.line().answered(robin, DONE);
    day.at("09:00");
    assertThat(code().byModel()).as("not a day later yet").isZero();
    day.ringsAt("09:30");
    await().until(() -> "sent".equals(day.occurrence(robin, day.tomorrow()).get("status")));
    day.line().awaitRest(robin);
    day.at("10:00");
    day.line().answered(robin, "no time today");
    day.fake().forget();

    assertThat(code("2020-01-01", "2020-12-31").before()).isZero();
    assertThat(asked()).isEmpty();
    assertThat(code(day.today(), day.today()).byModel()).isEqualTo(1);
    assertThat(asked()).hasSize(1);
    assertThat(asked().getFirst().lastUserText()).contains(DONE).doesNotContain("no time");

    day.at("12:00");
    day.at("11:00");
    CODE.set(coded("not_done"));
    assertThat(code())
        .extracting(OutcomeCoding.Report::byModel, OutcomeCoding.Report::before)
        .containsExactly(1, 1);
    assertThat(codes(robin))
        .extracting(row -> row.get("local_date"), row -> row.get("outcome_coded"))
        .containsExactly(tuple(day.today(), "done"), tuple(day.tomorrow(), "not_done"));
    assertThat(asked().getLast().lastUserText()).contains("no time").doesNotContain(DONE);
  }

  @Test
  void aSecondRunCodesOnlyWhoseTextsChanged() {
    var robin = day.prompted();
    day.at("10:00");
    day.line().answered(robin, DONE);
    day.line().answered(robin, "what I say in a crisis");
    day.at("09:40");
    day.fake().forget();
    assertThat(code().byModel()).isEqualTo(1);
    assertThat(code())
        .extracting(
            OutcomeCoding.Report::byModel,
            OutcomeCoding.Report::before,
            OutcomeCoding.Report::tokens)
        .containsExactly(0, 1, 0L);
    assertThat(asked()).hasSize(1);

    away(robin, "what I say in a crisis", "incident_id = 'inc_of_a_test'");
    CODE.set(coded("partly"));
    assertThat(code().byModel()).isEqualTo(1);
    assertThat(asked()).hasSize(2);
    assertThat(codes(robin))
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("outcome_coded", "partly"))
        .satisfies(row -> assertThat(row).containsEntry("texts", 1));

    day.line()
        .write(
            "UPDATE message SET content = '', cleared_at = created_at WHERE participant_id = ?",
            robin.id());
    assertThat(code())
        .extracting(OutcomeCoding.Report::byModel, OutcomeCoding.Report::withoutText)
        .containsExactly(0, 0);
    assertThat(codes(robin))
        .as("what was coded from words that retention cleared stays")
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("outcome_coded", "partly"));

    day.line().write("UPDATE participant SET contact = TRUE WHERE id = ?", robin.id());
    day.line().write("DELETE FROM outcome_code");
    assertThat(code().byModel()).as("a contact is not in the study").isZero();
  }

  @Test
  void anAnswerThatCannotBeReadLeavesThePromptWithoutACodeAndTheNextRunAsksAgain() {
    var robin = day.prompted();
    day.at("10:00");
    day.line().answered(robin, DONE);
    day.at("09:40");
    for (var answer :
        List.of(
            Scripted.say("They did it."),
            coded("no_answer"),
            coded("DONE"),
            Scripted.refusal("I cannot help with that."),
            Scripted.status(400))) {
      CODE.set(answer);
      assertThat(code().failed()).isEqualTo(1);
      assertThat(codes(robin)).isEmpty();
    }
    assertThat(run()).isEqualTo(1);
    assertThat(err())
        .contains(
            "1 prompt has no code: the model was not asked, or its answer was missing or could not"
                + " be read.");
    CODE.set(Scripted.say("```json\n{\"outcome\":\"done\"}\n```"));
    assertThat(code().failed()).isZero();
    assertThat(codes(robin)).hasSize(1);
  }

  @Test
  void eachRequestIsChargedAndCountsAgainstTheBudgetOfTheStudy() {
    var robin = day.prompted();
    day.at("10:00");
    day.line().answered(robin, DONE);
    day.at("09:40");
    var spending = day.line().bean(Spending.class);
    var study = spending.studyToday().tokens();
    var own = spending.today(robin).participant().tokens();
    CODE.set(Scripted.say("They did it.").by("another-model"));
    assertThat(code().failed()).isEqualTo(1);
    CODE.set(coded("done").by(CODER + "-b"));
    assertThat(code().byModel()).isEqualTo(1);
    assertThat(codes(robin).getFirst()).containsEntry("model_returned", CODER + "-b");
    assertThat(
            day.line()
                .rows(
                    "SELECT item, units_in, units_out FROM charge WHERE participant_id = ? AND turn IS NULL AND kind = 'model'",
                    robin.id()))
        .hasSize(2)
        .allSatisfy(charge ->
            assertThat(charge)
                .containsEntry("item", CODER)
                .containsEntry("units_in", 100L)
                .containsEntry("units_out", 10L));
    assertThat(spending.studyToday().tokens()).isEqualTo(study + 220);
    assertThat(spending.today(robin).participant().tokens()).isEqualTo(own);
  }

  @Test
  void aUsedUpBudgetOfTheStudyEndsTheRunBeforeAModelIsAsked() {
    var robin = day.prompted();
    day.at("10:00");
    day.line().answered(robin, DONE);
    day.at("09:40");
    day.fake().forget();
    day.line().bean(Spending.class).addToStudy(new Spent(1_000_000_000_000L, 0, 0));
    assertThat(run()).isEqualTo(1);
    assertThat(err())
        .contains(
            "because today's budget of the study is used up: tokens. Run the command tomorrow");
    assertThat(asked()).isEmpty();
    day.line().write("DELETE FROM study_spend");
  }

  @Test
  void anotherTextOrModelIsAnotherVersionBesideTheFirst() {
    var robin = day.prompted();
    day.at("10:00");
    day.line().answered(robin, DONE);
    day.at("09:40");
    day.fake().otherwise(asked -> coded("unclear"));
    for (var coder :
        List.of(
            coder("a-model", "Code it."),
            coder("another-model", "Code it."),
            coder("a-model", "Code it well."))) {
      var report =
          new OutcomeCoding(
                  day.line().bean(OutcomeWindows.class),
                  day.line().bean(OutcomeCodes.class),
                  coder,
                  day.line().bean(CallCosts.class),
                  day.line().bean(Spending.class),
                  day.line().bean(Transactions.class))
              .code(null, null, Duration.ofSeconds(20));
      assertThat(report.byModel()).isEqualTo(1);
    }
    var versions =
        codes(robin).stream().map(row -> String.valueOf(row.get("coder_version"))).toList();
    assertThat(versions).hasSize(3).doesNotHaveDuplicates();
    assertThat(versions.get(1)).isEqualTo(versions.getFirst().substring(0, 12) + " another-model");
    assertThat(versions.get(2)).endsWith(" a-model");
  }

  private static OutcomeCoder coder(String model, String instructions) {
    return new OutcomeCoder(
        day.line().bean(LanguageModel.class),
        day.line().bean(PinnedModels.class),
        model,
        instructions);
  }

  @Test
  void withoutAModelOrWithWrongArgumentsNothingIsDone() {
    assertThat(run(ApplicationContext.builder().build())).isEqualTo(2);
    assertThat(err()).contains("no model is configured; set OPENAI_API_KEY");
    err.reset();
    assertThat(run(ApplicationContext.builder().build(), "--from", "yesterday")).isEqualTo(2);
    assertThat(err()).contains("The only options are --from and --to, each with a date");
    err.reset();
    assertThat(
            run(ApplicationContext.builder().build(), "--from", "2026-11-22", "--to", "2026-11-21"))
        .isEqualTo(2);
    assertThat(err()).contains("--from: expected a date that is not after --to.");
    assertThat(run(ApplicationContext.builder().build(), "--help")).isZero();
    assertThat(out()).contains("Usage: code-outcomes");
  }
}
