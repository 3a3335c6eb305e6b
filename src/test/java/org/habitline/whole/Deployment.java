package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.habitline.Patience;
import org.habitline.llm.openai.StrictFakeServer;
import org.jspecify.annotations.Nullable;

/**
 * One deployment of the line through all its deaths and restarts: the home folder, the model server
 * beside it, and what its REST face is asked.
 */
final class Deployment implements AutoCloseable {

  static final String ADMIN_KEY = "an-admin-key-of-the-crash-tests";
  static final String MODEL_KEY = "sk-a-model-key-of-the-crash-tests";

  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern SERVER = Pattern.compile("//[^:/]+:(\\d+)");

  private final Path home;
  private final StrictFakeServer model = StrictFakeServer.start();
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(Patience.LONG).build();
  private final Map<String, String> environment;
  private final List<Cable> cables = new ArrayList<>();
  private volatile @Nullable RunningJar jar;

  Deployment(Path home, Map<String, String> settings) {
    this.home = home;
    this.environment =
        new HashMap<>(
            Map.of(
                "OPENAI_BASE_URL",
                model.baseUrl(),
                "OPENAI_API_KEY",
                MODEL_KEY,
                "HABITLINE_ADMIN_KEY",
                ADMIN_KEY,
                "TURN_QUIET_PERIOD",
                "50ms",
                // Tests text and ask more often than people do.
                "TURNS_PER_MINUTE",
                "0",
                "HABITLINE_REQUESTS_PER_MINUTE",
                "0"));
    environment.putAll(settings);
  }

  /** From the next start on it asks the model of another deployment. */
  void asksModelOf(Deployment other) {
    environment.put("OPENAI_BASE_URL", other.model.baseUrl());
  }

  /** From the next start on it reaches the server that a setting names over this cable. */
  Cable overACable(String setting) {
    var server = SERVER.matcher(Objects.requireNonNull(environment.get(setting)));
    assertThat(server.find()).isTrue();
    var cable = new Cable(Integer.parseInt(server.group(1)));
    cables.add(cable);
    environment.put(setting, server.replaceFirst("//127.0.0.1:" + cable.port()));
    return cable;
  }

  StrictFakeServer model() {
    return model;
  }

  Path home() {
    return home;
  }

  RunningJar jar() {
    return Objects.requireNonNull(jar, "not started");
  }

  /** Starts the line as tests like it: quickly. */
  Deployment start() {
    return start(QuickStart.options());
  }

  /** Starts the line so that {@link #willDieAt} can be asked for. */
  Deployment startWithDebugger() {
    var options = new ArrayList<>(QuickStart.options());
    options.add(RunningJar.debugger());
    return start(options);
  }

  Deployment start(List<String> jvmOptions) {
    jar = RunningJar.start(home, environment, jvmOptions);
    return this;
  }

  /** The process will die at the first line of a method of ours, the nth time it is run. */
  CompletableFuture<Void> willDieAt(String className, String method, int nth) {
    return jar().killAt("org.habitline." + className, method, nth);
  }

  /** Starts the line only to see it die at the first line of a method of ours. */
  void startAndDieAt(String className, String method) {
    startAndDieAt(className, method, 1);
  }

  /** The same, the nth time the method is run. */
  void startAndDieAt(String className, String method, int nth) {
    var options = new ArrayList<>(QuickStart.options());
    options.add(RunningJar.waitingDebugger());
    jar = RunningJar.launch(home, environment, options);
    await(willDieAt(className, method, nth));
  }

  /** The process will stand still at the first line of a method, the nth time it is run. */
  CompletableFuture<Void> willFreezeAt(String className, String method, int nth) {
    return jar().freezeAt(className, method, nth);
  }

  /** Starts the line and lets it stand still at the first line of a method. */
  void startAndFreezeAt(String className, String method) {
    var options = new ArrayList<>(QuickStart.options());
    options.add(RunningJar.waitingDebugger());
    jar = RunningJar.launch(home, environment, options);
    await(willFreezeAt(className, method, 1));
  }

  static void await(CompletableFuture<Void> death) {
    death.orTimeout(Patience.LONG.toSeconds(), TimeUnit.SECONDS).join();
  }

  void kill() {
    jar().kill();
  }

  void stop() {
    jar().stop();
  }

  /** What the line left; it must not be running. */
  Ledger ledger() {
    return Ledger.of(home);
  }

  /** What the line would leave if the power failed now. */
  Ledger ledgerNow() {
    return Ledger.ofNow(home, home.resolve("copy"));
  }

