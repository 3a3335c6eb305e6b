package org.habitline.messaging.twilio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.math.BigDecimal;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.habitline.LockHolder;
import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.SettableClock;
import org.habitline.TestClocks;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.ProviderLists;
import org.habitline.messaging.Template;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.ChannelKind;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Texts that Twilio has and the line was never told of: the proxy or DNS was away, the database or
 * the line itself was down. Only the line's clock is moved, so it differs from Twilio's meanwhile;
 * the list is also looked at by the line's own timer.
 */
@Order(1)
final class MissedTextsTest {

  private static final AtomicInteger NUMBERS = new AtomicInteger(1000);
  private static final String SERVICE = "MG" + "5".repeat(32);
  private static final String AGENT = "rcs:example_agent";

  private static Texting shared;

  private SettableClock system;
  private FakeTwilio twilio;
  private RestLine line;
  private TwilioPhone phone;

  /** A line, its clock, and the Twilio that it texts by. */
  private record Texting(SettableClock system, FakeTwilio twilio, RestLine line)
      implements AutoCloseable {

    static Texting start(Duration ahead, UnaryOperator<Map<String, String>> settings) {
      var system = SettableClock.running();
      system.advance(ahead);
      var twilio = FakeTwilio.start();
      var line =
          RestLine.start(
              MissedTextsTest.class,
              settings.apply(WebhookTest.settings(twilio)),
              new TestClocks(system, system));
      return new Texting(system, twilio, line);
    }

    @Override
    public void close() {
      line.close();
      twilio.close();
    }
  }

  @BeforeAll
  static void start() {
    shared = Texting.start(Duration.ZERO, settings -> settings);
  }

  @AfterAll
  static void stop() {
    shared.close();
  }

  @BeforeEach
  void begin() {
    begin(shared);
  }

  private void begin(Texting texting) {
    system = texting.system();
    twilio = texting.twilio();
    line = texting.line();
    phone = TwilioPhone.calling(line.url(), WebhookTest.PUBLIC_URL).listedBy(twilio);
    twilio.reaching(WebhookTest.PUBLIC_URL, line.url());
    read(line);
  }

  /** Has a line for this test alone, because others would feel what it sets, breaks or ends. */
  private void beginAlone(Duration ahead, UnaryOperator<Map<String, String>> settings) {
    begin(Texting.start(ahead, settings));
  }

  @AfterEach
  void end() {
    if (twilio != shared.twilio()) {
      line.close();
      twilio.close();
    }
    assertThat(twilio.violations()).isEmpty();
  }

  /** The line has read the list after its start. */
  private void read(RestLine node) {
    await()
        .until(() -> {
          node.bean(CatchUp.class).fetch();
          if (node.bean(CatchUp.class).isPending()) {
            system.advance(CatchUp.SETTLED);
          }
          return !node.bean(CatchUp.class).isPending()
              && node.rows("SELECT owner FROM provider_list WHERE owner IS NOT NULL").isEmpty();
        });
  }

  private static String newNumber() {
    return "+1206551" + NUMBERS.incrementAndGet();
  }

  private String greeted() {
    var number = newNumber();
    line.enrol(Map.of("phone_number", number));
    awaitTexts(number, 1);
    return number;
  }

  private List<TwilioMessage> sentTo(String number) {
    return twilio.messages().stream()
        .filter(message -> !message.inbound() && message.to().endsWith(number))
        .toList();
  }

  private void awaitTexts(String number, int howMany) {
    await().until(() -> sentTo(number).size() >= howMany);
  }

  /** Texts the number of the line, whose webhook is not reached. */
  private String unheard(String number, String body) {
    return unheard(phone.sms(number, body), Duration.ofSeconds(30));
  }

  private String unheard(TwilioPhone.Inbound text, Duration ago) {
    return twilio.receive(text.form(), Instant.now().minus(ago));
  }

