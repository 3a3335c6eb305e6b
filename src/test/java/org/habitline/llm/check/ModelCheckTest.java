package org.habitline.llm.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.habitline.llm.check.CompliantModel.is;

import io.micronaut.context.ApplicationContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.habitline.llm.Patience;
import org.habitline.llm.check.CheckReport.Result;
import org.habitline.llm.check.ModelCheck.Outcome;
import org.habitline.llm.openai.ConfiguredModel;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.llm.openai.StandIn;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.llm.openai.StrictFakeServer.Asked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks of local servers, one quirk each, over real HTTP. */
final class ModelCheckTest {

  private static final Duration TIME = Duration.ofSeconds(20);

  private final StrictFakeServer fake = CompliantModel.on(StrictFakeServer.start());
  private final AtomicLong nanos = new AtomicLong();

  @AfterEach
  void theVendorsRulesWereKept() {
    fake.close();
    assertThat(fake.violations()).isEmpty();
  }

  private Outcome check(LongSupplier nanoTime, Map<String, Object> settings) {
    var properties = new HashMap<>(settings);
    properties.putIfAbsent("openai.base-url", fake.baseUrl());
    properties.putIfAbsent("openai.model", "model-a");
    try (var context = ApplicationContext.builder().properties(properties).build()) {
      context.getEnvironment().start();
      try (var model =
          ConfiguredModel.of(context.getEnvironment(), Clock.systemUTC()).orElseThrow()) {
        return new ModelCheck(model.server(), impatient(model.patience()), TIME, nanoTime).play();
      }
    }
  }

  /** With pauses so short that a test need not wait. */
  private static Patience impatient(Patience patience) {
    return new Patience(
        patience.model(),
        patience.fallbackModel(),
        patience.attemptTimeout(),
        Duration.ofMillis(1),
        Duration.ofMillis(2));
  }

  private CheckReport report(Map<String, Object> settings) {
    return assertThat(check(nanos::get, settings))
        .asInstanceOf(type(Outcome.Played.class))
        .actual()
        .report();
  }

  private CheckReport report() {
    return report(Map.of());
  }

  private static Set<Exchange> with(CheckReport report, Verdict verdict) {
    var found = EnumSet.noneOf(Exchange.class);
    for (var exchange : Exchange.values()) {
      if (result(report, exchange).verdict() == verdict) {
        found.add(exchange);
      }
    }
    return found;
  }

  private static Result result(CheckReport report, Exchange exchange) {
    return report.exchanges().stream()
        .filter(result -> result.name().equals(exchange.code()))
        .findFirst()
        .orElseThrow();
  }

  /** Lets the model do something else in one exchange, before there is any tool result. */
  private void but(String text, Function<Asked, Scripted> instead) {
    var compliant = new CompliantModel();
    fake.otherwise(asked ->
        is(asked, text) && asked.toolResults() == 0
            ? instead.apply(asked)
            : compliant.apply(asked));
  }

