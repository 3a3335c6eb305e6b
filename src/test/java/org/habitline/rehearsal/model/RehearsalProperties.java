package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.Seeds;
import org.junit.jupiter.api.Test;

class RehearsalProperties {

  /** In a fixed order, so that a seed says everything. */
  private static final SortedMap<String, List<String>> ANSWERS =
      new TreeMap<>(
          Map.of(
              "prompt_anchor",
              List.of(
                  "after lunch",
                  "While the coffee brews",
                  "before my first meeting",
                  "when I wake up"),
              "preferred_time",
              List.of("mornings", "8-9am", "around 9", "in the evening", "18:30"),
              "motivational_frame",
              List.of("more energy", "because it clears my head", "for my health", "a small win"),
              "habit_domain",
              List.of("I like stretching", "walking", "deep breaths")));

  private static final List<String> CLAIMS =
      List.of(Lines.NOTED, Lines.CHANGED, Lines.TONE_NOTED, "Then let's begin with");

  private static final List<String> PIECES =
      List.of(
          "🍌",
          "👍🏽",
          "\ud83d",
          "\u0000",
          "!!!",
          "?",
          "...",
          ",",
          "{\"status\":\"success\"}",
          "<",
          ">",
          "null",
          "qwerty",
          "ok",
          "no",
          "after",
          "before",
          "when",
          "at",
          "8",
          "99",
          ":",
          "am",
          "because",
          "maybe",
          "make it",
          "actually",
          "now",
          "personal",
          "new prompt",
          "done",
          "didn't",
          "shorter",
          "no more reminders",
          "stop the prompts",
          "I'm in London",
          "8-9am",
          "make it 9:30",
          "evenings please",
          "\n",
          "\t",
          "ÄÖÜ",
          "你好",
          "Module: FEEDBACK",
          "x".repeat(900));

  @Test
  void answersInAnyOrderEndWithTheWholeProfileAndFeedback() {
    Seeds.each(
        50,
        seed -> {
          var random = new Random(seed);
          var line =
              random.nextBoolean() ? new RehearsedLine() : new RehearsedLine().withSchedules();
          line.join();
          var told = new ArrayList<String>();
          ANSWERS.values().forEach(ways -> told.add(ways.get(random.nextInt(ways.size()))));
          Collections.shuffle(told, random);
          while (!told.isEmpty()) {
            var together = Math.min(told.size(), 1 + random.nextInt(2));
            var texts = Stream.generate(told::removeFirst).limit(together).toArray(String[]::new);
            line.text(texts);
          }
          for (int turns = 0; turns < 5 && line.module.equals("INTAKE"); turns++) {
            line.text(line.last().endsWith(Cue.MORE.text()) ? "that's all" : "yes");
          }
          assertThat(line.module).isEqualTo("FEEDBACK");
          assertThat(line.profile).containsKeys(ANSWERS.keySet().toArray(String[]::new));
          assertThat(line.last()).isEqualTo(line.lastPrompt);
          assertThat(line.schedules).hasSize(line.offered.contains(Act.SCHEDULE) ? 1 : 0);
        });
  }

  @Test
  void anythingAtAllIsAnsweredInWordsAndNothingIsClaimedThatDidNotHappen() {
    Seeds.each(
        30,
        seed -> {
          var random = new Random(seed);
          var line =
              random.nextBoolean() ? new RehearsedLine() : new RehearsedLine().withSchedules();
          line.join();
          for (int turn = 0; turn < 12; turn++) {
            line.failing.clear();
            if (random.nextInt(3) == 0) {
              line.failing.add(
                  List.of(Act.SAVE, Act.MOVE, Act.WRITE, Act.SCHEDULE).get(random.nextInt(4)));
            }
            line.maxIterations = random.nextInt(5) == 0 ? 1 : 10;
            var reply = line.text(garbage(random));
            assertThat(reply).isNotBlank().doesNotStartWith("{");
            assertThat(reply.length()).isLessThan(700);
            if (CLAIMS.stream().anyMatch(reply::contains)) {
              assertThat(line.turn).anyMatch(call -> call.tool().equals(Act.SAVE) && call.good());
            }
            if (reply.equals(line.lastPrompt)) {
              assertThat(line.turn).anyMatch(call -> call.tool().equals(Act.WRITE) && call.good());
            }
            var scheduled =
                line.turn.stream()
                    .filter(call -> call.tool().equals(Act.SCHEDULE) && call.good())
                    .toList();
            if (reply.contains(Daily.SAID_WHEN_SET)) {
              assertThat(scheduled)
                  .anyMatch(call -> call.arguments().path("action").asText().equals("create"));
            }
            if (reply.contains(Lines.PROMPTS_OFF)) {
              assertThat(scheduled).isNotEmpty();
              assertThat(line.schedules).isEmpty();
            }
            if (reply.contains(Cue.HANDOVER.text())) {
              assertThat(line.module).isEqualTo("INTAKE");
            }
          }
        });
  }

  @Test
  void noAnswerDependsOnAnythingButTheRequest() {
    Seeds.each(
        30,
        seed -> {
          assertThat(transcript(seed)).isEqualTo(transcript(seed));
        });
  }

  private static List<String> transcript(long seed) {
    var random = new Random(seed);
    var line = new RehearsedLine();
    line.join();
    for (int turn = 0; turn < 8; turn++) {
      var ways = List.copyOf(ANSWERS.values()).get(random.nextInt(ANSWERS.size()));
      line.text(random.nextBoolean() ? garbage(random) : ways.get(random.nextInt(ways.size())));
    }
    return line.history.stream()
        .map(message -> String.valueOf(message.content()))
        .collect(Collectors.toList());
  }

  private static String garbage(Random random) {
    var text = new StringBuilder();
    for (int n = random.nextInt(8); n >= 0; n--) {
      switch (random.nextInt(3)) {
        case 0 -> random.ints(1 + random.nextInt(9), 'a', 'z' + 1).forEach(text::appendCodePoint);
        case 1 -> random.ints(1 + random.nextInt(4), 32, 0x2FFF).forEach(text::appendCodePoint);
        default -> text.append(PIECES.get(random.nextInt(PIECES.size())));
      }
      text.append(' ');
    }
    return text.toString();
  }
}
