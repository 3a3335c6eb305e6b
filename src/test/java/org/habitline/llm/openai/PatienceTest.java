package org.habitline.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.habitline.llm.openai.Asking.SECRET;
import static org.habitline.llm.openai.Asking.TEXT;
import static org.habitline.llm.openai.Asking.request;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.habitline.llm.ChatServer;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage.UserText;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Patience;
import org.habitline.llm.Receipt;
import org.habitline.llm.RetryingModel;
import org.habitline.llm.TextListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Asking again over real HTTP; whatever happens, no text and no key is in a reason or a log. */
@Isolated("It reads the log of the whole process.")
@ResourceLock(value = Resources.SYSTEM_ERR, mode = ResourceAccessMode.READ)
final class PatienceTest {

  private static final Duration PLENTY = org.habitline.Patience.LONG;
  private static final Duration SHORT = Duration.ofMillis(400);

  private final StrictFakeServer fake = StrictFakeServer.start();
  private final Asking asking = new Asking(fake);
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Level usual = root.getLevel();

  /** Loading the client's classes takes longer than the deadlines of some tests. */
  @BeforeAll
  static void warmUp() {
    try (var fake = StrictFakeServer.start();
        var asking = new Asking(fake)) {
      asking.patient(null).answer(request(), Deadline.in(PLENTY));
    }
  }

  @BeforeEach
  void listenToEveryLogger() {
    log.start();
    root.setLevel(Level.TRACE);
    root.addAppender(log);
  }

  @AfterEach
  void nothingLeaked() {
    root.detachAppender(log);
    root.setLevel(usual);
    asking.close();
    fake.close();
    assertThat(fake.violations()).isEmpty();
    assertThat(List.copyOf(log.list))
        .allSatisfy(event ->
            assertThat(
                    event.getFormattedMessage()
                        + (event.getThrowableProxy() == null
                            ? ""
                            : ThrowableProxyUtil.asString(event.getThrowableProxy())))
                .doesNotContain(TEXT, SECRET, "scripted"));
  }

  private ModelReply ask(RetryingModel model, Duration time) {
    var reply = model.answer(request(), Deadline.in(time));
    if (reply instanceof ModelReply.Failed failed) {
      assertThat(failed.reason()).doesNotContain(TEXT, SECRET, "{", "<").isNotBlank();
    }
    return reply;
  }

