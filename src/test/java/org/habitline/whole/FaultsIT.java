package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.whole.CoachScript.Step;
import org.habitline.whole.Crowd.Person;
import org.habitline.whole.TextingLine.Database;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What the line needs goes away in the middle of texting and comes back: the database, the model,
 * the provider, and the line itself. Outages are shorter than those of real life, and so are the
 * line's own time limits: what is done after one failure is done after the hundredth.
 */
@Tag("endurance")
@Execution(ExecutionMode.CONCURRENT)
final class FaultsIT {

  private static final Duration OUTAGE = Duration.ofSeconds(20);
  private static final int UNAVAILABLE = 503;
  private static final String APOLOGY =
      "Sorry, I can't answer properly right now. Your message has arrived; please text me again in"
          + " a little while.";

  @TempDir Path home;

  /**
   * The database is cut off for 20 s while 20 turns are at the model and three texts at Twilio;
   * whatever comes meanwhile is answered 503, which Twilio does not repeat.
   */
  @Test
  void textsThatCameWhileTheDatabaseWasAwayAreFetchedFromTheProviderAndAnsweredOnce() {
    try (var line = new TextingLine(home, Database.POSTGRESQL)) {
      var cable = line.deployment().overACable("DATABASE_URL");
      line.deployment().start();
      var crowd = Crowd.greeted(line, 23);
      var sending = crowd.people().subList(0, 3);
      var thinking = crowd.people().subList(3, 23);
      var phone = line.phone().listedBy(line.twilio());

      var isAway = new CountDownLatch(1);
      line.twilio().then(taken(isAway), taken(isAway), taken(isAway));
      Crowd.each(sending, person -> accepted(phone, person, "Before"));
      await("three texts are at Twilio", () -> line.twilio().pending() == sending.size());
      line.script().slow(Step.ECHO, Duration.ofSeconds(3));
      Crowd.each(thinking, person -> accepted(phone, person, "Before"));
      line.script().await(Step.ECHO, crowd.people().size());
      cable.cut();
      isAway.countDown();
      var outage = after(OUTAGE, cable::mend);
      crowd.everybody(person ->
          assertThat(phone.text(person.number(), "Meanwhile").status()).isEqualTo(UNAVAILABLE));
      outage.join();

      line.script().slow(Step.ECHO, Duration.ZERO);
      crowd.awaitTexts(3);
      crowd.everybody(person -> accepted(phone, person, "Afterwards"));
      crowd.awaitTexts(4);
      crowd.awaitNothingLeft();

      var said = List.of("Before", "Meanwhile", "Afterwards");
      crowd.assertThatNothingIsLostOrDoubled(person -> said);
      assertThatAllHeard(line, crowd.people(), said);
    }
  }

  /**
   * The machine of the database is gone without a word, and another takes its place: nobody ever
   * tells the line that its connections are dead.
   */
  @Test
  void aDatabaseThatFellSilentIsGivenUpAndTheLineGoesOn() {
    try (var line = new TextingLine(home, Database.POSTGRESQL)) {
      var cable = line.deployment().overACable("DATABASE_URL");
      line.deployment().start();
      var crowd = Crowd.greeted(line, 5);
      var phone = line.phone().listedBy(line.twilio());

      cable.silence();
      crowd.everybody(person -> textInVain(phone, person, "Is anybody there?"));
      cable.mend();
      crowd.everybody(person -> crowd.awaitHeard(person, CoachScript.reply("Is anybody there?")));
      crowd.everybody(person -> accepted(phone, person, "Afterwards"));
      crowd.awaitTexts(3);
      crowd.awaitNothingLeft();

      var said = List.of("Is anybody there?", "Afterwards");
      crowd.assertThatNothingIsLostOrDoubled(person -> said);
      assertThatAllHeard(line, crowd.people(), said);
    }
  }

  private static TwilioAnswer taken(CountDownLatch answered) {
    return TwilioAnswer.accept().heldAfterAccepting(answered);
  }

