package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.RestLine.PARTICIPANTS;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Looking for participants, over REST and on the page. */
@Tag("database")
final class PeopleSearchTest {

  private static RestLine line;
  private static String ada;
  private static String percent;
  private static String underscore;
  private static String bang;
  private static String zoe;

  @BeforeAll
  static void start() {
    line = RestLine.start(PeopleSearchTest.class);
    ada = enrolled("+12065550101", "Ada Lovelace");
    percent = enrolled("+12065550102", "100% Percival");
    underscore = enrolled("+12065550103", "under_score");
    bang = enrolled("+12065550104", "Bang! Bang");
    zoe = enrolled("+442071838750", "Zoë Ångström");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static String enrolled(String number, String name) {
    return line.enrol(Map.of("phone_number", number, "name", name)).result().path("id").asText();
  }

  private static List<String> found(String query) {
    var answer = line.get(PARTICIPANTS + "?limit=200&" + query);
    assertThat(answer.status()).as(query).isEqualTo(200);
    var ids = new ArrayList<String>();
    answer.result().forEach(one -> ids.add(one.path("id").asText()));
    return ids;
  }

  private static List<String> like(String q) {
    return found("q=" + URLEncoder.encode(q, StandardCharsets.UTF_8));
  }

  @Test
  void aPartOfTheNameIsEnoughHoweverItIsWritten() {
    assertThat(like("lovel")).containsExactly(ada);
    assertThat(like("ADA LOVE")).containsExactly(ada);
    assertThat(like("  lace ")).containsExactly(ada);
    assertThat(like("Ångström")).containsExactly(zoe);
    assertThat(like("nobody")).isEmpty();
    assertThat(like("")).contains(ada, percent, underscore, bang, zoe);
  }

  @Test
  void wildcardsStandForThemselves() {
    assertThat(like("%")).containsExactly(percent);
    assertThat(like("_")).containsExactly(underscore);
    assertThat(like("!")).containsExactly(bang);
    assertThat(like("\\")).isEmpty();
    assertThat(like("0% P")).containsExactly(percent);
    assertThat(like("' OR '1'='1")).isEmpty();
  }

  @Test
  void anIdIsFoundByItsBeginning() {
    assertThat(like(ada)).containsExactly(ada);
    assertThat(like(ada.substring(0, 20))).containsExactly(ada);
  }

  @Test
  void aNumberIsFoundAsItIsOrByItsLastDigits() {
    assertThat(like("+12065550101")).containsExactly(ada);
    assertThat(like("(206) 555-0101")).containsExactly(ada);
    assertThat(like("+44 20 7183 8750")).containsExactly(zoe);
    assertThat(like("0101")).containsExactly(ada);
    assertThat(like("…50")).containsExactly(zoe);
    assertThat(like("+1206555010")).isEmpty();
    assertThat(like("1")).doesNotContain(ada);
  }

  @Test
  void subStatesFollowWhatTheFlowKnows() {
    var rows = Rows.of(line);
    var moved = enrolled("+12065550111", "Moved On");
    var lost = enrolled("+12065550112", "Lost Somewhere");
    for (var id : List.of(moved, lost)) {
      await()
          .until(() ->
              !line.rows("SELECT number FROM turn WHERE participant_id = ? AND status = 'done'", id)
                  .isEmpty());
      rows.write(
          "DELETE FROM state_data WHERE participant_id = ? AND data_key = 'conversationState'", id);
      rows.write(
          "INSERT INTO state_data (participant_id, data_key, data_value, updated_at)"
              + " VALUES (?, 'conversationState', ?, ?)",
          id,
          id.equals(moved) ? "FEEDBACK" : "NOWHERE",
          Instant.EPOCH);
    }
    assertThat(found("sub_state=FEEDBACK")).containsExactly(moved);
    assertThat(found("sub_state=INTAKE")).contains(lost, ada).doesNotContain(moved);
    assertThat(found("sub_state=INTAKE&q=Lost")).containsExactly(lost);
  }

  @Test
  void filtersNarrowTogether() {
    var gone = enrolled("+12065550121", "Gone Silent");
    line.bean(Participants.class).optOut(gone, OptOutSource.KEYWORD);
    line.send("PUT", PARTICIPANTS + "/" + gone, "{\"status\":\"paused\"}");
    assertThat(found("opted_out=true")).containsExactly(gone);
    assertThat(found("opted_out=false")).contains(ada).doesNotContain(gone);
    assertThat(found("status=paused&opted_out=true&flow=habit&q=silent")).containsExactly(gone);
    assertThat(found("status=active&q=silent")).isEmpty();
    assertThat(found("status=PAUSED")).containsExactly(gone);
    assertThat(found("status=&flow=&sub_state=&opted_out=")).contains(ada, gone);
  }

  @ParameterizedTest
  @CsvSource({
    "status=sleeping, active",
    "flow=elsewhere, habit",
    "sub_state=NOWHERE, INTAKE",
    "opted_out=perhaps, false",
    "q=%00, NUL",
    "q=%07, control characters",
    "name=x, sub_state"
  })
  void whatIsNotAcceptedIsRefusedWithWhatIs(String query, String accepted) {
    var answer = line.get(PARTICIPANTS + "?" + query);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains(accepted);
    assertThat(line.get("/participants?" + query).status()).isEqualTo(400);
  }

  @Test
  void textsThatAreTooLongAreRefused() {
    assertThat(line.get(PARTICIPANTS + "?q=" + "a".repeat(201)).status()).isEqualTo(400);
    assertThat(line.get(PARTICIPANTS + "?q=" + "1".repeat(200)).status()).isEqualTo(200);
  }

  @Test
  void pagesOfWhatIsFoundFollowEachOther() {
    for (int i = 0; i < 5; i++) {
      enrolled("+1206555020" + i, "Pat Paged");
    }
    var seen = new ArrayList<String>();
    var cursor = "";
    do {
      var page = line.get(PARTICIPANTS + "?q=paged&limit=2" + cursor);
      assertThat(page.result()).hasSizeLessThanOrEqualTo(2);
      page.result().forEach(one -> seen.add(one.path("id").asText()));
      var next = page.body().path("next_cursor").asText();
      cursor = next.isEmpty() ? "" : "&cursor=" + next;
    } while (!cursor.isEmpty());
    assertThat(seen).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void thePageKeepsWhatWasLookedFor() {
    var page = line.get("/participants?q=%22Lovelace&status=active").response().body();
    assertThat(page).contains("No participants match").contains("value=\"&#34;Lovelace\"");
    assertThat(line.get("/participants?q=Lovelace&sub_state=INTAKE").response().body())
        .contains("Ada Lovelace", "…01", "q=Lovelace&amp;sub_state=INTAKE", ">Intake<")
        .doesNotContain("Percival", "+12065550101", ">INTAKE<");
    assertThat(line.get("/participants").response().body())
        .contains("/participants/import", "Ada Lovelace");
  }
}
