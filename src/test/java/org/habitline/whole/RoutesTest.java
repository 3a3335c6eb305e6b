package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.whole.ApiDocument.Operation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Who may use which operation: the table of docs/access.md is the promise, and every operation is
 * asked by everybody. What came of it is written to {@code target/route-roles.md}.
 */
@Order(1)
final class RoutesTest {

  private static final Path GUIDE = Path.of("docs", "access.md");
  private static final Pattern PROMISE =
      Pattern.compile(
          "\\| (open|participant|deidentified, viewer|deidentified|viewer|researcher|staff|safety|admin) \\| `([A-Z]+ /\\S*)` \\|.*");

  /** The least role of every documented operation, as the guide promises it. */
  private static final Map<String, Least> OPERATIONS = promised();

  /** What the framework serves and the document does not describe. */
  private static final Map<String, Least> BESIDES =
      table(
          """
          metrics    GET    /prometheus
          """);

  /** Pages are for staff, but for these. */
  private static final Map<String, Least> PAGES_NOT_FOR_STAFF =
      table(
          """
          viewer     GET    /
          admin      GET    /access
          admin      POST   /access
          admin      GET    /access/people
          admin      POST   /access/people
          admin      POST   /access/people/{id}
          admin      POST   /access/people/{id}/link
          deidentified_or_viewer GET /access/sessions
          deidentified_or_viewer POST /access/sessions/{seq}/end
          admin      POST   /access/{id}/revoke
          deidentified_or_viewer GET /account
          deidentified_or_viewer POST /account/password
          deidentified_or_viewer POST /account/recovery-codes
          deidentified_or_viewer POST /account/second-factor
          deidentified_or_viewer POST /account/second-factor/code
          deidentified_or_viewer POST /account/sessions/{seq}/end
          open       GET    /api-docs
          deidentified_or_viewer GET /glossary
          researcher GET    /bulk
          researcher GET    /bulk/{id}
          researcher POST   /bulk/{id}/confirm
          researcher POST   /bulk/{id}/discard
          researcher POST   /bulk/{id}/undo
          researcher POST   /bulk/{id}/words
          open       GET    /health/alerting
          open       GET    /invitation
          open       POST   /invitation
          open       POST   /invitation/code
          open       GET    /login
          open       POST   /login/account
          open       POST   /login/code
          open       POST   /logout
          viewer     GET    /participants
          researcher POST   /participants
          viewer     POST   /participants/columns
          researcher GET    /participants/import
          researcher POST   /participants/import
          researcher GET    /participants/import/{id}
          researcher POST   /participants/import/{id}/columns
          researcher POST   /participants/import/{id}/confirm
          researcher POST   /participants/import/{id}/defaults
          researcher POST   /participants/import/{id}/discard
          researcher POST   /participants/selected
          researcher POST   /participants/views
          researcher POST   /participants/views/{id}/delete
          researcher POST   /participants/import/{id}/rows
          viewer     GET    /participants/{id}
          viewer     GET    /participants/{id}/news
          researcher GET    /participants/{id}/details
          researcher POST   /participants/{id}/details
          researcher GET    /participants/{id}/notes
          viewer     GET    /participants/{id}/simulator
          viewer     GET    /participants/{id}/simulator/news
          researcher POST   /participants/{id}/status
          researcher POST   /participants/{id}/study
          viewer     GET    /participants/{id}/timeline
          researcher POST   /participants/{id}/tags
          researcher POST   /participants/{id}/tags/remove
          viewer     GET    /participants/{id}/turns/{number}
          viewer     GET    /prompts/{sha256}/text
          safety     GET    /safety
          safety     GET    /safety/{id}
          safety     POST   /safety/{id}/acknowledge
          safety     POST   /safety/{id}/entries
          safety     POST   /safety/{id}/release
          safety     POST   /safety/tests
          safety     POST   /safety/tests/{id}/acknowledge
          admin      POST   /restored/form
          admin      POST   /sending/resume/form
          viewer     GET    /simulator
          deidentified_or_viewer GET /study
          viewer     GET    /study/configuration
          viewer     GET    /study/configurations/{number}/page
          deidentified GET  /study/data-package
          deidentified POST /study/data-package
          viewer     GET    /study/monitoring
          viewer     GET    /study/monitoring/days.csv
          viewer     GET    /study/monitoring/deviations.csv
          open       GET    /swagger/habitline-0.1.yml
          viewer     GET    /system
          admin      GET    /system/audit
          admin      POST   /system/backup
          viewer     GET    /today/{section}
          viewer     GET    /today/flags/{id}
          """);