  /**
   * The model is refused, then answers 503, hangs and hangs up. Whoever texts at the beginning has
   * waited for as long as the line promises (here 20 s instead of 60) and gets the flow's own text;
   * whoever texts at the end is answered by the model, later than usual.
   */
  @Test
  void whoeverTextsWhileTheModelIsAwayHearsOneTextAndItsReasonIsRecorded() {
    var patience = Map.of("TURN_DEADLINE", "20s", "MODEL_ATTEMPT_TIMEOUT", "5s");
    try (var line = new TextingLine(home, Database.H2, patience)) {
      var cable = line.deployment().overACable("OPENAI_BASE_URL");
      line.deployment().start();
      var crowd = Crowd.greeted(line, 40);
      var early = crowd.people().subList(0, 20);
      var late = crowd.people().subList(20, 40);
      var phone = line.phone();

      line.script()
          .fails(Scripted.status(UNAVAILABLE), Scripted.hang(), Scripted.closedConnection());
      cable.cut();
      var refused = after(Duration.ofSeconds(6), cable::mend);
      Crowd.each(early, person -> accepted(phone, person, "Early"));
      refused.join();
      Crowd.each(early, person -> line.awaitTexts(person.number(), 2));
      var askedBefore = line.script().asked(Step.ECHO);
      Crowd.each(late, person -> accepted(phone, person, "Late"));
      line.script().await(Step.ECHO, askedBefore + late.size());
      line.script().works();
      crowd.awaitTexts(2);
      crowd.everybody(person -> accepted(phone, person, "Are you back?"));
      crowd.awaitTexts(3);
      crowd.awaitNothingLeft();

      var ledger = line.ledger();
      crowd.assertThatNothingIsLostOrDoubled(
          person -> List.of(early.contains(person) ? "Early" : "Late", "Are you back?"));
      assertThatAllHeard(line, late, List.of("Late", "Are you back?"));
      assertSoftly(softly ->
          early.forEach(person ->
              softly
                  .assertThat(line.sentTo(person.number()))
                  .containsExactly(
                      CoachScript.FIRST_TEXT, APOLOGY, CoachScript.reply("Are you back?"))));
      assertThat(ledger.words("select reason from turn where status = 'failed'"))
          .hasSize(early.size())
          .allMatch(reason ->
              reason.startsWith("the model's server")
                  || reason.startsWith("the connection to the model's server"));
      assertThat(ledger.words("select distinct outcome from turn where status = 'failed'"))
          .containsExactly("model_failed");
    }
  }

  /**
   * Twilio fails for 20 s in three ways, one after the other, and its list cannot be read: it
   * answers 503 and takes nothing, is not there at all, takes a text and never answers (the line
   * gives up after 5 s instead of 15). Each way meets ten people first, who then text once more.
   */
  @Test
  void everyTextGoesOutOnceAndInOrderAfterTheProviderWasAway() {
    try (var line =
        new TextingLine(home, Database.POSTGRESQL, Map.of("TWILIO_REQUEST_TIMEOUT", "5s"))) {
      var cable = line.deployment().overACable("TWILIO_API_BASE_URL");
      line.deployment().start();
      var crowd = Crowd.greeted(line, 30);
      var phone = line.phone();
      var greetings = crowd.people().size();
      var outage = after(OUTAGE, () -> {});

      line.twilio()
          .otherwise(posted -> TwilioAnswer.fail(UNAVAILABLE, 20_503))
          .otherwiseRead(TwilioAnswer.fail(UNAVAILABLE, 20_503));
      var refused = crowd.people().subList(0, 10);
      Crowd.each(refused, person -> accepted(phone, person, "First"));
      await("503", () -> line.twilio().posts().size() >= greetings + refused.size());

      cable.cut();
      var unreachable = crowd.people().subList(10, 20);
      Crowd.each(unreachable, person -> accepted(phone, person, "First"));
      await(
          "Twilio is not there",
          () ->
              line.ledger()
                      .count(
                          "select count(*) from outbox where reason = 'Twilio cannot be reached'")
                  >= unreachable.size());

      line.twilio().otherwise(posted -> TwilioAnswer.acceptThenHang());
      cable.mend();
      var unanswered = crowd.people().subList(20, 30);
      Crowd.each(unanswered, person -> accepted(phone, person, "First"));
      Crowd.each(unanswered, person -> line.awaitTexts(person.number(), 2));

      crowd.everybody(person -> accepted(phone, person, "Second"));
      await(
          "everything is answered, though not sent",
          () ->
              line.ledger().count("select count(*) from turn where status = 'done'")
                  >= 3L * greetings);
      outage.join();
      line.twilio()
          .otherwise(posted -> TwilioAnswer.accept())
          .otherwiseRead(TwilioAnswer.accept())
          .release();
      crowd.awaitTexts(3);
      crowd.awaitNothingLeft();

      crowd.assertThatNothingIsLostOrDoubled(person -> List.of("First", "Second"));
      assertThatAllHeard(line, crowd.people(), List.of("First", "Second"));
    }
  }

