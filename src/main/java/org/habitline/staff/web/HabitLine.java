package org.habitline.staff.web;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.habitline.timers.PromptOutcome;
import org.jspecify.annotations.Nullable;

/** The habit line: one bead for each of the last days, today last. */
public record HabitLine(List<Bead> beads) {

  /** How many days it shows, today among them. */
  public static final int DAYS = 14;

  /** What came of the daily prompt of a day; of several prompts the best counts. */
  public enum Bead {
    /** No daily prompt was sent. */
    OFF,
    NO_ANSWER,
    /** Answered, and no outcome is recorded. */
    UNKNOWN,
    NOT_DONE,
    PARTLY,
    DONE
  }

  /** A daily prompt that was sent. */
  public record Prompt(LocalDate date, boolean answered, @Nullable PromptOutcome outcome) {

    private Bead bead() {
      return switch (outcome) {
        case DONE -> Bead.DONE;
        case PARTLY -> Bead.PARTLY;
        case NOT_DONE -> Bead.NOT_DONE;
        case null -> answered ? Bead.UNKNOWN : Bead.NO_ANSWER;
      };
    }
  }

  /** Returns the habit line that ends on a participant's local date; older prompts are left out. */
  public static HabitLine of(Collection<Prompt> sent, LocalDate today) {
    var beads = new ArrayList<>(Collections.nCopies(DAYS, Bead.OFF));
    var first = first(today);
    for (var prompt : sent) {
      var place = (int) (prompt.date().toEpochDay() - first.toEpochDay());
      if (place >= 0 && place < DAYS && prompt.bead().compareTo(beads.get(place)) > 0) {
        beads.set(place, prompt.bead());
      }
    }
    return new HabitLine(List.copyOf(beads));
  }

  /** Returns the first day that is shown. */
  public static LocalDate first(LocalDate today) {
    return today.minusDays(DAYS - 1L);
  }

  /** Returns whether no daily prompt was sent on these days. */
  public boolean isEmpty() {
    return beads.stream().allMatch(bead -> bead == Bead.OFF);
  }

  /** Returns the same in words: "Last 14 days: 8 done, 1 not done, 2 no answer". */
  public String words() {
    var words = new StringBuilder("Last %d days: %d done".formatted(DAYS, count(Bead.DONE)));
    add(words, Bead.PARTLY, "partly");
    add(words, Bead.NOT_DONE, "not done");
    add(words, Bead.UNKNOWN, "answered, outcome unknown");
    add(words, Bead.NO_ANSWER, "no answer");
    return words.toString();
  }

  private void add(StringBuilder words, Bead which, String called) {
    if (count(which) > 0) {
      words.append(", ").append(count(which)).append(' ').append(called);
    }
  }

  private long count(Bead which) {
    return beads.stream().filter(bead -> bead == which).count();
  }
}
