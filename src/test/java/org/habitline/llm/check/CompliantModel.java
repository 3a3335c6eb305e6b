package org.habitline.llm.check;

import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.Scripted.Call;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.llm.openai.StrictFakeServer.Asked;

/**
 * A model that does what every exchange of a check asks for. Its reply to the exchange that is
 * cancelled never ends.
 */
public final class CompliantModel implements Function<Asked, Scripted> {

  static final String IN_SPANISH = "which fruit";
  static final String ONE_WALK = "25 minutes on tuesday";
  static final String TWO_WALKS = "two tool calls";
  static final String NO_NOTE = "15 minutes on wednesday";
  static final String REMEMBERED = "what is my code word";
  static final String COUNT = "count from 1 to 60";
  static final String HELLO = "say hello";
  static final String CANCELLED = "count from 1 to 400";

  private final CountDownLatch never = new CountDownLatch(1);

  /** Sets a server up as this model. */
  public static StrictFakeServer on(StrictFakeServer fake) {
    return fake.otherwise(new CompliantModel());
  }

  /** Whether the last text of the participant contains this. */
  static boolean is(Asked asked, String text) {
    return asked.lastUserText().toLowerCase(Locale.ROOT).contains(text);
  }

  @Override
  public Scripted apply(Asked asked) {
    if (is(asked, IN_SPANISH)) {
      return Scripted.say("Es la manzana. NIMBUS-7");
    }
    if (is(asked, REMEMBERED)) {
      return Scripted.say("It is HERON-52.");
    }
    if (asked.toolResults() > 0) {
      return Scripted.say("It is saved under the code KX-4471.");
    }
    if (is(asked, ONE_WALK)) {
      return Scripted.calls(walk("c1", "tuesday", 25));
    }
    if (is(asked, TWO_WALKS)) {
      return Scripted.calls(walk("c1", "friday", 30), walk("c2", "monday", 20));
    }
    if (is(asked, NO_NOTE)) {
      return Scripted.calls(walk("c1", "wednesday", 15));
    }
    if (is(asked, COUNT)) {
      return Scripted.say(numbers(60));
    }
    if (is(asked, HELLO)) {
      return Scripted.say("Hello.");
    }
    if (is(asked, CANCELLED)) {
      var reply = Scripted.say(numbers(400));
      return asked.streams() ? reply.heldMidway(never) : reply;
    }
    throw new IllegalArgumentException("no exchange asks this");
  }

  static Call walk(String id, String day, int minutes) {
    return new Call(
        id, "save_walk", "{\"day\":\"%s\",\"minutes\":%d,\"note\":null}".formatted(day, minutes));
  }

  private static String numbers(int last) {
    return IntStream.rangeClosed(1, last)
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(" "));
  }
}
