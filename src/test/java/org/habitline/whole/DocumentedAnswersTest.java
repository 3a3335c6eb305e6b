package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.messaging.Restored;
import org.habitline.messaging.twilio.FormFields;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.participants.Tags;
import org.habitline.storage.Ids;
import org.habitline.whole.ApiDocument.Operation;
import org.habitline.whole.Asked.Answer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every answer that the document of the API promises is provoked once over HTTP, and no other
 * occurs. A documented answer without a case here fails by its name.
 */
final class DocumentedAnswersTest {

  private static final String BULK = "/conversation/bulk";

  private static final ApiWorld WORLD = new ApiWorld(DocumentedAnswersTest.class);

  @AfterAll
  static void stop() {
    WORLD.close();
  }

  private static final AtomicInteger KEYS = new AtomicInteger();

  /** How one documented answer comes about. */
  record Case(String operation, int status, Function<ApiWorld, Answer> ask) {

    String name() {
      return operation + " " + status;
    }

    @Override
    public String toString() {
      return name();
    }
  }

  private static Case on(String operation, int status, Function<ApiWorld, Answer> ask) {
    return new Case(operation, status, ask);
  }

  private static Stream<Case> cases() {
    return Stream.of(
            line(),
            health(),
            keys(),
            desk(),
            imports(),
            previewsOfImports(),
            bulk(),
            enrolment(),
            participant(),
            conversation(),
            messages(),
            steppingIn(),
            dailyPrompts(),
            profilesAndNotes(),
            tags(),
            incidents(),
            testAlerts(),
            flags(),
            work(),
            deviations(),
            debug(),
            turns(),
            tokens(),
            mcp(),
            simulator(),
            promptApi(),
            timers(),
            unclaimed(),
            twilio())
        .flatMap(List::stream);
  }

  private static List<Case> line() {
    return List.of(
        on("GET /clock", 200, w -> w.get("/clock")),
        on("POST /clock", 200, w -> w.post("/clock", "{\"advance\":\"1s\"}")),
        on("POST /clock", 400, w -> w.post("/clock", "{}")),
        on("POST /clock", 409, w -> w.real().post("/clock", "{\"advance\":\"1s\"}")),
        on("GET /events", 200, w -> w.get("/events")),
        on(
            "GET /events",
            400,
            w -> w.rehearsal().send(Asked.of("GET", "/events").header("Last-Event-ID", "newest"))),
        on("GET /events", 404, w -> w.get("/events?participant=nobody")),
        on("GET /study/configurations", 200, w -> w.get("/study/configurations")),
        on("GET /study/configurations", 400, w -> w.get("/study/configurations?limit=0")),
        on("GET /study/configurations/{number}", 200, w -> w.get("/study/configurations/1")),
        on("GET /study/configurations/{number}", 404, w -> w.get("/study/configurations/0")),
        on(
            "GET /study/configurations/{number}/changes",
            200,
            w -> w.get("/study/configurations/1/changes?from=1")),
        on(
            "GET /study/configurations/{number}/changes",
            404,
            w -> w.get("/study/configurations/1/changes?from=99999")),
        on(
            "GET /study/configurations/{number}/changes",
            400,
            w -> w.get("/study/configurations/1/changes?from=first")),
        on(
            "GET /study/configurations/{number}/file",
            400,
            w -> w.get("/study/configurations/1/file")),
        on(
            "GET /study/configurations/{number}/file",
            200,
            w -> w.get("/study/configurations/1/file?path=" + w.promptPath())),
        on(
            "GET /study/configurations/{number}/file",
            404,
            w -> w.get("/study/configurations/1/file?path=none")),
        on("GET /study/figures", 200, w -> w.get("/study/figures")),
        on("GET /study/figures/{name}.csv", 200, w -> w.get("/study/figures/costs.csv")),
        on(
            "GET /study/figures/{name}.csv",
            400,
            w -> w.get("/study/figures/costs.csv?from=yesterday")),
        on("GET /study/figures/{name}.csv", 404, w -> w.get("/study/figures/sales.csv")),
        on("GET /study/outcome-agreement", 200, w -> w.get("/study/outcome-agreement")),
        on("GET /study/outcome-codes", 200, w -> w.get("/study/outcome-codes")),
        on("GET /study/figures", 400, w -> w.get("/study/figures?from=yesterday")),
        on("GET /study/exports", 200, w -> w.get("/study/exports")),
        on("GET /study/exports", 400, w -> w.get("/study/exports?limit=0")),
        on("POST /study/exports", 202, DocumentedAnswersTest::export),
        on("POST /study/exports", 400, w -> w.post("/study/exports", "{\"scope\":\"all\"}")),
        on(
            "POST /study/exports",
            403,
            w ->
                as(
                    w,
                    "researcher",
                    Asked.of("POST", "/study/exports").json("{\"scope\":\"identified\"}"))),
        on("GET /study/exports/{id}", 200, w -> w.get("/study/exports/" + id(export(w)))),
        on(
            "GET /study/exports/{id}",
            403,
            w -> {
              var texts =
                  await()
                      .until(
                          () -> w.post("/study/exports", "{\"scope\":\"texts\"}"),
                          answer -> answer.status() != 409);
              var limited =
                  w.post(
                      "/keys",
                      "{\"name\":\"looks at figures\",\"role\":\"researcher\",\"deidentified\":true}");
              return w.rehearsal()
                  .sendBare(
                      Asked.of("GET", "/study/exports/" + id(texts))
                          .key(limited.result().path("key").asText()));
            }),
        on("GET /study/exports/{id}", 404, w -> w.get("/study/exports/exp_none")),
        on(
            "POST /study/exports",
            409,
            w ->
                await()
                    .until(() -> w.post("/study/exports", "{}"), answer -> answer.status() == 409)),
        on("GET /study/exports/{id}/file", 200, w -> w.get(file(w))),
        on(
            "GET /study/exports/{id}/file",
            206,
            w -> w.rehearsal().send(Asked.of("GET", file(w)).header("Range", "bytes=0-9"))),
        on(
            "GET /study/exports/{id}/file",
            403,
            w -> {
              var identified =
                  await()
                      .until(
                          () -> w.post("/study/exports", "{\"scope\":\"identified\"}"),
                          answer -> answer.status() != 409);
              return as(
                  w, "researcher", Asked.of("GET", "/study/exports/" + id(identified) + "/file"));
            }),
        on("GET /study/exports/{id}/file", 404, w -> w.get("/study/exports/exp_none/file")),
        on(
            "GET /study/exports/{id}/file",
            409,
            w -> {
              var file = file(w);
              w.delete(RestLine.PARTICIPANTS + "/" + someone(w));
              return await().until(() -> w.get(file), answer -> answer.status() == 409);
            }),
        on("GET /restored", 200, w -> w.get("/restored")),
        on(
            "PUT /restored",
            200,
            w -> {
              var restored = w.rehearsal().line().bean(Restored.class);
              restored.mark(Instant.now());
              restored.look();
              return w.put("/restored", "{\"what_waits\":\"send\"}");
            }),
        on("PUT /restored", 400, w -> w.put("/restored", "{\"what_waits\":\"\"}")),
        on("PUT /restored", 409, w -> w.put("/restored", "{\"what_waits\":\"skip\"}")),
        on("GET /sending", 200, w -> w.get("/sending")),
        on(
            "PUT /sending",
            200,
            w -> {
              w.put("/sending", "{\"sending\":false,\"reason\":\"a walk\"}");
              return w.put("/sending", "{\"sending\":true}");
            }),
        on(
            "PUT /sending",
            403,
            w -> {
              var staff = w.rehearsal().line().key("staff who resumes", "staff");
              return w.rehearsal()
                  .sendBare(Asked.of("PUT", "/sending").json("{\"sending\":true}").key(staff));
            }),
        on("PUT /sending", 400, w -> w.put("/sending", "{\"sending\":false}")),
        on("PUT /sending", 409, w -> w.put("/sending", "{\"sending\":true}")));
  }

  /** Starts an export of the study, as soon as none is being written. */
  private static Answer export(ApiWorld w) {
    return await().until(() -> w.post("/study/exports", "{}"), answer -> answer.status() != 409);
  }

  /** Exports the study and returns the address of the file. */
  private static String file(ApiWorld w) {
    var address = "/study/exports/" + id(export(w));
    await().until(() -> w.get(address).result().path("status").asText().equals("ready"));
    return address + "/file";
  }

  private static String id(Answer export) {
    return export.result().path("id").asText();
  }