  private static Duration timed(Callable<?> work) {
    var began = System.nanoTime();
    try {
      work.call();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return Duration.ofNanos(System.nanoTime() - began);
  }

  private List<String> modelsAsked() {
    return fake.asked().stream().map(asked -> asked.body().path("model").asText()).toList();
  }

  @Test
  void whatHappensIsLogged() {
    fake.then(Scripted.status(503), Scripted.status(404), Scripted.status(404));
    ask(asking.patient("model-b"), PLENTY);
    assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage))
        .anyMatch(line -> line.contains("503") && line.contains("asking again"))
        .anyMatch(line -> line.contains("404") && line.contains("model-b is asked instead"))
        .anyMatch(line -> line.contains("model-b") && line.contains("3 attempts"));
  }

  @Test
  void aFirstAnswerIsOneAttempt() {
    fake.then(Scripted.say("Hello."));
    var reply = ask(asking.patient(null), PLENTY);
    assertThat(reply).isInstanceOf(ModelReply.Says.class);
    assertThat(reply.receipt().attempts()).isEqualTo(1);
    assertThat(reply.receipt().modelAsked()).isEqualTo("model-a");
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 409, 429, 500, 502, 503, 504, 529})
  void troubleThatMayPassIsAskedThrough(int status) {
    fake.then(Scripted.status(status), Scripted.status(status), Scripted.say("Hello."));
    var reply = ask(asking.patient(null), PLENTY);
    assertThat(reply).isInstanceOf(ModelReply.Says.class);
    assertThat(reply.receipt().attempts()).isEqualTo(3);
    assertThat(fake.asked()).hasSize(3);
    assertThat(fake.asked().stream().map(asked -> asked.body().toString()).distinct()).hasSize(1);
  }

  @Test
  void brokenConnectionsAndLateAnswersAreAskedThrough() {
    fake.then(
        Scripted.brokenConnection(),
        Scripted.closedConnection(),
        Scripted.hang(),
        Scripted.say("Hello."));
    var reply = ask(asking.patient(null, Duration.ofSeconds(5)), PLENTY);
    assertThat(reply).isInstanceOf(ModelReply.Says.class);
    assertThat(reply.receipt().attempts()).isEqualTo(4);
    assertThat(reply.receipt().latencyMillis()).isGreaterThanOrEqualTo(4990);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 422})
  void aRefusalByTheServerIsNotAskedAgain(int status) {
    fake.otherwise(request -> Scripted.status(status));
    var reply = ask(asking.patient(null), PLENTY);
    assertThat(reply)
        .asInstanceOf(type(ModelReply.Failed.class))
        .satisfies(failed -> assertThat(failed.reason()).contains(String.valueOf(status)));
    assertThat(reply.receipt().attempts()).isEqualTo(1);
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void nonsenseIsNotPaidForTwice() {
    fake.otherwise(request -> Scripted.html());
    assertThat(ask(asking.patient(null), PLENTY)).isInstanceOf(ModelReply.Failed.class);
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void aServerThatAsksForAPauseGetsIt() {
    fake.then(
        Scripted.status(429, Map.of("retry-after-ms", "300")),
        Scripted.status(503, "0"),
        Scripted.say("Hello."));
    var patient = asking.patient(null);
    assertThat(timed(() -> ask(patient, PLENTY))).isBetween(Duration.ofMillis(300), PLENTY);
    assertThat(fake.asked()).hasSize(3);
  }

  @Test
  void aPauseLongerThanTheTimeLeftIsNotWaitedFor() {
    fake.then(Scripted.status(429, "3600"));
    var patient = asking.patient(null);
    assertThat(timed(() -> assertThat(ask(patient, PLENTY)).isInstanceOf(ModelReply.Failed.class)))
        .isLessThan(PLENTY);
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void aStormEndsWithTheDeadlineAndSaysWhatItWas() {
    fake.otherwise(request -> Scripted.status(503));
    var patient = asking.patient(null);
    var reply = new CompletableFuture<ModelReply>();
    var time = Duration.ofSeconds(2);
    assertThat(timed(() -> reply.complete(ask(patient, time))))
        .isBetween(time.minusMillis(100), time.plus(PLENTY));
    assertThat(((ModelReply.Failed) reply.join()).reason())
        .as("the last answer, though the deadline cut an attempt after it short")
        .contains("503");
    // An attempt that is cut short may not have reached the server.
    assertThat(reply.join().receipt().attempts())
        .isGreaterThan(1)
        .isBetween(fake.asked().size(), fake.asked().size() + 1);
  }

  @Test
  void aHangingServerIsLeftAtTheDeadline() {
    fake.otherwise(request -> Scripted.hang());
    var patient = asking.patient(null);
    var reply = new CompletableFuture<ModelReply>();
    assertThat(timed(() -> reply.complete(ask(patient, SHORT))))
        .isBetween(SHORT.minusMillis(50), SHORT.plus(PLENTY));
    assertThat(((ModelReply.Failed) reply.join()).reason()).contains("in time");
  }

  @Test
  void aDeadlineThatHasPassedAsksNobody() {
    var reply = ask(asking.patient("model-b"), Duration.ZERO);
    assertThat(reply).isInstanceOf(ModelReply.Failed.class);
    assertThat(reply.receipt().attempts()).isZero();
    assertThat(fake.asked()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 403, 404, 422})
  void aModelTheServerWillNotAskIsReplacedByTheFallback(int status) {
    fake.then(Scripted.error(status, "scripted", "model_not_found"), Scripted.say("Hello."));
    var reply = ask(asking.patient("model-b"), PLENTY);
    assertThat(reply).isInstanceOf(ModelReply.Says.class);
    assertThat(reply.receipt().modelAsked()).isEqualTo("model-b");
    assertThat(reply.receipt().attempts()).isEqualTo(2);
    assertThat(reply.receipt().instead())
        .isEqualTo(new Receipt.Instead("model-a", ModelFailure.UNKNOWN_MODEL));
    assertThat(modelsAsked()).containsExactly("model-a", "model-b");
  }

  @Test
  void nonsenseIsReplacedByTheFallback() {
    fake.then(Scripted.garbage(), Scripted.say("Hello."));
    assertThat(ask(asking.patient("model-b"), PLENTY).receipt().modelAsked()).isEqualTo("model-b");
  }

  @Test
  void aWrongKeyIsAsWrongForTheFallback() {
    fake.otherwise(request -> Scripted.status(401));
    assertThat(ask(asking.patient("model-b"), PLENTY)).isInstanceOf(ModelReply.Failed.class);
    assertThat(modelsAsked()).containsExactly("model-a");
  }

  @Test
  void timeIsKeptForTheFallback() {
    fake.otherwise(request ->
        request.body().path("model").asText().equals("model-a")
            ? Scripted.hang()
            : Scripted.say("Hello."));
    var patient = asking.patient("model-b");
    var time = Duration.ofSeconds(10);
    var reply = ask(patient, time);
    assertThat(reply).isInstanceOf(ModelReply.Says.class);
    assertThat(reply.receipt().modelAsked()).isEqualTo("model-b");
    assertThat(reply.receipt().attempts()).isEqualTo(2);
    assertThat(reply.receipt().latencyMillis())
        .isBetween(time.toMillis() / 2, time.plus(PLENTY).toMillis());
  }

  @Test
  void aFallbackThatFailsTooIsNamedInTheReceipt() {
    fake.otherwise(request -> Scripted.status(404));
    var reply = ask(asking.patient("model-b"), PLENTY);
    assertThat(reply).isInstanceOf(ModelReply.Failed.class);
    assertThat(reply.receipt().modelAsked()).isEqualTo("model-b");
    assertThat(reply.receipt().attempts()).isEqualTo(2);
  }

  @Test
  void aFallbackThatIsTheModelItselfIsNotAskedTwice() {
    fake.otherwise(request -> Scripted.status(404));
    ask(asking.patient("model-a"), PLENTY);
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void aModelThatARequestNamesIsAskedFirst() {
    fake.then(Scripted.status(404), Scripted.say("Hello."));
    var named =
        new ModelRequest(
            "model-c", null, null, List.of(new UserText(TEXT)), List.of(), false, false);
    asking.patient("model-b").answer(named, Deadline.in(PLENTY));
    assertThat(modelsAsked()).containsExactly("model-c", "model-b");
  }

  @Test
  void outcomesOfTheModelAreNotTroubleOfTheServer() {
    fake.then(
        Scripted.refusal("No."),
        Scripted.contentFilter(),
        Scripted.cutOff("and"),
        Scripted.say(""),
        Scripted.call("look", "{}"));
    var patient = asking.patient("model-b");
    for (var expected :
        List.of(
            ModelReply.Refused.class,
            ModelReply.Refused.class,
            ModelReply.CutOff.class,
            ModelReply.Says.class,
            ModelReply.CallsTools.class)) {
      var reply = ask(patient, PLENTY);
      assertThat(reply).isInstanceOf(expected);
      assertThat(reply.receipt().attempts()).isEqualTo(1);
    }
    assertThat(modelsAsked()).containsOnly("model-a");
  }

  @Test
  void anInterruptedAttemptFailsAndKeepsTheInterrupt() {
    fake.otherwise(request -> Scripted.hang());
    interruptedWhile(asking.patient("model-b"), () -> fake.pending() == 1);
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void anInterruptedPauseFailsAndKeepsTheInterrupt() {
    fake.otherwise(request -> Scripted.status(429, "20"));
    interruptedWhile(asking.patient(null), () -> fake.asked().size() == 1 && fake.pending() == 0);
    assertThat(fake.asked()).hasSize(1);
  }

  private void interruptedWhile(RetryingModel model, Callable<Boolean> moment) {
    var reply = new CompletableFuture<ModelReply>();
    var kept = new AtomicBoolean();
    var thread =
        Thread.startVirtualThread(() -> {
          var answer = ask(model, PLENTY);
          kept.set(Thread.currentThread().isInterrupted());
          reply.complete(answer);
        });
    Awaitility.await().until(moment);
    thread.interrupt();
    assertThat(reply.join())
        .asInstanceOf(type(ModelReply.Failed.class))
        .satisfies(failed -> assertThat(failed.reason()).contains("interrupted"));
    assertThat(kept).isTrue();
    assertThat(reply.join().receipt().latencyMillis()).isLessThan(PLENTY.toMillis());
  }

  @Test
  void aServerClassThatBreaksIsAFailureLikeAnyOther() {
    ChatServer breaking =
        new ChatServer() {
          @Override
          public Attempt ask(ModelRequest request, String model, Duration timeout) {
            throw new IllegalStateException(TEXT);
          }

          @Override
          public Attempt ask(
              ModelRequest request, String model, Duration timeout, TextListener listener) {
            throw new IllegalStateException(TEXT);
          }

          @Override
          public String address() {
            return "nowhere";
          }

          @Override
          public java.util.Optional<String> adapted() {
            return java.util.Optional.empty();
          }

          @Override
          public java.util.Set<ModelQuirk> adapts(
              ModelRequest request, String model, boolean streamed) {
            return java.util.Set.of();
          }
        };
    var model =
        new RetryingModel(
            breaking,
            new Patience(
                "model-a",
                java.util.Optional.empty(),
                SHORT,
                Duration.ofMillis(1),
                Duration.ofMillis(2)));
    assertThat(ask(model, SHORT)).isInstanceOf(ModelReply.Failed.class);
  }

  @Test
  void hundredsMayWaitAtOnce() throws Exception {
    int many = 400;
    var wait = Duration.ofSeconds(2);
    fake.otherwise(request -> Scripted.say(request.lastUserText()).after(wait));
    var patient = asking.patient(null);
    root.setLevel(Level.INFO);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var replies =
          IntStream.range(0, many)
              .mapToObj(i ->
                  threads.submit(() ->
                      patient.answer(
                          request(List.of(new UserText("text " + i)), List.of()),
                          Deadline.in(PLENTY))))
              .toList();
      for (int i = 0; i < many; i++) {
        assertThat(replies.get(i).get())
            .asInstanceOf(type(ModelReply.Says.class))
            .extracting(ModelReply.Says::text)
            .isEqualTo("text " + i);
      }
    }
    assertThat(fake.asked()).hasSize(many);
  }
}
