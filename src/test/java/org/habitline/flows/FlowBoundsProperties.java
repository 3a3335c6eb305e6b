package org.habitline.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.habitline.Seeds;
import org.junit.jupiter.api.Test;

/** Inside its bounds a number is read as written, outside it is refused under its own name. */
class FlowBoundsProperties {

  private record Bound(String key, String written, long least, long most) {}

  private static final List<Bound> BOUNDS =
      List.of(
          new Bound("modules.TALK.load_limit", "load_limit: 20", 10, 50),
          new Bound("modules.TALK.history_limit", "history_limit: 10", 0, 20),
          new Bound("modules.TALK.max_iterations", "max_iterations: 5", 1, 50),
          new Bound("modules.TALK.temperature", "temperature: 0.5", 0, 2),
          new Bound("modules.TALK.max_tokens", "max_tokens: 300", 1, 1_000_000),
          new Bound("profile.anchor.max_length", "max_length: 100", 5, 2_000),
          new Bound("daily_prompt.most", "most: 2", 1, 10));

  private static Flow read(Bound bound, long number) {
    var name = bound.written().substring(0, bound.written().indexOf(':'));
    var yaml = FlowHome.YAML.replace(bound.written(), name + ": " + number);
    var draft =
        new FlowReader(
                new FlowFile("flow.yaml", "small", () -> yaml, Optional.empty()),
                FlowHome.TOOLS,
                Optional.empty(),
                text -> false)
            .read();
    if (!draft.mistakes().isEmpty()) {
      throw new BrokenFlow(draft.mistakes());
    }
    return draft.flow();
  }

  private static Bound anyBound(Random random) {
    return BOUNDS.get(random.nextInt(BOUNDS.size()));
  }

  @Test
  void aNumberOutsideItsBoundsIsRefused() {
    Seeds.each(
        300,
        seed -> {
          var random = new Random(seed);
          // The least load_limit and max_length here are those that their neighbours in the file
          // allow.
          var bound = anyBound(random);
          var step = 1 + (random.nextBoolean() ? random.nextInt(3) : random.nextLong(1L << 40));
          var number =
              random.nextBoolean() && bound.least() <= 1
                  ? bound.least() - step
                  : bound.most() + step;

          assertThatThrownBy(() -> read(bound, number))
              .isInstanceOf(BrokenFlow.class)
              .hasMessageStartingWith("flow.yaml: " + bound.key() + ": expected a ")
              .hasMessageContaining("found '" + number + "'");
        });
  }

  @Test
  void aNumberInsideItsBoundsIsReadAsWritten() {
    Seeds.each(
        300,
        seed -> {
          var random = new Random(seed);
          var bound = anyBound(random);
          var number = random.nextLong(bound.least(), bound.most() + 1);

          var flow = read(bound, number);

          var module = flow.module("TALK").orElseThrow();
          var model = module.model();
          String found =
              switch (bound.key()) {
                case "modules.TALK.load_limit" -> "" + module.loadLimit();
                case "modules.TALK.history_limit" -> "" + module.historyLimit();
                case "modules.TALK.max_iterations" -> "" + module.maxIterations();
                case "modules.TALK.temperature" -> "" + model.temperature();
                case "modules.TALK.max_tokens" -> "" + model.maxTokens();
                case "daily_prompt.most" -> "" + Objects.requireNonNull(flow.dailyPrompt()).most();
                default -> "" + ((FieldType.Text) flow.profile().getFirst().type()).maxLength();
              };
          assertThat(found).isIn("" + number, number + ".0");
        });
  }
}
