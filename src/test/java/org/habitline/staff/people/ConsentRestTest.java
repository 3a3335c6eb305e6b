package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.RestLine.PARTICIPANTS;
import static org.habitline.RestLine.write;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Consent that was obtained elsewhere: stored, shown, searched and exported. */
final class ConsentRestTest {

  private static RestLine line;

  @BeforeAll
  static void start(RestLine shared) {
    line = shared;
  }

  private static String enrolled(String version) {
    var said = RestLine.someone();
    said.put("consent_version", version);
    return line.enrol(said).result().path("id").asText();
  }

  @Test
  void anEnrolmentMayNameTheVersionOfAConsentObtainedElsewhere() {
    var id = enrolled(" paper-1 ");
    var robin = line.get(PARTICIPANTS + "/" + id).result();
    assertThat(robin.path("consent").asText()).isEqualTo("elsewhere");
    assertThat(robin.path("consent_version").asText()).isEqualTo("paper-1");
    assertThat(robin.path("consent_at").asText()).isNotBlank();
    var export = line.get(PARTICIPANTS + "/" + id + "/export").body();
    assertThat(export.path("consent").path(0).path("step").asText()).isEqualTo("elsewhere");
    assertThat(export.path("consent").path(0).path("version").asText()).isEqualTo("paper-1");
    assertThat(export.path("participant").path(0).path("consent").asText()).isEqualTo("elsewhere");

    var other = line.enrolled();
    assertThat(other.path("consent").asText()).isEqualTo("not_asked");
    assertThat(other.path("consent_version").isMissingNode()).isTrue();
    assertThat(line.get(PARTICIPANTS + "?limit=200&consent=elsewhere").response().body())
        .contains(id)
        .doesNotContain(other.path("id").asText());
  }

  @Test
  void staffRecordALaterVersionAndTheAuditLogSaysSo() {
    var id = enrolled("1");
    var changed = line.send("PUT", PARTICIPANTS + "/" + id, write(Map.of("consent_version", "2")));
    assertThat(changed.result().path("consent_version").asText()).isEqualTo("2");
    assertThat(line.rows("SELECT * FROM consent_event WHERE participant_id = ?", id)).hasSize(2);
    assertThat(
            line.rows("SELECT new_value FROM audit_event WHERE participant_id = ?", id).toString())
        .contains("consent: elsewhere (2)");
    line.send("PUT", PARTICIPANTS + "/" + id, write(Map.of("consent_version", "2")));
    assertThat(line.rows("SELECT * FROM consent_event WHERE participant_id = ?", id)).hasSize(2);
  }

  @Test
  void whatIsNotAcceptedIsSaidBesideTheField() {
    var said = RestLine.someone();
    said.put("consent_version", "x".repeat(101));
    var refused = line.enrol(said);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.message())
        .isEqualTo("consent_version: too long; at most 100 characters are accepted.");
    assertThat(line.get(PARTICIPANTS + "?consent=perhaps").message())
        .startsWith("consent: unknown; expected one of not_asked, age_asked, asked, given");
  }

  @Test
  void thePagesShowIt() {
    var id = enrolled("paper-7");
    assertThat(line.get("/participants/" + id).response().body())
        .contains("consented elsewhere, version paper-7")
        .doesNotContain("Record consent");
    assertThat(line.get("/participants?consent=elsewhere").response().body()).contains(id);
  }

  @Test
  void aListOfPeopleMayHaveAColumnForIt() {
    var number = String.valueOf(RestLine.someone().get("phone_number"));
    line.post(
        PARTICIPANTS + "/import",
        "text/csv",
        ("phone_number,consent_version\n" + number + ",paper-3\n")
            .getBytes(StandardCharsets.UTF_8));
    await()
        .until(() ->
            line.get(PARTICIPANTS + "?consent=elsewhere").response().body().contains("paper-3"));
  }
}
