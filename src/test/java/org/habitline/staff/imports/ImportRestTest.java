package org.habitline.staff.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of people to enrol, over HTTP and on the page. */
final class ImportRestTest {

  private static final String IMPORT = RestLine.PARTICIPANTS + "/import";
  private static final String CSV = "text/csv";
  private static int numbers = 1_000_000;

  private static RestLine line;

  @BeforeAll
  static void start() {
    line = RestLine.start(ImportRestTest.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String number() {
    return "+4930" + ++numbers;
  }

  private static Answer sent(String csv, String... headers) {
    return line.post(IMPORT, CSV, csv.getBytes(StandardCharsets.UTF_8), headers);
  }

  private static Answer tried(String csv) {
    return line.post(IMPORT + "?dry_run=true", CSV, csv.getBytes(StandardCharsets.UTF_8));
  }

  private static JsonNode done(String id) {
    await().until(() -> progress(id).at("/progress/status").asText().equals("done"));
    return progress(id);
  }

  private static JsonNode progress(String id) {
    return line.get(IMPORT + "/" + id).result();
  }

  private static int enrolled(String number) {
    return line.rows(
            "SELECT p.id FROM participant p JOIN address a ON a.id = p.address_id WHERE a.phone = ?",
            number)
        .size();
  }

  @Test
  void aDryRunSaysWhatWouldComeOfEachRowAndChangesNothing() {
    var taken = line.enrolled().path("phone_number").asText();
    var free = number();
    var before = line.rows("SELECT id FROM participant").size();
    var answer =
        tried(
            """
            \uFEFFphone_number,name,background,timezone
            %s,Ada,"Runs, and
            walks",Europe/Berlin
            12,Bob,,
            %s,Ada again,,
            %s,Cy,,
            %s,Di,,Mars/Base
            %s,Eve,,,,more
            ,,,
            +99999999999,Fay,,
            %s,Gil\u202Eyad,,
            """
                .formatted(free, free, taken, number(), number(), number()));
    assertThat(answer.status()).isEqualTo(200);
    var result = answer.result();
    assertThat(result.path("rows").asInt()).isEqualTo(8);
    assertThat(result.path("would_enrol").asInt()).isEqualTo(2);
    assertThat(result.path("duplicates").asInt()).isEqualTo(2);
    assertThat(result.path("errors").asInt()).isEqualTo(4);
    var rows = result.path("results");
    assertThat(rows.findValuesAsText("row"))
        .containsExactly("2", "3", "4", "5", "6", "7", "9", "10");
    assertThat(rows.findValuesAsText("status"))
        .containsExactly(
            "would_enrol",
            "error",
            "duplicate",
            "duplicate",
            "error",
            "error",
            "would_enrol",
            "error");
    assertThat(rows.path(7).path("message").asText())
        .startsWith("name: contains invisible characters that change the writing direction");
    assertThat(rows.findValuesAsText("name"))
        .containsExactly("Ada", "Bob", "Ada again", "Cy", "Di", "Eve", "Fay", "Gil\u202Eyad");
    assertThat(rows.path(0).path("phone_number").asText()).isEqualTo(free);
    assertThat(rows.path(1).path("phone_number").asText()).as("as it was written").isEqualTo("12");
    assertThat(rows.path(3).path("phone_number").asText()).isEqualTo(taken);
    assertThat(rows.path(1).path("message").asText()).startsWith("phone_number: not a phone");
    assertThat(rows.path(2).path("message").asText()).contains("the same number as in row 2");
    assertThat(rows.path(3).path("message").asText()).contains("already enrolled as conv_");
    assertThat(rows.path(4).path("message").asText()).startsWith("timezone:");
    assertThat(rows.path(5).path("message").asText()).contains("more cells");
    assertThat(rows.path(6).path("warnings").path(0).asText()).contains("not a valid number");
    assertThat(line.rows("SELECT id FROM participant")).hasSize(before);
    assertThat(line.rows("SELECT id FROM participant_import WHERE row_count = 8")).isEmpty();
  }

  @Test
  void aListIsCarriedOutInItsOrderLikeEnrolmentsOfWhoeverSentIt() {
    var taken = line.enrolled().path("phone_number").asText();
    var ada = number();
    var bob = number();
    var answer =
        sent(
            "Name;Phone_Number;Timezone\nAda;%s;Europe/Berlin\nCy;%s;\nDi;12;\nBob;%s;\n"
                .formatted(ada, taken, bob));
    assertThat(answer.status()).isEqualTo(202);
    var id = answer.result().path("id").asText();
    assertThat(answer.response().headers().firstValue("Location")).contains(IMPORT + "/" + id);
    var end = done(id);
    assertThat(end.at("/progress/rows").asInt()).isEqualTo(4);
    assertThat(end.at("/progress/done").asInt()).isEqualTo(4);
    assertThat(end.at("/progress/enrolled").asInt()).isEqualTo(2);
    assertThat(end.at("/progress/finished_at").asText()).isNotBlank();
    assertThat(end.path("results").findValuesAsText("status"))
        .containsExactly("enrolled", "duplicate", "error", "enrolled");
    var first = end.at("/results/0/participant_id").asText();
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + first).result().path("phone_number").asText())
        .isEqualTo(ada);
    assertThat(enrolled(bob)).isOne();
    assertThat(line.rows("SELECT * FROM audit_event WHERE participant_id = ?", first).getFirst())
        .containsEntry("action", "participant enrolled")
        .containsEntry("actor", "admin");
    assertThat(line.rows("SELECT * FROM audit_event WHERE subject = ?", id).getFirst())
        .containsEntry("action", "import started")
        .containsEntry("new_value", "4 rows");
    assertThat(line.get(IMPORT).result().findValuesAsText("id")).contains(id);
    var rows = line.rows("SELECT * FROM participant_import_row WHERE import_id = ?", id);
    assertThat(rows).allSatisfy(row -> assertThat(row.get("content")).isNull());
    assertThat(rows.toString()).doesNotContain(ada, bob, taken, "Ada");

    line.send("DELETE", RestLine.PARTICIPANTS + "/" + first, "");
    await().until(() -> enrolled(ada) == 0);
    assertThat(progress(id).at("/results/0").has("participant_id")).isFalse();
  }