  private static String printed(CheckReport report) {
    var out = new ByteArrayOutputStream();
    report.print(new PrintStream(out, true, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aServerWithoutQuirksWorks() {
    var report = report();
    assertThat(with(report, Verdict.WORKS)).hasSize(10);
    assertThat(report.allWork()).isTrue();
    assertThat(report.model()).isEqualTo("model-a");
    assertThat(report.adapted()).isEmpty();
    assertThat(report.doNotRelyOn()).isEmpty();
    assertThat(printed(report))
        .contains("Adapted: nothing", "Do not rely on: nothing")
        .contains("of 60 pieces");
  }

  static Stream<Arguments> quirks() {
    return Stream.of(
        Arguments.of(StandIn.STRICT_FIRST_SYSTEM, Set.of(), ""),
        Arguments.of(StandIn.ALTERNATING_ROLES, Set.of(Exchange.LONG_HISTORY), "alternating-roles"),
        Arguments.of(
            StandIn.NO_PARALLEL_PARAMETER,
            Set.of(Exchange.TOOL_CALL, Exchange.PARALLEL_CALLS),
            "no-parallel-tool-calls"),
        Arguments.of(StandIn.NO_TEMPERATURE, Set.of(Exchange.REPLY), "no-temperature"),
        Arguments.of(StandIn.NO_MAX_TOKENS, Set.of(Exchange.REPLY), "no-max-tokens"),
        Arguments.of(StandIn.NO_TOOL_CHOICE_NONE, Set.of(Exchange.LAST_REPLY), "no-tool-choice"),
        Arguments.of(
            StandIn.NO_TOOL_CHOICE_AND_TOOLS_ALWAYS, Set.of(Exchange.LAST_REPLY), "no-tool-choice"),
        Arguments.of(StandIn.REASONS_BESIDE, Set.of(), ""));
  }

  @ParameterizedTest
  @MethodSource("quirks")
  void whatHabitlineAdaptsIsToldApartFromWhatWorks(
      StandIn server, Set<Exchange> adapted, String line) {
    fake.as(server);
    var report = report();
    assertThat(report.allWork()).isTrue();
    assertThat(with(report, Verdict.ADAPTED)).isEqualTo(adapted);
    assertThat(String.join("", report.adapted())).startsWith(line);
    assertThat(report.adapted().isEmpty()).isEqualTo(line.isEmpty());
  }

  @Test
  void whatTheSettingsSayIsAdaptedToo() {
    fake.as(StandIn.NO_TEMPERATURE);
    var report = report(Map.of("model.quirks", "no-temperature"));
    assertThat(fake.refused()).isEmpty();
    assertThat(with(report, Verdict.ADAPTED)).containsExactly(Exchange.REPLY);
    assertThat(report.doNotRelyOn())
        .containsExactly("temperature in the flow; the server uses its own");
  }

  @Test
  void toolCallsInTheTextAreRead() {
    fake.as(StandIn.CALLS_AS_TEXT);
    var report = report();
    assertThat(with(report, Verdict.ADAPTED))
        .containsExactly(Exchange.TOOL_CALL, Exchange.TOOL_RESULT, Exchange.OPTIONAL_ARGUMENT);
    assertThat(with(report, Verdict.DOES_NOT_WORK))
        .as("the stand-in writes one call only")
        .containsExactly(Exchange.PARALLEL_CALLS);
    assertThat(report.adapted())
        .containsExactly("Habitline reads tool calls from the text of replies");
  }

  @Test
  void brokenArgumentsDoNotEndTheConversation() {
    fake.as(StandIn.BROKEN_ARGUMENTS_REFUSED);
    but(
        CompliantModel.ONE_WALK,
        asked -> Scripted.calls(new Call("c1", "save_walk", "{\"day\": tuesday")));
    var report = report();
    assertThat(with(report, Verdict.DOES_NOT_WORK)).containsExactly(Exchange.TOOL_CALL);
    assertThat(result(report, Exchange.TOOL_CALL).consequence()).contains("not a JSON object");
    assertThat(fake.refused()).as("the server is shown an empty object instead").isEmpty();
  }

  @Test
  void aServerWithoutStreamingCannotBeReliedOnForIt() {
    fake.as(StandIn.NO_STREAMING);
    var report = report();
    assertThat(with(report, Verdict.DOES_NOT_WORK))
        .containsExactly(Exchange.STREAMING, Exchange.CANCEL);
    assertThat(report.adapted()).hasSize(1).first().asString().startsWith("no-streaming: ");
    assertThat(report.doNotRelyOn())
        .containsExactly(Exchange.STREAMING.unreliable(), Exchange.CANCEL.unreliable());
  }

  @Test
  void aServerWithoutTokenCountsCannotBeReliedOnForThem() {
    fake.as(StandIn.NO_USAGE);
    var report = report();
    assertThat(with(report, Verdict.DOES_NOT_WORK)).containsExactly(Exchange.USAGE);
    assertThat(with(report, Verdict.ADAPTED)).containsExactly(Exchange.STREAMING, Exchange.CANCEL);
    assertThat(report.adapted()).hasSize(1).first().asString().startsWith("no-stream-options: ");
  }

  @Test
  void aSlowFirstTokenIsWaitedForAndMeasured() {
    var latch = new CountDownLatch(1);
    but(CompliantModel.COUNT, asked -> new CompliantModel().apply(asked).heldBy(latch));
    var checked = CompletableFuture.supplyAsync(this::report);
    Awaitility.await()
        .until(() -> fake.asked().stream().anyMatch(asked -> is(asked, CompliantModel.COUNT)));
    nanos.addAndGet(Duration.ofSeconds(12).toNanos());
    latch.countDown();
    var streaming = result(checked.join(), Exchange.STREAMING);
    assertThat(streaming.verdict()).isEqualTo(Verdict.WORKS);
    assertThat(streaming.consequence())
        .contains("came after 12.0 s", "MODEL_ATTEMPT_TIMEOUT and TURN_DEADLINE");
  }

  private static Scripted call(String arguments) {
    return Scripted.calls(new Call("c1", "save_walk", arguments));
  }

  static Stream<Arguments> shortcomings() {
    return Stream.of(
        wrong(CompliantModel.IN_SPANISH, Scripted.say("The apple. NIMBUS-7"), Exchange.REPLY),
        wrong(CompliantModel.IN_SPANISH, Scripted.say("La manzana."), Exchange.REPLY),
        wrong(CompliantModel.IN_SPANISH, Scripted.say(" "), Exchange.REPLY),
        wrong(CompliantModel.IN_SPANISH, Scripted.contentFilter(), Exchange.REPLY),
        wrong(
            CompliantModel.ONE_WALK,
            Scripted.say("Saved!"),
            Exchange.TOOL_CALL,
            Exchange.TOOL_RESULT),
        wrong(
            CompliantModel.ONE_WALK,
            Scripted.status(400),
            Exchange.TOOL_CALL,
            Exchange.TOOL_RESULT),
        wrong(
            CompliantModel.ONE_WALK,
            call("{\"day\":\"tuesday\",\"minutes\":\"25\",\"note\":null}"),
            Exchange.TOOL_CALL),
        wrong(
            CompliantModel.ONE_WALK,
            call("{\"day\":\"monday\",\"minutes\":25,\"note\":null}"),
            Exchange.TOOL_CALL),
        wrong(
            CompliantModel.ONE_WALK,
            Scripted.calls(new Call("c1", "save_run", "{}")),
            Exchange.TOOL_CALL),
        wrong(
            CompliantModel.ONE_WALK,
            Scripted.calls(
                CompliantModel.walk("c1", "tuesday", 25), CompliantModel.walk("c2", "tuesday", 25)),
            Exchange.TOOL_CALL),
        wrong(
            CompliantModel.TWO_WALKS,
            Scripted.calls(CompliantModel.walk("c1", "monday", 20)),
            Exchange.PARALLEL_CALLS),
        wrong(
            CompliantModel.NO_NOTE,
            call("{\"day\":\"wednesday\",\"minutes\":15,\"note\":\"It was nice.\"}"),
            Exchange.OPTIONAL_ARGUMENT),
        wrong(CompliantModel.REMEMBERED, Scripted.say("You did not say."), Exchange.LONG_HISTORY),
        wrong(CompliantModel.COUNT, Scripted.cutOff("1 2 3"), Exchange.STREAMING),
        wrong(
            CompliantModel.COUNT,
            // No completion by name, so the fake sends it whole to whoever asked for a stream.
            Scripted.say("1 to 60").edited(whole -> whole.put("object", "text")),
            Exchange.STREAMING),
        wrong(
            CompliantModel.HELLO,
            Scripted.say("Hello.").edited(completion -> completion.remove("usage")),
            Exchange.USAGE));
  }

  private static Arguments wrong(String text, Scripted instead, Exchange... fail) {
    return Arguments.of(text, instead, List.of(fail));
  }

  @ParameterizedTest
  @MethodSource("shortcomings")
  void whatTheModelDoesNotDoCannotBeReliedOn(
      String text, Scripted instead, List<Exchange> expected) {
    but(text, asked -> instead);
    var report = report();
    assertThat(report.allWork()).isFalse();
    assertThat(with(report, Verdict.DOES_NOT_WORK)).containsExactlyElementsOf(expected);
    assertThat(with(report, Verdict.WORKS)).hasSize(10 - expected.size());
    assertThat(report.doNotRelyOn())
        .containsExactlyElementsOf(expected.stream().map(Exchange::unreliable).toList());
    assertThat(printed(report)).contains("does not work", "Do not rely on:\n  - ");
    assertThat(printed(report).lines()).allMatch(line -> line.length() <= 100);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"day\":\"wednesday\",\"minutes\":15}",
        "{\"day\":\"wednesday\",\"minutes\":15,\"note\":\"\"}"
      })
  void anArgumentThatIsMissingOrBlankIsReadAsNull(String arguments) {
    but(CompliantModel.NO_NOTE, asked -> call(arguments));
    assertThat(with(report(), Verdict.ADAPTED)).containsExactly(Exchange.OPTIONAL_ARGUMENT);
  }

  @Test
  void aCallWhereNoneIsAllowedIsSeen() {
    var compliant = new CompliantModel();
    fake.otherwise(asked ->
        asked.mustSpeak()
            ? Scripted.calls(CompliantModel.walk("c9", "friday", 30))
            : compliant.apply(asked));
    assertThat(with(report(), Verdict.DOES_NOT_WORK)).containsExactly(Exchange.LAST_REPLY);
  }

  @Test
  void aResultThatIsIgnoredIsSeen() {
    var compliant = new CompliantModel();
    fake.otherwise(
        asked -> asked.toolResults() > 0 ? Scripted.say("Well done.") : compliant.apply(asked));
    assertThat(with(report(), Verdict.DOES_NOT_WORK)).containsExactly(Exchange.TOOL_RESULT);
  }

  @Test
  void aRequestThatFailsOnceIsRepeatedAsInATurn() {
    fake.then(Scripted.say("Hello."), Scripted.status(503));
    assertThat(report().allWork()).isTrue();
  }

  static Stream<Arguments> noReplies() {
    return Stream.of(
        Arguments.of(Scripted.status(401), "the key is not accepted. Set OPENAI_API_KEY"),
        Arguments.of(
            Scripted.error(404, "No such model.", "model_not_found"),
            "the account has no model of this name. Set OPENAI_MODEL"),
        Arguments.of(Scripted.status(404), "and that the server has the model 'model-a'"),
        Arguments.of(
            Scripted.error(429, "No credit.", "insufficient_quota"), "Add credit to the account"),
        Arguments.of(Scripted.html(), "Check that OPENAI_BASE_URL is the address"),
        Arguments.of(Scripted.closedConnection(), "this machine can reach OPENAI_BASE_URL"),
        Arguments.of(Scripted.hang(), "raise MODEL_ATTEMPT_TIMEOUT (1 s)"));
  }

  @ParameterizedTest
  @MethodSource("noReplies")
  void aServerThatGivesNoReplyIsAskedOnce(Scripted instead, String sentence) {
    fake.otherwise(asked -> instead);
    assertThat(check(nanos::get, Map.of("model.attempt-timeout", "1s")))
        .asInstanceOf(type(Outcome.NoReply.class))
        .extracting(Outcome.NoReply::sentence)
        .asString()
        .contains(sentence)
        .startsWith("The ");
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void aCancelledReplyClosesTheConnection() throws Exception {
    try (var streams = EndlessStream.start();
        var context =
            ApplicationContext.builder()
                .properties(Map.of("openai.base-url", streams.baseUrl(), "openai.model", "model-a"))
                .build()) {
      context.getEnvironment().start();
      try (var model =
          ConfiguredModel.of(context.getEnvironment(), Clock.systemUTC()).orElseThrow()) {
        var talk = new Talk(model.server(), model.patience(), TIME, nanos::get);
        assertThat(Exchange.CANCEL.play(talk).verdict()).isEqualTo(Verdict.WORKS);
        assertThat(streams.closedByClient().get(5, TimeUnit.MINUTES)).isTrue();
      }
    }
  }

  @Test
  void theGuideShowsEveryExchange() throws IOException {
    assertThat(Files.readString(Path.of("docs/models.md")))
        .contains(Stream.of(Exchange.values()).map(Exchange::title).toList());
  }
}