  private static List<Case> health() {
    return List.of(
        on("GET /health", 200, w -> w.get("/health")),
        on("GET /health", 200, w -> w.rehearsal().sendBare(Asked.of("GET", "/health"))),
        on("GET /health", 503, w -> w.away().sendBare(Asked.of("GET", "/health"))),
        on("GET /health/alerting", 200, w -> w.get("/health/alerting")),
        on(
            "GET /health/alerting",
            503,
            w -> w.away().sendBare(Asked.of("GET", "/health/alerting"))),
        on("GET /health/liveness", 200, w -> w.get("/health/liveness")),
        on("GET /health/readiness", 200, w -> w.get("/health/readiness")),
        on(
            "GET /health/readiness",
            503,
            w -> w.away().sendBare(Asked.of("GET", "/health/readiness"))));
  }

  private static List<Case> keys() {
    return List.of(
        on("GET /keys", 200, w -> w.get("/keys")),
        on("GET /keys", 400, w -> w.get("/keys?limit=0")),
        on("POST /keys", 201, w -> w.post("/keys", "{\"name\":\"one\",\"role\":\"staff\"}")),
        on("POST /keys", 400, w -> w.post("/keys", "{\"name\":\"two\",\"role\":\"root\"}")),
        on("POST /keys", 409, w -> w.post("/keys", "{\"name\":\"Admin\",\"role\":\"staff\"}")),
        on(
            "DELETE /keys/{id}",
            200,
            w ->
                w.delete(
                    "/keys/"
                        + w.post("/keys", "{\"name\":\"three\",\"role\":\"staff\"}")
                            .result()
                            .path("id")
                            .asText())),
        on("DELETE /keys/{id}", 404, w -> w.delete("/keys/key_none")),
        on("GET /accounts", 200, w -> w.get("/accounts")),
        on("GET /accounts", 400, w -> w.get("/accounts?limit=0")),
        on("POST /accounts", 201, w -> w.post("/accounts", person())),
        on(
            "POST /accounts",
            400,
            w -> w.post("/accounts", "{\"name\":\"Ann\",\"email\":\"ann\",\"role\":\"staff\"}")),
        on(
            "POST /accounts",
            409,
            w ->
                w.post(
                    "/accounts",
                    "{\"name\":\"Admin\",\"email\":\"a@study.example\",\"role\":\"staff\"}")),
        on("PUT /accounts/{id}", 200, w -> w.put(account(w), "{\"role\":\"staff\"}")),
        on("PUT /accounts/{id}", 400, w -> w.put(account(w), "{\"role\":\"root\"}")),
        on("PUT /accounts/{id}", 404, w -> w.put("/accounts/acc_none", "{\"role\":\"staff\"}")),
        on("PUT /accounts/{id}", 409, w -> w.put(account(w), "{\"state\":\"active\"}")),
        on(
            "POST /accounts/{id}/invitation",
            201,
            w -> w.rehearsal().send(Asked.of("POST", account(w) + "/invitation"))),
        on(
            "POST /accounts/{id}/invitation",
            404,
            w -> w.rehearsal().send(Asked.of("POST", "/accounts/acc_none/invitation"))),
        on("GET /sessions", 200, DocumentedAnswersTest::sessions),
        on("GET /sessions", 400, w -> w.get("/sessions?limit=0")),
        on(
            "DELETE /sessions/{seq}",
            200,
            w -> w.delete("/sessions/" + sessions(w).result().path(0).path("seq").asText())),
        on("DELETE /sessions/{seq}", 404, w -> w.delete("/sessions/0")),
        on(
            "PUT /sending",
            403,
            w -> as(w, "staff", Asked.of("PUT", "/sending").json("{\"sending\":true}"))),
        on(
            "PUT /conversation/participants/{id}",
            403,
            w ->
                as(
                    w,
                    "researcher",
                    Asked.of("PUT", RestLine.PARTICIPANTS + "/" + someone(w))
                        .json("{\"status\":\"withdrawn\"}"))));
  }

  /** Lists sessions after somebody signed in. */
  private static Answer sessions(ApiWorld w) {
    w.rehearsal().sendBare(Asked.of("POST", "/login").form("secret=" + RestLine.ADMIN));
    return w.get("/sessions");
  }

  private static String someone(ApiWorld w) {
    return w.post(RestLine.PARTICIPANTS, RestLine.write(RestLine.someone()))
        .result()
        .path("id")
        .asText();
  }

  /** Somebody to invite, unlike the others. */
  private static String person() {
    var number = KEYS.incrementAndGet();
    return RestLine.write(
        Map.of(
            "name", "Person " + number,
            "email", "person" + number + "@study.example",
            "role", "viewer"));
  }

  private static String account(ApiWorld w) {
    return "/accounts/"
        + w.post("/accounts", person()).result().path("account").path("id").asText();
  }

  /** Sends it with a new key of this role. */
  private static Answer as(ApiWorld w, String role, Asked asked) {
    var name = "documented as " + role + " " + KEYS.incrementAndGet();
    var key =
        w.post("/keys", RestLine.write(Map.of("name", name, "role", role)))
            .result()
            .path("key")
            .asText();
    return w.rehearsal().sendBare(asked.key(key));
  }

  private static List<Case> desk() {
    var byPhone = "GET /participants/by-phone/{phone}";
    var export = "GET /conversation/participants/{id}/export";
    return List.of(
        on("GET /audit", 200, w -> w.get("/audit")),
        on("GET /audit", 400, w -> w.get("/audit?limit=0")),
        on("GET /erasures", 200, w -> w.get("/erasures")),
        on("GET /erasures", 400, w -> w.get("/erasures?limit=0")),
        on("GET /backup", 200, w -> w.get("/backup")),
        on("GET /backup", 400, w -> w.get("/backup?cursor=newest")),
        on("POST /backup", 201, w -> w.rehearsal().send(Asked.of("POST", "/backup"))),
        on("POST /backup", 409, w -> w.onPostgresql().send(Asked.of("POST", "/backup"))),
        on(export, 200, w -> w.get(w.somebody() + "/export")),
        on(export, 400, w -> w.get(w.somebody() + "/export?include=all")),
        on(
            export,
            403,
            w -> {
              var staff = w.rehearsal().line().key("staff who exports", "staff");
              return w.rehearsal()
                  .sendBare(Asked.of("GET", w.somebody() + "/export?include=safety").key(staff));
            }),
        on(export, 404, w -> w.get(w.nobody() + "/export")),
        on(
            byPhone,
            200,
            w -> {
              var number = w.get(w.somebody()).result().path("phone_number").asText();
              return w.get("/participants/by-phone/" + number);
            }),
        on(byPhone, 400, w -> w.get("/participants/by-phone/twelve")),
        on(byPhone, 404, w -> w.get("/participants/by-phone/+99912345678")));
  }

  private static Asked list(String target, String csv) {
    return Asked.of("POST", RestLine.PARTICIPANTS + "/import" + target)
        .body(csv.getBytes(StandardCharsets.UTF_8), "text/csv");
  }

  private static String listOf(String number) {
    return "phone_number\n" + number + "\n";
  }

  private static List<Case> imports() {
    var send = "POST /conversation/participants/import";
    var all = "GET /conversation/participants/import";
    var one = all + "/{id}";
    var address = RestLine.PARTICIPANTS + "/import";
    return List.of(
        on(send, 200, w -> w.rehearsal().send(list("?dry_run=true", listOf("+4915112345678")))),
        on(send, 202, w -> w.rehearsal().send(list("", listOf(ApiWorld.newNumber())))),
        on(send, 400, w -> w.rehearsal().send(list("", "name\nWren\n"))),
        on(send, 410, DocumentedAnswersTest::erasedSinceEnrolled),
        on(
            send,
            422,
            w -> {
              var key = "the same for two lists";
              w.rehearsal()
                  .send(list("", listOf(ApiWorld.newNumber())).header("Idempotency-Key", key));
              return w.rehearsal()
                  .send(list("", listOf(ApiWorld.newNumber())).header("Idempotency-Key", key));
            }),
        on(all, 200, w -> w.get(address)),
        on(all, 400, w -> w.get(address + "?limit=0")),
        on(
            one,
            200,
            w -> {
              var sent = w.rehearsal().send(list("", listOf(ApiWorld.newNumber())));
              return w.get(address + "/" + sent.result().path("id").asText());
            }),
        on(one, 400, w -> w.get(address + "/imp_none?limit=0")),
        on(one, 404, w -> w.get(address + "/imp_none")));
  }

  /** The address of a stored list of one number; its column is known only if so named. */
  private static String stored(ApiWorld w, String column) {
    var sent = w.rehearsal().send(list("/preview", column + "\n" + ApiWorld.newNumber() + "\n"));
    return RestLine.PARTICIPANTS + "/import/" + sent.result().at("/progress/id").asText();
  }

