package org.habitline.staff.safety;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.messaging.inbox.IncomingScreen;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participants;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incidents;
import org.habitline.safety.incidents.Sign;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.habitline.safety.rules.Verdict;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The pages about incidents: what people with the role safety do there, and what others see. */
final class IncidentPageTest {

  private static final String CRISIS = "I want to kill myself tonight";
  private static final String BANNER = " may be in danger.";

  private static RestLine line;
  private static String safety;
  private static String staff;

  @BeforeAll
  static void start() {
    line = RestLine.start(IncidentPageTest.class);
    safety = line.key("Safety Example", "safety");
    staff = line.key("Staff Example", "staff");
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /** Every page warns of every incident, so each test begins with nobody. */
  @AfterEach
  void forgetEverybody() {
    await().until(() -> line.rows("SELECT 1 FROM lease WHERE owner IS NOT NULL").isEmpty());
    var rows = Rows.of(line);
    rows.forgetEverybody();
    List.of("alert", "incident_entry", "incident", "idempotency")
        .forEach(table -> rows.write("DELETE FROM " + table));
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
    text(id, CRISIS);
    return id;
  }

  /** Texts as a participant, and waits for the turn. */
  private void text(String id, String words) {
    var next = turns(id) + 1;
    line.send("POST", "/simulator/" + id + "/texts", RestLine.write(Map.of("text", words)));
    await().until(() -> turns(id) == next);
  }

  /** How many changes of incidents live pages have heard of. */
  private int heard(String participant) {
    return line.rows(
            "SELECT seq FROM event WHERE participant_id = ? AND type = 'incident.changed'",
            participant)
        .size();
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
            "Acknowledge</button>",
            "Acknowledging records that you are handling this incident.",
            "Coaching stays paused until someone releases the incident.",
            "No one was alerted, because crisis alerts are not set up.",
            "You cannot undo a release.",
            "Safety message</dt>",
            "Found by a safety rule.",
            "Rule en/suicide",
            "href=\"tel:+1206556",
            "Local time",
            CRISIS,
            "Crisis: Possible suicide or self-harm",
            "On its way",
            "Acknowledge the incident and record a contact or a clinical decision first.",
            "No concern found")
        .doesNotContain(BANNER, "alse alarm", "help is coming", "on the way to you");
    assertThat(post(incident + "/acknowledge").status()).isEqualTo(303);
    assertThat(page(safety, "/")).doesNotContain(BANNER).contains("Safety Example is handling it.");
    var twice = post(incident + "/acknowledge");
    assertThat(twice.status()).isEqualTo(409);
    assertThat(twice.response().body()).contains("Someone has acknowledged this incident already");

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
            "href=\"#release-message\">Write the first message to them.",
            "id=\"error-release-message\"",
            "Called twice.");
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
  void anErrorAfterReleaseIsAtTheTopOfThePageAndBesideItsField() {
    var incident = incident(inDanger());
    post(incident + "/acknowledge");
    var empty = post(incident + "/entries", "id", "another", "kind", "", "note", " ");
    assertThat(empty.status()).isEqualTo(400);
    assertThat(empty.response().body())
        .contains(
            "href=\"#entry-kind\">Choose what happened.",
            "href=\"#entry-note\">Write what you did, and the result.");
    post(incident + "/entries", "id", "another", "kind", "contact", "note", "Safe at home.");
    var refused = post(incident + "/release", "note", "Called twice.");
    assertThat(refused.status()).isEqualTo(400);
    var body = refused.response().body();
    assertThat(body.substring(0, body.indexOf("<h1>")))
        .contains(
            "<title>Error: Safety incident",
            "There is a problem",
            "href=\"#release-outcome\">Choose an outcome.",
            "href=\"#release-message\">Write the first message to them.");
    assertThat(body.substring(body.indexOf("<h1>")))
        .contains(
            "id=\"release-outcome\"",
            "id=\"error-release-outcome\">Choose an outcome.",
            "id=\"error-release-message\">Write the first message to them.",
            "Called twice.");
    assertThat(body.indexOf("id=\"record\""))
        .as("what staff record comes after what was said and before what happened")
        .isBetween(body.indexOf("id=\"sent\""), body.indexOf("id=\"happened\""));
    assertThat(body).containsSubsequence("<details id=\"alerted\"", "No one was alerted.");
    assertThat(page(safety, incident)).doesNotContain("There is a problem", "Error: ");
  }