  /** Nobody is in the middle of anything: moved time ends leases. */
  private void settle() {
    await()
        .until(() ->
            line.rows("SELECT seq FROM inbox WHERE status <> 'done'").isEmpty()
                && line.rows("SELECT id FROM outbox WHERE open = TRUE").isEmpty());
  }

  private List<Map<String, Object>> inbox(String sid) {
    return line.rows("SELECT * FROM inbox WHERE provider_id = ?", sid);
  }

  private void anIntervalLater() {
    settle();
    system.advance(ProviderLists.EVERY);
    line.bean(CatchUp.class).fetch();
  }

  private long listed(String number) {
    var to = "To=" + URLEncoder.encode(number, StandardCharsets.UTF_8);
    return twilio.reads().stream().filter(read -> read.contains(to)).count();
  }

  @Test
  void aTextThatNeverReachedTheWebhookIsAnsweredWithinOneIntervalAndOnce() {
    var number = greeted();
    phone.text(number, "make it personal");
    awaitTexts(number, 2);
    var missed = unheard(number, "while the coffee brews");
    anIntervalLater();
    awaitTexts(number, 3);
    assertThat(sentTo(number).getLast().body()).contains("What would make it worth it");

    var young = phone.sms(number, "its webhook is on its way");
    unheard(young, Duration.ZERO);
    anIntervalLater();
    read(line);
    assertThat(inbox(young.sid())).as("the webhook says more than the list").isEmpty();
    young.with("OptOutType", "STOP").post();
    assertThat(inbox(young.sid()).getFirst()).containsEntry("wish", "stop");
    anIntervalLater();
    read(line);
    assertThat(inbox(missed)).hasSize(1);
    assertThat(inbox(young.sid())).hasSize(1);
  }

  @Test
  void whatIsMissedForHoursIsFetchedInItsOrderAlsoAfterARestart() {
    beginAlone(Duration.ofHours(-31), settings -> settings);
    var number = greeted();
    settle();
    var first = unheard(phone.sms(number, "make it personal"), Duration.ofHours(30));
    var second = unheard(phone.sms(number, "while the coffee brews"), Duration.ofMinutes(1));
    system.advance(Duration.ofHours(31));
    line.restart();
    // It may have been reading when it went; another node on the same database waits for it.
    system.advance(Duration.ofMinutes(3));
    line.bean(CatchUp.class).fetch();
    await().until(() -> inbox(second).size() == 1);
    assertThat((Long) inbox(first).getFirst().get("seq"))
        .isLessThan((Long) inbox(second).getFirst().get("seq"));
  }

  @Test
  void whatCouldNotBeStoredIsFetchedWithoutWaitingForTheInterval() {
    var number = greeted();
    var missed = unheard(number, "make it personal");
    settle();
    line.bean(CatchUp.class).missed();
    system.advance(CatchUp.SETTLED);
    line.bean(CatchUp.class).fetch();
    await().until(() -> inbox(missed).size() == 1);
    awaitTexts(number, 2);
  }

  @Test
  void whatIsWrongWithOneMessageKeepsNoOtherAway() {
    // What cannot be stored stays in the list.
    beginAlone(Duration.ZERO, settings -> settings);
    var number = greeted();
    awaitTexts(number, 1);
    settle();
    var greeting = sentTo(number).getLast().sid();
    twilio.charge(greeting, "-0.0075");
    var other = greeted();
    settle();
    twilio.charge(sentTo(other).getLast().sid(), "-1E+999999999");
    var passedOver = line.bean(ProviderLists.class).passedOver();
    var ago = Duration.ofSeconds(30);
    var fromNobody = unheard(phone.sms(number, "from nobody"), ago);
    twilio.spoil(fromNobody, message -> message.putNull("from"));
    var undated = unheard(phone.sms(number, "of no date"), ago);
    twilio.spoil(undated, message -> message.put("date_created", "yesterday"));
    var priceless = unheard(phone.sms(number, "in no currency"), ago);
    twilio.spoil(priceless, message -> message.put("price_unit", "?").put("error_code", "none"));
    var whole = unheard(phone.sms(number, "as it should be"), ago);
    anIntervalLater();
    await().until(() -> inbox(whole).size() == 1);
    await().until(() -> delivery(greeting).getFirst().get("price") != null);
    assertThat(inbox(priceless)).as("what it cost is not part of it").hasSize(1);
    assertThat(inbox(fromNobody)).isEmpty();
    assertThat(inbox(undated)).isEmpty();
    assertThat(line.bean(ProviderLists.class).passedOver()).isGreaterThanOrEqualTo(passedOver + 3);
    assertThat(line.bean(CatchUp.class).isPending()).isFalse();
  }

