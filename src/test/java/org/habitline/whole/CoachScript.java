package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;

/**
 * A model that plays one long turn whenever it is told of a plan: it saves the profile, then moves
 * on and asks for the habit prompt (which asks a model again), then speaks. Told of a time it
 * schedules a daily prompt, told of seconds it moves on after them. Anything else it answers at
 * once. Each of its steps can be held.
 */
final class CoachScript {

  static final String GREETING = "Hello, this is the coach.";

  /** What a real phone gets first: the greeting, after the sentence that a machine writes. */
  static final String FIRST_TEXT = "This is an automated coach, not a person.\n\n" + GREETING;

  static final String HABIT_PROMPT = "After the kettle boils, try fifty steps - it wakes you up.";

  private static final Pattern DAILY = Pattern.compile("Daily at (\\d\\d:\\d\\d) in (\\S+)");
  private static final Pattern MOVE = Pattern.compile("Move me in (\\d+) seconds");

  /** The requests that the script tells apart. */
  enum Step {
    GREETING,
    SCHEDULE,
    MOVE_LATER,
    FIRST,
    SECOND,
    NESTED,
    THIRD,
    ECHO;

    static Step of(StrictFakeServer.Asked asked) {
      if (!asked.hasTools()) {
        return NESTED;
      }
      var text = asked.lastUserText();
      if (asked.event().contains("has just joined")) {
        return GREETING;
      }
      if (DAILY.matcher(text).matches() && asked.toolResults() == 0) {
        return SCHEDULE;
      }
      if (MOVE.matcher(text).matches() && asked.toolResults() == 0) {
        return MOVE_LATER;
      }
      if (!text.startsWith("Plan")) {
        return ECHO;
      }
      return switch (asked.toolResults()) {
        case 0 -> FIRST;
        case 1 -> SECOND;
        default -> THIRD;
      };
    }
  }

  private final StrictFakeServer model;
  private final Map<Step, CountDownLatch> held = new ConcurrentHashMap<>();

  private final Map<Step, Duration> pauses = new ConcurrentHashMap<>();
  private final AtomicInteger failures = new AtomicInteger();
  private volatile List<Scripted> waysToFail = List.of();

  private CoachScript(StrictFakeServer model) {
    this.model = model;
  }

  /** Lets a model server play the script. */
  static CoachScript playedBy(StrictFakeServer model) {
    var script = new CoachScript(model);
    model.otherwise(script::answer);
    return script;
  }

  private Scripted answer(StrictFakeServer.Asked asked) {
    var ways = waysToFail;
    if (!ways.isEmpty()) {
      return ways.get(failures.getAndIncrement() % ways.size());
    }
    var step = Step.of(asked);
    var answer =
        switch (step) {
          case GREETING -> Scripted.say(GREETING);
          case SCHEDULE -> scheduled(asked.lastUserText());
          case MOVE_LATER -> movedLater(asked.lastUserText());
          case FIRST ->
              Scripted.calls(
                  new Scripted.Call("call_save", "save_user_profile", saved(asked.lastUserText())));
          case SECOND ->
              Scripted.calls(
                  new Scripted.Call(
                      "call_move",
                      "transition_state",
                      "{\"target_state\":\"FEEDBACK\",\"reason\":null}"),
                  new Scripted.Call(
                      "call_write",
                      "generate_habit_prompt",
                      "{\"delivery_mode\":\"immediate\",\"personalization_notes\":null}"));
          case NESTED -> Scripted.say(HABIT_PROMPT);
          case THIRD, ECHO -> Scripted.say(reply(asked.lastUserText()));
        };
    var latch = held.get(step);
    var inTime = answer.after(pauses.getOrDefault(step, Duration.ZERO));
    return latch == null ? inTime : inTime.heldBy(latch);
  }

  /** What a participant says to get a daily prompt. */
  static String daily(LocalTime time, ZoneId zone) {
    return "Daily at %s in %s".formatted(time.truncatedTo(ChronoUnit.MINUTES), zone);
  }

  private static Scripted scheduled(String text) {
    var wanted = matched(DAILY, text);
    return Scripted.calls(
        new Scripted.Call("call_save", "save_user_profile", saved("the kettle")),
        new Scripted.Call(
            "call_schedule",
            "scheduler",
            "{\"action\":\"create\",\"type\":\"fixed\",\"fixed_time\":\"%s\",\"timezone\":\"%s\"}"
                .formatted(wanted.group(1), wanted.group(2))));
  }

  private static Scripted movedLater(String text) {
    var minutes = Integer.parseInt(matched(MOVE, text).group(1)) / 60.0;
    return Scripted.call(
        "transition_state",
        "{\"target_state\":\"FEEDBACK\",\"delay_minutes\":%s}".formatted(minutes));
  }

  private static Matcher matched(Pattern pattern, String text) {
    var matcher = pattern.matcher(text);
    assertThat(matcher.matches()).isTrue();
    return matcher;
  }

  private static String saved(String text) {
    return "{\"prompt_anchor\":\"%s\",\"preferred_time\":\"at eight\"}".formatted(text);
  }

  /** What the coach says at last to this text. */
  static String reply(String text) {
    return "I heard: " + text;
  }

  /** Requests of this step wait from now on until they are released. */
  void hold(Step step) {
    held.put(step, new CountDownLatch(1));
  }

  /** Lets go of what is held; later requests are answered at once. */
  void release(Step step) {
    var latch = held.remove(step);
    if (latch != null) {
      latch.countDown();
    }
  }

  /** Requests of this step are answered after a pause. */
  void slow(Step step, Duration pause) {
    pauses.put(step, pause);
  }

  /** Every request fails from now on until {@link #works}, in one of these ways after the other. */
  void fails(Scripted... ways) {
    waysToFail = List.of(ways);
  }

  void works() {
    waysToFail = List.of();
  }

  /** Waits until this step was asked for. */
  void await(Step step) {
    await(step, 1);
  }

  /** Waits until this step was asked for so many times. */
  void await(Step step, int times) {
    Awaitility.await("the model is asked: " + step)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> asked(step) >= times);
  }

  /** How often each step was asked for. */
  Map<Step, Integer> asked() {
    var times = new EnumMap<Step, Integer>(Step.class);
    for (var asked : model.asked()) {
      times.merge(Step.of(asked), 1, Integer::sum);
    }
    return times;
  }

  int asked(Step step) {
    return asked().getOrDefault(step, 0);
  }
}
