package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.context.env.Environment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.TestDatabase;
import org.habitline.conversation.flags.FlagStatus;
import org.habitline.conversation.flags.Flags;
import org.habitline.conversation.stored.RecordWriter;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.FormFields;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.messaging.twilio.TwilioSigner;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.habitline.study.fidelity.Fidelity;
import org.habitline.timers.Occurrence;
import org.habitline.timers.Timers;
import org.habitline.timers.WakeupKind;
import org.habitline.tools.Effect;
import org.habitline.tools.FlagKind;
import org.habitline.tools.Records;
import org.habitline.whole.Asked.Answer;

/**
 * Lines to ask, with people on them: a rehearsal, a line with a real provider, and one whose
 * database is away. Each starts when it is first needed. Every answer is judged by the {@link
 * Manners}.
 */
final class ApiWorld implements AutoCloseable {

  static final String PUBLIC_URL = "https://line.example";

  private static final List<String> INTAKE =
      List.of(
          "Personal first, please.",
          "While the coffee brews",
          "more energy",
          "8:15 in the morning",
          "No, that is all.",
          "Yes, let me try it now.");

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final Class<?> test;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Map<String, Door> doors = new HashMap<>();
  private final FakeTwilio provider = FakeTwilio.start();
  private final ApiDocument document;
  private final Manners manners;
  private String talked = "";

  ApiWorld(Class<?> test) {
    this.test = test;
    document = ApiDocument.of(rehearsal().line);
    manners = new Manners(document);
  }

  ApiDocument document() {
    return document;
  }

  Manners manners() {
    return manners;
  }

  HttpClient client() {
    return client;
  }