  @Test
  void textsOfEveryNumberAreFetchedBeforeAnyCostsAndWhateverHappensToThose() {
    var number = greeted();
    settle();
    var missed = unheard(phone.whatsAppText(number, "Robin", "hello"), Duration.ofSeconds(30));
    twilio.thenRead(
        TwilioAnswer.accept(), TwilioAnswer.accept(), TwilioAnswer.failWithoutJson(503));
    var before = line.bean(CatchUp.class).readUpTo().orElseThrow();
    anIntervalLater();
    await().until(() -> inbox(missed).size() == 1);
    await().until(() -> line.bean(CatchUp.class).readUpTo().orElseThrow().isAfter(before));
  }

  @Test
  void aNumberThatCannotBeReadKeepsNoOtherAwayAndIsReadAgain() {
    var number = greeted();
    settle();
    var missed = unheard(number, "make it personal");
    var byWhatsApp = unheard(phone.whatsAppText(number, "Robin", "hello"), Duration.ofSeconds(30));
    twilio.thenRead(TwilioAnswer.failWithoutJson(503));
    var before = line.bean(CatchUp.class).readUpTo().orElseThrow();
    anIntervalLater();
    await().until(() -> inbox(byWhatsApp).size() == 1);
    await().until(() -> twilio.pending() == 0);
    assertThat(inbox(missed)).isEmpty();
    assertThat(line.bean(CatchUp.class).readUpTo()).contains(before);
    settle();
    system.advance(Duration.ofMinutes(1));
    line.bean(CatchUp.class).fetch();
    await().until(() -> inbox(missed).size() == 1);
  }

  /** While it stores the first text, the list becomes another node's. */
  @Test
  void whoeverLosesTheListInTheMiddleStopsThere() throws Exception {
    var number = greeted();
    settle();
    var ago = Duration.ofSeconds(30);
    for (int i = 0; i < 130; i++) {
      unheard(phone.sms(number, "text " + i), ago);
    }
    system.advance(ProviderLists.EVERY);
    Thread reading;
    try (var holder = LockHolder.of(line)) {
      holder.update("UPDATE address SET phone = phone WHERE phone = ?", number);
      reading = Thread.ofVirtual().start(() -> line.bean(CatchUp.class).fetch());
      holder.awaitWaiting();
      holder.update("UPDATE provider_list SET owner = 'another'");
      holder.commit();
    }
    reading.join();
    // The line's own timer may have been the one that read.
    await().until(() -> stored(number) == 100);
    line.rows("SELECT owner FROM provider_list")
        .forEach(row -> assertThat(row).containsEntry("owner", "another"));
    system.advance(Duration.ofMinutes(3));
    await()
        .until(() -> {
          line.bean(CatchUp.class).fetch();
          return stored(number) == 130;
        });
  }

  private int stored(String number) {
    return line.rows(
            "SELECT i.seq FROM inbox i JOIN participant p ON p.id = i.participant_id"
                + " JOIN address a ON a.id = p.address_id WHERE i.kind = 'said' AND a.phone = ?",
            number)
        .size();
  }

