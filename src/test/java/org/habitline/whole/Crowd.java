package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.habitline.messaging.twilio.TwilioMessage;

/** People who text one line, all of them at the same time. */
final class Crowd {

  private final TextingLine line;
  private final List<Person> people;

  /** One of them. */
  record Person(String number, String id) {}

  private Crowd(TextingLine line, List<Person> people) {
    this.line = line;
    this.people = people;
  }

  /**
   * Enrols so many people at once and waits until everybody is greeted, to the line's knowledge.
   */
  static Crowd greeted(TextingLine line, int size) {
    var numbers = IntStream.range(0, size).mapToObj(i -> Lines.nextPhone()).toList();
    var crowd =
        new Crowd(line, atOnce(numbers, number -> new Person(number, line.greeted(number))));
    crowd.awaitNothingLeft();
    return crowd;
  }

  List<Person> people() {
    return people;
  }

  /** Does the same for every one of these, all at the same time, and returns what came of each. */
  static <T, R> List<R> atOnce(Collection<T> these, Function<T, R> action) {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var calls = these.stream().<Callable<R>>map(one -> () -> action.apply(one)).toList();
      return threads.invokeAll(calls).stream()
          .map(call -> {
            try {
              return call.get();
            } catch (InterruptedException | ExecutionException e) {
              throw new IllegalStateException(e);
            }
          })
          .toList();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Does the same for everybody at once. */
  void everybody(Consumer<Person> action) {
    each(people, action);
  }

  /** Does the same for some of them at once. */
  static void each(Collection<Person> some, Consumer<Person> action) {
    var _ =
        atOnce(
            some,
            person -> {
              action.accept(person);
              return person;
            });
  }

  /** Waits until Twilio took so many texts for everybody. */
  void awaitTexts(int howMany) {
    everybody(person -> line.awaitTexts(person.number(), howMany));
  }

  /** Waits until Twilio took this text for one of them. */
  void awaitHeard(Person person, String text) {
    Awaitility.await(person.id() + " is answered")
        .pollInterval(Duration.ofMillis(200))
        .until(() -> line.sentTo(person.number()).contains(text));
  }

  /** Waits until the line has answered and sent whatever it knows of. */
  void awaitNothingLeft() {
    Awaitility.await("nothing is left to be done")
        .pollInterval(Duration.ofMillis(250))
        .until(() -> {
          var ledger = line.ledger();
          return ledger.openInbox() + ledger.openOutbox() == 0;
        });
  }

  /**
   * Everybody said what they said, in their order; every turn has one reply; Twilio took every
   * reply once and in order, and nothing that the ledger does not know of.
   */
  void assertThatNothingIsLostOrDoubled(Function<Person, List<String>> said) {
    var ledger = line.ledger();
    var heardOfTheLine = ledger.allAnswered();
    var saidToTheLine = ledger.allSaid();
    var replies = ledger.allRepliesByTurn();
    assertSoftly(softly -> {
      for (var person : people) {
        softly.assertThat(saidToTheLine.get(person.id())).isEqualTo(said.apply(person));
        softly
            .assertThat(line.sentTo(person.number()))
            .isEqualTo(heardOfTheLine.get(person.id()))
            .doesNotHaveDuplicates();
        softly.assertThat(replies.get(person.id())).isNotEmpty().containsOnly("1");
      }
      softly.assertThat(ledger.openInbox()).isZero();
      softly.assertThat(ledger.openOutbox()).isZero();
      softly
          .assertThat(ledger.count("select count(*) from turn where status = 'running'"))
          .isZero();
      softly
          .assertThat(ledger.words("select provider_id from outbox"))
          .containsExactlyInAnyOrderElementsOf(
              line.twilio().messages().stream().map(TwilioMessage::sid).toList());
    });
    assertThat(line.twilio().violations()).isEmpty();
    assertThat(line.deployment().model().violations()).isEmpty();
  }
}
