package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.habitline.RunningLine;
import org.habitline.SqlCounts;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.inbox.InboundHandler;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a turn costs the database: the same, however long the conversation is. */
@Tag("database")
final class SqlPerTurnTest {

  private static final Logger log = LoggerFactory.getLogger(SqlPerTurnTest.class);

  private static RunningLine line;
  private static SqlCounts sql;

  private static int saved;

  @BeforeAll
  static void start() {
    line = RunningLine.in(SqlPerTurnTest.class).bean(new SqlCounts()).start();
    sql = line.bean(SqlCounts.class);
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  /**
   * The transactions that wrote something, and their statements. Looks that find nothing to do come
   * at any time and are left out.
   */
  private record Cost(int statements, int commits) {
    static Cost of(String thread) {
      var cost = new Cost(0, 0);
      var transaction = new ArrayList<String>();
      for (var said : sql.of(thread)) {
        switch (said) {
          case SqlCounts.COMMIT -> {
            cost = cost.plus(transaction);
            transaction.clear();
          }
          case SqlCounts.ROLLBACK -> transaction.clear();
          default -> transaction.add(said);
        }
      }
      return cost;
    }

    private Cost plus(List<String> transaction) {
      var wrote = transaction.stream().anyMatch(said -> !said.stripLeading().startsWith("SELECT"));
      return wrote ? new Cost(statements + transaction.size(), commits + 1) : this;
    }
  }

  /** What it costs to take a text in, to answer it, and to send the answer. */
  private record Costs(Cost accept, Cost turn, Cost send) {}

  /** The thread that stores texts. */
  private static final String STORING = "group-commit";

  private static final int TIMES = 3;

  /**
   * What it usually costs: on a busy machine the look that follows a turn may still be going on
   * when the counting begins, and find the next text itself.
   */
  private static Costs answering(Participant participant, Supplier<List<Scripted>> answers) {
    return IntStream.range(0, TIMES)
        .mapToObj(time -> answeringOnce(participant, answers.get()))
        .sorted(Comparator.comparingInt(costs -> costs.turn().statements()))
        .toList()
        .get(TIMES / 2);
  }

  private static Costs answeringOnce(Participant participant, List<Scripted> answers) {
    line.fake().then(answers.toArray(Scripted[]::new));
    var next = line.turns(participant) + 1;
    sql.forget();
    line.text(participant, "hello number " + next);
    line.awaitTurn(participant, next);
    await().pollInterval(Duration.ofMillis(5)).until(() -> isCounted(sending(participant)));
    return new Costs(
        Cost.of(STORING), Cost.of("turn-" + participant.id()), Cost.of(sending(participant)));
  }

  private static String sending(Participant participant) {
    return "outbox-" + participant.id();
  }

  /** A commit is seen by others a moment before it is counted. */
  private static boolean isCounted(String thread) {
    var said = sql.of(thread);
    return said.stream()
        .filter(statement -> statement.contains("UPDATE outbox") && statement.contains("ended_at"))
        .mapToInt(said::indexOf)
        .anyMatch(ended -> said.subList(ended, said.size()).contains(SqlCounts.COMMIT));
  }

  private static void longConversation(Participant participant) {
    for (int i = 0; i < 60; i++) {
      line.answered(participant, "text " + i);
    }
  }

  private static Scripted save() {
    saved++;
    return Scripted.call("save_user_profile", "{\"prompt_anchor\":\"moment " + saved + "\"}");
  }

  private static void report(String what, Costs costs) {
    log.info("{}: {}", what, costs);
  }

  @Test
  void aTurnCostsTheSameHoweverLongTheConversationIs() {
    var robin = line.greeted();
    var plain = answering(robin, () -> List.of(Scripted.say("Hello.")));
    longConversation(robin);
    report("without a tool call", plain);
    assertThat(answering(robin, () -> List.of(Scripted.say("Hello again.")))).isEqualTo(plain);
    assertThat(plain.turn().commits()).as("claim and commit").isEqualTo(2);
    assertThat(plain.accept().commits()).as("a text that is stored").isEqualTo(1);
    assertThat(plain.turn().statements()).as("claim and commit").isLessThanOrEqualTo(20);
  }

  @Test
  void aLookThatFindsNothingWritesNothing() {
    var robin = line.greeted();
    line.answered(robin, "hello");
    sql.forget();
    assertThat(line.bean(InboundHandler.class).handle(robin.id()))
        .isInstanceOf(InboundHandler.Handled.Nothing.class);
    assertThat(sql.of(Thread.currentThread().getName()))
        .hasSize(3)
        .allMatch(
            said -> said.stripLeading().startsWith("SELECT") || said.equals(SqlCounts.ROLLBACK));
  }

  @Test
  void anIterationWithToolsCostsOneCommitMore() {
    var robin = line.greeted();
    var plain = answering(robin, () -> List.of(Scripted.say("Hello.")));
    var one = answering(robin, () -> List.of(save(), Scripted.say("Saved.")));
    var two = answering(robin, () -> List.of(save(), save(), Scripted.say("Saved.")));
    report("with one tool call", one);
    report("with two", two);
    longConversation(robin);
    assertThat(one.turn().statements()).isLessThanOrEqualTo(28);
    assertThat(answering(robin, () -> List.of(save(), Scripted.say("Saved.")))).isEqualTo(one);
    assertThat(one.turn().commits()).isEqualTo(plain.turn().commits() + 1);
    assertThat(two.turn().commits()).isEqualTo(plain.turn().commits() + 2);
  }
}