  private static List<Case> previewsOfImports() {
    var send = "POST /conversation/participants/import/preview";
    var one = " /conversation/participants/import/{id}";
    var preview = one + "/preview";
    var columns = "PUT" + one + "/columns";
    var defaults = "PUT" + one + "/defaults";
    var row = "PUT" + one + "/rows/{row}";
    var confirm = "POST" + one + "/confirm";
    var none = RestLine.PARTICIPANTS + "/import/imp_none";
    var known = "phone_number";
    var unknown = "mobile";
    var mapped = "{\"columns\":{\"mobile\":\"phone_number\"}}";
    return List.of(
        on(send, 201, w -> w.rehearsal().send(list("/preview", listOf(ApiWorld.newNumber())))),
        on(send, 400, w -> w.rehearsal().send(list("/preview", ""))),
        on("GET" + preview, 200, w -> w.get(stored(w, unknown) + "/preview")),
        on("GET" + preview, 400, w -> w.get(stored(w, known) + "/preview?limit=0")),
        on("GET" + preview, 404, w -> w.get(none + "/preview")),
        on("DELETE" + preview, 200, w -> w.delete(stored(w, known) + "/preview")),
        on("DELETE" + preview, 404, w -> w.delete(none + "/preview")),
        on(columns, 200, w -> w.put(stored(w, unknown) + "/columns", mapped)),
        on(columns, 400, w -> w.put(stored(w, unknown) + "/columns", "{}")),
        on(columns, 404, w -> w.put(none + "/columns", mapped)),
        on(columns, 409, w -> w.put(stored(w, known) + "/columns", mapped)),
        on(defaults, 200, w -> w.put(stored(w, known) + "/defaults", "{}")),
        on(
            defaults,
            400,
            w -> w.put(stored(w, known) + "/defaults", "{\"timezone\":\"Mars/Base\"}")),
        on(defaults, 404, w -> w.put(none + "/defaults", "{}")),
        on(defaults, 409, w -> w.put(stored(w, unknown) + "/defaults", "{}")),
        on(row, 200, w -> w.put(stored(w, known) + "/rows/2", "{\"left_out\":true}")),
        on(row, 400, w -> w.put(stored(w, known) + "/rows/2", "{\"cells\":{\"shoe\":\"38\"}}")),
        on(row, 404, w -> w.put(stored(w, known) + "/rows/9", "{}")),
        on(row, 409, w -> w.put(stored(w, unknown) + "/rows/2", "{}")),
        on(confirm, 202, w -> w.post(stored(w, known) + "/confirm", "")),
        on(confirm, 404, w -> w.post(none + "/confirm", "")),
        on(confirm, 409, w -> w.post(stored(w, unknown) + "/confirm", "")));
  }

  private static Asked previewOf(String action, String id) {
    return Asked.of("POST", BULK + "/preview")
        .json(
            "{\"action\":\"" + action + "\",\"participants\":[\"" + id + "\"],\"text\":\"hello\"}");
  }

  private static String bulkMessage(ApiWorld w) {
    return w.rehearsal()
        .send(previewOf("message", w.rehearsal().someone()))
        .result()
        .at("/bulk/id")
        .asText();
  }

  private static Asked started(String id) {
    return Asked.of("POST", BULK).json("{\"id\":\"" + id + "\",\"count\":1}");
  }

  private static Asked undone(String id) {
    return Asked.of("POST", BULK + "/" + id + "/undo");
  }

  private static String startedBulk(ApiWorld w) {
    var id = bulkMessage(w);
    w.rehearsal().send(started(id));
    return id;
  }

  private static List<Case> bulk() {
    var preview = "POST " + BULK + "/preview";
    var start = "POST " + BULK;
    var one = "GET " + BULK + "/{id}";
    var undo = "POST " + BULK + "/{id}/undo";
    return List.of(
        on(preview, 200, w -> w.rehearsal().send(previewOf("message", w.rehearsal().someone()))),
        on(preview, 400, w -> w.rehearsal().send(previewOf("message", "conv_none"))),
        on(preview, 403, w -> as(w, "researcher", previewOf("message", w.rehearsal().someone()))),
        on(start, 201, w -> w.rehearsal().send(started(bulkMessage(w)))),
        on(start, 400, w -> w.post(BULK, "{}")),
        on(start, 403, w -> as(w, "researcher", started(bulkMessage(w)))),
        on(start, 404, w -> w.rehearsal().send(started("bulk_none"))),
        on(start, 409, w -> w.rehearsal().send(started(startedBulk(w)))),
        on(
            start,
            410,
            w -> {
              var key = "a key for somebody erased, and then for many";
              var somebody = w.somebody();
              var first = message(somebody, key, "hello");
              w.rehearsal().send(first);
              w.delete(somebody);
              var _ = awaitOther(w, first);
              return w.rehearsal().send(started(bulkMessage(w)).header("Idempotency-Key", key));
            }),
        on(
            start,
            422,
            w -> {
              var key = "the same for two bulk actions";
              w.rehearsal().send(started(bulkMessage(w)).header("Idempotency-Key", key));
              return w.rehearsal().send(started(bulkMessage(w)).header("Idempotency-Key", key));
            }),
        on(one, 200, w -> w.get(BULK + "/" + bulkMessage(w))),
        on(one, 400, w -> w.get(BULK + "/bulk_none?limit=0")),
        on(one, 404, w -> w.get(BULK + "/bulk_none")),
        on(undo, 200, w -> w.rehearsal().send(undone(startedBulk(w)))),
        on(undo, 403, w -> as(w, "researcher", undone(startedBulk(w)))),
        on(undo, 404, w -> w.rehearsal().send(undone("bulk_none"))),
        on(undo, 409, w -> w.rehearsal().send(undone(bulkMessage(w)))));
  }

  private static Answer erasedSinceEnrolled(ApiWorld w) {
    var key = "a key of somebody erased, once more";
    var asked = enrolment(key, ApiWorld.newNumber());
    w.delete(w.rehearsal().at(w.rehearsal().send(asked).result().path("id").asText()));
    awaitOther(w, asked);
    return w.rehearsal()
        .send(list("", listOf(ApiWorld.newNumber())).header("Idempotency-Key", key));
  }

  private static String enrolmentOf(String number) {
    return "{\"phone_number\":\"" + number + "\"}";
  }

  private static Asked enrolment(String idempotencyKey, String number) {
    return Asked.of("POST", RestLine.PARTICIPANTS)
        .json(enrolmentOf(number))
        .header("Idempotency-Key", idempotencyKey);
  }

  private static List<Case> enrolment() {
    var enrol = "POST /conversation/participants";
    return List.of(
        on(enrol, 201, w -> w.post(RestLine.PARTICIPANTS, enrolmentOf(ApiWorld.newNumber()))),
        on(enrol, 400, w -> w.post(RestLine.PARTICIPANTS, "{}")),
        on(
            enrol,
            409,
            w -> {
              var number = ApiWorld.newNumber();
              w.post(RestLine.PARTICIPANTS, enrolmentOf(number));
              return w.post(RestLine.PARTICIPANTS, enrolmentOf(number));
            }),
        on(enrol, 410, DocumentedAnswersTest::erasedSince),
        on(
            enrol,
            422,
            w -> {
              w.rehearsal().send(enrolment("the same key", ApiWorld.newNumber()));
              return w.rehearsal().send(enrolment("the same key", ApiWorld.newNumber()));
            }),
        on("GET /conversation/participants", 200, w -> w.get(RestLine.PARTICIPANTS)),
        on("GET /conversation/participants", 400, w -> w.get(RestLine.PARTICIPANTS + "?limit=0")));
  }

  private static Answer erasedSince(ApiWorld w) {
    var asked = enrolment("a key of somebody erased", ApiWorld.newNumber());
    var id = w.rehearsal().send(asked).result().path("id").asText();
    w.delete(w.rehearsal().at(id));
    return awaitOther(w, asked);
  }

  /** Asks again and again, until the answer is no longer that it was made. */
  private static Answer awaitOther(ApiWorld w, Asked asked) {
    var answer = new AtomicReference<Answer>();
    await()
        .until(() -> {
          answer.set(w.rehearsal().send(asked));
          return answer.get().status() != 201;
        });
    return answer.get();
  }

