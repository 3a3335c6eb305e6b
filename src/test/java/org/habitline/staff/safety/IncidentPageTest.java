package org.habitline.staff.safety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pages about incidents: what people with the role safety do there, and what others see. */
final class IncidentPageTest {

  private static final String CRISIS = "I want to kill myself tonight";
  private static final String BANNER = "A participant may be in danger.";

  private RestLine line;
  private String safety;
  private String staff;

  @BeforeEach
  void start() {
    line = RestLine.start(IncidentPageTest.class);
    safety = line.key("Safety Example", "safety");
    staff = line.key("Staff Example", "staff");
  }

  @AfterEach
  void stop() {
    line.close();
  }

  private String page(String key, String address) {
    var answer = line.sendAs(key, "GET", address, "");
    assertThat(answer.status()).as(address).isEqualTo(200);
    return answer.response().body().replaceAll("\\s+", " ");
  }

  private RestLine.Answer post(String address, String... form) {
    var body = new StringBuilder();
    for (int i = 0; i < form.length; i += 2) {
      body.append(body.isEmpty() ? "" : "&")
          .append(form[i])
          .append('=')
          .append(URLEncoder.encode(form[i + 1], StandardCharsets.UTF_8));
    }
    return line.postAs(
        safety,
        address,
        "application/x-www-form-urlencoded",
        body.toString().getBytes(StandardCharsets.UTF_8));
  }

  private int turns(String id) {
    return line.rows("SELECT number FROM turn WHERE participant_id = ? AND status <> 'running'", id)
        .size();
  }

  /** Somebody who texts that they are in danger; returns their id. */
  private String inDanger() {
    var id = line.enrolled().path("id").asText();
    await().until(() -> turns(id) == 1);
    line.send("POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", CRISIS)));
    await().until(() -> turns(id) == 2);
    return id;
  }

  private String incident(String participant) {
    return "/safety/"
        + line.rows("SELECT id FROM incident WHERE participant_id = ?", participant)
            .getFirst()
            .get("id");
  }

  @Test
  void anIncidentIsHandledOnItsPage() {
    var robin = inDanger();
    var incident = incident(robin);
    assertThat(page(safety, incident))
        .contains(
            BANNER,
            "href=\"" + incident + "\"",
            "Acknowledge</button>",
            "href=\"tel:+1206556",
            "Local time",
            CRISIS,
            "Crisis: Possible suicide or self-harm",
            "On its way",
            "Acknowledge the incident and record a contact or a clinical decision first.",
            "No concern found")
        .doesNotContain("alse alarm", "help is coming", "on the way to you");
    assertThat(post(incident + "/acknowledge").status()).isEqualTo(303);
    assertThat(page(safety, "/")).doesNotContain(BANNER).contains("Safety Example looks after it.");
    var twice = post(incident + "/acknowledge");
    assertThat(twice.status()).isEqualTo(409);
    assertThat(twice.response().body()).contains("Somebody has acknowledged this incident already");

    for (int i = 0; i < 2; i++) {
      assertThat(
              post(incident + "/entries", "id", "one", "kind", "contact", "note", "Safe at home.")
                  .status())
          .isEqualTo(303);
    }
    assertThat(line.rows("SELECT seq FROM incident_entry WHERE kind = 'contact'")).hasSize(1);
    assertThat(page(safety, incident)).contains("Safe at home.").doesNotContain("id=\"not-yet\"");

    var refused =
        post(incident + "/release", "outcome", "referred", "message", " ", "note", "Called twice.");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.response().body())
        .contains(
            "id=\"error-release-message\"", "Missing; write the first message", "Called twice.");
    assertThat(
            post(incident + "/release", "outcome", "referred", "message", "Hello, this is Sam.")
                .status())
        .isEqualTo(303);
    assertThat(page(safety, incident))
        .contains("Referred to a clinician or a service, Safety Example")
        .doesNotContain("release-form");
    assertThat(page(safety, "/safety")).contains("No incident is open.", "Robin Example");
    assertThat(page(safety, "/participants/" + robin))
        .contains("Hello, this is Sam.")
        .doesNotContain("Coaching is paused");
  }

  @Test
  void staffWithoutTheRoleSeeThatThereIsACrisisAndWhomToAskAndNoWords() {
    var robin = inDanger();
    for (var address : new String[] {"/", "/participants", "/participants/" + robin, "/study"}) {
      assertThat(page(staff, address))
          .contains(BANNER, "Tell somebody with the role safety now.")
          .doesNotContain(CRISIS, "/safety", "self-harm");
    }
    assertThat(page(staff, "/"))
        .contains("Not released: 1 crisis. Ask somebody with the role safety");
    assertThat(page(safety, "/")).contains("Possible suicide or self-harm", incident(robin));
    assertThat(line.sendAs(staff, "GET", "/safety", "").status()).isEqualTo(403);
    assertThat(line.sendAs(staff, "GET", incident(robin), "").status()).isEqualTo(403);
    assertThat(line.sendAs(safety, "GET", "/safety/inc_none", "").status()).isEqualTo(404);
  }

  @Test
  void aCrisisThatNoOneAcknowledgesIsAWarningOfHealth() {
    inDanger();
    assertThat(line.get("/health").body().at("/details/safety/details/warnings")).isEmpty();
    line.send(
        "POST", "/clock", RestLine.write(Map.of("advance", Duration.ofMinutes(16).toString())));
    var health = line.get("/health").body().at("/details/safety/details");
    assertThat(health.path("unacknowledged_crises").asInt()).isEqualTo(1);
    assertThat(health.path("warnings").toString())
        .contains("No one has acknowledged a crisis for 16 min");
    assertThat(page(staff, "/")).contains("No one has acknowledged a crisis for 16 min");
  }
}
