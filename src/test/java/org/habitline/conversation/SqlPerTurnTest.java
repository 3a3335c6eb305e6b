package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.habitline.RunningLine;
import org.habitline.SqlCounts;
import org.habitline.llm.openai.Scripted;
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

  @BeforeAll
  static void start() {
    line = RunningLine.in(SqlPerTurnTest.class).with("test.sql-counts", "true").start();
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

  private static Costs answering(Participant participant, Scripted... answers) {
    line.fake().then(answers);
    var next = line.turns(participant) + 1;
    sql.forget();
    line.text(participant, "hello");
    var accept = Cost.of(Thread.currentThread().getName());
    line.awaitTurn(participant, next);
    return new Costs(
        accept, Cost.of("turn-" + participant.id()), Cost.of("outbox-" + participant.id()));
  }

  private static void longConversation(Participant participant) {
    for (int i = 0; i < 60; i++) {
      line.answered(participant, "text " + i);
    }
  }

  private static Scripted save(String anchor) {
    return Scripted.call("save_user_profile", "{\"prompt_anchor\":\"" + anchor + "\"}");
  }

  private static void report(String what, Costs costs) {
    log.info("{}: {}", what, costs);
  }

  @Test
  void aTurnCostsTheSameHoweverLongTheConversationIs() {
    var robin = line.greeted();
    var plain = answering(robin, Scripted.say("Hello."));
    longConversation(robin);
    report("without a tool call", plain);
    assertThat(answering(robin, Scripted.say("Hello again."))).isEqualTo(plain);
    assertThat(plain.turn().commits()).as("claim and commit").isEqualTo(2);
  }

  @Test
  void anIterationWithToolsCostsOneCommitMore() {
    var robin = line.greeted();
    var plain = answering(robin, Scripted.say("Hello."));
    var one = answering(robin, save("coffee"), Scripted.say("Saved."));
    var two = answering(robin, save("tea"), save("lunch"), Scripted.say("Saved."));
    report("with one tool call", one);
    report("with two", two);
    longConversation(robin);
    assertThat(answering(robin, save("dinner"), Scripted.say("Saved."))).isEqualTo(one);
    assertThat(one.turn().commits()).isEqualTo(plain.turn().commits() + 1);
    assertThat(two.turn().commits()).isEqualTo(plain.turn().commits() + 2);
  }
}