  private static List<Case> participant() {
    var one = "/conversation/participants/{id}";
    return List.of(
        on("GET " + one, 200, w -> w.get(w.somebody())),
        on("GET " + one, 404, w -> w.get(w.nobody())),
        on("PUT " + one, 200, w -> w.put(w.somebody(), "{\"name\":\"Wren\"}")),
        on("PUT " + one, 400, w -> w.put(w.somebody(), "{\"timezone\":\"Mars/Base\"}")),
        on("PUT " + one, 404, w -> w.put(w.nobody(), "{\"name\":\"Wren\"}")),
        on("PUT " + one, 409, w -> w.put(w.whoLeft(), "{\"status\":\"paused\"}")),
        on("DELETE " + one, 200, w -> w.delete(w.somebody())),
        on("DELETE " + one, 400, w -> w.delete(w.somebody() + "?keep_transcript=maybe")),
        on("DELETE " + one, 404, w -> w.delete(w.nobody())),
        on(
            "DELETE " + one,
            409,
            w -> {
              var somebody = w.somebody();
              return w.withUnwritable("erasures.jsonl", () -> w.delete(somebody));
            }),
        on(
            "POST " + one + "/phone",
            200,
            w -> w.post(w.somebody() + "/phone", enrolmentOf(ApiWorld.newNumber()))),
        on("POST " + one + "/phone", 400, w -> w.post(w.somebody() + "/phone", "{}")),
        on(
            "POST " + one + "/phone",
            404,
            w -> w.post(w.nobody() + "/phone", enrolmentOf(ApiWorld.newNumber()))),
        on(
            "POST " + one + "/phone",
            409,
            w -> {
              var taken = w.get(w.somebody()).result().path("phone_number").asText();
              return w.post(w.somebody() + "/phone", enrolmentOf(taken));
            }),
        on("DELETE " + one + "/senders", 200, w -> w.real().delete(w.withSender() + "/senders")),
        on("DELETE " + one + "/senders", 404, w -> w.delete(w.nobody() + "/senders")),
        on("DELETE " + one + "/senders", 409, w -> w.delete(w.somebody() + "/senders")));
  }

  private static List<Case> conversation() {
    var cases = new ArrayList<Case>();
    var one = "/conversation/participants/{id}";
    for (var view :
        List.of(
            "deliveries",
            "history",
            "profile",
            "schedules",
            "silence",
            "state",
            "timeline",
            "turns")) {
      var operation = "GET " + one + "/" + view;
      cases.add(on(operation, 200, w -> w.get(w.rehearsal().at(w.talked()) + "/" + view)));
      cases.add(on(operation, 404, w -> w.get(w.nobody() + "/" + view)));
    }
    cases.add(
        on(
            "GET " + one + "/history",
            200,
            w -> w.get(w.rehearsal().at(w.talked()) + "/history?full=true")));
    for (var list : List.of("deliveries", "history", "schedules", "timeline", "turns")) {
      cases.add(
          on("GET " + one + "/" + list, 400, w -> w.get(w.somebody() + "/" + list + "?limit=0")));
    }
    return cases;
  }

  private static List<Case> profilesAndNotes() {
    var profile = "PUT /conversation/participants/{id}/profile";
    var anchor = "{\"fields\":{\"prompt_anchor\":\"after lunch\"}}";
    var cases = new ArrayList<Case>();
    cases.add(on(profile, 200, w -> w.put(w.somebody() + "/profile", anchor)));
    cases.add(on(profile, 400, w -> w.put(w.somebody() + "/profile", "{}")));
    cases.add(on(profile, 404, w -> w.put(w.nobody() + "/profile", anchor)));
    cases.add(
        on(
            profile,
            409,
            w -> {
              var somebody = w.somebody();
              busy(w, somebody);
              return w.put(somebody + "/profile", anchor);
            }));
    var flow = "PUT /conversation/participants/{id}/flow";
    var tasks = "{\"flow\":\"tasks\",\"reason\":\"asked for it\"}";
    cases.add(on(flow, 200, w -> w.put(w.somebody() + "/flow", tasks)));
    cases.add(on(flow, 400, w -> w.put(w.somebody() + "/flow", "{}")));
    cases.add(on(flow, 404, w -> w.put(w.nobody() + "/flow", tasks)));
    cases.add(
        on(
            flow,
            409,
            w -> {
              var somebody = w.somebody();
              w.put(somebody + "/flow", tasks);
              return w.put(somebody + "/flow", tasks);
            }));
    var all = "/conversation/participants/{id}/notes";
    var one = all + "/{noteId}";
    var text = "{\"text\":\"Prefers calls.\"}";
    cases.add(on("GET " + all, 200, w -> w.get(w.somebody() + "/notes")));
    cases.add(on("GET " + all, 400, w -> w.get(w.somebody() + "/notes?limit=0")));
    cases.add(on("GET " + all, 404, w -> w.get(w.nobody() + "/notes")));
    cases.add(on("POST " + all, 201, w -> w.post(w.somebody() + "/notes", text)));
    cases.add(on("POST " + all, 400, w -> w.post(w.somebody() + "/notes", "{}")));
    cases.add(on("POST " + all, 404, w -> w.post(w.nobody() + "/notes", text)));
    cases.add(
        on(
            "POST " + all,
            410,
            w -> {
              var somebody = w.somebody();
              var asked = note(somebody, "a note about somebody erased", text);
              w.rehearsal().send(asked);
              w.delete(somebody);
              return awaitOther(w, asked);
            }));
    cases.add(
        on(
            "POST " + all,
            422,
            w -> {
              var somebody = w.somebody();
              w.rehearsal().send(note(somebody, "the same for two notes", text));
              return w.rehearsal()
                  .send(note(somebody, "the same for two notes", "{\"text\":\"hi\"}"));
            }));
    cases.add(on("PUT " + one, 200, w -> w.put(note(w, text), text)));
    cases.add(on("PUT " + one, 400, w -> w.put(note(w, text), "{}")));
    cases.add(
        on("PUT " + one, 403, w -> as(w, "staff", Asked.of("PUT", note(w, text)).json(text))));
    cases.add(on("PUT " + one, 404, w -> w.put(w.somebody() + "/notes/note_0", text)));
    cases.add(on("DELETE " + one, 200, w -> w.delete(note(w, text))));
    cases.add(on("DELETE " + one, 403, w -> as(w, "staff", Asked.of("DELETE", note(w, text)))));
    cases.add(on("DELETE " + one, 404, w -> w.delete(w.somebody() + "/notes/note_0")));
    return cases;
  }

  private static Asked note(String participant, String idempotencyKey, String body) {
    return Asked.of("POST", participant + "/notes")
        .json(body)
        .header("Idempotency-Key", idempotencyKey);
  }

  /** The path of a new note about somebody. */
  private static String note(ApiWorld w, String text) {
    var notes = w.somebody() + "/notes";
    return notes + "/" + w.post(notes, text).result().path("id").asText();
  }

  /** As if another node were writing to the participant. */
  private static void busy(ApiWorld w, String participant) {
    Rows.of(w.rehearsal().line())
        .write(
            "UPDATE lease SET owner = 'another', held_until = ? WHERE participant_id = ?",
            Instant.parse("2100-01-01T00:00:00Z"),
            participant.split("/", -1)[3]);
  }

  private static Asked message(String participant, String idempotencyKey, String text) {
    return Asked.of("POST", participant + "/messages")
        .json("{\"text\":\"" + text + "\"}")
        .header("Idempotency-Key", idempotencyKey);
  }

  private static List<Case> messages() {
    var write = "POST /conversation/participants/{id}/messages";
    var text = "{\"text\":\"hello\"}";
    return List.of(
        on(write, 201, w -> w.post(w.somebody() + "/messages", text)),
        on(write, 400, w -> w.post(w.somebody() + "/messages", "{}")),
        on(write, 404, w -> w.post(w.nobody() + "/messages", text)),
        on(write, 409, w -> w.post(w.whoLeft() + "/messages", text)),
        on(write, 410, DocumentedAnswersTest::erasedSinceWrittenTo),
        on(
            write,
            422,
            w -> {
              var one = w.somebody();
              w.rehearsal().send(message(one, "the same for two texts", "hello"));
              return w.rehearsal().send(message(one, "the same for two texts", "hi"));
            }));
  }

  private static Answer erasedSinceWrittenTo(ApiWorld w) {
    var one = w.somebody();
    var asked = message(one, "a text to somebody erased", "hello");
    w.rehearsal().send(asked);
    w.delete(one);
    return awaitOther(w, asked);
  }

