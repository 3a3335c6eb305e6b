package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.regex.Pattern;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What staff read and do on the page of one participant. */
final class ParticipantPageTest {

  private static final Pattern DRAFT =
      Pattern.compile("<textarea id=\"staff-text\"[^>]*>(.*?)</textarea>", Pattern.DOTALL);

  private static RestLine line;

  @BeforeAll
  static void start(RestLine shared) {
    line = shared;
  }

  private static String greeted() {
    var id = line.enrolled().path("id").asText();
    await()
        .until(() -> !line.rows("SELECT id FROM message WHERE participant_id = ?", id).isEmpty());
    return id;
  }

  private static String page(String address) {
    return line.get(address).response().body().replaceAll("\\s+", " ");
  }

  private static RestLine.Answer post(String id, String what, String... form) {
    var body = new StringBuilder();
    for (int i = 0; i < form.length; i += 2) {
      body.append(body.isEmpty() ? "" : "&")
          .append(form[i])
          .append('=')
          .append(URLEncoder.encode(form[i + 1], StandardCharsets.UTF_8));
    }
    return line.post(
        "/participants/" + id + "/" + what,
        "application/x-www-form-urlencoded",
        body.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void status(String id, String status) {
    assertThat(post(id, "status", "status", status).status()).isEqualTo(303);
  }

  @ParameterizedTest
  @ValueSource(strings = {"erase", "ERASE", " Erase "})
  void whoeverTypesEraseInAnyCaseErases(String confirmation) {
    var id = greeted();
    assertThat(post(id, "erase", "confirmation", confirmation).status()).isEqualTo(303);
    await().until(() -> line.get(RestLine.PARTICIPANTS + "/" + id).status() == 404);
  }

  @Test
  void whoeverTypesAnythingElseErasesNothing() {
    var id = greeted();
    var refused = post(id, "erase", "confirmation", "yes");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.response().body()).contains("Nothing was erased");
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + id).status()).isEqualTo(200);
  }

  @Test
  void theFormThatPausesSaysWhatAPauseDoesAndTheOneThatEndsItWhatThatDoes() {
    var id = greeted();
    assertThat(page("/participants/" + id))
        .contains(
            "they are told once that they are paused. They receive nothing else, except in a crisis")
        .doesNotContain("You cannot send messages to this participant");
    status(id, "paused");
    assertThat(page("/participants/" + id))
        .contains("Make active")
        .contains("You cannot send messages to this participant: their status is paused.");
    status(id, "active");
    assertThat(page("/participants/" + id))
        .doesNotContain("You cannot send messages to this participant");
  }

  @Test
  void aPageOffersToTakeOverWhoeverTheCoachRepliesTo() {
    var id = greeted();
    assertThat(page("/participants/" + id))
        .contains("id=\"take-over\"", "<option value=\"60\" selected>Pause replies for 1 hour<")
        .doesNotContain("id=\"held\"");
    assertThat(post(id, "mute", "minutes", "60").status()).isEqualTo(303);
    assertThat(page("/participants/" + id))
        .contains(
            "id=\"held\"",
            "<option value=\"keep\" selected>Keep replies paused<",
            "<option value=\"60\">Pause replies for 1 hour<")
        .doesNotContain("id=\"take-over\"");
    assertThat(post(id, "mute", "minutes", "0").status()).isEqualTo(303);
    // The page that is still open says that replies are paused.
    assertThat(post(id, "messages", "text", "Hello", "mute_minutes", "keep").status())
        .isEqualTo(303);
    assertThat(page("/participants/" + id)).contains("id=\"held\"");
    assertThat(post(id, "mute", "minutes", "0").status()).isEqualTo(303);
    status(id, "paused");
    assertThat(page("/participants/" + id)).doesNotContain("id=\"take-over\"", "id=\"held\"");
  }

  @Test
  void inACrisisAMessageAddsNoPauseUnlessStaffChooseOne() {
    var id = greeted();
    line.send(
        "POST", "/simulator/" + id + "/texts", "{\"text\":\"I want to kill myself tonight\"}");
    await().until(() -> page("/participants/" + id).contains("id=\"in-danger\""));
    assertThat(page("/participants/" + id))
        .contains(
            "<option value=\"keep\" selected>Keep replies paused<",
            "<option value=\"60\">Pause replies for 1 hour<");
    assertThat(post(id, "messages", "text", "We call you.", "mute_minutes", "keep").status())
        .isEqualTo(303);
    assertThat(page("/participants/" + id))
        .contains("id=\"in-danger\"")
        .doesNotContain("id=\"held\"");
  }

  @Test
  void repliesThatWereToStayPausedArePausedForAnHourIfNothingPausesThemAnyMore() {
    var id = greeted();
    line.send(
        "POST", "/simulator/" + id + "/texts", "{\"text\":\"I want to kill myself tonight\"}");
    await().until(() -> page("/participants/" + id).contains("id=\"in-danger\""));
    Rows.of(line).write("UPDATE incident SET status = 'released' WHERE participant_id = ?", id);
    var before = line.bean(Clock.class).instant();
    // The page that is still open says that replies are paused.
    assertThat(post(id, "messages", "text", "Hello", "mute_minutes", "keep").status())
        .isEqualTo(303);
    assertThat(mutedUntil(id))
        .isBetween(before.plus(Duration.ofMinutes(59)), before.plus(Duration.ofMinutes(62)));
  }

  @Test
  void aMessageThatKeepsATakeoverDoesNotChangeItsEnd() {
    var id = greeted();
    assertThat(post(id, "mute", "minutes", "5").status()).isEqualTo(303);
    var until = mutedUntil(id);
    assertThat(post(id, "messages", "text", "Hello", "mute_minutes", "keep").status())
        .isEqualTo(303);
    assertThat(mutedUntil(id)).isEqualTo(until);
  }

  private static Instant mutedUntil(String id) {
    return line.bean(Takeover.class).muted(id).orElseThrow().until();
  }

  /** Waits until the greeting is sent, makes it undelivered, and returns the id of its delivery. */
  private static String undelivered(String id) {
    await()
        .until(() ->
            !line.rows("SELECT id FROM outbox WHERE participant_id = ? AND open = FALSE", id)
                .isEmpty());
    Rows.of(line).write("UPDATE outbox SET status = 'undelivered' WHERE participant_id = ?", id);
    return String.valueOf(
        line.rows("SELECT id FROM outbox WHERE participant_id = ?", id).getFirst().get("id"));
  }

  @Test
  void aMessageThatCannotBeSentAgainByNightSaysWhenItCan() {
    var id = greeted();
    var delivery = undelivered(id);
    var rows = Rows.of(line);
    rows.write("UPDATE outbox SET channel = 'sms' WHERE participant_id = ?", id);
    var hour = line.bean(Clock.class).instant().atZone(ZoneOffset.UTC).getHour();
    var zone = ZoneOffset.ofHours(hour < 14 ? 2 - hour : 26 - hour);
    rows.write("UPDATE participant SET timezone = ? WHERE id = ?", zone.getId(), id);
    var refused = post(id, "deliveries/" + delivery + "/resend");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.response().body().replaceAll("\\s+", " "))
        .containsPattern(
            "class=\"complaint\">The message cannot be sent now: it is outside the participant's"
                + " allowed hours\\. Try again from \\w{3} \\d+ \\w{3} \\d{4}, 08:00"
                + " \\(participant's time\\)\\.</p>");
  }

  @Test
  void thePageOfAnOptedOutParticipantHasNoMessageFormAndSaysWhy() {
    var id = greeted();
    assertThat(page("/participants/" + id))
        .contains(
            "id=\"staff-form\"",
            "id=\"change-prompts\"",
            "Not recorded. This study does not ask for consent by text.");
    line.bean(Participants.class).optOut(id, OptOutSource.KEYWORD);
    assertThat(page("/participants/" + id))
        .contains(
            "only HELP gets a reply",
            "Opting out is not withdrawing",
            "href=\"/participants/" + id + "#end-study\"",
            "id=\"end-study\"",
            "You cannot send messages to this participant: they opted out.")
        .doesNotContain("id=\"staff-form\"", "id=\"change-prompts\"", "sends them nothing");
  }

  @Test
  void aMessageThatDidNotArriveIsSentAgainFromItsBubble() {
    var id = greeted();
    var delivery = undelivered(id);
    var rows = Rows.of(line);
    rows.write("UPDATE outbox SET error_code = '30003' WHERE participant_id = ?", id);
    var resend = "deliveries/" + delivery + "/resend";
    assertThat(page("/participants/" + id))
        .contains(resend, "Send again</button>", "Habitline does not send it again by itself.");
    rows.write("UPDATE outbox SET failure = 'bad_number' WHERE participant_id = ?", id);
    assertThat(page("/participants/" + id))
        .contains("This number cannot be reached.")
        .doesNotContain("Send again</button>");
    rows.write("UPDATE outbox SET failure = 'final' WHERE participant_id = ?", id);
    status(id, "paused");
    assertThat(page("/participants/" + id))
        .contains("They are paused, so it cannot be sent.")
        .doesNotContain("Send again</button>");
    var refused = post(id, resend);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.response().body().replaceAll("\\s+", " "))
        .contains("class=\"complaint\"", "status is paused; only active", "id=\"standing\"");
    status(id, "active");
    rows.write("UPDATE outbox SET provider_id = id WHERE participant_id = ?", id);
    rows.write(
        "INSERT INTO delivery_event (provider_id, status, progress, joined, received_at)"
            + " SELECT id, 'delivered', 7, TRUE, planned_at FROM outbox WHERE participant_id = ?",
        id);
    assertThat(page("/participants/" + id))
        .contains("The provider reported later that it arrived.")
        .doesNotContain(
            "Send again</button>", "choose Send again", "The last message to them, planned at");
    assertThat(post(id, resend).status()).isEqualTo(409);
    rows.write("DELETE FROM delivery_event WHERE provider_id = ?", String.valueOf(delivery));
    rows.write(
        "INSERT INTO stray_text (delivery_id, participant_id, repeats, found_at)"
            + " SELECT id, participant_id, id, planned_at FROM outbox WHERE participant_id = ?",
        id);
    assertThat(page("/participants/" + id))
        .as("it went out more than once")
        .doesNotContain("Send again</button>", "choose Send again");
    rows.write("DELETE FROM stray_text WHERE participant_id = ?", id);
    assertThat(page("/participants/" + id)).contains("Send again</button>");
    var sent = post(id, resend);
    assertThat(sent.status()).isEqualTo(303);
    assertThat(sent.response().headers().firstValue("Location")).hasValue("/participants/" + id);
  }

  @Test
  void wordsOfStaffThatAreRefusedStandInTheFormAgain() {
    var id = greeted();
    status(id, "paused");
    var refused = post(id, "messages", "text", "Please call us <today>.");
    assertThat(refused.status()).isEqualTo(409);
    var draft = DRAFT.matcher(refused.response().body());
    assertThat(draft.find()).isTrue();
    assertThat(draft.group(1)).isEqualTo("Please call us &lt;today&gt;.");
  }

  @Test
  void wordsOfStaffThatAreTakenLeadBackToTheForm() {
    var id = greeted();
    var taken = post(id, "messages", "text", "Please call us.", "id", "form-1");
    assertThat(taken.status()).isEqualTo(303);
    assertThat(taken.response().headers().firstValue("Location"))
        .hasValue("/participants/" + id + "#staff-form");
  }

  @Test
  void underAReplyALinkLeadsToTheTurnWhichRepeatsWhatWasSaid() {
    var id = greeted();
    line.send("POST", "/simulator/" + id + "/texts", "{\"text\":\"make it personal\"}");
    var turn = "/participants/" + id + "/turns/2";
    await().until(() -> page("/participants/" + id).contains("href=\"" + turn + "\""));
    var reply =
        line.rows(
            "SELECT content FROM message WHERE participant_id = ? AND turn = 2 AND role = 'assistant'",
            id);
    assertThat(page(turn))
        .containsSubsequence(
            "Times in UTC (assumed, because no time zone is set)",
            "The participant texted “make it personal”; module Intake handled it; the model was called",
            "Participant's text",
            "make it personal",
            String.valueOf(reply.getFirst().values().iterator().next()).substring(0, 10));
  }

  @Test
  void theLanguageIsShownAndChanged() {
    var id = greeted();
    assertThat(page("/participants/" + id))
        .contains("<dd id=\"language\">en (default of the flow)</dd>");
    assertThat(post(id, "status", "language", "es").status()).isEqualTo(303);
    assertThat(page("/participants/" + id))
        .contains("<dd id=\"language\">es</dd>", "<option value=\"es\" selected>es</option>");
    assertThat(post(id, "status", "language", "").status()).isEqualTo(303);
    assertThat(page("/participants/" + id)).contains("en (default of the flow)");
  }
}
