package org.habitline.llm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.habitline.Seeds;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelMessage.UserText;
import org.junit.jupiter.api.Test;

/** For any history and any budget; 200 cases, whose seeds are printed when one fails. */
final class TokenBudgetProperties {

  private static final int CASES = 200;

  private static final List<String> WORDS =
      List.of(
          "walk",
          " lake",
          " 🌳🌳",
          " \u0391\u03b2\u03b3",
          " don't",
          "\n\n",
          " 12345",
          "<|endoftext|>");

  private static ModelMessage anyMessage(Random random) {
    var text = new StringBuilder();
    for (int words = random.nextInt(80); words > 0; words--) {
      text.append(WORDS.get(random.nextInt(WORDS.size())));
    }
    return new UserText(text.toString());
  }

  @Test
  void whatIsKeptIsTheLongestNewestPartThatFits() {
    Seeds.each(
        CASES,
        seed -> {
          var random = new Random(seed);
          int tokens = random.nextInt(20, 800);
          var history =
              Stream.generate(() -> anyMessage(random)).limit(random.nextInt(13)).toList();
          List<ModelMessage> system = List.of(new SystemText("You coach."));
          List<ModelMessage> news = List.of(new UserText("Hello?"));
          var budget = new TokenBudget(new AskingSettings(Duration.ofSeconds(1), tokens, null));

          var kept = budget.fit(List.of(), system, history, news);

          var dropped = history.size() - kept.size();
          assertThat(kept).isEqualTo(history.subList(dropped, history.size()));
          assertThat(budget.fit(List.of(), system, kept, news)).as("fits").isEqualTo(kept);
          if (dropped > 0) {
            var oneMore = history.subList(dropped - 1, history.size());
            assertThat(budget.fit(List.of(), system, oneMore, news))
                .as("one more would not have fitted")
                .hasSizeLessThan(oneMore.size());
          }
          var wider = new TokenBudget(new AskingSettings(Duration.ofSeconds(1), tokens * 2, null));
          assertThat(wider.fit(List.of(), system, history, news).size())
              .as("a wider budget keeps no less")
              .isGreaterThanOrEqualTo(kept.size());
        });
  }
}
