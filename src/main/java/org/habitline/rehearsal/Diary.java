package org.habitline.rehearsal;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/** Records what one simulated participant asked for and when, to check what they should receive. */
final class Diary {

  private final PhoneNumber phone;
  private final List<Span> spans = new ArrayList<>();

  Diary(PhoneNumber phone, Instant enrolledAt, ZoneId zone) {
    this.phone = phone;
    spans.add(new Span(enrolledAt, Instant.MAX, zone, null, Wants.ALL));
  }

  /** Which messages a participant wants. */
  enum Wants {
    ALL,
    /** They texted STOP. */
    NOTHING,
    /** Their study is over: no more prompts, but still the reminder of the last one. */
    NO_PROMPTS,
    /** The coach must be silent: only fixed texts of a crisis and messages of staff may come. */
    PEOPLE_ONLY
  }

  /**
   * A span of time in which their wishes did not change.
   *
   * @param from exclusive: what happens at this instant belongs to the span before
   * @param to inclusive
   * @param time when they want the prompt, or {@code null} before they asked for a time
   */
  record Span(Instant from, Instant to, ZoneId zone, @Nullable PromptTime time, Wants wants) {

    boolean holds(Instant instant) {
      return instant.isAfter(from) && !instant.isAfter(to);
    }
  }

  PhoneNumber phone() {
    return phone;
  }

  List<Span> spans() {
    return List.copyOf(spans);
  }

  ZoneId zone() {
    return spans.getLast().zone();
  }

  PromptTime time() {
    return Objects.requireNonNull(spans.getLast().time());
  }

  Wants wants() {
    return spans.getLast().wants();
  }

  /**
   * Returns the span that holds an instant, or the first span for an instant before the enrolment.
   */
  Span at(Instant instant) {
    return spans.stream()
        .filter(span -> span.holds(instant))
        .findFirst()
        .orElseGet(spans::getFirst);
  }

  void asks(Instant at, PromptTime time) {
    change(new Span(at, Instant.MAX, zone(), time, wants()));
  }

  void moves(Instant at, ZoneId zone) {
    change(new Span(at, Instant.MAX, zone, spans.getLast().time(), wants()));
  }

  void wants(Instant at, Wants wants) {
    change(new Span(at, Instant.MAX, zone(), spans.getLast().time(), wants));
  }

  private void change(Span next) {
    var last = spans.removeLast();
    spans.add(new Span(last.from(), next.from(), last.zone(), last.time(), last.wants()));
    spans.add(next);
  }
}
