package org.habitline.whole;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.Patience;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first minutes of an operator: nothing is configured, or something is wrong. */
class FirstRunIT {

  @TempDir Path home;

  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void closeTheClient() {
    http.close();
  }

  @Test
  void withNothingConfiguredItRehearsesAndItsLoginLinkOpensThePages() throws Exception {
    // With no JVM options, as the README says.
    try (var jar = RunningJar.start(home, Map.of(), List.of())) {
      var link = jar.awaitLine("sign in: +(http://127\\.0\\.0\\.1:\\d+/)login#token=(\\S{16,})");
      assertThat(jar.output()).containsIgnoringCase("rehearsal");
      assertThat(get(link.group(1) + "health", "").statusCode()).isEqualTo(200);
      assertThat(home.resolve("data")).isDirectory();

      assertThat(get(link.group(1), "").statusCode()).isNotEqualTo(200);
      var signedIn = signIn(link.group(1), link.group(2));
      var cookie =
          signedIn.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
      assertThat(get(link.group(1), cookie).statusCode()).isEqualTo(200);
      assertThat(signIn(link.group(1), link.group(2)).statusCode()).isEqualTo(401);
    }
  }

  private HttpResponse<String> get(String url, String cookie) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(url)).header("Accept", "text/html, application/json");
    if (!cookie.isEmpty()) {
      request.header("Cookie", cookie);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> signIn(String url, String token) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(url + "login"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString("secret=" + token))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void everyStartPrintsAFreshLoginLinkAlsoOneWithTheFlagOfACacheThatIsNotThere() {
    var cache = RunningJar.jar().resolveSibling("habitline.aot");
    var usual = tokenOfOneStart(QuickStart.options());
    var withTheFlag = tokenOfOneStart(List.of("-XX:AOTCache=" + cache));
    assertThat(withTheFlag).isNotEqualTo(usual);
  }

  private String tokenOfOneStart(List<String> jvmOptions) {
    try (var jar = RunningJar.start(home, Map.of(), jvmOptions)) {
      return jar.awaitLine("token=(\\S+)").group(1);
    }
  }

  @Test
  void theTrainingForACacheStartsTheServiceElsewhereAndEnds() {
    var elsewhere = home.resolve("elsewhere");
    var ended =
        RunningJar.startInVain(
            home,
            Map.of(
                "TWILIO_AUTH_TOKEN", "a-token",
                "TWILIO_SMS_FROM", "+15550100142",
                "TWILIO_SMS_RATE", "2",
                "DATABASE_USER", "nobody",
                "HABITLINE_FLOW", "unknown",
                "ALLOWED_HOURS", "9-5",
                "DATASOURCES_DEFAULT_URL", "jdbc:h2:file:" + elsewhere),
            "train");
    assertThat(ended.output()).contains("Habitline is up at");
    assertThat(ended.exitCode()).isZero();
    assertThat(home.resolve("data")).doesNotExist();
    assertThat(home).isDirectoryNotContaining("glob:**elsewhere*");
  }

  @Test
  void aRestartKeepsParticipantsAndWhatTheyWereTold() {
    try (var line = new Deployment(home, Map.of("OPENAI_BASE_URL", "", "OPENAI_API_KEY", ""))) {
      line.start();
      var id = line.enrol("+4915112345678");
      line.awaitTexts(id, 1);
      line.text(id, "I would like to walk a little.");
      line.awaitTexts(id, 2);
      var before = line.phone(id);
      line.stop();
      line.start();
      assertThat(line.phone(id)).isEqualTo(before);
      line.text(id, "While the coffee brews.");
      line.awaitTexts(id, 3);
      everyPageIsInTheJarAndNamesItsFields(line, id);
      line.stop();
      assertThat(line.ledger().turns(id))
          .containsExactly("1 done replied 1", "2 done replied 1", "3 done replied 1");
    }
  }

  /** A template that is missing from the jar is an error 500. */
  private static void everyPageIsInTheJarAndNamesItsFields(Deployment line, String id) {
    var addresses =
        Stream.concat(AccessibilityIT.PAGES.stream(), AccessibilityIT.ofParticipant(id));
    assertSoftly(softly ->
        addresses.forEach(address -> {
          var page = line.page(address);
          softly.assertThat(page.statusCode()).as(address).isIn(200, 400, 404);
          softly.assertThat(unnamedFields(Jsoup.parse(page.body()))).as(address).isEmpty();
        }));
  }

  private static List<String> unnamedFields(Document page) {
    return page.select("input:not([type=hidden]), select, textarea").stream()
        .filter(field -> !field.hasAttr("aria-label") && !field.hasAttr("aria-labelledby"))
        .filter(field -> field.closest("label") == null)
        .filter(field ->
            page.select("label").stream().noneMatch(label -> label.attr("for").equals(field.id())))
        .map(Element::outerHtml)
        .toList();
  }

  /** As somebody does who has just cloned it. */
  @Test
  @Tag("endurance")
  void theCommandOfTheReadmeCompilesAndStartsAFreshCopy() throws Exception {
    for (var part : List.of("config", "docs", "prompts", "src")) {
      copy(Path.of(part), home.resolve(part));
    }
    Files.copy(Path.of("pom.xml"), home.resolve("pom.xml"));
    var output = home.resolve("output.log");
    var maven =
        new ProcessBuilder("mvn", "-B", "mn:run")
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    maven.environment().put("HABITLINE_PORT", "0");
    var running = maven.start();
    try {
      var upAt = Pattern.compile(" is up at (http://127\\.0\\.0\\.1:\\d+)");
      var url =
          await()
              .atMost(Patience.LONG.multipliedBy(3))
              .until(
                  () -> {
                    var said = Files.readString(output);
                    assertThat(running.isAlive()).as(said).isTrue();
                    return upAt.matcher(said);
                  },
                  Matcher::find)
              .group(1);
      assertThat(get(url + "/health", "").statusCode()).isEqualTo(200);
    } finally {
      running.descendants().forEach(ProcessHandle::destroyForcibly);
      running.destroyForcibly().waitFor();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (var file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  @Test
  void aWrongValueStopsTheStartWithOneSentenceThatNamesTheVariable() {
    var ended = RunningJar.startInVain(home, Map.of("TURN_DEADLINE", "soon"));
    refusedInOneSentence(ended, "TURN_DEADLINE");
  }

  @Test
  void aFlowThatNamesAnUnknownToolStopsTheStartWithOneSentence() throws IOException {
    var flow = Files.createDirectories(home.resolve("config").resolve("flows").resolve("habit"));
    var shipped = Files.readString(Path.of("config", "flows", "habit", "flow.yaml"));
    Files.writeString(
        flow.resolve("flow.yaml"),
        shipped.replaceFirst("\\[transition_state,", "[transition_stat,"));
    refusedInOneSentence(
        RunningJar.startInVain(home, Map.of()), "habit", "tools", "transition_stat");
  }

  @Test
  void everyMistakeInEveryFlowIsNamed() throws IOException {
    var shipped = Files.readString(Path.of("config", "flows", "habit", "flow.yaml"));
    for (var id : List.of("first", "second")) {
      var flow = Files.createDirectories(home.resolve("config").resolve("flows").resolve(id));
      Files.writeString(
          flow.resolve("flow.yaml"),
          shipped
              .replace("id: habit", "id: " + id)
              .replace("initial_state: INTAKE", "initial_state: NOWHERE_" + id)
              .replaceFirst("load_limit: 50", "load_limit: 51"));
    }
    var ended = RunningJar.startInVain(home, Map.of());
    refusedInOneSentence(ended, "The flows have ", " mistakes:");
    assertThat(ended.output())
        .contains("first/flow.yaml: initial_state: no module is called 'NOWHERE_first'")
        .contains("second/flow.yaml: initial_state: no module is called 'NOWHERE_second'")
        .contains("first/flow.yaml: modules.INTAKE.load_limit")
        .contains("second/flow.yaml: modules.INTAKE.load_limit");
  }

  @Test
  void aSecondProcessOnTheSameDataFolderIsRefusedWithOneSentence() {
    try (var first = RunningJar.start(home, Map.of())) {
      var ended = RunningJar.startInVain(home, Map.of());
      refusedInOneSentence(ended, "another process");
      assertThat(first.exitCode()).isNull();
    }
  }

  @Test
  void anOccupiedPortIsNamedInOneSentenceOnceTheDatabaseIsClosed() throws IOException {
    try (var occupant = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var port = String.valueOf(occupant.getLocalPort());
      var ended = RunningJar.startInVain(home, Map.of("HABITLINE_PORT", port));
      refusedInOneSentence(ended, "HABITLINE_PORT: the port is in use");
      assertThat(ended.output().lines().toList().getLast()).startsWith("Habitline did not start.");
    }
    try (var file = Files.newInputStream(home.resolve("data/habitline.mv.db"))) {
      // H2 writes this into the first block of a file that it closes in order.
      assertThat(new String(file.readNBytes(4096), US_ASCII)).contains("clean:1");
    }
  }

  private static void refusedInOneSentence(RunningJar.Ended ended, String... words) {
    assertThat(ended.exitCode()).as(ended.output()).isEqualTo(1);
    var said = ended.output().lines().filter(line -> line.startsWith("Habitline did not")).toList();
    assertThat(said).as(ended.output()).hasSize(1);
    assertThat(said.getFirst()).contains(words);
    assertThat(ended.output())
        .doesNotContain("\tat ")
        .doesNotContain("Exception")
        .doesNotContain("ERROR");
  }
}
