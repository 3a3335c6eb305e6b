package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.habitline.RestLine;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.habitline.storage.Ids;
import org.habitline.whole.ApiDocument.Operation;
import org.habitline.whole.Asked.Answer;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/**
 * Requests that are almost right, to every operation and every page: none breaks the line, is
 * answered with more than a sentence, or leaves a word of a participant in the log. A build asks
 * the same requests each time; {@code -Dfuzz.seed} asks others, {@code -Dfuzz.rounds} more; how
 * often each operation was asked is written to {@code target/fuzz-totals.md}.
 */
@Isolated("It reads the log of the whole process.")
final class FuzzTest {

  private static final long SEED = Long.getLong("fuzz.seed", 67405431012580L);
  private static final int ROUNDS = Integer.getInteger("fuzz.rounds", 10);
  private static final int ROUNDS_OF_A_STORM = 60;
  private static final Path TOTALS = Path.of("target", "fuzz-totals.md");
  private static final int TOLD = 40;

  /** Texts, numbers and keys; none of them belongs into a log or a refusal. */
  private static final Pattern SECRETS =
      Pattern.compile(
          Mangler.MARKER + "|\\b1?206[ -]?55[0-9][ -]?\\d{4}\\b|\\bhl_[A-Za-z0-9_-]{20,}",
          Pattern.CASE_INSENSITIVE);

  /** A list's unknown columns are named as they were written. */
  private static final Pattern COLUMNS =
      Pattern.compile("Unknown columns? .* Accepted columns are");

  /** A time zone that is none is named as it was written, so that a typing error is seen. */
  private static final Pattern ZONES = Pattern.compile("timezone: '.*' is not a time zone");

  /** So the prompt API says, as its original did, that a model wrote nothing. */
  private static final String NOT_GENERATED = "could not be generated and nothing was sent";

  /** An address of ours and not of another site. */
  private static final Pattern OURS = Pattern.compile("/(?![/\\\\]).*|/");

  /** The heads of requests that no client of ours would write. */
  private static final List<String> HARDLY_HTTP =
      List.of(
          "GET /keys?a=%zz HTTP/1.1\r\nHost: x",
          "GET /conversation/participants/%zz HTTP/1.1\r\nHost: x",
          "GET /conversation/participants/% HTTP/1.1\r\nHost: x",
          "GET /keys?limit=%FF%FE HTTP/1.1\r\nHost: x",
          "GET /keys\u0000 HTTP/1.1\r\nHost: x",
          "GET /\u00ff\u00fe HTTP/1.1\r\nHost: x",
          "GET //keys HTTP/1.1\r\nHost: x",
          "GET http://other.example/keys HTTP/1.1\r\nHost: x",
          "GET http://[/keys HTTP/1.1\r\nHost: x",
          "GET * HTTP/1.1\r\nHost: x",
          "GET keys HTTP/1.1\r\nHost: x",
          "GET /keys#part HTTP/1.1\r\nHost: x",
          "GET /keys|^`{} HTTP/1.1\r\nHost: x",
          "GET /conversation/participants?cursor=a|b HTTP/1.1\r\nHost: x",
          "GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: x",
          "GET /keys HTTP/1.1\r\nHost: x\r\nX-Long: " + "x".repeat(10_000),
          "GET /keys HTTP/1.1\r\nHost: x\r\n" + "X-Many: 1\r\n".repeat(500) + "X-Last: 1",
          "GET /keys HTTP/1.1",
          "GET /keys HTTP/1.0",
          "GET /keys HTTP/9.9\r\nHost: x",
          "GET /keys HTTP/1.1\r\nHost: \u00ff:\u00fe",
          "GET /keys HTTP/1.1\r\nHost: x\r\nCookie: habitline_session",
          "GET /keys HTTP/1.1\r\nHost: x\r\nCookie: \u0000=\u0001; ;;=;habitline_session=\u00ff",
          "GET /keys HTTP/1.1\r\nHost: x\r\nAccept: ;;;q=x",
          "GET /keys HTTP/1.1\r\nHost: x\r\nAccept: text/html;q=9999999999999",
          "GET /keys HTTP/1.1\r\nHost: x\r\nAccept-Language: \u00ff-;q=-1",
          "GET /keys HTTP/1.1\r\nHost: x\r\nAccept-Charset: nonsense",
          "GET /keys HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip;q=x",
          "GET /keys HTTP/1.1\r\nHost: x\r\nExpect: nonsense",
          "GET /keys HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade",
          "GET /keys HTTP/1.1\r\nHost: x\r\nRange: bytes=-1",
          "GET /assets/app.css HTTP/1.1\r\nHost: x\r\nRange: bytes=9-1",
          "GET /assets/app.css HTTP/1.1\r\nHost: x\r\nIf-Modified-Since: yesterday",
          "GET /assets/..%2f..%2fapplication.yml HTTP/1.1\r\nHost: x",
          "GET /assets/ HTTP/1.1\r\nHost: x",
          "GET /swagger/ HTTP/1.1\r\nHost: x",
          "HEAD /keys HTTP/1.1\r\nHost: x",
          "OPTIONS /keys HTTP/1.1\r\nHost: x",
          "OPTIONS /keys HTTP/1.1\r\nHost: x\r\nOrigin: null\r\nAccess-Control-Request-Method: x",
          "TRACE /keys HTTP/1.1\r\nHost: x",
          "CONNECT x:1 HTTP/1.1\r\nHost: x",
          "BREW /keys HTTP/1.1\r\nHost: x",
          "POST /keys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: -1",
          "POST /keys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999999999999",
          "POST /keys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2147483648",
          "POST /keys HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: nonsense",
          "POST /keys HTTP/1.1\r\nHost: x\r\nContent-Type: ;;\r\nContent-Length: 0",
          "POST /webhooks/twilio/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 0",
          "nonsense");

