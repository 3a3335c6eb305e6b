package org.habitline.whole;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.habitline.bench.Databases;
import org.habitline.bench.Databases.Kind;
import org.habitline.bench.ModelProcess;
import org.habitline.bench.Report;
import org.habitline.bench.Rounds;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.habitline.messaging.twilio.TwilioPhone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A day of a large study on three nodes with one PostgreSQL: each participant gets a daily prompt
 * that the model wrote for them, says how it went, and gets a reply, and Twilio reports each
 * message as delivered. The prompts of the day are spread over less than an hour. It is not among
 * the benchmarks of every run:
 *
 * <pre>mvn -Pbench verify -Dit.test=LargeDay -Dbench.people=100000 -Dbench.minutes=50</pre>
 */
@ExtendWith(Report.Handed.class)
final class LargeDay {

  private static final int PEOPLE = Integer.getInteger("bench.people", 1_000);

  /** Over how many minutes the prompts are spread. */
  private static final int MINUTES = Integer.getInteger("bench.minutes", 1);

  private static final int NODES = 3;
  private static final List<String> NODE_OPTIONS = List.of("-Xmx1g", "-XX:+ExitOnOutOfMemoryError");

  /** Without this, a study may send 20,000 segments a day. */
  private static final String NO_LIMITS = "budgets: {study: {tokens: off, segments: off}}\n";

  /** What the model needs to write a prompt. */
  private static final String PROFILE =
      "{\"prompt_anchor\": \"my morning tea\", \"preferred_time\": \"09:00\","
          + " \"created_at\": \"2026-01-01T08:00:00Z\", \"updated_at\": \"2026-01-01T08:00:00Z\"}";

  /** Enough time to store everybody before the first prompt is due. */
  private static final Duration UNTIL_THE_FIRST = Duration.ofMinutes(3);

  private static final Duration PATIENCE = Duration.ofHours(3);
  private static final Duration AN_HOUR = Duration.ofHours(1);
  private static final int MORNING = 9;
  private static final long FIRST_NUMBER = 12_062_000_000L;
  private static final String PUBLIC_URL = "https://line.example";

  @TempDir Path homes;

  private final Map<String, AtomicInteger> heard = new ConcurrentHashMap<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void everybodyIsPromptedAndAnsweredOnce(Report report) throws Exception {
    try (var databases = Databases.start();
        var model = ModelProcess.start();
        var twilio = FakeTwilio.start();
        var phones = Executors.newVirtualThreadPerTaskExecutor()) {
      var settings = settings(databases.fresh(Kind.POSTGRESQL), model, twilio);
      var ledger = Ledger.at(Objects.requireNonNull(settings.get("DATABASE_URL")), "postgres");
      var nodes = new ArrayList<Deployment>();
      try {
        for (int i = 0; i < NODES; i++) {
          nodes.add(node(homes.resolve("node-" + i), settings));
        }
        twilio.reaching(PUBLIC_URL, url(nodes.getFirst()));
        var first = scheduled(nodes.getFirst(), ledger);
        copy(first, ledger);
        twilio.forget();
        twilio.otherwise(posted -> {
          hears(posted.to(), nodes, phones);
          return TwilioAnswer.accept();
        });
        var begins = due("MIN", ledger);
        awaitEverybody(twilio, ledger, nodes, phones);
        var took = Duration.between(begins, Instant.now());
        awaitRest(ledger);
        tell(report, ledger, twilio.messages().size(), took);
      } finally {
        nodes.forEach(Deployment::close);
      }
    }
  }

  private static Map<String, String> settings(
      Map<String, Object> database, ModelProcess model, FakeTwilio twilio) {
    var settings = new HashMap<String, String>();
    settings.put("DATABASE_URL", Databases.url(database));
    settings.put("DATABASE_USER", "postgres");
    settings.put("DATABASE_PASSWORD", "postgres");
    settings.putAll(
        Map.of(
            "OPENAI_BASE_URL",
            model.baseUrl(),
            "HABITLINE_PUBLIC_URL",
            PUBLIC_URL,
            "TWILIO_ACCOUNT_SID",
            FakeTwilio.ACCOUNT_SID,
            "TWILIO_AUTH_TOKEN",
            FakeTwilio.AUTH_TOKEN,
            "TWILIO_SMS_FROM",
            TwilioPhone.LINE_NUMBER,
            "TWILIO_API_BASE_URL",
            twilio.baseUrl(),
            // High enough not to limit the messages, because the send rate is not measured.
            "TWILIO_SMS_RATE",
            "1000"));
    return settings;
  }

  private static Deployment node(Path home, Map<String, String> settings) throws IOException {
    var config = Files.createDirectories(home.resolve("config"));
    Files.writeString(config.resolve("study.yaml"), NO_LIMITS);
    // The key of suppressed numbers is the same on every node.
    Files.writeString(home.resolve("suppression.key"), "5e".repeat(32));
    return new Deployment(home, settings).start(NODE_OPTIONS);
  }

