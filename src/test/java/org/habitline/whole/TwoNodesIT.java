package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.habitline.messaging.twilio.TwilioPhone;
import org.habitline.whole.CoachScript.Step;
import org.habitline.whole.TextingLine.Database;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes share one PostgreSQL; one of them is killed in the middle of its work. */
final class TwoNodesIT {

  private static final int PEOPLE = 10;
  private static final int ROUNDS = 3;

  @TempDir Path homes;

  @Test
  void everyTextIsAnsweredOnceAndInOrderWhicheverNodeTakesItAndWhicheverDies() throws Exception {
    try (var line = new TextingLine(homes.resolve("one"), Database.POSTGRESQL);
        var other = line.node(homes.resolve("two"))) {
      line.deployment().start();
      other.start();
      var numbers = IntStream.range(0, PEOPLE).mapToObj(i -> Lines.nextPhone()).toList();
      var ids = numbers.stream().map(line::greeted).toList();
      var phones = new ArrayList<>(List.of(line.phone(), line.phone(other)));

      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        var talks =
            numbers.stream()
                .<Callable<String>>map(
                    number -> () -> talk(line, phones, numbers.indexOf(number), number))
                .toList();
        for (var talk : threads.invokeAll(talks)) {
          assertThat(talk.get()).startsWith("+");
        }
      }
      line.script().hold(Step.ECHO);
      numbers.forEach(
          number -> phones.get(numbers.indexOf(number) % 2).text(number, "The last one"));
      line.script().await(Step.ECHO);
      other.kill();
      line.script().release(Step.ECHO);
      numbers.forEach(number -> line.awaitTexts(number, ROUNDS + 2));

      var ledger = line.ledger();
      assertSoftly(softly -> {
        for (int i = 0; i < PEOPLE; i++) {
          var said = new ArrayList<String>();
          var heard = new ArrayList<>(List.of(CoachScript.GREETING));
          for (int round = 1; round <= ROUNDS; round++) {
            said.add("Round " + round);
          }
          said.add("The last one");
          said.forEach(text -> heard.add(CoachScript.reply(text)));
          softly.assertThat(ledger.said(ids.get(i))).isEqualTo(said);
          softly.assertThat(line.sentTo(numbers.get(i))).isEqualTo(heard);
        }
      });
      assertThat(ledger.openInbox()).isZero();
      assertThat(line.twilio().violations()).isEmpty();
      assertThat(line.deployment().model().violations()).isEmpty();
    }
  }

  /** One participant's texts, each to the other node, each after the answer to the one before. */
  private static String talk(TextingLine line, List<TwilioPhone> nodes, int first, String number) {
    for (int round = 1; round <= ROUNDS; round++) {
      assertThat(nodes.get((round + first) % 2).text(number, "Round " + round).status())
          .isEqualTo(200);
      line.awaitTexts(number, 1 + round);
    }
    return number;
  }
}