  private static List<Case> steppingIn() {
    var cases = new ArrayList<Case>();
    var one = "/conversation/participants/{id}";
    var hour = "{\"minutes\":60}";
    cases.add(on("GET " + one + "/mute", 200, w -> w.get(w.somebody() + "/mute")));
    cases.add(on("GET " + one + "/mute", 404, w -> w.get(w.nobody() + "/mute")));
    cases.add(on("PUT " + one + "/mute", 200, w -> w.put(w.somebody() + "/mute", hour)));
    cases.add(on("PUT " + one + "/mute", 400, w -> w.put(w.somebody() + "/mute", "{}")));
    cases.add(on("PUT " + one + "/mute", 404, w -> w.put(w.nobody() + "/mute", hour)));
    cases.add(
        on("PUT " + one + "/mute", 409, w -> w.put(w.somebody() + "/mute", "{\"minutes\":0}")));
    var outcome = "{\"date\":\"2026-11-21\",\"outcome\":\"done\"}";
    cases.add(
        on(
            "PUT " + one + "/outcome",
            200,
            w -> {
              var id = w.rehearsal().someone();
              Rows.of(w.rehearsal().line())
                  .prompt(
                      new Rows.Prompt(
                          id,
                          "2026-11-21",
                          "sent",
                          Instant.EPOCH,
                          null,
                          Instant.EPOCH,
                          null,
                          false));
              return w.put(w.rehearsal().at(id) + "/outcome", outcome);
            }));
    cases.add(on("PUT " + one + "/outcome", 400, w -> w.put(w.somebody() + "/outcome", "{}")));
    cases.add(on("PUT " + one + "/outcome", 404, w -> w.put(w.nobody() + "/outcome", outcome)));
    cases.add(on("PUT " + one + "/outcome", 409, w -> w.put(w.somebody() + "/outcome", outcome)));
    var force = "{\"state\":\"FEEDBACK\",\"reason\":\"a walk\"}";
    cases.add(on("PUT " + one + "/state", 200, w -> w.put(w.somebody() + "/state", force)));
    cases.add(on("PUT " + one + "/state", 400, w -> w.put(w.somebody() + "/state", "{}")));
    cases.add(on("PUT " + one + "/state", 404, w -> w.put(w.nobody() + "/state", force)));
    cases.add(
        on(
            "PUT " + one + "/state",
            409,
            w -> {
              var somebody = w.somebody();
              w.put(somebody + "/state", force);
              return w.put(somebody + "/state", force);
            }));
    return cases;
  }

  private static List<Case> tags() {
    var one = "/conversation/participants/{id}/tags/{tag}";
    var cases = new ArrayList<Case>();
    cases.add(on("PUT " + one, 200, w -> w.put(w.somebody() + "/tags/pilot", "")));
    cases.add(on("PUT " + one, 400, w -> w.put(w.somebody() + "/tags/-", "")));
    cases.add(on("PUT " + one, 404, w -> w.put(w.nobody() + "/tags/pilot", "")));
    cases.add(
        on(
            "PUT " + one,
            409,
            w -> {
              var somebody = w.somebody();
              for (int i = 0; i < Tags.MOST_OF_ONE; i++) {
                w.put(somebody + "/tags/tag" + i, "");
              }
              return w.put(somebody + "/tags/another", "");
            }));
    cases.add(on("DELETE " + one, 200, w -> w.delete(w.somebody() + "/tags/pilot")));
    cases.add(on("DELETE " + one, 400, w -> w.delete(w.somebody() + "/tags/-")));
    cases.add(on("DELETE " + one, 404, w -> w.delete(w.nobody() + "/tags/pilot")));
    return cases;
  }

  private static List<Case> dailyPrompts() {
    var all = "/conversation/participants/{id}/schedules";
    var one = all + "/{scheduleId}";
    var day = one + "/skips/{date}";
    var at = "{\"time\":\"9:30\"}";
    var later = "{\"time\":\"10:30\"}";
    var cases = new ArrayList<Case>();
    cases.add(on("POST " + all, 201, w -> w.post(w.somebody() + "/schedules", at)));
    cases.add(on("POST " + all, 400, w -> w.post(w.somebody() + "/schedules", "{}")));
    cases.add(on("POST " + all, 404, w -> w.post(w.nobody() + "/schedules", at)));
    cases.add(
        on(
            "POST " + all,
            409,
            w -> {
              var somebody = w.somebody();
              w.post(somebody + "/schedules", at);
              return w.post(somebody + "/schedules", at);
            }));
    cases.add(on("PUT " + one, 200, w -> w.put(schedule(w, at), later)));
    cases.add(on("PUT " + one, 400, w -> w.put(schedule(w, at), "{}")));
    cases.add(on("PUT " + one, 404, w -> w.put(w.somebody() + "/schedules/sch_0", at)));
    cases.add(on("PUT " + one, 409, w -> w.put(schedule(w, at), at)));
    cases.add(on("DELETE " + one, 200, w -> w.delete(schedule(w, at))));
    var tooLong = "x".repeat(1001);
    cases.add(on("DELETE " + one, 400, w -> w.delete(schedule(w, at) + "?reason=" + tooLong)));
    cases.add(on("DELETE " + one, 404, w -> w.delete(w.somebody() + "/schedules/sch_0")));
    cases.add(
        on(
            "DELETE " + one,
            409,
            w -> {
              var schedule = schedule(w, at);
              busy(w, schedule);
              return w.delete(schedule);
            }));
    var soon = "/skips/" + LocalDate.now(ZoneOffset.UTC).plusDays(30);
    cases.add(on("PUT " + day, 200, w -> w.put(schedule(w, at) + soon, "{}")));
    cases.add(on("PUT " + day, 400, w -> w.put(schedule(w, at) + "/skips/never", "{}")));
    cases.add(on("PUT " + day, 404, w -> w.put(w.somebody() + "/schedules/sch_0" + soon, "{}")));
    cases.add(
        on(
            "PUT " + day,
            409,
            w -> {
              var skipped = schedule(w, at) + soon;
              w.put(skipped, "{}");
              return w.put(skipped, "{}");
            }));
    cases.add(
        on(
            "DELETE " + day,
            200,
            w -> {
              var skipped = schedule(w, at) + soon;
              w.put(skipped, "{}");
              return w.delete(skipped);
            }));
    cases.add(on("DELETE " + day, 400, w -> w.delete(schedule(w, at) + "/skips/never")));
    cases.add(on("DELETE " + day, 404, w -> w.delete(w.somebody() + "/schedules/sch_0" + soon)));
    cases.add(on("DELETE " + day, 409, w -> w.delete(schedule(w, at) + soon)));
    cases.add(on("POST " + one + "/send", 202, w -> w.post(schedule(w, at) + "/send", "{}")));
    cases.add(
        on(
            "POST " + one + "/send",
            400,
            w -> w.post(schedule(w, at) + "/send", "{\"reason\":\"" + tooLong + "\"}")));
    cases.add(
        on(
            "POST " + one + "/send",
            404,
            w -> w.post(w.somebody() + "/schedules/sch_0/send", "{}")));
    cases.add(
        on(
            "POST " + one + "/send",
            409,
            w -> {
              var schedule = schedule(w, at);
              w.put(schedule.split("/schedules", -1)[0] + "/mute", "{\"minutes\":60}");
              return w.post(schedule + "/send", "{}");
            }));
    return cases;
  }

  /** The path of a new schedule of somebody. */
  private static String schedule(ApiWorld w, String time) {
    var schedules = w.somebody() + "/schedules";
    return schedules + "/" + w.post(schedules, time).result().path("id").asText();
  }