  private static String url(Deployment node) {
    return "http://127.0.0.1:" + node.jar().port();
  }

  /** Enrols a participant whose daily prompt is due in some minutes, and returns their id. */
  private static String scheduled(Deployment node, Ledger ledger) {
    var zone = morning();
    var answer =
        node.post(
            "/conversation/participants",
            Map.of("phone_number", "+" + FIRST_NUMBER, "timezone", zone.getId(), "name", "Robin"));
    var id = answer.body().path("result").path("id").asText();
    awaitRest(ledger);
    var person = "/conversation/participants/" + id;
    accepted(node.put(person + "/state", Map.of("state", "FEEDBACK", "reason", "a benchmark")));
    accepted(
        node.post(
            person + "/schedules",
            Map.of(
                "time",
                LocalTime.now(zone)
                    .plus(UNTIL_THE_FIRST)
                    .truncatedTo(ChronoUnit.MINUTES)
                    .toString())));
    var _ =
        ledger.change(
            "INSERT INTO state_data (participant_id, data_key, data_value, updated_at)"
                + " VALUES (?, 'userProfile', ?, now())",
            id,
            PROFILE);
    return id;
  }

  private static void accepted(Deployment.Answer answer) {
    if (!answer.accepted()) {
      throw new IllegalStateException("Refused: " + answer);
    }
  }

  /** Returns a time zone where it is morning, so that the whole day's prompts are of today. */
  private static ZoneId morning() {
    return ZoneId.getAvailableZoneIds().stream()
        .filter(id -> id.contains("/") && !id.startsWith("Etc") && !id.startsWith("System"))
        .sorted()
        .map(ZoneId::of)
        .filter(zone -> ZonedDateTime.now(zone).getHour() == MORNING)
        .findFirst()
        .orElseThrow();
  }

  /**
   * Stores the other participants as copies of the first, each with a number of their own, and
   * their prompts a little later than those of the one before.
   */
  private static void copy(String first, Ledger ledger) {
    var later = "i * %d.0 / %d * interval '1 minute'".formatted(MINUTES, PEOPLE);
    var wall = "to_char((due_at + " + later + ") AT TIME ZONE zone, '%s')";
    var toTheSecond = wall.formatted("YYYY-MM-DD\"T\"HH24:MI:SS");
    insert(
        "address",
        "a.id = (SELECT address_id FROM participant WHERE id = ?)",
        "'id', 1000000 + i, 'phone', '+' || " + FIRST_NUMBER + " + i",
        first,
        ledger);
    insert(
        "participant",
        "a.id = ?",
        "'id', p, 'seq', 1000000 + i, 'address_id', 1000000 + i",
        first,
        ledger);
    insert("lease", OF_FIRST, "'participant_id', p, 'owner', NULL", first, ledger);
    insert("participant_state", OF_FIRST, "'participant_id', p", first, ledger);
    insert("state_data", OF_FIRST, "'participant_id', p", first, ledger);
    insert(
        "schedule",
        OF_FIRST,
        "'id', s, 'participant_id', p, 'running', replace(running, participant_id, p)",
        first,
        ledger);
    insert(
        "occurrence",
        OF_FIRST + " AND status = 'planned'",
        "'participant_id', p, 'schedule_id', s, 'due_at', due_at + "
            + later
            + ", 'wall_time', "
            + toTheSecond,
        first,
        ledger);
    insert(
        "wakeup",
        OF_FIRST + " AND status = 'waiting'",
        "'id', 'wku_' || substr(md5(a.id || i), 1, 24), 'participant_id', p, 'due_at', due_at + "
            + later
            + ", 'wall_time', "
            + toTheSecond
            + ", 'only_one', replace(only_one, participant_id, p)",
        first,
        ledger);
    var _ = ledger.change("ANALYZE");
  }

  private static final String OF_FIRST = "a.participant_id = ?";

  private static void insert(
      String table, String which, String changed, String first, Ledger ledger) {
    var _ =
        ledger.change(
            "INSERT INTO "
                + table
                + " SELECT (jsonb_populate_record(NULL::"
                + table
                + ", to_jsonb(a) || jsonb_build_object("
                + changed
                + "))).* FROM "
                + table
                + " a, generate_series(1, "
                + (PEOPLE - 1)
                + ") i, LATERAL (SELECT 'conv_' || substr(md5('p' || i), 1, 24) AS p,"
                + " 'sch_' || substr(md5('s' || i), 1, 24) AS s) new WHERE "
                + which,
            first);
  }

  private static Instant due(String which, Ledger ledger) {
    return Instant.parse(
        ledger
            .words(
                "SELECT to_char("
                    + which
                    + "(due_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM occurrence")
            .getFirst());
  }

