package org.habitline.staff.today;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guided tour of a new installation. */
final class TourTest {

  private RestLine line;

  @BeforeEach
  void start() {
    line = RestLine.start(TourTest.class);
  }

  @AfterEach
  void stop() {
    line.close();
  }

  private String page(String address) {
    var answer = line.get(address);
    assertThat(answer.status()).as(address).isEqualTo(200);
    return answer.response().body().replaceAll("\\s+", " ");
  }

  /** Presses a button of the tour and returns the page that it leads to. */
  private String press(String button, String step) {
    var answer =
        line.post(
            "/tour/" + button,
            "application/x-www-form-urlencoded",
            ("step=" + step).getBytes(StandardCharsets.UTF_8));
    assertThat(answer.status()).as(button).isEqualTo(303);
    return answer.response().headers().firstValue("Location").orElseThrow();
  }

  private List<Map<String, Object>> participants() {
    return line.rows("SELECT id, name, channel FROM participant");
  }

  @Test
  void theTourLeadsOverTheRealPagesAndItsExampleIsErasedWithoutATrace() {
    assertThat(page("/")).contains("Take the tour");
    assertThat(page("/participants")).doesNotContain("id=\"tour\"");
    var phone = press("start", "");
    assertThat(participants())
        .singleElement()
        .satisfies(it -> assertThat(it).containsEntry("name", "Example participant"))
        .satisfies(it -> assertThat(it).containsEntry("channel", "simulator"));
    var id = String.valueOf(participants().getFirst().get("id"));
    assertThat(phone).isEqualTo("/participants/" + id + "/simulator");
    assertThat(press("start", "")).as("a second press enrols nobody").isEqualTo(phone);
    assertThat(participants()).hasSize(1);
    assertThat(page(phone)).contains("Tour, 1 of 6:", "fictional").doesNotContain("Back to this");
    assertThat(page("/system")).contains("Tour, 1 of 6:", "Back to this step");

    var person = press("next", "PHONE");
    assertThat(person).isEqualTo("/participants/" + id);
    assertThat(press("next", "PHONE")).as("an old page skips nothing").isEqualTo(person);
    assertThat(page(person)).contains("Tour, 2 of 6:", "Why?");
    assertThat(press("next", "WHY")).isEqualTo(person + "/schedules");
    assertThat(page(person + "/schedules")).contains("Tour, 3 of 6:", "Add a daily prompt");
    assertThat(press("next", "DAILY_PROMPT")).isEqualTo(person);
    assertThat(page(person)).contains("Tour, 4 of 6:", "Skip");
    assertThat(press("next", "CLOCK")).isEqualTo("/study");
    assertThat(page("/study")).contains("Tour, 5 of 6:");
    assertThat(press("next", "STUDY")).isEqualTo("/");
    assertThat(page("/")).contains("Tour, 6 of 6:", "counts in figures and exports");

    assertThat(press("keep", "LEAVE")).isEqualTo("/");
    assertThat(page("/")).doesNotContain("id=\"tour\"");
    assertThat(page("/study")).contains("Remove the example participant");
    assertThat(page(person)).contains("Remove the example participant");

    press("remove", "");
    await().until(() -> participants().isEmpty());
    assertThat(line.rows("SELECT step FROM tour")).isEmpty();
    assertThat(line.rows("SELECT id FROM erased_count"))
        .as("participants that the study's flow diagram counts as erased")
        .isEmpty();
    assertThat(line.rows("SELECT reason FROM audit_event WHERE action = 'participant deleted'"))
        .hasSize(1);
    assertThat(page("/")).contains("Take the tour");
  }

  @Test
  void anExampleThatSaidStopIsNotCountedAsErasedEither() {
    press("start", "");
    var id = String.valueOf(participants().getFirst().get("id"));
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"STOP\"}");
    await()
        .until(() ->
            line.get(RestLine.PARTICIPANTS + "/" + id).result().path("opted_out").asBoolean());
    press("remove", "");
    assertThat(participants()).isEmpty();
    assertThat(line.rows("SELECT id FROM erased_count")).isEmpty();
  }

  @Test
  void theTourEndsAtAnyStepAndErasesNothingUnlessAsked() {
    press("start", "");
    press("next", "PHONE");
    assertThat(press("end", "WHY")).isEqualTo("/");
    assertThat(page("/")).contains("Keep them for now");
    assertThat(participants()).hasSize(1);
    var answer =
        line.post(
            "/tour/next",
            "application/x-www-form-urlencoded",
            "step=NOWHERE".getBytes(StandardCharsets.UTF_8));
    assertThat(answer.status()).isEqualTo(400);
  }

  @Test
  void theTourIsNotOfferedOnceSomebodyTakesPartNorToThoseWhoOnlyLook() {
    var viewer = line.key("Lou Looker", "viewer");
    assertThat(line.sendAs(viewer, "GET", "/", "").response().body()).doesNotContain("the tour");
    line.enrolled();
    assertThat(page("/")).doesNotContain("Take the tour");
    assertThat(press("start", "")).isEqualTo("/");
    assertThat(participants()).hasSize(1);
  }
}