  /**
   * Signal 15 while people wait for a slow model, others for a slow Twilio, for a model that hangs
   * and for a Twilio that took their text and hangs. What is texted to the line that is not there
   * is fetched when it is back.
   */
  @Test
  void aStopInTheMiddleOfABurstLosesAndDoublesNothing() {
    var anyTime = Map.of("TURN_DEADLINE", "10m", "MODEL_ATTEMPT_TIMEOUT", "10m");
    try (var line = new TextingLine(home, Database.H2, anyTime)) {
      line.deployment().start();
      var crowd = Crowd.greeted(line, 40);
      var hanging = crowd.people().subList(0, 5);
      var lost = crowd.people().subList(5, 10);
      var slow = crowd.people().subList(10, 40);
      var talkative = slow.subList(0, 15);
      var unheard = slow.subList(15, 30);
      var numbersOfTheLost = lost.stream().map(Person::number).toList();
      var phone = line.phone().listedBy(line.twilio());

      line.twilio()
          .otherwise(posted ->
              numbersOfTheLost.contains(posted.to())
                  ? TwilioAnswer.acceptThenHang()
                  : taken(opening(Duration.ofSeconds(1))));
      line.script().hold(Step.SECOND);
      Crowd.each(hanging, person -> accepted(phone, person, "Plan my evening"));
      line.script().await(Step.SECOND, hanging.size());
      Crowd.each(lost, person -> accepted(phone, person, "Hello"));
      Crowd.each(lost, person -> line.awaitTexts(person.number(), 2));
      line.script().slow(Step.ECHO, Duration.ofSeconds(3));
      Crowd.each(slow, person -> accepted(phone, person, "Hello"));
      Crowd.each(slow.subList(0, 10), person -> line.awaitTexts(person.number(), 2));
      Crowd.each(talkative, person -> accepted(phone, person, "And one more"));
      var stopped = CompletableFuture.runAsync(() -> line.deployment().stop());
      Crowd.each(unheard, person -> textInVain(phone, person, "Are you there?"));
      stopped.join();

      line.script().release(Step.SECOND);
      line.script().slow(Step.ECHO, Duration.ZERO);
      line.twilio().otherwise(posted -> TwilioAnswer.accept()).release();
      line.deployment().start();
      Crowd.each(unheard, person -> crowd.awaitHeard(person, CoachScript.reply("Are you there?")));
      crowd.awaitNothingLeft();

      crowd.assertThatNothingIsLostOrDoubled(person -> {
        var said = new ArrayList<String>();
        said.add(hanging.contains(person) ? "Plan my evening" : "Hello");
        if (slow.contains(person)) {
          said.add(talkative.contains(person) ? "And one more" : "Are you there?");
        }
        return said;
      });
      assertThat(line.ledger().words("select distinct concat(status, ' ', attempts) from turn"))
          .containsExactly("done 1");
      assertThat(line.script().asked(Step.FIRST)).isEqualTo(hanging.size());
    }
  }

  private static void assertThatAllHeard(TextingLine line, List<Person> people, List<String> said) {
    var heard = new ArrayList<>(List.of(CoachScript.FIRST_TEXT));
    said.forEach(text -> heard.add(CoachScript.reply(text)));
    assertSoftly(softly ->
        people.forEach(person -> softly.assertThat(line.sentTo(person.number())).isEqualTo(heard)));
  }

  private static void accepted(TwilioPhone phone, Person person, String text) {
    assertThat(phone.text(person.number(), text).status()).isEqualTo(200);
  }

  /** The line may take it or not be there; Twilio keeps it. */
  private static void textInVain(TwilioPhone phone, Person person, String text) {
    try {
      var _ = phone.text(person.number(), text);
    } catch (RuntimeException e) {
      // Nobody was there.
    }
  }

  private static void await(String what, BooleanSupplier happened) {
    Awaitility.await(what).pollInterval(Duration.ofMillis(100)).until(happened::getAsBoolean);
  }

  private static CompletableFuture<Void> after(Duration time, Runnable action) {
    return CompletableFuture.runAsync(
        action, CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS));
  }

  private static CountDownLatch opening(Duration time) {
    var latch = new CountDownLatch(1);
    var _ = after(time, latch::countDown);
    return latch;
  }
}