  /** A participant gets a message; after the first, the prompt, they reply that it is done. */
  private void hears(String number, List<Deployment> nodes, ExecutorService phones) {
    if (heard.computeIfAbsent(number, one -> new AtomicInteger()).incrementAndGet() == 1) {
      phones.execute(() -> {
        var phone = TwilioPhone.calling(url(nextOf(nodes)), PUBLIC_URL);
        if (phone.text(number, "I did it after my tea").status() != 200) {
          refused.incrementAndGet();
        }
      });
    }
  }

  private Deployment nextOf(List<Deployment> nodes) {
    return nodes.get(Math.floorMod(calls.getAndIncrement(), nodes.size()));
  }

  /** Reports messages as delivered until every text of a participant has been replied to. */
  private void awaitEverybody(
      FakeTwilio twilio, Ledger ledger, List<Deployment> nodes, ExecutorService phones) {
    var reported = new AtomicInteger();
    Awaitility.await("everybody is prompted and answered")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> {
          var messages = twilio.messages();
          twilio.reaching(PUBLIC_URL, url(nextOf(nodes)));
          for (int i = reported.get(); i < messages.size(); i++) {
            var sid = messages.get(i).sid();
            phones.execute(() -> twilio.callback(sid, "delivered"));
          }
          reported.set(messages.size());
          return heard.size() >= PEOPLE && ledger.count(REPLIED) >= PEOPLE;
        });
  }

  private static final String REPLIED =
      "SELECT COUNT(*) FROM outbox o JOIN turn t ON t.participant_id = o.participant_id"
          + " AND t.number = o.turn WHERE t.kind = 'said' AND o.kind = 'reply' AND o.open = FALSE";

  private static void awaitRest(Ledger ledger) {
    Awaitility.await("nothing is left to be done")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> ledger.openInbox() + ledger.openOutbox() == 0);
  }

  private void tell(Report report, Ledger ledger, int messages, Duration took) {
    var rounds = new Rounds<Duration>();
    rounds.add(took, AN_HOUR);
    report.add(
        rounds.as(
            time -> time.toMillis() / 60_000.0,
            "a day of %,d participants; reference: an hour".formatted(PEOPLE),
            "PostgreSQL, %d nodes, prompts over %d minutes".formatted(NODES, MINUTES),
            "minutes",
            "≤ 1.0"));
    report.version("texts that a node refused", String.valueOf(refused.get()));
    report.version(
        "messages at Twilio, and deliveries on record",
        messages
            + ", "
            + ledger.count(
                "SELECT COUNT(*) FROM outbox WHERE provider_id IS NOT NULL AND turn > 1"));
    report.version(
        "participants with more or less than one prompt and one reply",
        String.valueOf(
            ledger.count(
                "SELECT COUNT(*) FROM participant p WHERE"
                    + " (SELECT COUNT(*) FROM outbox o WHERE o.participant_id = p.id AND o.kind = 'prompt') <> 1"
                    + " OR (SELECT COUNT(*) FROM outbox o JOIN turn t ON t.participant_id = o.participant_id"
                    + " AND t.number = o.turn WHERE o.participant_id = p.id AND t.kind = 'said') <> 1")));
    report.version("prompts by status", counts("SELECT status, COUNT(*) FROM occurrence", ledger));
    report.version(
        "turns by outcome",
        counts("SELECT concat_ws(': ', outcome, reason), COUNT(*) FROM turn", ledger));
    report.version(
        "turns by attempts", counts("SELECT attempts::text, COUNT(*) FROM turn", ledger));
    report.version(
        "prompt handed over after it was due (median, 99th percentile, most)",
        percentiles(
            "EXTRACT(EPOCH FROM (sent_at - due_at)) AS s FROM occurrence WHERE sent_at IS NOT NULL",
            ledger));
    report.version(
        "reply handed over after the text was stored (median, 99th percentile, most)",
        percentiles(
            "EXTRACT(EPOCH FROM (o.ended_at - i.stored_at)) AS s FROM inbox i JOIN outbox o"
                + " ON o.participant_id = i.participant_id AND o.turn = i.turn WHERE i.kind = 'said'",
            ledger));
    report.version(
        "database",
        ledger.words("SELECT pg_size_pretty(pg_database_size(current_database()))").getFirst());
  }

  private static String counts(String query, Ledger ledger) {
    return String.join(
        ", ",
        ledger.words(
            "SELECT concat(c, ' ', n) FROM (" + query + " GROUP BY 1) x (c, n) ORDER BY n DESC"));
  }

  private static String percentiles(String query, Ledger ledger) {
    return ledger
        .words(
            "SELECT concat(round(percentile_cont(0.5) WITHIN GROUP (ORDER BY s)::numeric, 2), ' s, ',"
                + " round(percentile_cont(0.99) WITHIN GROUP (ORDER BY s)::numeric, 2), ' s, ',"
                + " round(max(s)::numeric, 2), ' s') FROM (SELECT "
                + query
                + ") x")
        .getFirst();
  }
}