  /** Says that something was received, with nothing to come with it. */
  private static final String WITHOUT_BODY = "POST /mcp 202";

  /** Answers 401 to everybody without a secret, as it should. */
  private static final String SIGN_IN = "POST /login";

  private static final String FROM = "X-Forwarded-For";
  private static final AtomicInteger ADDRESSES = new AtomicInteger();
  private static final byte[] NOTHING = "nothing=".getBytes(StandardCharsets.UTF_8);
  private static final Path WRITTEN = Path.of("target", "route-roles.md");

  /** What an operation asks of whoever uses it. */
  private enum Least {
    OPEN,
    /** A participant's token, or staff. */
    PARTICIPANT,
    METRICS,
    DEIDENTIFIED,
    VIEWER,
    /** Either of the two. */
    DEIDENTIFIED_OR_VIEWER,
    RESEARCHER,
    STAFF,
    SAFETY,
    ADMIN;

    static Least of(String words) {
      return valueOf(words.toUpperCase(Locale.ROOT).replace(", ", "_OR_"));
    }
  }

  /** Everybody who might come. */
  private enum Visitor {
    NO_KEY,
    WRONG_KEY,
    PARTICIPANT_TOKEN,
    METRICS_KEY,
    /** A researcher's key that is limited to de-identified data. */
    DEIDENTIFIED,
    VIEWER,
    RESEARCHER,
    STAFF,
    SAFETY,
    ADMIN,
    SESSION_FROM_ELSEWHERE;

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** What becomes of a visitor. */
  private enum Verdict {
    LET_IN,
    UNKNOWN,
    FORBIDDEN,
    /** Either of the two: tokens of participants and keys for metrics are no roles. */
    REFUSED;

    boolean is(int status) {
      return switch (this) {
        case LET_IN -> status != 401 && status != 403 && status < 500;
        case UNKNOWN -> status == 401;
        case FORBIDDEN -> status == 403;
        case REFUSED -> status == 401 || status == 403;
      };
    }

    static Verdict of(Visitor visitor, Least least, boolean changes) {
      if (visitor == Visitor.SESSION_FROM_ELSEWHERE) {
        return changes ? FORBIDDEN : LET_IN;
      }
      if (least == Least.OPEN) {
        return LET_IN;
      }
      return switch (visitor) {
        case NO_KEY, WRONG_KEY -> UNKNOWN;
        case PARTICIPANT_TOKEN -> least == Least.PARTICIPANT ? LET_IN : REFUSED;
        case METRICS_KEY -> least == Least.METRICS ? LET_IN : REFUSED;
        case DEIDENTIFIED ->
            least == Least.DEIDENTIFIED || least == Least.DEIDENTIFIED_OR_VIEWER
                ? LET_IN
                : FORBIDDEN;
        case VIEWER ->
            least == Least.VIEWER || least == Least.DEIDENTIFIED_OR_VIEWER ? LET_IN : FORBIDDEN;
        case RESEARCHER ->
            least.compareTo(Least.METRICS) <= 0 || least.compareTo(Least.RESEARCHER) > 0
                ? FORBIDDEN
                : LET_IN;
        case STAFF -> least == Least.SAFETY || least == Least.ADMIN ? FORBIDDEN : LET_IN;
        case SAFETY -> least == Least.ADMIN ? FORBIDDEN : LET_IN;
        case ADMIN, SESSION_FROM_ELSEWHERE -> LET_IN;
      };
    }
  }

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static ApiDocument document;
  private static Manners manners;
  private static FakeTwilio twilio;
  private static RestLine line;
  private static Map<Visitor, UnaryOperator<Asked>> visitors;

  @BeforeAll
  static void start() {
    twilio = FakeTwilio.start();
    var settings = new HashMap<>(twilio.settings("twilio.validate-signature", "false"));
    // Wrong keys come from a new address each time, so that the brake does not hold them.
    settings.put("habitline.proxy-header", FROM);
    line = RestLine.start(RoutesTest.class, settings);
    document = ApiDocument.of(line);
    manners = new Manners(document);
    visitors = visitors();
  }

  @AfterAll
  static void stop() {
    line.close();
    twilio.close();
    CLIENT.close();
  }

