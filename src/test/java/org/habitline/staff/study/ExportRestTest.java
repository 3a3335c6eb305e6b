package org.habitline.staff.study;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.habitline.RestLine;
import org.habitline.study.Exports;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Everything about one person, as a file. */
final class ExportRestTest {

  private static RestLine line;

  @BeforeAll
  static void start() {
    line = RestLine.start(ExportRestTest.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String talkedTo() {
    var id = line.enrolled().path("id").asText();
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"make it \\\"personal\\\"\"}");
    await()
        .until(() ->
            line.rows("SELECT id FROM outbox WHERE participant_id = ? AND status = 'accepted'", id)
                    .size()
                >= 2);
    return id;
  }

  @Test
  void theFileHoldsEverythingOfOnePersonAndNothingOfAnother() {
    var id = talkedTo();
    var other = line.enrolled();
    var researcher = line.key("Researcher who may not", "researcher");
    assertThat(
            line.sendAs(researcher, "GET", RestLine.PARTICIPANTS + "/" + id + "/export", "")
                .status())
        .isEqualTo(403);
    var staff = line.key("Exporting staff", "staff");
    var answer = line.sendAs(staff, "GET", RestLine.PARTICIPANTS + "/" + id + "/export", "");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.response().headers().firstValue("Content-Disposition").orElse(""))
        .contains("attachment", id + ".json");
    var file = answer.body();
    assertThat(file.path("participant_id").asText()).isEqualTo(id);
    assertThat(file.fieldNames())
        .toIterable()
        .containsAll(Exports.sections().stream().map(Exports.Section::name).toList());
    assertThat(file.at("/participant/0/name").asText()).isEqualTo("Robin Example");
    assertThat(file.at("/address/0/phone").asText()).startsWith("+1206556");
    assertThat(file.at("/address/0/opted_out").isBoolean()).isTrue();
    assertThat(file.path("transcript").findValuesAsText("content"))
        .contains("make it \"personal\"");
    assertThat(file.at("/turns/0/pinned").isObject()).isTrue();
    assertThat(file.at("/turns/0/started_at").asText()).matches("\\d{4}-.*Z");
    assertThat(file.at("/iterations/0/messages").isArray()).isTrue();
    assertThat(file.path("deliveries").findValuesAsText("status")).contains("accepted");
    assertThat(file.path("inbox").findValuesAsText("kind")).contains("enrolled", "said");
    assertThat(file.path("audit").findValuesAsText("action"))
        .contains("participant enrolled", "participant exported");
    assertThat(answer.response().body())
        .doesNotContain(other.path("id").asText(), other.path("phone_number").asText());
    assertThat(
            line.rows(
                "SELECT actor FROM audit_event WHERE action = 'participant exported' AND participant_id = ?",
                id))
        .hasSize(1)
        .first()
        .hasToString("{actor=Exporting staff}");
  }

  @Test
  void nobodyElseIsExported() {
    assertThat(line.get(RestLine.PARTICIPANTS + "/conv_none/export").status()).isEqualTo(404);
    assertThat(line.sendAs("", "GET", RestLine.PARTICIPANTS + "/conv_none/export", "").status())
        .isEqualTo(401);
    assertThat(line.rows("SELECT * FROM audit_event WHERE participant_id = 'conv_none'")).isEmpty();
  }

  /** A new table that names participants must be exported, or stand in the list with a reason. */
  @Test
  void everyTableThatNamesParticipantsIsExportedOrSaysWhyNot() {
    Set<String> naming =
        line
            .rows(
                "SELECT DISTINCT table_name FROM information_schema.columns"
                    + " WHERE column_name = 'participant_id' AND table_schema = 'public'")
            .stream()
            .map(row -> String.valueOf(row.get("table_name")))
            .collect(Collectors.toCollection(TreeSet::new));
    var known = new TreeSet<>(Exports.notShown().keySet());
    Exports.sections().stream().map(Exports.Section::table).forEach(known::add);
    assertThat(known).containsAll(naming);
    assertThat(naming).containsAll(Exports.notShown().keySet());
    assertThat(Exports.notShown().values()).allSatisfy(reason -> assertThat(reason).isNotBlank());
  }

  @Test
  void safetyIncidentsAreExportedOnlyToSomebodyWithTheRoleWhoAsksForThem() {
    var id = talkedTo();
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"I want to kill myself zqx\"}");
    await()
        .until(() ->
            line.rows(
                        "SELECT id FROM message WHERE participant_id = ? AND incident_id IS NOT NULL",
                        id)
                    .size()
                == 2);
    var path = RestLine.PARTICIPANTS + "/" + id + "/export";
    var staff = line.key("Staff who export " + id, "staff");
    var safety = line.key("Safety who export " + id, "safety");
    var refused = line.sendAs(staff, "GET", path + "?include=safety", "");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.message())
        .isEqualTo(
            "include: safety incidents are exported only by someone with the role safety or admin.");
    assertThat(line.sendAs(safety, "GET", path + "?include=all", "").status()).isEqualTo(400);
    var ordinary = line.sendAs(safety, "GET", path, "").body();
    assertThat(ordinary.toString()).doesNotContain("zqx");
    assertThat(ordinary.has("incidents")).isFalse();
    var whole = line.sendAs(safety, "GET", path + "?include=safety", "").body();
    assertThat(whole.path("transcript").findValuesAsText("content"))
        .contains("I want to kill myself zqx");
    assertThat(whole.path("inbox").toString()).contains("zqx");
    assertThat(whole.at("/incidents/0/level").asText()).isEqualTo("crisis");
    assertThat(whole.path("incident_entries").findValuesAsText("kind"))
        .containsExactly("text", "sent");
    assertThat(whole.path("alerts").isArray()).isTrue();
    assertThat(whole.path("spending").isArray()).isTrue();
    assertThat(
            line.rows(
                "SELECT actor FROM audit_event WHERE participant_id = ?"
                    + " AND action = 'participant exported with safety incidents'",
                id))
        .hasSize(1);
  }
}