  private static List<Case> incidents() {
    var one = "/incidents/{id}";
    var contact = "{\"kind\":\"contact\",\"note\":\"We talked.\"}";
    var released = "{\"outcome\":\"no_concern_found\",\"message\":\"Hello.\"}";
    return List.of(
        on(
            "GET /incidents",
            200,
            w -> {
              incident(w, w.rehearsal().someone());
              return w.get("/incidents");
            }),
        on("GET /incidents", 400, w -> w.get("/incidents?status=closed")),
        on("GET " + one, 200, w -> w.get(incident(w, w.rehearsal().someone()))),
        on("GET " + one, 404, w -> w.get("/incidents/nobody")),
        on(
            "POST " + one + "/acknowledge",
            200,
            w -> w.post(incident(w, w.rehearsal().someone()) + "/acknowledge", "{}")),
        on("POST " + one + "/acknowledge", 404, w -> w.post("/incidents/nobody/acknowledge", "{}")),
        on(
            "POST " + one + "/acknowledge",
            409,
            w -> {
              var incident = incident(w, w.rehearsal().someone());
              w.post(incident + "/acknowledge", "{}");
              return w.post(incident + "/acknowledge", "{}");
            }),
        on(
            "POST " + one + "/entries",
            201,
            w -> w.post(incident(w, w.rehearsal().someone()) + "/entries", contact)),
        on(
            "POST " + one + "/entries",
            400,
            w -> w.post(incident(w, w.rehearsal().someone()) + "/entries", "{}")),
        on("POST " + one + "/entries", 404, w -> w.post("/incidents/nobody/entries", contact)),
        on(
            "POST " + one + "/entries",
            409,
            w -> w.post(released(w, contact, released) + "/entries", contact)),
        on(
            "POST " + one + "/entries",
            410,
            w -> {
              var somebody = w.rehearsal().someone();
              var asked = entry(incident(w, somebody), "an entry about somebody erased", contact);
              w.rehearsal().send(asked);
              w.delete(w.rehearsal().at(somebody));
              return awaitOther(w, asked);
            }),
        on(
            "POST " + one + "/entries",
            422,
            w -> {
              var incident = incident(w, w.rehearsal().someone());
              w.rehearsal().send(entry(incident, "the same for two entries", contact));
              return w.rehearsal()
                  .send(
                      entry(
                          incident, "the same for two entries", contact.replace("talked", "met")));
            }),
        on(
            "POST " + one + "/release",
            200,
            w -> {
              var incident = contacted(w, contact);
              return w.post(incident + "/release", released);
            }),
        on(
            "POST " + one + "/release",
            400,
            w -> w.post(incident(w, w.rehearsal().someone()) + "/release", "{}")),
        on("POST " + one + "/release", 404, w -> w.post("/incidents/nobody/release", released)),
        on(
            "POST " + one + "/release",
            409,
            w -> w.post(released(w, contact, released) + "/release", released)));
  }

  private static List<Case> testAlerts() {
    var acknowledge = "POST /alerting/tests/{id}/acknowledge";
    return List.of(
        on("POST /alerting/test", 201, w -> w.alerting().post("/alerting/test", "{}")),
        on("POST /alerting/test", 409, w -> w.post("/alerting/test", "{}")),
        on(acknowledge, 200, w -> w.alerting().post(testAlert(w), "{}")),
        on(acknowledge, 404, w -> w.alerting().post("/alerting/tests/nothing/acknowledge", "{}")),
        on(
            acknowledge,
            409,
            w -> {
              var test = testAlert(w);
              w.alerting().post(test, "{}");
              return w.alerting().post(test, "{}");
            }));
  }

  /** Sends a test alert; returns the path that acknowledges it. */
  private static String testAlert(ApiWorld w) {
    var test = w.alerting().post("/alerting/test", "{}").result().path("id").asText();
    return "/alerting/tests/" + test + "/acknowledge";
  }

  private static List<Case> deviations() {
    var list = "GET /study/deviations";
    var decide = "POST /study/deviations/{seq}";
    var said = "{\"state\":\"closed\",\"note\":\"We looked.\"}";
    return List.of(
        on("GET /study/fidelity", 200, w -> w.get("/study/fidelity")),
        on("GET /study/fidelity", 400, w -> w.get("/study/fidelity?from=yesterday")),
        on(
            list,
            200,
            w -> {
              w.deviation();
              return w.get("/study/deviations");
            }),
        on(list, 400, w -> w.get("/study/deviations?state=lost")),
        on(decide, 200, w -> w.post("/study/deviations/" + w.deviation(), said)),
        on(decide, 400, w -> w.post("/study/deviations/" + w.deviation(), "{}")),
        on(decide, 404, w -> w.post("/study/deviations/999999999", said)),
        on(
            decide,
            409,
            w -> {
              var seq = w.deviation();
              w.post("/study/deviations/" + seq, said);
              return w.post("/study/deviations/" + seq, said);
            }));
  }

  private static List<Case> work() {
    var take = "PUT /worklist/{row}/owner";
    var give = "DELETE /worklist/{row}/owner";
    var resend = "POST /conversation/participants/{id}/deliveries/{delivery}/resend";
    var retry = "POST /conversation/participants/{id}/turns/{number}/retry";
    return List.of(
        on("GET /worklist", 200, w -> w.get("/worklist?list=flagged")),
        on("GET /worklist", 400, w -> w.get("/worklist?owner=someone")),
        on(take, 200, w -> w.put("/worklist/" + w.row() + "/owner", "{}")),
        on(take, 400, w -> w.put("/worklist/" + w.row() + "/owner", "[")),
        on(take, 404, w -> w.put("/worklist/nothing/owner", "{}")),
        on(
            take,
            409,
            w -> {
              var row = w.row();
              w.rehearsal()
                  .line()
                  .sendAs(
                      w.rehearsal().line().key("Colleague " + row, "staff"),
                      "PUT",
                      "/worklist/" + row + "/owner",
                      "{}");
              return w.put("/worklist/" + row + "/owner", "{}");
            }),
        on(
            give,
            200,
            w -> {
              var row = w.row();
              w.put("/worklist/" + row + "/owner", "{}");
              return w.delete("/worklist/" + row + "/owner");
            }),
        on(give, 404, w -> w.delete("/worklist/nothing/owner")),
        on(give, 409, w -> w.delete("/worklist/" + w.row() + "/owner")),
        on(resend, 200, w -> w.post(w.delivery("failed") + "/resend", "")),
        on(resend, 400, w -> w.post(w.delivery("failed") + "/resend?even_if_arrived=perhaps", "")),
        on(resend, 404, w -> w.post(w.somebody() + "/deliveries/dlv_none/resend", "")),
        on(resend, 409, w -> w.post(w.delivery("unknown") + "/resend", "")),
        on(retry, 200, w -> w.post(w.failedTurn() + "/retry", "")),
        on(retry, 404, w -> w.post(w.failedTurn() + "99/retry", "")),
        on(retry, 409, w -> w.post(w.turn() + "/retry", "")));
  }

  private static List<Case> flags() {
    var close = "POST /flags/{id}/close";
    var note = "{\"note\":\"We talked.\"}";
    return List.of(
        on(
            "GET /flags",
            200,
            w -> {
              w.flag();
              return w.get("/flags");
            }),
        on("GET /flags", 400, w -> w.get("/flags?status=lost")),
        on(close, 200, w -> w.post("/flags/" + w.flag() + "/close", note)),
        on(close, 400, w -> w.post("/flags/" + w.flag() + "/close", "{}")),
        on(close, 404, w -> w.post("/flags/nothing/close", note)),
        on(
            close,
            409,
            w -> {
              var flag = w.flag();
              w.post("/flags/" + flag + "/close", note);
              return w.post("/flags/" + flag + "/close", note);
            }));
  }

  /** Texts that somebody is in danger; returns the path of the incident. */
  private static String incident(ApiWorld w, String id) {
    w.post("/simulator/" + id + "/texts", "{\"text\":\"I want to kill myself tonight\"}");
    for (var incident : w.get("/incidents").result()) {
      if (incident.path("participant_id").asText().equals(id)) {
        return "/incidents/" + incident.path("id").asText();
      }
    }
    throw new IllegalStateException("No incident of " + id);
  }

  private static String contacted(ApiWorld w, String contact) {
    var incident = incident(w, w.rehearsal().someone());
    w.post(incident + "/acknowledge", "{}");
    w.post(incident + "/entries", contact);
    return incident;
  }

  private static String released(ApiWorld w, String contact, String release) {
    var incident = contacted(w, contact);
    w.post(incident + "/release", release);
    return incident;
  }

  private static Asked entry(String incident, String key, String body) {
    return Asked.of("POST", incident + "/entries").json(body).header("Idempotency-Key", key);
  }

  private static List<Case> debug() {
    var one = "/conversation/participants/{id}/debug";
    var on = "{\"enabled\":true,\"minutes\":1}";
    var off = "{\"enabled\":false}";
    return List.of(
        on("GET /debug", 200, w -> w.get("/debug")),
        on("GET /debug", 400, w -> w.get("/debug?limit=0")),
        on(
            "PUT /debug",
            200,
            w -> {
              w.put("/debug", on);
              return w.put("/debug", off);
            }),
        on("PUT /debug", 400, w -> w.put("/debug", "{}")),
        on("PUT /debug", 409, w -> w.put("/debug", off)),
        on(
            "GET " + one,
            200,
            w -> {
              var somebody = w.somebody();
              w.put(somebody + "/debug", on);
              return w.get(somebody + "/debug");
            }),
        on("GET " + one, 400, w -> w.get(w.somebody() + "/debug?limit=0")),
        on("GET " + one, 404, w -> w.get(w.nobody() + "/debug")),
        on("PUT " + one, 200, w -> w.put(w.somebody() + "/debug", on)),
        on("PUT " + one, 400, w -> w.put(w.somebody() + "/debug", "{}")),
        on("PUT " + one, 404, w -> w.put(w.nobody() + "/debug", on)),
        on("PUT " + one, 409, w -> w.put(w.somebody() + "/debug", off)));
  }

