package org.habitline.rehearsal;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/** What one simulated participant asked of the line and when: all that the line owes them. */
final class Diary {

  private final PhoneNumber phone;
  private final List<Span> spans = new ArrayList<>();

  Diary(PhoneNumber phone, Instant enrolledAt, ZoneId zone) {
    this.phone = phone;
    spans.add(new Span(enrolledAt, Instant.MAX, zone, null, Wants.ALL));
  }

  /** What somebody wants to hear. */
  enum Wants {
    ALL,
    /** They said STOP. */
    NOTHING,
    /** Their study is over: no more prompts, but the reminder of the last one. */
    NO_PROMPTS
  }

  /**
   * A time in which nothing changed.
   *
   * @param from not in it: what happens at this instant came before
   * @param to in it
   * @param time when the prompt shall come; {@code null} before they said so
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

  /** Returns the span of an instant; of one before the enrolment, the first. */
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
