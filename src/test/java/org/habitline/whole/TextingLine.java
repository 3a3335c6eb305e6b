package org.habitline.whole;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.habitline.TestDatabase;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.TwilioMessage;
import org.habitline.messaging.twilio.TwilioPhone;

/**
 * A deployment that texts by Twilio, on either database: the jar, the model and Twilio beside it.
 */
final class TextingLine implements AutoCloseable {

  static final String PUBLIC_URL = "https://line.example";

  /** Where the line keeps its data. */
  enum Database {
    H2,
    POSTGRESQL
  }

  private final FakeTwilio twilio = FakeTwilio.start();
  private final Map<String, String> database;
  private final Map<String, String> settings;
  private final Path home;
  private final Deployment deployment;
  private final CoachScript script;

  TextingLine(Path home, Database kind) {
    this(home, kind, Map.of());
  }

  /** A deployment with more settings than those that it needs. */
  TextingLine(Path home, Database kind, Map<String, String> settings) {
    this.home = home;
    this.database = kind == Database.H2 ? Map.of() : postgres();
    this.settings = settings;
    this.deployment = deployment(home, Map.of());
    this.script = CoachScript.playedBy(deployment.model());
  }

  static Map<String, String> postgres() {
    var settings = new HashMap<String, String>();
    TestDatabase.postgres()
        .forEach((key, value) ->
            settings.put(key.replace('.', '_').toUpperCase(java.util.Locale.ROOT), (String) value));
    return settings;
  }

  private Deployment deployment(Path ofHome, Map<String, String> own) {
    var all = new HashMap<>(database);
    all.putAll(settings);
    all.putAll(own);
    all.putAll(
        Map.of(
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
            "TWILIO_UNKNOWN_SETTLES",
            "2s",
            "TWILIO_SMS_RATE",
            "1000"));
    if (!database.isEmpty()) {
      giveKey(ofHome);
    }
    return new Deployment(ofHome, all);
  }

  /** The key of suppressed numbers is the same on every node of a database. */
  private static void giveKey(Path home) {
    try {
      Files.createDirectories(home);
      Files.writeString(home.resolve("suppression.key"), "5e".repeat(32));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Another process that shares database, model and Twilio with this one. */
  Deployment node(Path ofHome) {
    return node(ofHome, Map.of());
  }

  /** The same with settings of its own. */
  Deployment node(Path ofHome, Map<String, String> own) {
    var node = deployment(ofHome, own);
    node.asksModelOf(deployment);
    return node;
  }

  Deployment deployment() {
    return deployment;
  }

  FakeTwilio twilio() {
    return twilio;
  }

  CoachScript script() {
    return script;
  }

  /** A phone that texts the process which is up now. */
  TwilioPhone phone() {
    return phone(deployment);
  }

  TwilioPhone phone(Deployment node) {
    var url = "http://127.0.0.1:" + node.jar().port();
    twilio.reaching(PUBLIC_URL, url);
    return TwilioPhone.calling(url, PUBLIC_URL);
  }

  /** Enrols somebody by SMS, waits for the greeting, and returns their id. */
  String greeted(String number) {
    var id = deployment.enrolByPhone(number);
    awaitTexts(number, 1);
    return id;
  }

  /** What Twilio took for a number, oldest first. */
  List<String> sentTo(String number) {
    return twilio.messages().stream()
        .filter(message -> message.to().equals(number))
        .map(TwilioMessage::body)
        .toList();
  }

  void awaitTexts(String number, int howMany) {
    Awaitility.await(howMany + " texts for " + number)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> sentTo(number).size() >= howMany);
  }

  /**
   * On PostgreSQL, makes what a process held when it died count as abandoned, for which another
   * process waits up to 45 s. TwoNodesIT and ThreeNodesIT wait for the real limits.
   */
  void abandonWhatTheDeadHeld() {
    if (database.isEmpty()) {
      return;
    }
    var ledger = ledger();
    ledger.change(
        "update lease set held_until = held_until - interval '1 minute' where owner is not null");
    ledger.change(
        "update outbox set sending_at = sending_at - interval '1 minute'"
            + " where status in ('sending', 'looking')");
  }

  /** Starts the line again after its process died. */
  void goOn() {
    abandonWhatTheDeadHeld();
    deployment.startWithDebugger();
  }

  Ledger ledger() {
    return database.isEmpty()
        ? deployment.ledgerNow()
        : Ledger.at(String.valueOf(database.get("DATABASE_URL")), "postgres");
  }

  /** The same past the running line: on H2 only while it is down. */
  Ledger ledgerOfADeadLine() {
    return database.isEmpty() ? deployment.ledger() : ledger();
  }

  Path home() {
    return home;
  }

  @Override
  public void close() {
    deployment.close();
    twilio.close();
  }
}
