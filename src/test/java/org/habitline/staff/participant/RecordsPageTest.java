package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.habitline.RestLine;
import org.habitline.conversation.stored.RecordWriter;
import org.habitline.storage.Transactions;
import org.habitline.tools.Effect;
import org.habitline.tools.Records;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What staff and researchers see of tasks and exports, and what a flow without prompts leaves out.
 */
final class RecordsPageTest {

  private static RestLine line;

  @BeforeAll
  static void start(RestLine shared) {
    line = shared;
  }

  private static String enrolledInto(String flow) {
    var said = RestLine.someone();
    said.put("flow", flow);
    return line.enrol(said).result().path("id").asText();
  }

  private static void keep(String id, String kind, String recordId, String json) {
    line.bean(Transactions.class)
        .write(() ->
            line.bean(RecordWriter.class)
                .apply(id, List.of(new Effect.PutRecord(new Records.Key(kind, recordId), json))));
  }

  private static String page(String id) {
    return line.get("/participants/" + id).response().body().replaceAll("\\s+", " ");
  }

  @Test
  void anExportIsShownAndDownloadedAsItWasStored() {
    var id = enrolledInto("onboarding");
    assertThat(page(id)).contains("No export yet.").doesNotContain("Download export");
    var export =
        "{\n  \"employee_name\" : \"Ada <Example>\",\n  \"dietary_restrictions\" : null\n}";
    keep(id, "export", id, export);
    var download = RestLine.PARTICIPANTS + "/" + id + "/records/export/" + id;
    assertThat(page(id))
        .contains(
            "<dt>employee name</dt>",
            "Ada &lt;Example&gt;",
            "<a href=\"" + download + "\" download>Download export</a>")
        .doesNotContain("No export yet.", ">null<");
    assertThat(line.get("/participants/" + id + "/news").response().body())
        .contains("<div id=\"records\" class=\"stack\" hx-swap-oob=\"true\">");

    var downloaded = line.get(download).response();
    assertThat(downloaded.body()).isEqualTo(export);
    assertThat(downloaded.headers().firstValue("Content-Disposition"))
        .hasValueSatisfying(header -> assertThat(header).contains("attachment", id + ".json"));
  }

  @Test
  void recordsAreListedWithTheirContent() {
    var id = enrolledInto("onboarding");
    keep(id, "task", "1", "{\"id\":1,\"title\":\"Water the plants\",\"completed\":false}");
    keep(id, "counter", "task", "{\"next\":2}");
    var listed = line.get(RestLine.PARTICIPANTS + "/" + id + "/records").result();
    var kinds = new ArrayList<String>();
    listed.forEach(record -> kinds.add(record.path("kind").asText()));
    assertThat(kinds).containsExactly("counter", "task");
    assertThat(listed.get(1).at("/content/title").asText()).isEqualTo("Water the plants");
    assertThat(listed.get(1).path("record_id").asText()).isEqualTo("1");
    assertThat(page(id))
        .contains("id: 1, title: Water the plants, completed: false")
        .doesNotContain("next: 2");
  }

  @Test
  void aFlowWithoutDailyPromptsHasNoSectionForThem() {
    var id = enrolledInto("onboarding");
    assertThat(page(id))
        .contains("Scheduled</h2>", "Still needed: employee name, employee id, starter kit.")
        .doesNotContain("No daily prompt is scheduled", "for a daily prompt");
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + id + "/profile").result().path("missing"))
        .hasToString("[\"employee_name\",\"employee_id\",\"starter_kit\"]");
    assertThat(page(enrolledInto("habit")))
        .contains("Scheduled</h2>", "No daily prompt is scheduled")
        .doesNotContain("Exports</h2>", "Records</h2>");
  }
}
