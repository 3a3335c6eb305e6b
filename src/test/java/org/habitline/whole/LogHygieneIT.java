package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.whole.TextingLine.Database;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A whole run, with most of what can go wrong, in which nothing that the process ever writes to its
 * two streams holds a number, a text, a value of a profile or a key.
 */
@Tag("endurance")
final class LogHygieneIT {

  private static final String WRONG_KEY = "hl_a-key-that-nobody-ever-made";
  private static final String NOT_A_TOKEN = "not the token";

  @TempDir Path home;

  /** What must not be found, by what it is. */
  private final Map<String, String> secrets = new HashMap<>();

  private final List<String> said = new ArrayList<>();

  private String secret(String what, String value) {
    secrets.put(what, value);
    return value;
  }

  private String number(String who) {
    var number = Lines.nextPhone();
    secrets.put("number of " + who, number.substring(1));
    // However it is written: without country code, or as national format groups it.
    secrets.put("end of the number of " + who, number.substring(number.length() - 9));
    return number;
  }

  /** Words of a participant; what the coach echoes of them is found by them. */
  private String words(String words) {
    said.add(words);
    return words;
  }

  @ParameterizedTest
  @CsvSource({"text, WARN", "json, WARN", "text, DEBUG"})
  @Execution(ExecutionMode.CONCURRENT)
  void aWholeRunTellsTheLogNothingOfAnybody(String format, String level) throws IOException {
    secret("admin key", Deployment.ADMIN_KEY);
    secret("model key", Deployment.MODEL_KEY);
    secret("Twilio's token", FakeTwilio.AUTH_TOKEN);
    secret("Twilio's account", FakeTwilio.ACCOUNT_SID);
    secret("wrong key", WRONG_KEY);
    secret("greeting", CoachScript.GREETING);
    secret("habit prompt", CoachScript.HABIT_PROMPT);
    secret("preferred time", "at eight");
    var settings = new HashMap<>(PromptCrashIT.SHORT_DELAYS);
    settings.put("HABITLINE_LOG_FORMAT", format);
    settings.put("LOGGER_LEVELS_ROOT", level);
    try (var line = new TextingLine(home, Database.H2, settings)) {
      line.deployment().start();
      var robin = number("Robin");
      var id = enrolled(line, robin);
      converse(line, robin);
      failAtTwilio(line, robin);
      strangersAndForgers(line);
      leave(line);
      failAtTheModel(line, robin);
      badRequests(line);
      promptAfterARestart(line, robin, id);
      misconfigured(line, robin);
      line.deployment().stop();
    }
    judge(Files.readString(home.resolve("output.log")), format);
  }

  private String enrolled(TextingLine line, String number) {
    var answer =
        line.deployment()
            .post(
                "/conversation/participants",
                Map.of(
                    "phone_number",
                    number,
                    "name",
                    secret("name", "Quentin Zebrowski"),
                    "gender",
                    secret("gender", "two-spirit"),
                    "background",
                    secret("background", "plays the zither in Luckenwalde")));
    assertThat(answer.status()).isEqualTo(201);
    line.awaitTexts(number, 1);
    return answer.body().path("result").path("id").asText();
  }

  private void converse(TextingLine line, String robin) {
    var text = words("Plan around my zither rehearsal");
    line.phone().text(robin, text);
    line.awaitTexts(robin, 2);
    for (var sent : line.twilio().messages()) {
      line.twilio().callback(sent.sid(), "delivered");
    }
  }

  private void failAtTwilio(TextingLine line, String robin) {
    var sent = line.sentTo(robin).size();
    line.twilio().then(TwilioAnswer.fail(400, 21_614));
    answered(line, robin, words("refused as a bad number"));
    line.twilio().then(TwilioAnswer.acceptThenReset());
    answered(line, robin, words("accepted and never acknowledged"));
    line.twilio().then(TwilioAnswer.fail(429, 20_429));
    answered(line, robin, words("too many at once"));
    line.awaitTexts(robin, sent + 2);
    line.twilio().callback(line.twilio().messages().getLast().sid(), "undelivered", 30_007);
  }