  @Test
  void whatStaffDismissedAndWhatAnErasureTookDoNotComeBack() {
    var stranger = newNumber();
    var dismissed = phone.text(stranger, "is this the pizza line?");
    var seq =
        line.rows("SELECT seq FROM unclaimed_text WHERE provider_id = ?", dismissed.sid())
            .getFirst()
            .get("seq");
    assertThat(
            line.send("POST", "/unclaimed/" + seq + "/dismiss", "{\"reason\":\"pizza\"}").status())
        .isEqualTo(200);
    line.enrol(Map.of("phone_number", stranger));
    var number = newNumber();
    var robin = line.enrol(Map.of("phone_number", number)).result().path("id").asText();
    awaitTexts(number, 1);
    var said = phone.text(number, "something private");
    awaitTexts(number, 2);
    line.send("DELETE", RestLine.PARTICIPANTS + "/" + robin, "");
    await().until(() -> line.rows("SELECT id FROM participant WHERE id = ?", robin).isEmpty());
    assertThat(phone.sms(number, "something private").withSid(said.sid()).post().status())
        .as("a call that is repeated")
        .isEqualTo(200);
    line.enrol(Map.of("phone_number", number));
    for (int i = 0; i < 2; i++) {
      anIntervalLater();
      read(line);
      assertThat(inbox(said.sid())).isEmpty();
      assertThat(inbox(dismissed.sid())).isEmpty();
      assertThat(
              line.rows(
                  "SELECT * FROM unclaimed_text WHERE provider_id = ? AND status <> 'erased'",
                  said.sid()))
          .isEmpty();
    }
  }

  @Test
  void ofTwoNodesOneReadsTheList() throws Exception {
    try (var other = line.second()) {
      read(other);
      read(line);
      var number = greeted();
      var missed = unheard(number, "make it personal");
      settle();
      twilio.forgetReads();
      system.advance(ProviderLists.EVERY);
      var begin = new CountDownLatch(1);
      var nodes =
          List.of(line, other, line, other).stream()
              .map(node ->
                  Thread.ofVirtual()
                      .start(() -> {
                        try {
                          begin.await();
                          node.bean(CatchUp.class).fetch();
                        } catch (InterruptedException e) {
                          Thread.currentThread().interrupt();
                        }
                      }))
              .toList();
      begin.countDown();
      for (var node : nodes) {
        node.join();
      }
      await().until(() -> inbox(missed).size() == 1);
      assertThat(listed(TwilioPhone.LINE_NUMBER)).isEqualTo(1);
    }
  }

  @Test
  void aTextOfTheLastSecondsBeforeAStartIsReadTwentySecondsAfterIt() {
    beginAlone(Duration.ZERO, settings -> settings);
    var number = greeted();
    settle();
    // By Twilio's clock, which nobody moves, it is read three seconds from now.
    var read = Instant.now().plusSeconds(3);
    var sid = unheard(phone.sms(number, "just before"), Duration.ofSeconds(17));
    Rows.of(line)
        .write(
            "UPDATE provider_list SET owner = 'killed', held_until = CURRENT_TIMESTAMP + INTERVAL '2' MINUTE");
    twilio.forgetReads();
    line.restart();
    await()
        .until(() -> {
          line.bean(CatchUp.class).fetch();
          return twilio.reads().size() > 2;
        });
    await().until(() -> Instant.now().isAfter(read));
    system.advance(CatchUp.SETTLED);
    await()
        .until(() -> {
          line.bean(CatchUp.class).fetch();
          return inbox(sid).size() == 1;
        });
  }

