package org.habitline.staff.web;

import java.util.List;
import java.util.stream.Stream;

/** A step of the guided tour, in the order in which staff take them. */
public enum TourStep {
  /** Reply from the simulated phone. */
  PHONE("/participants/%s/simulator"),
  /** Read why the coach replied. */
  WHY("/participants/%s"),
  /** Choose the time of the daily prompt. */
  DAILY_PROMPT("/participants/%s/schedules"),
  /** Skip the clock to the daily prompt. */
  CLOCK("/participants/%s"),
  /** Look at the figures. */
  STUDY("/study"),
  /** Decide whether the example participant stays. */
  LEAVE("/"),
  /** The tour is over, and the example participant is still there. */
  OVER("/");

  private final String page;

  TourStep(String page) {
    this.page = page;
  }

  /** Returns the address of the page on which this step is taken. */
  String page(String participantId) {
    return page.formatted(participantId);
  }

  /** Returns the steps of a tour; the example participant of some flows gets no daily prompts. */
  static List<TourStep> all(boolean dailyPrompts) {
    return Stream.of(values())
        .filter(step -> step != OVER)
        .filter(step -> dailyPrompts || (step != DAILY_PROMPT && step != CLOCK))
        .toList();
  }
}