  /** Texts, and waits until Twilio was asked to take the answer once more than before. */
  private static void answered(TextingLine line, String from, String text) {
    var posts = line.twilio().posts().size();
    assertThat(line.phone().text(from, text).status()).isEqualTo(200);
    Awaitility.await(text)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> line.twilio().posts().size() > posts);
  }

  private void strangersAndForgers(TextingLine line) {
    var stranger = number("a stranger");
    assertThat(line.phone().text(stranger, words("who is this at all")).status()).isEqualTo(200);
    var forged = line.phone().sms(number("a forger"), words("forged by somebody")).forged();
    assertThat(forged.post().status()).isEqualTo(403);
    assertThat(forged.without("MessageSid").signed("").post().status()).isEqualTo(403);
    var withoutSid =
        line.phone()
            .sms(stranger, words("has no sid"))
            .without("MessageSid")
            .without("SmsSid")
            .without("SmsMessageSid");
    assertThat(withoutSid.post().status()).isEqualTo(400);
    assertThat(line.phone().text(stranger, words("unreadably long ").repeat(1000)).status())
        .isBetween(200, 503);
    assertThat(
            line.phone()
                .post(
                    TwilioPhone.INBOUND_PATH,
                    "Body=%zz-not-a-form".getBytes(StandardCharsets.UTF_8),
                    NOT_A_TOKEN)
                .status())
        .isIn(400, 403);
  }

  private void leave(TextingLine line) {
    var kim = number("Kim");
    var id = line.greeted(kim);
    line.phone().text(kim, words("please stop texting me, Quentin's zither is enough"));
    line.awaitTexts(kim, 2);
    line.phone().text(kim, "STOP");
    line.phone().text(kim, words("one more thing"));
    line.deployment().deleteOrDie("/conversation/participants/" + id);
  }

  private void failAtTheModel(TextingLine line, String robin) {
    var model = line.deployment().model();
    var text = words("what does the model say");
    model.then(Scripted.error(400, "cannot read: " + text + " " + robin, "bad_request"));
    answered(line, robin, text);
    model.then(Scripted.raw(200, "application/json", "{\"" + text + "\": [" + robin));
    answered(line, robin, words("what does it say now"));
    model.then(
        Scripted.call("save_user_profile", "{\"prompt_anchor\": \"" + words("the zither shelf")),
        Scripted.call("tell_" + words("the neighbours"), "{}"));
    answered(line, robin, words("what does it call"));
  }

  private void badRequests(TextingLine line) throws IOException {
    var bad = secret("number of a request", "+4915177712399");
    var body = "{\"phone_number\":\"" + bad + "\",\"name\":\"" + words("Somebody Half");
    try (var http = HttpClient.newHttpClient()) {
      assertThat(send(line, http, "/conversation/participants", Deployment.ADMIN_KEY, body))
          .isEqualTo(400);
      assertThat(send(line, http, "/conversation/participants", WRONG_KEY, body + "\"}"))
          .isEqualTo(401);
      assertThat(send(line, http, "/conversation/participants?phone=" + bad, WRONG_KEY, body))
          .isEqualTo(401);
      assertThat(login(line, http, WRONG_KEY)).isNotEqualTo(303);
      assertThat(login(line, http, Deployment.ADMIN_KEY)).isEqualTo(303);
    }
    var made =
        line.deployment().post("/keys", Map.of("name", "a script", "role", "researcher")).body();
    secret("a key that was made", made.at("/result/key").asText());
  }

  private static int send(TextingLine line, HttpClient http, String path, String key, String body)
      throws IOException {
    return send(
        http,
        HttpRequest.newBuilder(address(line, path))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  private static int login(TextingLine line, HttpClient http, String secret) throws IOException {
    return send(
        http,
        HttpRequest.newBuilder(address(line, "/login"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("secret=" + secret)));
  }

  private static int send(HttpClient http, HttpRequest.Builder request) throws IOException {
    try {
      return http.send(request.build(), BodyHandlers.discarding()).statusCode();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static URI address(TextingLine line, String path) {
    return URI.create("http://127.0.0.1:" + line.deployment().jar().port() + path);
  }

  private void promptAfterARestart(TextingLine line, String robin, String id) {
    var zone = PromptCrashIT.whereItIsDay();
    answered(line, robin, words(CoachScript.daily(LocalTime.now(zone).plusMinutes(90), zone)));
    Awaitility.await("the schedule stands")
        .until(() -> line.ledger().wakeups(id).contains("daily_prompt waiting"));
    line.deployment().kill();
    var due = OffsetDateTime.ofInstant(Instant.now().minusSeconds(1), ZoneOffset.UTC);
    line.ledgerOfADeadLine()
        .change("update wakeup set due_at = ? where kind = 'daily_prompt'", due);
    line.ledgerOfADeadLine().change("update occurrence set due_at = ?", due);
    line.deployment().start();
    Awaitility.await("the prompt")
        .until(() ->
            line.sentTo(robin).stream()
                .anyMatch(text -> text.startsWith(CoachScript.HABIT_PROMPT)));
  }

  /** The account is not in order: everything waits, and the log says so. */
  private void misconfigured(TextingLine line, String robin) {
    line.twilio().otherwise(posted -> TwilioAnswer.fail(401, 20_003));
    answered(line, robin, words("nobody may send this"));
    line.deployment().jar().awaitLine("The provider accepts no messages by sms");
  }

  private void judge(String log, String format) {
    assertThat(log)
        .contains("will not be tried again")
        .contains("It is not known whether")
        .contains("not signed with the account's token");
    assertThat(said).hasSizeGreaterThan(15);
    assertSoftly(softly -> {
      secrets.forEach((what, value) -> softly.assertThat(log).as(what).doesNotContain(value));
      said.forEach(text -> softly.assertThat(log).as("what was said").doesNotContain(text));
    });
    if (format.equals("json")) {
      assertThat(log.lines().filter(line -> line.contains("will not be tried again")))
          .isNotEmpty()
          .allSatisfy(line ->
              assertThat(new JsonMapper().readTree(line).path("level").asText()).isEqualTo("WARN"));
    }
  }
}