  private static final ApiWorld WORLD = new ApiWorld(FuzzTest.class);
  private static final Map<String, Map<Integer, Integer>> COUNTS = new TreeMap<>();

  private static final Map<String, Long> MILLIS = new TreeMap<>();

  private final Mangler mangler = new Mangler(SEED, WORLD.document());
  private final Map<String, String> findings = new LinkedHashMap<>();
  private final Written written = new Written();
  private int rounds = ROUNDS;

  /** What the log holds, as it is written. */
  private static final class Written extends AppenderBase<ILoggingEvent> {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final Encoder<ILoggingEvent> encoder;

    Written() {
      var appender = (OutputStreamAppender<ILoggingEvent>) root().iteratorForAppenders().next();
      this.encoder = appender.getEncoder();
    }

    @Override
    protected void append(ILoggingEvent event) {
      var line = new String(encoder.encode(event), StandardCharsets.UTF_8);
      lines.add(line);
      if (event.getLevel() == Level.ERROR) {
        errors.add(line);
      }
    }
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  @BeforeEach
  void listen() {
    written.start();
    root().addAppender(written);
  }

  @AfterEach
  void stopListening() {
    root().detachAppender(written);
  }

  @AfterAll
  static void stop() throws IOException {
    WORLD.close();
    Files.writeString(TOTALS, totals());
    System.out.println(totals());
  }

  private static String totals() {
    var statuses = new TreeSet<Integer>();
    COUNTS.values().forEach(counts -> statuses.addAll(counts.keySet()));
    var table =
        new StringBuilder("# Requests by seed " + SEED + "\n\n| operation | requests | ms each |");
    statuses.forEach(status -> table.append(' ').append(status).append(" |"));
    table.append("\n|---|---|---|").append("---|".repeat(statuses.size())).append('\n');
    var sum = 0;
    for (var operation : COUNTS.entrySet()) {
      var counts = operation.getValue();
      var all = sum(counts.values());
      sum += all;
      table.append("| `").append(operation.getKey()).append("` | ").append(all).append(" | ");
      table.append(MILLIS.getOrDefault(operation.getKey(), 0L) / all).append(" |");
      statuses.forEach(
          status -> table.append(' ').append(counts.getOrDefault(status, 0)).append(" |"));
      table.append('\n');
    }
    return table.append("\nTogether ").append(sum).append(" requests.\n").toString();
  }

  private static int sum(Collection<Integer> counts) {
    return counts.stream().mapToInt(Integer::intValue).sum();
  }

  private static void count(String name, int status, long nanos) {
    MILLIS.merge(name, nanos / 1_000_000, Long::sum);
    COUNTS.computeIfAbsent(name, it -> new TreeMap<>()).merge(status, 1, Integer::sum);
  }

  private void found(String what, Asked asked, String complaint) {
    // One finding of a kind is enough; where exactly it points to does not matter.
    var kind = what + " " + complaint.replaceAll("[0-9a-f]{8,}|\\d+", "#");
    findings.putIfAbsent(
        kind.substring(0, Math.min(kind.length(), 160)),
        what + " " + shortened(complaint) + "\n    by " + asked);
  }

  private static String shortened(String text) {
    return text.length() > 600 ? text.substring(0, 600) + "…" : text;
  }