  /** Nothing that any of its processes ever wrote tells what people said, or a number, or a key. */
  void assertThatTheLogIsDiscreet(String... said) {
    try (var files = Files.walk(home.resolve("data"))) {
      assertThat(Files.readString(home.resolve("output.log")))
          .contains("turn")
          .doesNotContain(said)
          .doesNotContain(ADMIN_KEY, MODEL_KEY, "token=")
          .doesNotContainPattern("49151\\d{3,}");
      assertThat(files.filter(file -> file.toString().endsWith(".trace.db"))).isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An answer of the REST face. */
  record Answer(int status, JsonNode body) {
    boolean accepted() {
      return status >= 200 && status < 300;
    }
  }

  /** Enrols somebody on the simulator and returns their id. */
  String enrol(String phone) {
    return enrol(phone, phone);
  }

  /** Enrols somebody on the simulator and returns their id; the same key is the same enrolment. */
  String enrol(String phone, String idempotencyKey) {
    return enrolled(() -> tryToEnrol(phone, idempotencyKey));
  }

  /** Enrols somebody on the line's first channel and returns their id. */
  String enrolByPhone(String phone) {
    return enrolled(() -> post("/conversation/participants", Map.of("phone_number", phone)));
  }

  private static String enrolled(Callable<Answer> request) {
    var answer = onceThereIsRoom(request);
    if (answer.status() != 201) {
      throw new IllegalStateException("Enrolment was answered " + answer);
    }
    return answer.body().path("result").path("id").asText();
  }

  /** Asks again as long as the line says that it has too much to do, as it asks its callers to. */
  private static Answer onceThereIsRoom(Callable<Answer> request) {
    return Awaitility.await("the line has room")
        .pollInterval(Duration.ofSeconds(1))
        .pollDelay(Duration.ZERO)
        .until(request, answer -> answer.status() != 503);
  }

  private Answer tryToEnrol(String phone, String idempotencyKey) {
    return send(
        request("/conversation/participants")
            .header("Idempotency-Key", idempotencyKey)
            .header("Content-Type", "application/json")
            .POST(json(Map.of("phone_number", phone, "channel", "simulator"))));
  }

  /** Enrols a number again as soon as nothing is left of the participant who had it. */
  String enrolOnceErased(String phone) {
    return Awaitility.await("the number is free again")
        .pollInterval(Duration.ofMillis(50))
        .until(() -> tryToEnrol(phone, "again " + phone), Answer::accepted)
        .body()
        .path("result")
        .path("id")
        .asText();
  }

  /** Enrols somebody and waits until they have their greeting. */
  String enrolAndGreet(String phone) {
    var id = enrol(phone);
    awaitOnPhone(id, CoachScript.GREETING);
    return id;
  }

  /** Texts the line; returns once it is acknowledged. */
  public void text(String participantId, String words) {
    var answer =
        onceThereIsRoom(
            () -> post("/simulator/" + participantId + "/texts", Map.of("text", words)));
    if (!answer.accepted()) {
      throw new IllegalStateException("The text was answered " + answer.status());
    }
  }

  /** Waits until a text is on the simulated phone. */
  void awaitOnPhone(String participantId, String text) {
    Awaitility.await("a text for " + participantId)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> phone(participantId).contains(text));
  }

  /** Waits until the simulated phone shows so many texts. */
  void awaitTexts(String participantId, int number) {
    Awaitility.await(number + " texts for " + participantId)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> phone(participantId).size() >= number);
  }

  /** Waits until so many turns are closed. */
  void awaitTurns(String participantId, int number) {
    Awaitility.await(number + " turns of " + participantId)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> closedTurns(participantId) >= number);
  }

  private int closedTurns(String participantId) {
    var closed = 0;
    var turns = get("/conversation/participants/" + participantId + "/turns").body();
    for (var turn : turns.path("result")) {
      closed += turn.has("completed_at") ? 1 : 0;
    }
    return closed;
  }

  /** Texts the line and waits for the answer, which comes after everything that waited before. */
  void textAndAwaitAnswer(String participantId, String words) {
    text(participantId, words);
    awaitOnPhone(participantId, CoachScript.reply(words));
    awaitRecorded(participantId);
  }

  /** Waits until the line knows of every text to the participant that it arrived. */
  private void awaitRecorded(String participantId) {
    Awaitility.await("a record of what went to " + participantId)
        .pollInterval(Duration.ofMillis(50))
        .until(() ->
            get("/conversation/participants/" + participantId + "/deliveries")
                .body()
                .path("result")
                .findValuesAsText("status")
                .stream()
                .allMatch("accepted"::equals));
  }

  /** What the simulated phone shows. */
  List<String> phone(String participantId) {
    var shown = new ArrayList<String>();
    for (var text : get("/simulator/" + participantId + "/texts").body().path("result")) {
      shown.add(text.path("body").asText());
    }
    return shown;
  }

  /** Asks for a page as a browser does. */
  HttpResponse<String> page(String path) {
    return sent(request(path).header("Accept", "text/html").GET());
  }

  Answer get(String path) {
    return send(request(path).GET());
  }

  /**
   * Returns the sum of a counter's values, of all lines of {@code /prometheus} with these parts.
   */
  double counted(String... parts) {
    return sent(request("/prometheus").GET())
        .body()
        .lines()
        .filter(line -> Arrays.stream(parts).allMatch(line::contains))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Asks for something that may kill the line before it has answered. */
  void deleteOrDie(String path) {
    try {
      assertThat(send(request(path).DELETE()).accepted()).isTrue();
    } catch (UncheckedIOException e) {
      // It was done, since the line died of what comes after.
    }
  }

  Answer post(String path, Map<String, ?> body) {
    return send(request(path).header("Content-Type", "application/json").POST(json(body)));
  }

  Answer put(String path, Map<String, ?> body) {
    return send(request(path).header("Content-Type", "application/json").PUT(json(body)));
  }

  private static HttpRequest.BodyPublisher json(Map<String, ?> body) {
    return HttpRequest.BodyPublishers.ofString(JSON.valueToTree(body).toString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + jar().port() + path))
        .timeout(Patience.LONG)
        .header("Authorization", "Bearer " + ADMIN_KEY);
  }

  private Answer send(HttpRequest.Builder request) {
    var response = sent(request);
    try {
      return new Answer(response.statusCode(), JSON.readTree(response.body()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpResponse<String> sent(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    var running = jar;
    if (running != null) {
      running.close();
    }
    cables.forEach(Cable::close);
    model.close();
    http.close();
  }
}
