package org.habitline.staff.prompts;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.habitline.SettableClock;
import org.habitline.TestClocks;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.messaging.MessagingLifecycle;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.TestChannel;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.habitline.timers.Sweeps;

/**
 * A line that scripts talk to over HTTP: SMS go to a provider that does what a test says, a strict
 * fake is the model, and the clock of the study stands until a test moves it.
 */
final class ScriptLine implements AutoCloseable {

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final StrictFakeServer fake = StrictFakeServer.start();
  private final TestChannel sms = new TestChannel(ChannelKind.SMS);
  private final TestClocks clocks;
  private final RestLine line;

  private ScriptLine(Class<?> test, String now, Map<String, String> more) {
    this.clocks =
        new TestClocks(SettableClock.standingAt(Instant.parse(now)), SettableClock.running());
    var settings = new LinkedHashMap<>(more);
    settings.put("openai.base-url", fake.baseUrl());
    this.line = RestLine.start(test, settings, clocks, sms);
  }

  static ScriptLine at(Class<?> test, String now) {
    return new ScriptLine(test, now, Map.of());
  }

  static ScriptLine at(Class<?> test, String now, String property, String value) {
    return new ScriptLine(test, now, Map.of(property, value));
  }

  RestLine rest() {
    return line;
  }

  StrictFakeServer fake() {
    return fake;
  }

  TestChannel sms() {
    return sms;
  }

  Instant now() {
    return clocks.study().instant();
  }

  /** A number that nobody has. */
  static String number() {
    return "+1206557" + (1000 + NUMBERS.incrementAndGet());
  }

  /** A prompt, as names and values one after the other. */
  static Map<String, Object> prompt(String to, Object... fields) {
    var prompt = new LinkedHashMap<String, Object>();
    prompt.put("to", to);
    for (int i = 0; i < fields.length; i += 2) {
      prompt.put(String.valueOf(fields[i]), fields[i + 1]);
    }
    return prompt;
  }

  Answer send(String to, Object... fields) {
    return line.send("POST", "/send", RestLine.write(prompt(to, fields)));
  }

  Answer schedule(String to, Object... fields) {
    return line.send("POST", "/schedule", RestLine.write(prompt(to, fields)));
  }

  /** The id of whoever was texted. */
  static String receiver(Answer answer) {
    return answer.response().headers().firstValue("Habitline-Participant").orElseThrow();
  }

  /** Enrols somebody by SMS and waits for their greeting; then the model forgets. */
  JsonNode enrolled() {
    return enrolled(number());
  }

  JsonNode enrolled(String number) {
    var enrolled =
        line.enrol(Map.of("phone_number", number, "channel", "sms", "timezone", "Europe/Berlin"))
            .result();
    settle();
    fake.forget();
    return enrolled;
  }

  Acceptance says(String from, String text) {
    return line.bean(Inbox.class)
        .accept(
            new IncomingText(
                "SM" + NUMBERS.incrementAndGet(), new PhoneNumber(from), ChannelKind.SMS, text));
  }

  /** Somebody says something and whatever that leads to is over. */
  void hears(String from, String text) {
    says(from, text);
    settle();
  }

  /** Waits until nothing waits to be answered or sent. */
  void settle() {
    await()
        .pollInterval(Duration.ofMillis(10))
        .until(() -> line.bean(MessagingLifecycle.class).settled() && line.rows(RUNNING).isEmpty());
  }

  private static final String RUNNING = "SELECT number FROM turn WHERE status = 'running'";

  /** Lets time pass, rings what is due then, and waits for what that leads to. */
  int passes(Duration time) {
    clocks.study().advance(time);
    var rung = line.bean(Sweeps.class).sweep();
    settle();
    return rung;
  }

  /** What was sent to a number, in order. */
  List<String> texts(String number) {
    settle();
    return sms.all().stream()
        .filter(message -> message.to().e164().equals(number))
        .map(OutboundMessage::body)
        .toList();
  }

  /** What the receipts of a number say, oldest first. */
  List<String> receipts(String number) {
    var found = new ArrayList<String>();
    line.get("/receipts")
        .result()
        .forEach(receipt -> {
          if (receipt.path("to").asText().equals(number)) {
            found.addFirst(receipt.path("status").asText());
          }
        });
    return found;
  }

  /** What the responses of a number are, oldest first. */
  List<String> responses(String number) {
    var found = new ArrayList<String>();
    line.get("/responses")
        .result()
        .forEach(response -> {
          if (response.path("from").asText().equals(number)) {
            found.addFirst(response.path("body").asText());
          }
        });
    return found;
  }

  List<String> column(String sql, Object... arguments) {
    return line.rows(sql, arguments).stream()
        .map(row -> String.valueOf(row.values().iterator().next()))
        .toList();
  }

  void restart() {
    line.restart();
  }

  @Override
  public void close() {
    line.close();
    fake.close();
  }
}