  @Test
  void whatANodeWasReadingWhenItDiedIsReadByAnother() throws Exception {
    beginAlone(Duration.ZERO, settings -> settings);
    var number = greeted();
    var missed = unheard(number, "make it personal");
    settle();
    twilio.thenRead(TwilioAnswer.hangWithoutAccepting());
    system.advance(ProviderLists.EVERY);
    var dying = line;
    var reading = Thread.ofVirtual().start(() -> dying.bean(CatchUp.class).fetch());
    await().until(() -> twilio.pending() > 0);
    line = dying.second();
    dying.close();
    twilio.reaching(WebhookTest.PUBLIC_URL, line.url());
    twilio.release();
    reading.join();
    system.advance(Duration.ofMinutes(3));
    line.bean(CatchUp.class).fetch();
    await().until(() -> inbox(missed).size() == 1);
    awaitTexts(number, 2);
  }

  @Test
  void theNumbersOfAMessagingServiceAndRcsAgentsAreReadToo() {
    beginAlone(
        Duration.ZERO,
        settings -> {
          settings.remove("twilio.sms-from");
          settings.remove("twilio.whatsapp-from");
          settings.put("twilio.messaging-service-sid", SERVICE);
          return settings;
        });
    twilio.serving(SERVICE, TwilioPhone.LINE_NUMBER);
    var number = greeted();
    phone.text("rcs:" + number, "make it personal", Map.of("To", AGENT));
    awaitTexts(number, 2);
    assertThat(sentTo(number).getLast().messagingServiceSid())
        .as("the service tries RCS first and falls back by itself")
        .isEqualTo(SERVICE);
    assertThat(sentTo(number).getLast().to()).isEqualTo(number);
    var bySms = unheard(number, "while the coffee brews");
    var byRcs =
        unheard(
            phone.sms("rcs:" + number, "and the radio plays").with("To", AGENT),
            Duration.ofSeconds(30));
    anIntervalLater();
    await().until(() -> inbox(bySms).size() == 1 && inbox(byRcs).size() == 1);
    assertThat(inbox(byRcs).getFirst()).containsEntry("came_to", AGENT);
  }

  @Test
  @SuppressWarnings("unchecked") // the bean has no other type
  void whatATextCostAndTheCategoryOfItsTemplateAreRecorded() {
    var template = "HX" + "7".repeat(32);
    twilio.categorised(template, "MARKETING");
    var number = newNumber();
    var id = line.enrol(Map.of("phone_number", number)).result().path("id").asText();
    awaitTexts(number, 1);
    var transactions = line.bean(Transactions.class);
    transactions.write(() -> {
      line.bean(Outbox.class)
          .plan(
              new Outbox.Planned(
                  id,
                  1,
                  null,
                  OutboundKind.REPLY,
                  ChannelKind.WHATSAPP,
                  "One minute?",
                  Duration.ofHours(24),
                  new Template(template, Map.of()),
                  null));
    });
    awaitTexts(number, 2);
    var sid = sentTo(number).getLast().sid();
    await().until(() -> !delivery(sid).isEmpty());
    twilio.charge(sid, "-0.00750");
    anIntervalLater();
    await().until(() -> delivery(sid).getFirst().get("template_category") != null);
    assertThat(delivery(sid).getFirst())
        .containsEntry("price_unit", "USD")
        .containsEntry("template_category", "marketing");
    var shown = line.get(RestLine.PARTICIPANTS + "/" + id + "/deliveries").result().get(0);
    assertThat(shown.path("price").decimalValue()).isEqualByComparingTo("0.0075");
    assertThat(shown.path("price_unit").asText()).isEqualTo("USD");
    var charge =
        line.rows(
            "SELECT c.* FROM charge c JOIN outbox o ON o.id = c.outbox_id WHERE o.provider_id = ?",
            sid);
    assertThat(charge)
        .singleElement()
        .satisfies(row -> {
          assertThat(row).containsEntry("confidence", "exact").containsEntry("currency", "USD");
          assertThat((BigDecimal) row.get("cost")).isEqualByComparingTo("0.0075");
        });
    assertThat(shown.path("template_category").asText()).isEqualTo("marketing");
  }

  private List<Map<String, Object>> delivery(String sid) {
    return line.rows("SELECT * FROM outbox WHERE provider_id = ?", sid);
  }