  /**
   * What the health and Quartz of a line of another test in this process say whose database that
   * test took away: Quartz goes on trying to write down its last job. No request closes a pool, so
   * nothing that a request can do is passed over.
   */
  private static final Pattern CLOSED_ELSEWHERE =
      Pattern.compile(
          "HealthResult - .*GatedConnections.*HikariDataSource .*has been closed"
              + "|(OneStore|ErrorLogger) - .*JobStoreSupport\\.getConnection.*HikariDataSource\\.getConnection");

  private void judgeTheLog() {
    for (var line : written.lines) {
      if (SECRETS.matcher(line).find()) {
        findings.putIfAbsent("log", "The log holds what it must not: " + shortened(line));
      }
    }
    for (var line : written.errors) {
      if (CLOSED_ELSEWHERE.matcher(line).find()) {
        continue;
      }
      findings.putIfAbsent(
          "error " + line.replaceAll("\\d+|err_[0-9a-f]+", "#").substring(20),
          "The log holds an error: " + shortened(line));
    }
    assertThat(findings.values().stream().limit(TOLD))
        .as("what -Dfuzz.seed=%s -Dfuzz.rounds=%s finds (%s in all)", SEED, rounds, findings.size())
        .isEmpty();
  }

  /** A line and how it is asked there. */
  private ApiWorld.Door door(Operation operation) {
    return operation.isWebhook() ? WORLD.trusting() : WORLD.rehearsal();
  }

  @Test
  void noRequestBreaksAnOperation() {
    askEveryOperation(ROUNDS);
  }

  @Test
  @Tag("endurance")
  void noStormOfRequestsBreaksAnOperation() {
    askEveryOperation(ROUNDS_OF_A_STORM);
  }

  private void askEveryOperation(int howOften) {
    rounds = howOften;
    System.out.println("-Dfuzz.seed=" + SEED + " -Dfuzz.rounds=" + rounds);
    learnWhatThereIs(WORLD.rehearsal());
    for (int round = 0; round < rounds; round++) {
      people();
      for (var operation : WORLD.document().operations()) {
        var door = door(operation);
        var asked = mangler.ask(operation);
        var began = System.nanoTime();
        var answer = send(door, operation.name(), asked.key(RestLine.ADMIN));
        if (answer != null) {
          count(operation.name(), answer.status(), System.nanoTime() - began);
          judge(operation.name(), answer);
          if (answer.status() < 300 && !answer.asked().wantsPage()) {
            mangler.learn(operation.path(), answer.json());
          }
        }
      }
    }
    judgeTheLog();
  }

  /** Sees to it that there is somebody to ask about, and something to decide. */
  private void people() {
    var door = WORLD.rehearsal();
    if (mangler.chance(30)) {
      var robin = door.someone();
      door.post("/simulator/" + robin + "/texts", "{\"text\":\"" + Mangler.MARKER + "\"}");
      mangler.learn(
          RestLine.PARTICIPANTS + "/{id}/turns", door.get(door.at(robin) + "/turns").json());
      door.line()
          .bean(Inbox.class)
          .accept(
              new IncomingText(
                  Ids.next("SM"),
                  new PhoneNumber(ApiWorld.newNumber()),
                  ChannelKind.SIMULATOR,
                  Mangler.MARKER));
      learnWhatThereIs(door);
    }
  }

  private void learnWhatThereIs(ApiWorld.Door door) {
    for (var operation : WORLD.document().operations()) {
      if (operation.method().equals("GET")
          && operation.parameters("path").isEmpty()
          && !operation.streams()) {
        mangler.learn(operation.path(), door.get(operation.path()).json());
      }
    }
  }

  private Answer send(ApiWorld.Door door, String name, Asked asked) {
    for (int attempt = 0; ; attempt++) {
      try {
        return asked.send(WORLD.client(), door.line().url());
      } catch (IOException | IllegalArgumentException e) {
        // A connection may have been closed since the last request; twice it was this request.
        if (attempt > 0) {
          found(name, asked, "was not answered: " + e);
          return null;
        }
      }
    }
  }

  /** Returns a refusal without what it may repeat. */
  private static String withoutEchoes(String text) {
    return ZONES.matcher(COLUMNS.matcher(text).replaceAll("")).replaceAll("");
  }

  private void judge(String name, Answer answer) {
    if (answer.text().contains(NOT_GENERATED)) {
      return;
    }
    if (Manners.isFailure(answer)) {
      found(name, answer.asked(), "failed with " + answer.status() + ": " + answer.text());
    }
    for (var complaint : WORLD.manners().complaints(answer)) {
      found(name, answer.asked(), complaint);
    }
    if (answer.status() >= 400
        && !answer.is("text/html")
        && SECRETS.matcher(withoutEchoes(answer.text())).find()) {
      found(name, answer.asked(), "repeats in its refusal what it must not: " + answer.text());
    }
  }