  /** Asks the rehearsal while a file of its home cannot be written. */
  Answer withUnwritable(String name, Supplier<Answer> asked) {
    var file =
        Path.of(
            rehearsal()
                .line()
                .bean(Environment.class)
                .getRequiredProperty("habitline.home", String.class),
            name);
    var aside = file.resolveSibling(name + ".aside");
    try {
      var there = Files.exists(file);
      if (there) {
        Files.move(file, aside);
      }
      Files.createDirectory(file);
      try {
        return asked.get();
      } finally {
        Files.delete(file);
        if (there) {
          Files.move(aside, file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A line, asked as its admin. */
  final class Door {
    private final RestLine line;

    private Door(RestLine line) {
      this.line = line;
    }

    RestLine line() {
      return line;
    }

    Answer get(String target) {
      return send(Asked.of("GET", target));
    }

    Answer delete(String target) {
      return send(Asked.of("DELETE", target));
    }

    Answer post(String target, String json) {
      return send(Asked.of("POST", target).json(json));
    }

    Answer put(String target, String json) {
      return send(Asked.of("PUT", target).json(json));
    }

    Answer send(Asked asked) {
      return sendBare(asked.key(RestLine.ADMIN));
    }

    /** Without a key. */
    Answer sendBare(Asked asked) {
      try {
        var answer = asked.send(client, line.url());
        assertThat(manners.complaints(answer)).as("%s %s", asked, answer.status()).isEmpty();
        return answer;
      } catch (IOException e) {
        throw new UncheckedIOException(asked.toString(), e);
      }
    }

    /** A webhook of the provider, with this form, signed. */
    Answer webhook(String path, FormFields form) {
      return sendBare(
          Asked.of("POST", path)
              .form(form.encoded())
              .header(
                  "X-Twilio-Signature",
                  TwilioSigner.sign(FakeTwilio.AUTH_TOKEN, PUBLIC_URL + path, form)));
    }

    /** Enrols somebody; returns the id. */
    String someone() {
      return line.enrolled().path("id").asText();
    }

    /** Somebody's address. */
    String at() {
      return at(someone());
    }

    String at(String id) {
      return RestLine.PARTICIPANTS + "/" + id;
    }
  }

  /** The wake-up of somebody's next daily prompt; returns its id. */
  String dailyPrompt() {
    var line = rehearsal().line();
    var somebody = rehearsal().someone();
    var transactions = line.bean(Transactions.class);
    var date = LocalDate.of(2999, 1, 1);
    return transactions.write(() ->
        line.bean(Timers.class)
            .plan(
                new Timers.Plan(
                    somebody,
                    WakeupKind.DAILY_PROMPT,
                    date.atStartOfDay(ZoneOffset.UTC).toInstant(),
                    ZoneOffset.UTC,
                    new Occurrence.Key(date, 1).text())));
  }

  /** A flag that the coach might have raised; returns its id. */
  String flag() {
    var line = rehearsal().line();
    var somebody = rehearsal().someone();
    var flags = line.bean(Flags.class);
    line.bean(Transactions.class).write(() -> flags.raise(somebody, 1, FlagKind.OTHER));
    return flags.list(FlagStatus.OPEN, Integer.MAX_VALUE).stream()
        .filter(flag -> flag.participantId().equals(somebody))
        .findFirst()
        .orElseThrow()
        .id();
  }

  /** A row of Today that nobody is on; returns its key. */
  String row() {
    var flag = rehearsal().line().bean(Flags.class).find(flag()).orElseThrow();
    return "flagged-"
        + flag.participantId()
        + "-"
        + flag.turn()
        + "-"
        + flag.raisedAt().toEpochMilli();
  }

  /** A turn that failed, whose text has no reply; returns its path. */
  String failedTurn() {
    var line = rehearsal().line();
    var somebody = rehearsal().someone();
    await()
        .until(() ->
            line.rows("SELECT 1 FROM turn WHERE participant_id = ? AND status = 'done'", somebody)
                    .size()
                == 1);
    Rows.of(line)
        .write(
            """
            INSERT INTO turn (participant_id, number, status, kind, module, attempts, pinned, configuration, outcome,
                              started_at, completed_at)
            SELECT participant_id, 50, 'failed', 'said', module, 1, pinned, configuration, 'model_failed', started_at, completed_at
            FROM turn WHERE participant_id = ? AND number = 1
            """,
            somebody);
    Rows.of(line)
        .write(
            """
            INSERT INTO message (id, participant_id, role, content, channel, turn, author, created_at)
            SELECT concat('msg_', participant_id), participant_id, 'user', 'hello', 'simulator', 50,
                   'participant', completed_at
            FROM turn WHERE participant_id = ? AND number = 50
            """,
            somebody);
    Rows.of(line)
        .write("UPDATE participant_state SET next_turn = 51 WHERE participant_id = ?", somebody);
    return rehearsal().at(somebody) + "/turns/50";
  }

  /** A message that did not arrive; returns the path of its delivery. */
  String delivery(String status) {
    var line = rehearsal().line();
    var somebody = rehearsal().someone();
    var id = Ids.next("dlv");
    Rows.of(line)
        .write(
            """
            INSERT INTO outbox (id, participant_id, kind, channel, body, status, open, attempts, planned_at, said_at,
                                expires_at)
            SELECT ?, id, 'staff', 'simulator', 'words', ?, FALSE, 1, created_at, created_at, created_at
            FROM participant WHERE id = ?
            """,
            id,
            status,
            somebody);
    return rehearsal().at(somebody) + "/deliveries/" + id;
  }

  /** A daily prompt of yesterday that was missed; returns the number of the deviation. */
  long deviation() {
    var line = rehearsal().line();
    var somebody = rehearsal().someone();
    var fidelity = line.bean(Fidelity.class);
    Rows.of(line)
        .prompt(
            new Rows.Prompt(
                somebody,
                fidelity.yesterday().toString(),
                "missed",
                Instant.EPOCH,
                "nobody was there",
                null,
                null,
                false));
    fidelity.lookNow();
    return ((Number)
            line.rows("SELECT MAX(seq) AS seq FROM deviation WHERE participant_id = ?", somebody)
                .getFirst()
                .get("seq"))
        .longValue();
  }

  /** A line without a provider or a model. */
  Door rehearsal() {
    return doors.computeIfAbsent("rehearsal", name -> new Door(RestLine.start(test)));
  }

  /** A line with a provider. */
  Door real() {
    return doors.computeIfAbsent("real", name -> new Door(RestLine.start(test, settings(true))));
  }

  /** A rehearsal whose study names whom to alert, by methods of which none works. */
  Door alerting() {
    return doors.computeIfAbsent(
        "alerting",
        name ->
            new Door(
                RestLine.of(
                    test,
                    """
                    safety:
                      time_zone: UTC
                      webhook: http://127.0.0.1:9/
                      email: {host: 127.0.0.1, port: 9, security: none, from: line@example.org}
                      rota:
                        - on call: {email: on-call@example.org}
                    """,
                    Map.of(
                        "alert.webhook-secret", "whsec_" + "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB"))));
  }

  /** A line with a provider whose calls need no signature. */
  Door trusting() {
    return doors.computeIfAbsent(
        "trusting", name -> new Door(RestLine.start(test, settings(false))));
  }

  /** A line with a provider whose calls need no signature, without its database. */
  Door away() {
    return doors.computeIfAbsent(
        "away",
        name -> {
          var door = new Door(RestLine.start(test, settings(false)));
          door.line.closeDatabase();
          return door;
        });
  }

  /** A rehearsal that keeps its data in PostgreSQL, whatever database the tests run on. */
  Door onPostgresql() {
    return doors.computeIfAbsent(
        "postgresql",
        name -> {
          var settings = new HashMap<String, String>();
          TestDatabase.postgres().forEach((key, value) -> settings.put(key, String.valueOf(value)));
          return new Door(RestLine.start(test, settings));
        });
  }

  private Map<String, String> settings(boolean signed) {
    return provider.settings(
        "twilio.whatsapp-from",
        TwilioPhone.LINE_NUMBER,
        "twilio.validate-signature",
        String.valueOf(signed),
        "habitline.public-url",
        PUBLIC_URL);
  }

  Answer get(String target) {
    return rehearsal().get(target);
  }

  Answer delete(String target) {
    return rehearsal().delete(target);
  }

  Answer post(String target, String json) {
    return rehearsal().post(target, json);
  }

  Answer put(String target, String json) {
    return rehearsal().put(target, json);
  }

  static String newNumber() {
    return "+1206559" + (1000 + NUMBERS.incrementAndGet());
  }

  /** Enrols somebody in the rehearsal; returns the address. */
  String somebody() {
    return rehearsal().at();
  }

  /** Somebody who left the study; their address. */
  String whoLeft() {
    var left = somebody();
    put(left, "{\"status\":\"withdrawn\"}");
    return left;
  }

  /** The address of a record that a tool might have kept of somebody. */
  String record() {
    var id = rehearsal().someone();
    var put =
        new Effect.PutRecord(new Records.Key("task", "1"), "{\"title\":\"Water the plants\"}");
    var line = rehearsal().line();
    line.bean(Transactions.class)
        .write(() -> line.bean(RecordWriter.class).apply(id, List.of(put)));
    return rehearsal().at(id) + "/records/task/1";
  }

  String nobody() {
    return rehearsal().at("conv_000000000000000000000000");
  }

  /** The id of somebody in the rehearsal who went through the intake: a profile, a schedule. */
  String talked() {
    if (talked.isEmpty()) {
      talked = rehearsal().someone();
      awaitTurns(1);
      for (int i = 0; i < INTAKE.size(); i++) {
        post("/simulator/" + talked + "/texts", RestLine.write(Map.of("text", INTAKE.get(i))));
        awaitTurns(i + 2);
      }
    }
    return talked;
  }

  private void awaitTurns(int howMany) {
    await().until(() -> closedTurns(talked).size() >= howMany);
  }

  private List<JsonNode> closedTurns(String id) {
    var closed = new ArrayList<JsonNode>();
    for (var turn : get(rehearsal().at(id) + "/turns").result()) {
      if (!turn.path("status").asText().equals("running")) {
        closed.add(turn);
      }
    }
    return closed;
  }

  /** The address of a turn in which the model was asked. */
  String turn() {
    return rehearsal().at(talked()) + "/turns/2";
  }

  /** The hash of a prompt that a turn used. */
  String usedPrompt() {
    return get(turn()).result().path("prompt_sha256").elements().next().asText();
  }

  /** The path of a prompt file in the first version of the configuration. */
  String promptPath() {
    return get("/study/configurations/1").result().path("files").findValuesAsText("path").stream()
        .filter(path -> path.endsWith(".txt"))
        .findFirst()
        .orElseThrow();
  }

  /** A text in the rehearsal from a number that nobody has; returns its seq. */
  String unclaimed() {
    return unclaimed(newNumber());
  }

  String unclaimed(String number) {
    rehearsal()
        .line()
        .bean(Inbox.class)
        .accept(
            new IncomingText(
                Ids.next("SM"), new PhoneNumber(number), ChannelKind.SIMULATOR, "hello"));
    return get("/unclaimed?limit=1").result().path(0).path("seq").asText();
  }

  /** Somebody of the real line to whom a sender without a number was claimed; their address. */
  String withSender() {
    var id = real().someone();
    var from = "whatsapp:US.1349120865530274" + (1000 + NUMBERS.incrementAndGet());
    real()
        .webhook(
            TwilioPhone.INBOUND_PATH,
            FormFields.of("MessageSid", Ids.next("SM"), "From", from, "Body", "hello")
                .and("To", "whatsapp:" + TwilioPhone.LINE_NUMBER));
    var seq = real().get("/unclaimed?limit=1").result().path(0).path("seq").asText();
    real().post("/unclaimed/" + seq + "/claim", "{\"participant_id\":\"" + id + "\"}");
    return real().at(id);
  }

  @Override
  public void close() {
    doors.values().forEach(door -> door.line.close());
    provider.close();
    client.close();
  }
}