  @Test
  void onceABackupWasPutBackWhatAnErasedPersonSaidBeforeStaysAway() throws SQLException {
    beginAlone(
        Duration.ofHours(-2),
        settings -> {
          settings.put("auto-enroll.new-users", "true");
          return settings;
        });
    var number = newNumber();
    var robin = line.enrol(Map.of("phone_number", number)).result().path("id").asText();
    awaitTexts(number, 1);
    line.send("DELETE", RestLine.PARTICIPANTS + "/" + robin, "");
    await().until(() -> line.rows("SELECT id FROM participant WHERE id = ?", robin).isEmpty());
    settle();
    // A backup from before knows nothing of it; the home's own file does.
    try (var connection = line.pool().getConnection();
        var statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM erased_sender");
      statement.executeUpdate("DELETE FROM erasure");
    }
    var said = unheard(phone.sms(number, "something private"), Duration.ofMinutes(150));
    var stop = unheard(phone.sms(number, "STOP"), Duration.ofMinutes(140));
    var since = unheard(phone.sms(number, "hello again"), Duration.ofMinutes(1));
    system.advance(Duration.ofHours(2));
    line.restart();
    system.advance(Duration.ofMinutes(3));
    line.bean(CatchUp.class).fetch();
    await().until(() -> inbox(since).size() == 1);
    for (var sid : List.of(said, stop)) {
      assertThat(inbox(sid)).isEmpty();
      assertThat(line.rows("SELECT * FROM unclaimed_text WHERE provider_id = ?", sid))
          .singleElement()
          .satisfies(row ->
              assertThat(row)
                  .containsEntry("status", "erased")
                  .containsEntry("sender", "")
                  .containsEntry("body", ""));
    }
    var again = String.valueOf(inbox(since).getFirst().get("participant_id"));
    assertThat(again).isNotEqualTo(robin);
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + again).result().path("opted_out").asBoolean())
        .as("they had said STOP")
        .isTrue();
    anIntervalLater();
    assertThat(line.rows("SELECT seq FROM unclaimed_text WHERE provider_id = ?", said)).hasSize(1);
  }

  @Test
  void aStartOfTheListDoesNotTakeBackALaterStop() {
    var number = greeted();
    var stranger = newNumber();
    phone.text(number, "STOP");
    phone.text(stranger, "STOP");
    var start = unheard(phone.sms(number, "START"), Duration.ofMinutes(10));
    var strangers = unheard(phone.sms(stranger, "START"), Duration.ofMinutes(10));
    anIntervalLater();
    await().until(() -> inbox(start).size() == 1);
    await()
        .until(() ->
            !line.rows("SELECT seq FROM unclaimed_text WHERE provider_id = ?", strangers)
                .isEmpty());
    assertThat(inbox(start).getFirst()).containsEntry("wish", null);
    assertThat(optedOut(number)).isTrue();
    assertThat(optedOut(stranger)).isTrue();
  }

  @Test
  void ofAStopAndAStartThatTheListBringsTogetherTheLaterOneCounts() {
    var back = greeted();
    var gone = greeted();
    unheard(phone.sms(back, "STOP"), Duration.ofMinutes(3));
    var start = unheard(phone.sms(back, "START"), Duration.ofMinutes(2));
    unheard(phone.sms(gone, "START"), Duration.ofMinutes(3));
    var stop = unheard(phone.sms(gone, "STOP"), Duration.ofMinutes(2));
    anIntervalLater();
    await().until(() -> inbox(start).size() == 1 && inbox(stop).size() == 1);
    assertThat(optedOut(back)).isFalse();
    assertThat(optedOut(gone)).isTrue();
  }

  private boolean optedOut(String number) {
    return line.rows("SELECT opted_out FROM address WHERE phone = ?", number).stream()
        .anyMatch(row -> Boolean.TRUE.equals(row.get("opted_out")));
  }
}
