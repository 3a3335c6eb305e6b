package org.habitline.llm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.habitline.llm.ModelMessage.AssistantText;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelMessage.ToolResult;
import org.habitline.llm.ModelMessage.UserText;
import org.junit.jupiter.api.Test;

final class TokenBudgetTest {

  private static final List<ModelMessage> SYSTEM = List.of(new SystemText("You coach."));
  private static final List<ModelMessage> NEW = List.of(new UserText("Shall we walk?"));

  private static TokenBudget budget(int tokens) {
    return new TokenBudget(new AskingSettings(Duration.ofSeconds(20), tokens, null));
  }

  private static List<ModelMessage> history(int messages, String text) {
    return IntStream.range(0, messages)
        .mapToObj(i ->
            i % 2 == 0
                ? (ModelMessage) new UserText(i + text)
                : new AssistantText(i + text, List.of()))
        .toList();
  }

  @Test
  void aContextThatFitsIsLeftAlone() {
    var history = history(50, " a short text");
    assertThat(budget(100_000).fit(List.of(), SYSTEM, history, NEW)).isSameAs(history);
  }

  @Test
  void tokensCountAndNotBytes() {
    var history = history(20, " walking".repeat(50));
    assertThat(budget(1500).fit(List.of(), SYSTEM, history, NEW))
        .as("9,000 bytes, about 1,200 tokens")
        .isEqualTo(history);
  }

  @Test
  void theOldestMessagesGoFirstAndWhole() {
    var history = history(50, " walking".repeat(100));
    var kept = budget(1000).fit(List.of(), SYSTEM, history, NEW);
    assertThat(kept).hasSizeBetween(5, 9).isEqualTo(history.subList(50 - kept.size(), 50));
  }

  @Test
  void whatIsNotHistoryIsKeptEvenWhenItAloneIsTooMuch() {
    var history = history(4, " hi");
    List<ModelMessage> system = List.of(new SystemText("coach ".repeat(2000)));
    assertThat(budget(1000).fit(List.of(), system, history, NEW)).isEmpty();
  }

  @Test
  void toolsTakeRoomToo() {
    var history = history(50, " walking".repeat(100));
    var without = budget(3000).fit(List.of(), SYSTEM, history, NEW);
    var tool = new ToolSpec("look", "around ".repeat(1000), JsonNodeFactory.instance.objectNode());
    var with = budget(3000).fit(List.of(tool), SYSTEM, history, NEW);
    assertThat(with.size()).isLessThan(without.size() - 5);
  }

  @Test
  void callsTakeRoomAndTheirResultsDoNotStayAlone() {
    var call = new ToolCall("c1", "look", "{\"at\":\"" + "lake ".repeat(2000) + "\"}");
    List<ModelMessage> history =
        List.of(
            new AssistantText(null, List.of(call)),
            new ToolResult("c1", "nothing"),
            new AssistantText("Nothing there.", List.of()));
    assertThat(budget(1000).fit(List.of(), SYSTEM, history, NEW)).isEqualTo(history.subList(2, 3));
    assertThat(budget(5000).fit(List.of(), SYSTEM, history, NEW)).isEqualTo(history);
  }

  @Test
  void wordsThatTheTokenizerKeepsForItselfAreOrdinaryText() {
    var history = history(4, " <|endoftext|> <|im_start|>" + " walking".repeat(500));
    assertThat(budget(1200).fit(List.of(), SYSTEM, history, NEW)).hasSize(2);
  }
}