  @Test
  void aTextAfterTheAcknowledgementIsShownUntilSomebodyAcknowledgesItToo() {
    var robin = inDanger();
    var incident = incident(robin);
    var news = "New text 1 min ago";
    var banner = ", who may be in danger, after Safety Example acknowledged the incident.";
    post(incident + "/acknowledge");
    assertThat(page(safety, "/safety")).doesNotContain("New text");
    var heard = heard(robin);

    text(robin, "hello?");
    assertThat(page(safety, incident)).as("no sign of danger").doesNotContain("New text");
    text(robin, "nobody would miss me. " + CRISIS);
    assertThat(heard(robin)).as("live pages hear of it").isGreaterThan(heard);
    line.send("POST", "/clock", RestLine.write(Map.of("advance", "PT65S")));
    assertThat(page(safety, "/safety")).contains(news, banner);
    assertThat(page(safety, "/")).contains(news, banner, "href=\"" + incident + "\"");
    assertThat(page(safety, incident))
        .contains(news, "nobody would miss me.", "Acknowledge new text</button>")
        .doesNotContain(banner);
    assertThat(page(staff, "/participants"))
        .contains(banner, "Tell someone with the Safety role now.")
        .doesNotContain(incident);
    var report = "/incidents/" + incident.substring("/safety/".length());
    assertThat(line.sendAs(safety, "GET", report, "").result().at("/incident/new_text_at").asText())
        .isNotEmpty();

    assertThat(post(incident + "/acknowledge").status()).isEqualTo(303);
    for (var address : new String[] {"/safety", "/", incident}) {
      assertThat(page(safety, address)).doesNotContain("New text", BANNER);
    }
    assertThat(post(incident + "/acknowledge").status()).isEqualTo(409);
    assertThat(line.sendAs(safety, "GET", report, "").result().at("/incident").has("new_text_at"))
        .isFalse();
  }

  @Test
  void anUrgentFlagIsNoDangerAndIsCountedByItself() {
    var kim = line.enrolled().path("id").asText();
    await().until(() -> turns(kim) == 1);
    line.bean(Transactions.class)
        .write(() -> {
          var participants = line.bean(Participants.class);
          participants.hold(kim);
          line.bean(Incidents.class)
              .raise(
                  new Sign(
                      new Verdict.Finding(
                          "en/flag-adverse-event", Level.CONCERN, RiskKind.ADVERSE_EVENT),
                      EntryKind.FLAG,
                      true),
                  new IncomingScreen.Arrived(
                      "", participants.find(kim).orElseThrow(), "kim", ChannelKind.SIMULATOR),
                  List.of());
        });
    var urgent = "<strong>The coach flagged something urgent for ";
    assertThat(page(staff, "/"))
        .contains(urgent, "banner-warn in-danger\" role=\"status\"", "Not released: 1 urgent flag.")
        .doesNotContain(BANNER);
    assertThat(page(safety, "/safety")).contains("<strong>Urgent</strong>", "Adverse event");
    assertThat(page(safety, incident(kim)))
        .contains("Urgent: Adverse event")
        .doesNotContain("class=\"alarm\"");
    inDanger();
    assertThat(page(staff, "/"))
        .contains(
            "banner-danger in-danger\" role=\"alert\"",
            BANNER + "</strong>",
            urgent,
            "Not released: 1 crisis, 1 urgent flag.");
    var health = line.get("/health").body().at("/details/safety/details");
    assertThat(health.path("unacknowledged_crises").asInt()).isEqualTo(1);
    assertThat(health.path("unacknowledged_flags").asInt()).isEqualTo(1);
    line.send("POST", "/clock", RestLine.write(Map.of("advance", "PT16M")));
    assertThat(line.get("/health").body().at("/details/safety/details/warnings").toString())
        .contains(
            "No one has acknowledged a crisis for", "No one has acknowledged an urgent flag for");
  }

  @Test
  void staffWithoutTheRoleSeeThatThereIsACrisisAndWhomToAskAndNoWords() {
    var robin = inDanger();
    for (var address : new String[] {"/", "/participants", "/participants/" + robin, "/study"}) {
      assertThat(page(staff, address))
          .contains(BANNER, "Tell someone with the Safety role now.")
          .doesNotContain(CRISIS, "/safety", "self-harm");
    }
    assertThat(page(staff, "/"))
        .contains("Not released: 1 crisis. Ask someone with the Safety role");
    assertThat(page(safety, "/")).contains("Possible suicide or self-harm", incident(robin));
    for (var address : new String[] {"/safety", incident(robin)}) {
      var refused = line.sendAs(staff, "GET", address, "", "Accept", "text/html");
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.response().body())
          .contains(
              "This needs the role safety; the key or session has staff.",
              "An admin can make a key with the role safety for you, on the page Keys")
          .doesNotContain(CRISIS);
    }
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