  private static Map<String, Least> table(String rows) {
    var table = new TreeMap<String, Least>();
    rows.lines()
        .map(row -> row.strip().split(" +"))
        .forEach(row ->
            table.put(row[1] + " " + row[2], Least.valueOf(row[0].toUpperCase(Locale.ROOT))));
    return table;
  }

  private static Map<String, Least> promised() {
    try (var lines = Files.lines(GUIDE)) {
      var promised = new TreeMap<String, Least>();
      lines
          .map(PROMISE::matcher)
          .filter(Matcher::matches)
          .forEach(row -> promised.put(row.group(2), Least.of(row.group(1))));
      return promised;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<Visitor, UnaryOperator<Asked>> visitors() {
    var found = new EnumMap<Visitor, UnaryOperator<Asked>>(Visitor.class);
    found.put(Visitor.NO_KEY, asked -> asked);
    found.put(Visitor.WRONG_KEY, asked -> fromAnywhere(asked).key("hl_nobody-ever-made-this-key"));
    for (var role : List.of(Visitor.VIEWER, Visitor.RESEARCHER, Visitor.STAFF, Visitor.SAFETY)) {
      var key = line.key("routes as " + role.word(), role.word());
      found.put(role, asked -> asked.key(key));
    }
    var limited = line.deidentifiedKey("routes as deidentified");
    found.put(Visitor.DEIDENTIFIED, asked -> asked.key(limited));
    var admin = line.key("routes as admin", "admin");
    found.put(Visitor.ADMIN, asked -> asked.key(admin));
    var session = session(admin);
    found.put(
        Visitor.SESSION_FROM_ELSEWHERE,
        asked -> asked.header("Cookie", session).header("Origin", "https://other.example"));
    Optional.of(line.key("routes as metrics", "metrics"))
        .filter(key -> !key.isEmpty())
        .ifPresent(key -> found.put(Visitor.METRICS_KEY, asked -> asked.key(key)));
    participantToken()
        .ifPresent(
            token -> found.put(Visitor.PARTICIPANT_TOKEN, asked -> fromAnywhere(asked).key(token)));
    return found;
  }

  private static Asked fromAnywhere(Asked asked) {
    var number = ADDRESSES.incrementAndGet();
    return asked.header(FROM, "10.0." + number / 250 + "." + number % 250);
  }

  private static String session(String secret) {
    var answer = send(Asked.of("POST", "/login").form("secret=" + secret));
    assertThat(answer.status()).isEqualTo(303);
    return answer.header("Set-Cookie").replaceFirst(";.*", "");
  }

  private static Optional<String> participantToken() {
    if (!document.has("POST /conversation/participants/{id}/tokens")) {
      return Optional.empty();
    }
    var said = RestLine.someone();
    said.put("channel", "simulator");
    var id = line.enrol(said).result().path("id").asText();
    var token =
        line.send("POST", RestLine.PARTICIPANTS + "/" + id + "/tokens", "{}")
            .result()
            .path("token");
    assertThat(token.asText()).as("the token of a participant").isNotEmpty();
    return Optional.of(token.asText());
  }

  private static Asked.Answer send(Asked asked) {
    try {
      return asked.send(CLIENT, line.url());
    } catch (IOException e) {
      throw new UncheckedIOException(asked.toString(), e);
    }
  }

  /** A request that is about nobody and nothing, so that whoever is let in changes nothing. */
  private static Asked harmless(Operation operation) {
    var asked = Asked.of(operation.method(), operation.at(RoutesTest::nobody));
    return operation
        .consumes()
        .map(type ->
            type.equals("application/json")
                ? asked.json("{}")
                : asked.body(new byte[] {'x'}, type.replace("*/*", "text/plain")))
        .orElse(asked);
  }

  private static String nobody(JsonNode parameter) {
    return parameter.path("schema").path("type").asText().equals("integer") ? "999999" : "nobody";
  }

  private static Asked harmless(String page) {
    var method = page.substring(0, page.indexOf(' '));
    var path =
        page.substring(method.length() + 1)
            .replaceAll("\\{(?:seq|number|iteration)}", "999999")
            .replaceAll("\\{[^}]+}", "nobody");
    var asked = Asked.of(method, path);
    return method.equals("GET") ? asked : asked.body(NOTHING, consumes(page));
  }

  private static String consumes(String page) {
    return PageRoute.all(line).stream()
        .filter(route -> route.name().equals(page))
        .map(PageRoute::consumes)
        .findFirst()
        .orElse("application/x-www-form-urlencoded");
  }

  /** Pages and their forms, as method and path. */
  private static List<String> pages() {
    return PageRoute.all(line).stream().map(PageRoute::name).toList();
  }

  @Test
  void everyOperationIsInTheTableAndNothingElse() {
    var documented =
        document.operations().stream()
            .map(Operation::name)
            .collect(Collectors.toCollection(TreeSet::new));
    var unlisted = new TreeSet<>(documented);
    unlisted.removeAll(OPERATIONS.keySet());
    var gone = new TreeSet<>(OPERATIONS.keySet());
    gone.removeAll(documented);
    assertThat(unlisted)
        .as("operations of the document whose least role docs/access.md does not say")
        .isEmpty();
    assertThat(gone).as("operations of docs/access.md that the document does not have").isEmpty();
    var noPages = new TreeSet<>(PAGES_NOT_FOR_STAFF.keySet());
    noPages.removeAll(pages());
    assertThat(noPages).as("pages of RoutesTest.PAGES_NOT_FOR_STAFF that are not there").isEmpty();
  }

  @Test
  void theAddressOfARefusedFormLeadsABrowserToThePageOfTheForm() {
    var leads = new TreeMap<String, String>();
    var nowhere = new TreeSet<String>();
    for (var page : pages()) {
      if (page.startsWith("POST ")) {
        var address = harmless(page.replaceFirst("POST", "GET")).key(RestLine.ADMIN);
        var answer = send(address.header("Accept", "text/html"));
        if (answer.status() == 303) {
          leads.put(page.substring(5), answer.header("Location"));
        } else if (answer.status() == 405) {
          nowhere.add(page);
        }
      }
    }
    assertThat(nowhere).as("it shows no page itself").containsExactly("POST /logout");
    assertThat(leads)
        .containsEntry("/participants/{id}/messages", "/participants/nobody")
        .containsEntry("/participants/{id}/notes/{noteId}/remove", "/participants/nobody/notes")
        .containsEntry(
            "/participants/{id}/deliveries/{delivery}/resend/form", "/participants/nobody")
        .containsEntry("/participants/selected", "/participants")
        .containsEntry("/today/rows/{row}/take/form", "/")
        .containsEntry("/unclaimed/{seq}/dismiss/form", "/")
        .containsEntry("/access/people/{id}/link", "/access/people")
        .containsEntry("/bulk/{id}/words", "/bulk/nobody")
        .containsEntry("/safety/{id}/release", "/safety/nobody");
    var script = Asked.of("GET", "/participants/nobody/messages").key(RestLine.ADMIN);
    assertThat(send(script).status()).isEqualTo(405);
  }

  @Test
  void everybodyGetsAsFarAsTheirRoleAndNoFarther() throws IOException {
    var wrong = new ArrayList<String>();
    var written = new StringBuilder("# Who may use which operation\n\n");
    written.append(
        "Asked over HTTP, with requests that are about nobody; each cell is the status.\n");
    var operations = new LinkedHashMap<Row, Asked>();
    for (var operation : document.operations()) {
      Optional.ofNullable(OPERATIONS.get(operation.name()))
          .ifPresent(
              least -> operations.put(new Row(operation.name(), least), harmless(operation)));
    }
    written.append(section("Operations", operations, wrong));
    written.append(section("Besides", rows(BESIDES), wrong));
    var pages = new TreeMap<String, Least>();
    pages().stream()
        .filter(page -> !page.equals(SIGN_IN))
        .forEach(page -> pages.put(page, PAGES_NOT_FOR_STAFF.getOrDefault(page, Least.STAFF)));
    written.append(section("Pages", rows(pages), wrong));
    Files.writeString(WRITTEN, written);
    assertThat(wrong).isEmpty();
  }

  private record Row(String name, Least least) {
    boolean changes() {
      return !name.startsWith("GET ");
    }
  }

  private static Map<Row, Asked> rows(Map<String, Least> table) {
    var rows = new LinkedHashMap<Row, Asked>();
    table.forEach((name, least) -> rows.put(new Row(name, least), harmless(name)));
    return rows;
  }

  private static String section(String title, Map<Row, Asked> rows, List<String> wrong) {
    var section = new StringBuilder("\n## " + title + "\n\n| operation | least role |");
    for (var visitor : Visitor.values()) {
      section.append(' ').append(visitor.word()).append(" |");
    }
    section.append("\n|---|---|").append("---|".repeat(Visitor.values().length)).append('\n');
    rows.forEach((row, asked) -> {
      section.append("| `").append(row.name()).append("` | ");
      section.append(row.least().name().toLowerCase(Locale.ROOT)).append(" |");
      for (var visitor : Visitor.values()) {
        section.append(' ').append(cell(row, asked, visitor, wrong)).append(" |");
      }
      section.append('\n');
    });
    return section.toString();
  }

  private static String cell(Row row, Asked asked, Visitor visitor, List<String> wrong) {
    var comes = visitors.get(visitor);
    if (comes == null) {
      return "–";
    }
    var answer = send(comes.apply(asked));
    var who = row.name() + " by " + visitor.word();
    var verdict = Verdict.of(visitor, row.least(), row.changes());
    if (!verdict.is(answer.status())) {
      wrong.add(who + ": expected " + verdict + " but got " + answer.status() + answer.text());
    }
    if (!row.name().contains("/swagger/")) {
      manners.complaints(answer).forEach(complaint -> wrong.add(who + ": " + complaint));
    }
    return String.valueOf(answer.status());
  }

  @Test
  void everyOperationIsDescribed() {
    var wrong = new ArrayList<String>();
    for (var operation : document.operations()) {
      described(operation).forEach(sentence -> wrong.add(operation.name() + " " + sentence));
    }
    assertThat(wrong).isEmpty();
  }

  private static List<String> described(Operation operation) {
    var wrong = new ArrayList<String>();
    var node = operation.described();
    if (node.path("summary").asText().isBlank()) {
      wrong.add("has no summary");
    }
    if (node.path("tags").size() != 1) {
      wrong.add("has " + node.path("tags").size() + " tags and not one");
    }
    for (var response : node.path("responses").properties()) {
      if (document.resolved(response.getValue()).path("description").asText().isBlank()) {
        wrong.add("does not describe its " + response.getKey());
      }
    }
    for (var status : operation.statuses()) {
      if (status < 300
          && operation.content(status).isEmpty()
          && !WITHOUT_BODY.equals(operation.name() + " " + status)) {
        wrong.add("does not say what comes with its " + status);
      }
    }
    if (operation.statuses().stream().noneMatch(status -> status < 300)) {
      wrong.add("has no success");
    }
    if (operation.readsSomething() && !operation.statuses().contains(400)) {
      wrong.add("takes a body or a query and has no 400");
    }
    security(operation).ifPresent(wrong::add);
    return wrong;
  }

  private static Optional<String> security(Operation operation) {
    var security =
        operation.described().has("security")
            ? operation.described().path("security")
            : document.root().path("security");
    var open = OPERATIONS.get(operation.name()) == Least.OPEN;
    var asksForKey =
        !security.isEmpty()
            && Stream.of(security)
                .flatMap(it -> it.findParents("key").stream())
                .findAny()
                .isPresent();
    if (open == asksForKey) {
      return Optional.of(
          open
              ? "asks for a key in the document, but is open"
              : "asks for no key in the document, but needs one");
    }
    return Optional.empty();
  }

  @Test
  void whatJsonCallsThingsIsSnakeCase() {
    var wrong = new TreeSet<String>();
    names("", document.root(), wrong);
    for (var operation : document.operations()) {
      for (var parameter : operation.parameters("query")) {
        snakeCase(operation.name(), parameter.path("name").asText(), wrong);
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void names(String where, JsonNode node, Set<String> wrong) {
    if (node.path("properties").isObject()) {
      node.path("properties").fieldNames().forEachRemaining(name -> snakeCase(where, name, wrong));
    }
    for (var child : node.properties()) {
      names(where + "/" + child.getKey(), child.getValue(), wrong);
    }
    if (node.isArray()) {
      node.forEach(child -> names(where, child, wrong));
    }
  }

  private static void snakeCase(String where, String name, Set<String> wrong) {
    // So the prompt API of the Go original calls it.
    if (!name.equals("timerID") && !name.matches("[a-z][a-z0-9]*(?:_[a-z0-9]+)*")) {
      wrong.add(where + ": " + name);
    }
  }
}