  @Test
  void aListIsPagedAndGoesOnAfterARestart() {
    var people =
        IntStream.range(0, 60)
            .mapToObj(i -> number())
            .collect(Collectors.joining("\n", "phone_number\n", "\n"));
    var id = sent(people).result().path("id").asText();
    await().until(() -> progress(id).at("/progress/done").asInt() > 3);
    line.restart();
    var end = done(id);
    assertThat(end.at("/progress/enrolled").asInt()).isEqualTo(60);
    assertThat(
            line.rows(
                "SELECT DISTINCT participant_id FROM participant_import_row WHERE import_id = ?",
                id))
        .hasSize(60);
    var first = line.get(IMPORT + "/" + id + "?limit=25");
    assertThat(first.result().path("results")).hasSize(25);
    var second =
        line.get(
            IMPORT + "/" + id + "?limit=30&cursor=" + first.body().path("next_cursor").asText());
    assertThat(second.result().at("/results/0/row").asInt()).isEqualTo(27);
  }

  @Test
  void theSameListUnderOneIdempotencyKeyIsCarriedOutOnce() {
    var csv = "phone_number\n" + number() + "\n";
    var first = sent(csv, "Idempotency-Key", "list-1");
    var again = sent(csv, "Idempotency-Key", "list-1");
    assertThat(first.status()).isEqualTo(202);
    assertThat(again.status()).isEqualTo(202);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(again.response().headers().firstValue("Idempotent-Replay")).contains("true");
    var other = sent("phone_number\n" + number() + "\n", "Idempotency-Key", "list-1");
    assertThat(other.status()).isEqualTo(422);
    assertThat(done(first.result().path("id").asText()).at("/progress/enrolled").asInt()).isOne();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | The file is empty",
        "name,gender\\nAda,x | The column phone_number is missing",
        "phone_number, Nmae \\n+4930123456,Ada | Unknown column 'Nmae' (column 2). Accepted columns are phone_number, name,",
        "phone_number,E-Mail,name,Age\\n+4930123456,a,b,1 | Unknown columns 'E-Mail' (column 2), 'Age' (column 4). Accepted columns are phone_number, name,",
        "phone_number,,name\\n+4930123456,a,b | Column 2 has no name in the first row. Accepted columns are phone_number, name,",
        "+4930123456,Ada | The first row must name the columns, but it seems to contain a person's data. Accepted columns are phone_number, name,",
        "phone_number,name,name\\n+4930123456,A,B | The column name appears twice",
        "phone_number\\n\\n | The file has a header but no rows",
        "phone_number\\n\"+4930123456 | The file is not readable as CSV",
        "phone_number\\n\"+49\"30123456 | The file is not readable as CSV",
      })
  void whatIsNoListIsRefusedWithASentence(String csv, String sentence) {
    var answer = sent(csv.replace("\\n", "\n"));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).startsWith(sentence);
  }

  @Test
  void aListThatIsTooLongOrNotInUtf8OrNotCsvIsRefused() {
    var long_ =
        IntStream.range(0, 10_001)
            .mapToObj(i -> "+1" + i)
            .collect(Collectors.joining("\n", "phone_number\n", "\n"));
    assertThat(sent(long_).message()).contains("more than 10,000 rows");
    var latin = "phone_number,name\n+4930123456,J\u00f6rg\n".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(line.post(IMPORT, CSV, latin).message()).contains("not in UTF-8");
    var json = line.post(IMPORT, "application/json", "{}".getBytes(StandardCharsets.UTF_8));
    assertThat(json.status()).isEqualTo(415);
    assertThat(json.message()).contains("text/csv");
    assertThat(line.get(IMPORT + "/imp_none").status()).isEqualTo(404);
    assertThat(line.get(IMPORT + "/imp_none?limit=0").status()).isEqualTo(400);
  }

  @Test
  void onThePageAListIsLookedAtFirstAndThenCarriedOut() {
    var ada = number();
    var page = uploaded("phone_number,name\r\n" + ada + ",<Ada>\r\n12,Bob\r\n" + ada + ",Ada\r\n");
    assertThat(page.status()).isEqualTo(303);
    var address = page.response().headers().firstValue("Location").orElseThrow();
    var preview = line.get(address).response().body();
    assertThat(preview)
        .contains(
            "No one is enrolled yet",
            "will be enrolled",
            "the same number as in row 2",
            "Enrol 1 participant<",
            "Each participant gets a greeting as soon as they are enrolled.")
        .contains("not a phone number")
        .contains(ada, "<bdi>&lt;Ada&gt;</bdi>", "<bdi>Bob</bdi>", "<bdi>12</bdi>");
    assertThat(enrolled(ada)).isZero();
    assertThat(line.get(IMPORT).result().toString()).doesNotContain(id(address));
    assertThat(line.get(IMPORT + "/" + id(address)).status()).isEqualTo(404);

    assertThat(form(address + "/confirm").status()).isEqualTo(303);
    done(id(address));
    assertThat(
            line.rows("SELECT * FROM participant_import_row WHERE import_id = ?", id(address))
                .toString())
        .as("what the rows said of people goes")
        .doesNotContain(ada, "Ada", "Bob");
    assertThat(enrolled(ada)).isOne();
    assertThat(line.get(address).response().body()).contains("3 of 3 rows processed: 1 enrolled");
    assertThat(form(address + "/confirm").status()).isEqualTo(404);
    var again = uploaded("phone_number\r\n" + ada + "\r\n").response().headers();
    assertThat(line.get(again.firstValue("Location").orElseThrow()).response().body())
        .containsIgnoringWhitespaces(
            "1 row: 0 will be enrolled, 1 has a phone number or study id that is already enrolled");
    assertThat(line.get("/participants/import").response().body())
        .contains(id(address))
        .contains("A blank cell counts as missing.", "<code>simulator</code>");

    var other = uploaded("phone_number\n" + number() + "\n").response();
    var unwanted = other.headers().firstValue("Location").orElseThrow();
    assertThat(form(unwanted + "/discard").status()).isEqualTo(303);
    assertThat(line.rows("SELECT * FROM participant_import WHERE id = ?", id(unwanted))).isEmpty();
    assertThat(line.rows("SELECT * FROM participant_import_row WHERE import_id = ?", id(unwanted)))
        .isEmpty();

    var wrong = uploaded("name\nAda\n");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.response().body())
        .contains("role=\"alert\"", "The column phone_number is missing");
  }

  private static String id(String address) {
    return address.substring(address.lastIndexOf('/') + 1);
  }

  private static Answer form(String path) {
    return line.post(path, "application/x-www-form-urlencoded", new byte[0]);
  }

  private static Answer uploaded(String csv) {
    var body =
        "--limit\r\nContent-Disposition: form-data; name=\"file\"; filename=\"people.csv\"\r\n"
            + "Content-Type: text/csv\r\n\r\n"
            + csv
            + "\r\n--limit--\r\n";
    return line.post(
        "/participants/import",
        "multipart/form-data; boundary=limit",
        body.getBytes(StandardCharsets.UTF_8));
  }

  private static String address(String csv) {
    return uploaded(csv).response().headers().firstValue("Location").orElseThrow();
  }

  private static Answer form(String path, String body) {
    return line.post(
        path, "application/x-www-form-urlencoded", body.getBytes(StandardCharsets.UTF_8));
  }

  private static String shown(String address) {
    return line.get(address).response().body().replaceAll("\\s+", " ");
  }

  @Test
  void errorsAreCorrectedInPlaceAndOtherRowsStay() {
    var ada = number();
    var bob = number();
    var cy = number();
    var address =
        address(
            "phone_number,name,timezone,study_id\n%s,Ada,,S1\n12,Bob,Mars/Base,S2\n%s,Ada again,,\n%s,Di,,,more\n"
                .formatted(ada, ada, cy));
    assertThat(shown(address))
        .contains("4 rows: 1 will be enrolled", "1 repeats", "2 have errors.")
        .contains("name=\"cell.3.phone_number\" value=\"12\"", "Not a phone number")
        .contains("name=\"cell.3.timezone\" value=\"Mars/Base\"")
        .contains("name=\"cell.4.phone_number\" value=\"" + ada + "\"", "as in row 2")
        .contains("name=\"cell.5.+\" value=\"more\"", "This row has more cells")
        .contains("<bdi>S1</bdi>")
        .doesNotContain("cell.2.");

    // Two cells of one row; the other rows keep what they say.
    var corrected =
        form(
            address + "/rows",
            "seen.3=1&cell.3.phone_number=%s&cell.3.timezone=Europe%%2FBerlin&seen.4=1&out.4=1"
                .formatted(bob.replace("+", "%2B")));
    assertThat(corrected.status()).isEqualTo(303);
    assertThat(shown(address))
        .contains("4 rows: 2 will be enrolled", "1 has errors, 1 is left out.")
        .contains(bob, "value=\"more\"")
        .doesNotContain("cell.3.");
    assertThat(form(address + "/rows", "seen.5=1&cell.5.%2B=").status()).isEqualTo(303);
    assertThat(shown(address)).contains("3 will be enrolled").doesNotContain("cell.5.");

    // What was left out comes back as it was, and leaves again.
    form(address + "/rows", "seen.4=1");
    assertThat(shown(address)).contains("1 repeats", "cell.4.phone_number");
    form(address + "/rows", "seen.4=1&out.4=1");
    assertThat(form(address + "/confirm").status()).isEqualTo(303);
    var end = done(id(address));
    assertThat(end.at("/progress/enrolled").asInt()).isEqualTo(3);
    assertThat(end.at("/progress/left_out").asInt()).isEqualTo(1);
    assertThat(
            line.rows(
                "SELECT p.timezone FROM participant p JOIN address a ON a.id = p.address_id WHERE a.phone = ?",
                bob))
        .first()
        .hasToString("{timezone=Europe/Berlin}");
    assertThat(
            line.rows(
                "SELECT 1 FROM participant_import_row WHERE import_id = ? AND content IS NOT NULL",
                id(address)))
        .isEmpty();
    assertThat(form(address + "/rows", "seen.4=1").status()).isEqualTo(404);
  }

  @Test
  void overRestAListIsCorrectedBeforeItIsCarriedOut() {
    var ada = number();
    var bob = number();
    var stored =
        line.post(
            IMPORT + "/preview",
            CSV,
            "Mobile;Zone;Colour\n%s;;red\n12;;\n%s;;\n"
                .formatted(ada, ada)
                .getBytes(StandardCharsets.UTF_8));
    assertThat(stored.status()).isEqualTo(201);
    var draft = stored.result();
    assertThat(draft.at("/progress/status").asText()).isEqualTo("unmapped");
    assertThat(draft.path("unknown_columns").findValuesAsText("column"))
        .containsExactly("mobile", "zone", "colour");
    var at = IMPORT + "/" + draft.at("/progress/id").asText();
    assertThat(stored.response().headers().firstValue("Location")).contains(at + "/preview");
    assertThat(line.send("PUT", at + "/rows/3", "{\"left_out\":true}").status()).isEqualTo(409);
    assertThat(line.send("POST", at + "/confirm", "").status()).isEqualTo(409);
    assertThat(line.send("PUT", at + "/columns", "{\"columns\":{\"mobile\":\"name\"}}").message())
        .contains("No column is matched to phone_number");

    var mapped =
        line.send(
            "PUT",
            at + "/columns",
            "{\"columns\":{\"mobile\":\"phone_number\",\"zone\":\"timezone\"}}");
    assertThat(mapped.status()).isEqualTo(200);
    assertThat(mapped.result().path("to_correct").findValuesAsText("row"))
        .containsExactly("3", "4");
    assertThat(mapped.result().at("/to_correct/0/cells/0/problem").asText())
        .contains("ot a phone number");
    assertThat(line.send("PUT", at + "/columns", "{\"columns\":{}}").status()).isEqualTo(409);
    assertThat(line.send("PUT", at + "/defaults", "{\"timezone\":\"Mars/Base\"}").status())
        .isEqualTo(400);
    var zones = line.send("PUT", at + "/defaults", "{\"timezone\":\"America/Lima\"}");
    assertThat(zones.result().at("/defaults/timezone").asText()).isEqualTo("America/Lima");
    assertThat(line.send("PUT", at + "/rows/99", "{}").status()).isEqualTo(404);
    assertThat(line.send("PUT", at + "/rows/3", "{\"cells\":{\"colour\":\"x\"}}").status())
        .isEqualTo(400);
    line.send("PUT", at + "/rows/3", "{\"cells\":{\"phone_number\":\"" + bob + "\"}}");
    line.send("PUT", at + "/rows/4", "{\"left_out\":true}");
    var shown = line.get(at + "/preview").result();
    assertThat(shown.path("to_correct").findValuesAsText("row")).containsExactly("4");
    assertThat(shown.at("/progress/left_out").asInt()).isEqualTo(1);
    assertThat(enrolled(ada)).isZero();

    assertThat(line.send("POST", at + "/confirm", "").status()).isEqualTo(202);
    assertThat(line.send("POST", at + "/confirm", "").status()).isEqualTo(202);
    var end = done(id(at));
    assertThat(end.at("/progress/enrolled").asInt()).isEqualTo(2);
    assertThat(enrolled(ada)).isOne();
    assertThat(zone(bob)).isEqualTo("America/Lima");
    assertThat(line.get(at + "/preview").status()).isEqualTo(404);

    var other =
        line.post(
                IMPORT + "/preview",
                CSV,
                ("phone_number\n" + number()).getBytes(StandardCharsets.UTF_8))
            .result()
            .at("/progress/id")
            .asText();
    assertThat(line.send("DELETE", IMPORT + "/" + other + "/preview", "").status()).isEqualTo(200);
    assertThat(line.send("POST", IMPORT + "/" + other + "/confirm", "").status()).isEqualTo(404);
  }

  @Test
  void defaultsCountWhereACellIsBlank() {
    var ada = number();
    var bob = number();
    var address = address("phone_number,timezone\n%s,\n%s,Asia/Tokyo\n".formatted(ada, bob));
    assertThat(shown(address)).contains("Defaults for blank cells: time zone");
    var wrong = form(address + "/defaults", "timezone=Mars%2FBase");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.response().body())
        .contains("id=\"error-default-timezone\"", "value=\"Mars/Base\"");
    assertThat(form(address + "/defaults", "timezone=America%2FLima").status()).isEqualTo(303);
    assertThat(shown(address)).contains("time zone America/Lima");
    form(address + "/confirm");
    done(id(address));
    assertThat(zone(ada)).isEqualTo("America/Lima");
    assertThat(zone(bob)).isEqualTo("Asia/Tokyo");
  }

  private static String zone(String phone) {
    var found =
        line.rows(
            "SELECT p.timezone FROM participant p JOIN address a ON a.id = p.address_id WHERE a.phone = ?",
            phone);
    return String.valueOf(found.getFirst().get("timezone"));
  }

  @Test
  void anyColumnIsTakenOnceStaffSayWhatItIs() {
    var ada = number();
    var address =
        address(
            "Mobile;First Name;Shoe size;;Shoe size;Tmiezone\n%s;Ada;38;x;39;\n12;Bob;41;;;\n"
                .formatted(ada));
    var asked = shown(address);
    assertThat(asked).contains("Choose…", "Did you mean Time zone?", "value=\"out\"");
    var unchosen =
        form(address + "/columns", "column.0=phone_number&column.1=name&column.2=&column.5=out");
    assertThat(unchosen.status()).isEqualTo(400);
    assertThat(unchosen.response().body()).contains("Choose what the column", "shoe size");
    assertThat(asked)
        .contains(
            "Match the columns of the file", "<bdi>mobile</bdi>", "For example: <bdi>38, 41</bdi>")
        .contains("value=\"phone_number\" selected>", "value=\"name\" selected>")
        .contains("<bdi>column 4</bdi>", "shoe size (column 5)");
    assertThat(line.get(IMPORT + "/" + id(address)).status()).isEqualTo(404);
    var none = form(address + "/columns", "column.1=name");
    assertThat(none.status()).isEqualTo(400);
    assertThat(none.response().body()).contains("No column is matched to phone_number");
    var twice = form(address + "/columns", "column.0=phone_number&column.1=phone_number");
    assertThat(twice.response().body())
        .contains("Two columns of the file are matched to phone_number");

    assertThat(
            form(address + "/columns", "column.0=phone_number&column.1=name&column.2=new").status())
        .isEqualTo(303);
    assertThat(shown(address))
        .contains("2 rows: 1 will be enrolled", "<bdi>Ada</bdi>", "cell.3.phone_number")
        .contains("Rows with errors are not enrolled", "1 row has no time zone and gets UTC.");
    form(address + "/confirm");
    var end = done(id(address));
    var enrolled = end.at("/results/0/participant_id").asText();
    assertThat(
            line.rows(
                "SELECT name, field_value FROM participant_field WHERE participant_id = ?",
                enrolled))
        .first()
        .hasToString("{name=shoe_size, field_value=38}");
    // From then on it is a field like any other, on every node.
    try (var other = line.second()) {
      assertThat(other.get("/participants/import").response().body()).contains("field.shoe_size");
    }
    assertThat(
            tried("phone_number,field.shoe_size\n%s,40\n".formatted(number()))
                .result()
                .path("would_enrol")
                .asInt())
        .isEqualTo(1);
    assertThat(line.rows("SELECT subject, new_value FROM audit_event WHERE action = 'field added'"))
        .first()
        .hasToString("{subject=shoe_size, new_value=shoe size}");
  }

  @Test
  void aLongListWithProblemsStaysBounded() {
    var rows =
        IntStream.range(0, 10_000)
            .mapToObj(i -> i % 2 == 0 ? "12," + i : "+49157" + (10_000_000 + i) + "," + i)
            .collect(Collectors.joining("\n", "phone_number,name\n", "\n"));
    var address = address(rows);
    var page = shown(address);
    assertThat(page).contains("10000 rows: 5000 will be enrolled", "fix=40");
    assertThat(page.length()).isLessThan(200_000);
    assertThat(page.split("name=\"cell\\.", -1)).hasSize(21);
    assertThat(
            form(address + "/rows", "fix=40&seen.2=1&cell.2.phone_number=%2B491579999999").status())
        .isEqualTo(303);
    assertThat(shown(address)).contains("5001 will be enrolled");
    form(address + "/discard");
  }

  @Test
  void whoeverConfirmsAListEnrolsItsPeople() {
    var ada = number();
    var address =
        uploaded("phone_number\r\n" + ada + "\r\n")
            .response()
            .headers()
            .firstValue("Location")
            .orElseThrow();
    var other = line.key("Confirming staff", "staff");
    line.postAs(other, address + "/confirm", "application/x-www-form-urlencoded", new byte[0]);
    var end = done(id(address));
    assertThat(
            line.rows(
                "SELECT actor FROM audit_event WHERE action = 'participant enrolled' AND participant_id = ?",
                end.at("/results/0/participant_id").asText()))
        .first()
        .hasToString("{actor=Confirming staff}");
  }

  @Test
  void researchersImportByRestAndOnThePage() {
    var researcher = line.key("Importing researcher", "researcher");
    assertThat(line.sendAs(researcher, "GET", IMPORT, "").status()).isEqualTo(200);
    assertThat(line.sendAs(researcher, "GET", "/participants/import", "").status()).isEqualTo(200);
    assertThat(line.sendAs("", "GET", IMPORT, "").status()).isEqualTo(401);
    assertThat(List.of(line.get(IMPORT).status())).containsExactly(200);
  }

  @Test
  void aRowNamesTheLanguageOfAPerson() {
    var spanish = number();
    var tried = tried("phone_number,language\n" + spanish + ",fr\n");
    assertThat(tried.response().body())
        .contains("the flow habit does not have this language; expected one of en, es.");
    done(sent("phone_number,language\n" + spanish + ",es\n").result().path("id").asText());

    assertThat(
            line.rows(
                "SELECT p.language FROM participant p JOIN address a ON a.id = p.address_id WHERE"
                    + " a.phone = ?",
                spanish))
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("language", "es"));
  }
}