  private static List<Case> turns() {
    var turn = "GET /conversation/participants/{id}/turns/{number}";
    var records = "GET /conversation/participants/{id}/records";
    return List.of(
        on(turn, 200, w -> w.get(w.turn())),
        on(turn, 404, w -> w.get(w.turn() + "99")),
        on(turn + "/messages", 200, w -> w.get(w.turn() + "/messages")),
        on(turn + "/messages", 404, w -> w.get(w.turn() + "99/messages")),
        on(
            turn + "/iterations/{iteration}/messages",
            200,
            w -> w.get(w.turn() + "/iterations/1/messages")),
        on(
            turn + "/iterations/{iteration}/messages",
            404,
            w -> w.get(w.turn() + "/iterations/0/messages")),
        on(turn + "/iterations/{iteration}", 200, w -> w.get(w.turn() + "/iterations/1")),
        on(turn + "/iterations/{iteration}", 404, w -> w.get(w.turn() + "/iterations/0")),
        on(records, 200, w -> w.get(w.somebody() + "/records")),
        on(records, 404, w -> w.get(w.nobody() + "/records")),
        on(records + "/{kind}/{recordId}", 200, w -> w.get(w.record())),
        on(records + "/{kind}/{recordId}", 404, w -> w.get(w.somebody() + "/records/task/1")),
        on("GET /prompts/{sha256}", 200, w -> w.get("/prompts/" + w.usedPrompt())),
        on("GET /prompts/{sha256}", 404, w -> w.get("/prompts/0")));
  }

  private static List<Case> tokens() {
    var tokens = "/conversation/participants/{id}/tokens";
    return List.of(
        on("POST " + tokens, 201, w -> w.post(w.somebody() + "/tokens", "{\"minutes\":5}")),
        on("POST " + tokens, 400, w -> w.post(w.somebody() + "/tokens", "{\"minutes\":0}")),
        on("POST " + tokens, 404, w -> w.post(w.nobody() + "/tokens", "{}")),
        on("POST " + tokens, 409, w -> w.post(w.whoLeft() + "/tokens", "{}")),
        on("DELETE " + tokens, 200, w -> w.delete(w.somebody() + "/tokens")),
        on("DELETE " + tokens, 404, w -> w.delete(w.nobody() + "/tokens")));
  }

  private static List<Case> simulator() {
    var texts = " /simulator/{id}/texts";
    return List.of(
        on("GET" + texts, 200, w -> w.get("/simulator/" + w.talked() + "/texts")),
        on("GET" + texts, 404, w -> w.get("/simulator/nobody/texts")),
        on(
            "POST" + texts,
            202,
            w -> w.post("/simulator/" + w.rehearsal().someone() + "/texts", "{\"text\":\"hi\"}")),
        on(
            "POST" + texts,
            400,
            w -> w.post("/simulator/" + w.talked() + "/texts", "{\"text\":\" \"}")),
        on("POST" + texts, 404, w -> w.post("/simulator/nobody/texts", "{\"text\":\"hi\"}")));
  }

  private static String promptTo(String number, String rest) {
    return "{\"to\":\"" + number + "\",\"body\":\"hello\"" + rest + "}";
  }

  private static String daily(String number) {
    return promptTo(number, ",\"schedule\":{\"hour\":3,\"minute\":0}");
  }

  private static Asked prompt(String path, String idempotencyKey, String json) {
    return Asked.of("POST", path).json(json).header("Idempotency-Key", idempotencyKey);
  }

  private static List<Case> promptApi() {
    var cases = new ArrayList<Case>();
    for (var path : List.of("/send", "/schedule")) {
      var operation = "POST " + path;
      var made = path.equals("/send") ? 200 : 201;
      cases.add(on(operation, made, w -> w.post(path, daily(ApiWorld.newNumber()))));
      cases.add(on(operation, 400, w -> w.post(path, daily("nobody"))));
      cases.add(
          on(
              operation,
              409,
              w -> {
                var left = w.get(w.whoLeft()).result().path("phone_number").asText();
                return w.post(path, daily(left));
              }));
      cases.add(
          on(
              operation,
              410,
              w -> {
                var asked =
                    prompt(path, "to somebody erased by " + path, daily(ApiWorld.newNumber()));
                var id = w.rehearsal().send(asked).header("Habitline-Participant");
                w.delete(w.rehearsal().at(id));
                return w.rehearsal().send(asked);
              }));
      cases.add(
          on(
              operation,
              422,
              w -> {
                var key = "the same for two of " + path;
                w.rehearsal().send(prompt(path, key, daily(ApiWorld.newNumber())));
                return w.rehearsal().send(prompt(path, key, daily(ApiWorld.newNumber())));
              }));
    }
    for (var list : List.of("/receipts", "/responses", "/timers")) {
      cases.add(on("GET " + list, 200, w -> w.get(list)));
      cases.add(on("GET " + list, 400, w -> w.get(list + "?limit=0")));
    }
    cases.add(on("GET /stats", 200, w -> w.get("/stats")));
    var said = "{\"from\":\"" + ApiWorld.newNumber() + "\",\"body\":\"fine\"}";
    cases.add(on("POST /response", 201, w -> w.post("/response", said)));
    cases.add(on("POST /response", 400, w -> w.post("/response", "{}")));
    return cases;
  }

  private static String timer(ApiWorld w) {
    return "/timers/" + w.post("/schedule", daily(ApiWorld.newNumber())).result().asText();
  }

  private static List<Case> timers() {
    return List.of(
        on("GET /timers/{id}", 200, w -> w.get(timer(w))),
        on("GET /timers/{id}", 404, w -> w.get("/timers/nothing")),
        on("DELETE /timers/{id}", 200, w -> w.delete(timer(w))),
        on("DELETE /timers/{id}", 404, w -> w.delete("/timers/nothing")),
        on("DELETE /timers/{id}", 409, w -> w.delete("/timers/" + w.dailyPrompt())));
  }

  private static List<Case> mcp() {
    var ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    var notification = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    return List.of(
        on("POST /mcp", 200, w -> mcp(w, ping, w.rehearsal().someone())),
        on("POST /mcp", 202, w -> mcp(w, notification, w.rehearsal().someone())),
        on("POST /mcp", 400, w -> w.post("/mcp", ping)),
        on("POST /mcp", 404, w -> mcp(w, ping, "nobody")));
  }

  private static Answer mcp(ApiWorld world, String message, String participant) {
    return world
        .rehearsal()
        .send(
            Asked.of("POST", "/mcp").json(message).header("X-Habitline-Participant", participant));
  }

  private static List<Case> unclaimed() {
    var claim = "POST /unclaimed/{seq}/claim";
    var dismiss = "POST /unclaimed/{seq}/dismiss";
    var why = "{\"reason\":\"a wrong number\"}";
    return List.of(
        on("GET /unclaimed", 200, w -> w.get("/unclaimed?status=all")),
        on("GET /unclaimed", 400, w -> w.get("/unclaimed?status=lost")),
        on(
            claim,
            200,
            w ->
                w.post(
                    "/unclaimed/" + w.unclaimed() + "/claim",
                    "{\"participant_id\":\"" + w.rehearsal().someone() + "\"}")),
        on(claim, 400, w -> w.post("/unclaimed/" + w.unclaimed() + "/claim", "{}")),
        on(claim, 404, w -> w.post("/unclaimed/999999999/claim", "{\"enrol\":true}")),
        on(
            claim,
            409,
            w -> {
              var seq = w.unclaimed();
              w.post("/unclaimed/" + seq + "/claim", "{\"enrol\":true}");
              return w.post("/unclaimed/" + seq + "/claim", "{\"enrol\":true}");
            }),
        on(dismiss, 200, w -> w.post("/unclaimed/" + w.unclaimed() + "/dismiss", why)),
        on(dismiss, 400, w -> w.post("/unclaimed/" + w.unclaimed() + "/dismiss", "{}")),
        on(dismiss, 404, w -> w.post("/unclaimed/999999999/dismiss", why)),
        on(
            dismiss,
            409,
            w -> {
              var seq = w.unclaimed();
              w.post("/unclaimed/" + seq + "/dismiss", why);
              return w.post("/unclaimed/" + seq + "/dismiss", why);
            }));
  }