  @Test
  void noRequestBreaksAPage() throws IOException {
    askEveryPage(ROUNDS);
  }

  @Test
  @Tag("endurance")
  void noStormOfRequestsBreaksAPage() throws IOException {
    askEveryPage(ROUNDS_OF_A_STORM);
  }

  private void askEveryPage(int howOften) throws IOException {
    rounds = howOften;
    var door = WORLD.rehearsal();
    var session = session(door);
    var pages =
        PageRoute.all(door.line()).stream().filter(page -> !page.path().equals("/logout")).toList();
    var fields = fields(door, session, pages);
    learnWhatThereIs(door);
    for (int round = 0; round < rounds / 3; round++) {
      people();
      for (var page : pages) {
        var asked =
            mangler
                .ask(page, List.copyOf(fields.getOrDefault(page.name(), Set.of("name", "reason"))))
                .header("Cookie", session)
                .header("Sec-Fetch-Site", "same-origin");
        var began = System.nanoTime();
        var answer = send(door, page.name(), asked);
        if (answer != null) {
          count(page.name(), answer.status(), System.nanoTime() - began);
          judge(page.name(), answer);
          judgePage(page.name(), answer);
        }
      }
    }
    judgeTheLog();
  }

  @Test
  void whatIsHardlyHttpIsRefused() throws IOException {
    var door = WORLD.rehearsal();
    for (var raw : HARDLY_HTTP) {
      var answer = raw(door.line().url(), raw);
      count("hardly HTTP", answer.isEmpty() ? 0 : Integer.parseInt(answer.substring(9, 12)), 0);
      if (!answer.isEmpty() && !answer.matches("(?s)HTTP/[0-9.]+ [24].*")) {
        findings.put(raw, "is answered with " + answer + "\n    by " + Asked.of(raw, ""));
      }
      if (Manners.tellsInsides(answer)) {
        findings.put(raw, "tells what is inside: " + answer + "\n    by " + Asked.of(raw, ""));
      }
    }
    judgeTheLog();
  }

  /** The beginning of what comes back, or nothing if the connection is closed. */
  private static String raw(String url, String request) throws IOException {
    var at = URI.create(url);
    try (var socket = new Socket(at.getHost(), at.getPort())) {
      socket.setSoTimeout(10_000);
      var whole =
          request + "\r\nAuthorization: Bearer " + RestLine.ADMIN + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(whole.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readNBytes(4_000), StandardCharsets.ISO_8859_1);
    }
  }

  private void judgePage(String name, Answer answer) {
    if (answer.is("text/html") && answer.text().contains(Mangler.SCRIPT)) {
      found(name, answer.asked(), "shows a script as it was written");
    }
    var location = answer.header("Location");
    if (!location.isEmpty() && !OURS.matcher(location).matches()) {
      found(name, answer.asked(), "leads to another site: " + location);
    }
    if (answer.headers().map().getOrDefault("Set-Cookie", List.of()).contains("a=b")) {
      found(name, answer.asked(), "takes a header from what was said");
    }
  }

  private static String session(ApiWorld.Door door) throws IOException {
    var answer =
        Asked.of("POST", "/login")
            .form("secret=" + RestLine.ADMIN)
            .send(WORLD.client(), door.line().url());
    return answer.header("Set-Cookie").replaceFirst(";.*", "");
  }

  /** The fields of the forms that the pages show, by the route that takes them. */
  private Map<String, Set<String>> fields(ApiWorld.Door door, String session, List<PageRoute> pages)
      throws IOException {
    var fields = new TreeMap<String, Set<String>>();
    for (var address : addresses(pages)) {
      var page =
          Asked.of("GET", address)
              .header("Accept", "text/html")
              .header("Cookie", session)
              .send(WORLD.client(), door.line().url());
      for (var form : Jsoup.parse(page.text()).select("form[method=post]")) {
        pages.stream()
            .filter(route -> route.method().equals("POST") && route.matches(form.attr("action")))
            .forEach(route ->
                form.select("[name]")
                    .forEach(field ->
                        fields
                            .computeIfAbsent(route.name(), it -> new TreeSet<>())
                            .add(field.attr("name"))));
      }
    }
    return fields;
  }

  /** The pages of somebody who is there. */
  private static List<String> addresses(List<PageRoute> pages) {
    var id = WORLD.talked();
    WORLD.unclaimed();
    var addresses = new ArrayList<String>();
    for (var page : pages) {
      if (page.method().equals("GET")) {
        addresses.add(page.path().replace("{id}", id).replaceAll("\\{[^}]+}", "1"));
      }
    }
    return addresses;
  }
}