  private static List<Case> twilio() {
    var message =
        FormFields.of("MessageSid", Ids.next("SM"), "From", ApiWorld.newNumber(), "Body", "hi");
    var status = FormFields.of("MessageSid", Ids.next("SM"), "MessageStatus", "delivered");
    var cases = new ArrayList<Case>();
    for (var path : List.of(TwilioPhone.INBOUND_PATH, TwilioPhone.STATUS_PATH)) {
      var form = path.equals(TwilioPhone.INBOUND_PATH) ? message : status;
      var unsigned = Asked.of("POST", path).form(form.encoded());
      cases.add(on("POST " + path, 200, w -> w.real().webhook(path, form)));
      cases.add(on("POST " + path, 400, w -> w.real().webhook(path, FormFields.of("Body", "hi"))));
      cases.add(on("POST " + path, 403, w -> w.real().sendBare(unsigned)));
      cases.add(on("POST " + path, 503, w -> w.away().sendBare(unsigned)));
    }
    return cases;
  }

  @Test
  void everyDocumentedAnswerHasACase() {
    var documented = new TreeSet<String>();
    for (var operation : WORLD.document().operations()) {
      operation.statuses().forEach(status -> documented.add(operation.name() + " " + status));
    }
    var provoked = new TreeSet<String>();
    cases().forEach(one -> provoked.add(one.name()));
    var without = new TreeSet<>(documented);
    without.removeAll(provoked);
    provoked.removeAll(documented);
    assertThat(without)
        .as("answers that the document promises and DocumentedAnswersTest.cases does not provoke")
        .isEmpty();
    assertThat(provoked)
        .as("answers that DocumentedAnswersTest.cases provokes and the document does not have")
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isAnsweredAsDocumented(Case one) {
    var answer = one.ask().apply(WORLD);
    assertThat(
            WORLD
                .document()
                .operation(answer.asked().method(), answer.asked().rawPath())
                .map(Operation::name))
        .as("what the case asked last")
        .contains(one.operation());
    assertThat(answer.status()).as(answer.text()).isEqualTo(one.status());
  }

  @Test
  void theChatSpeaksAsDocumented() {
    var document = WORLD.document();
    assertThat(document.socket("/ws/chat").path("sends").asText()).endsWith("/ChatAnswer");
    assertThat(document.socket("/ws/chat").path("receives").asText()).endsWith("/ChatMessage");
    var id = WORLD.rehearsal().someone();
    var token = WORLD.post(WORLD.rehearsal().at(id) + "/tokens", "{}").result().path("token");
    var heard = new CopyOnWriteArrayList<JsonNode>();
    var socket =
        WORLD
            .client()
            .newWebSocketBuilder()
            .header("Authorization", "Bearer " + token.asText())
            .buildAsync(
                URI.create(WORLD.rehearsal().line().url().replace("http", "ws") + "/ws/chat"),
                new Heard(heard))
            .join();
    var said =
        Map.of("type", "message", "conversation_id", id, "content", "Personal first, please.");
    assertThat(document.component("ChatMessage").validate(Heard.JSON.valueToTree(said))).isEmpty();
    socket.sendText(RestLine.write(said), true).join();
    await().until(() -> heard.stream().anyMatch(it -> it.path("type").asText().equals("complete")));
    socket.sendText("{\"type\":\"message\"}", true).join();
    await().until(() -> heard.stream().anyMatch(it -> it.path("type").asText().equals("error")));
    socket.abort();
    assertThat(heard)
        .hasSizeGreaterThan(2)
        .allSatisfy(it -> assertThat(document.component("ChatAnswer").validate(it)).isEmpty());
    assertThat(document.component("ChatAnswer").validate(Heard.JSON.valueToTree(said)))
        .isNotEmpty();
    assertThat(WORLD.rehearsal().sendBare(Asked.of("GET", "/ws/chat?token=wrong")).status())
        .isEqualTo(401);
    var shown = Map.of("type", "auth", "token", "hlc_example");
    assertThat(document.component("ChatMessage").validate(Heard.JSON.valueToTree(shown))).isEmpty();
    assertThat(document.component("ChatMessage").validate(Heard.JSON.valueToTree(Map.of())))
        .isNotEmpty();
  }

  /** What comes over a WebSocket, message by message. */
  private record Heard(List<JsonNode> messages, StringBuilder part) implements WebSocket.Listener {

    private static final JsonMapper JSON = new JsonMapper();

    private Heard(List<JsonNode> messages) {
      this(messages, new StringBuilder());
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        try {
          messages.add(JSON.readTree(part.toString()));
        } catch (JsonProcessingException e) {
          throw new IllegalStateException(e);
        }
        part.setLength(0);
      }
      socket.request(1);
      return null;
    }
  }

  private static Stream<Operation> operations() {
    return WORLD.document().operations().stream()
        .filter(operation -> !operation.isWebhook() && !operation.path().startsWith("/health"));
  }

  private static Stream<Operation> withJson() {
    return operations().filter(Operation::takesJson);
  }

  /** About nobody; what is refused for every operation alike is refused before that is seen. */
  private static Asked about(Operation operation) {
    return Asked.of(
        operation.method(),
        operation.at(parameter ->
            parameter.path("schema").path("type").asText().equals("integer")
                ? "999999999"
                : "nobody"));
  }

  private static void refuses(int status, String sentence, Asked asked) {
    var answer = WORLD.rehearsal().send(asked);
    assertThat(answer.status()).as("%s %s", asked, answer.text()).isEqualTo(status);
    assertThat(answer.json().path("message").asText()).as(asked.toString()).contains(sentence);
  }

  @Test
  void anUnknownQueryParameterIsRefusedEverywhere() {
    assertThat(operations())
        .allSatisfy(operation -> {
          var about = about(operation);
          var asked = Asked.of(about.method(), about.target() + "?nobodys_parameter=1");
          refuses(
              400,
              "Unknown query parameter 'nobodys_parameter'",
              operation
                  .consumes()
                  .map(type -> asked.body(new byte[] {'{', '}'}, type))
                  .orElse(asked));
        });
  }

  @Test
  void aMethodThatIsNotThereIsRefusedEverywhere() {
    assertThat(operations())
        .allSatisfy(operation ->
            refuses(
                405,
                "does not accept PATCH",
                Asked.of("PATCH", about(operation).target()).json("{}")));
  }

  @Test
  void anAddressThatIsNotThereIsNotFoundByAnybody() {
    for (var target : List.of("/nowhere", "/conversation", "/keys/one/two", "/api/v1/keys")) {
      refuses(404, "There is nothing at this address", Asked.of("GET", target));
      assertThat(WORLD.rehearsal().sendBare(Asked.of("GET", target)).status()).isEqualTo(404);
    }
  }

  @Test
  void aBodyThatIsNotOneGoodJsonObjectIsRefusedEverywhere() {
    assertThat(withJson())
        .allSatisfy(operation -> {
          var about = about(operation);
          var readable = "not readable as JSON";
          refuses(400, readable, about.json("{\"a\":"));
          refuses(400, readable, about.json("{'a':1}"));
          refuses(400, "Unknown field 'nobodys_field'", about.json("{\"nobodys_field\":1}"));
          refuses(400, "The body has the wrong shape", about.json("[]"));
          refuses(400, "The body has the wrong shape", about.json("\"text\""));
          if (operation.needsBody()) {
            refuses(400, "The body is missing", about.json(""));
            refuses(400, "The body is missing", about.json("null"));
          }
          refuses(400, "JSON", about.json("{} {}"));
          for (var field : fields(operation)) {
            var twice = "{\"%s\":null,\"%s\":null}".formatted(field, field);
            refuses(400, readable, about.json(twice));
          }
        });
  }

  private static List<String> fields(Operation operation) {
    var fields = new ArrayList<String>();
    WORLD
        .document()
        .resolved(operation.body())
        .path("properties")
        .fieldNames()
        .forEachRemaining(fields::add);
    return fields;
  }

  @Test
  void anotherContentTypeIsRefusedEverywhere() {
    assertThat(withJson())
        .allSatisfy(operation -> {
          for (var type : List.of("text/plain", "application/x-www-form-urlencoded")) {
            refuses(
                415, "Send the body as JSON", about(operation).body(new byte[] {'{', '}'}, type));
          }
        });
  }

  @Test
  void aBodyThatIsTooLargeIsRefusedEverywhere() {
    var large = "{\"a\":\"" + "x".repeat(1_100_000) + "\"}";
    assertThat(withJson())
        .allSatisfy(
            operation -> refuses(413, "The request is too large", about(operation).json(large)));
  }

  @Test
  void whatIsNotAcceptedBackIsRefusedWithASentence() {
    var answer =
        WORLD.rehearsal().send(Asked.of("GET", "/keys").header("Accept", "application/xml"));
    assertThat(answer.status()).isEqualTo(406);
  }
}
