package org.habitline.staff.web;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Supplier;
import org.habitline.flows.FlowCatalog;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Transactions;
import org.habitline.study.Rehearsal;

/**
 * The guided tour of a new installation: a fictional example participant and the step that staff
 * are at. It is offered only while all phones are simulated and nobody takes part. The example
 * participant counts like any other until staff erase it, which also ends the tour.
 */
@Singleton
public final class Tours implements ParticipantListener {

  private final JdbcTours rows;
  private final FlowCatalog flows;
  private final Rehearsal rehearsal;
  private final Transactions transactions;
  private final Clock clock;

  Tours(
      JdbcTours rows,
      FlowCatalog flows,
      Rehearsal rehearsal,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.flows = flows;
    this.rehearsal = rehearsal;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** A tour that was started and whose example participant is still there. */
  public record Tour(String participantId, TourStep step) {

    /** Returns the address of the page on which the step is taken. */
    public String page() {
      return step.page(participantId);
    }
  }

  /** Returns whether the tour may be started: nothing real is configured, and nobody is there. */
  public boolean offered() {
    return rehearsal.on() && transactions.read(() -> rows.anybody()) == 0;
  }

  /** Returns the tour, or empty if none was started or its example participant was erased. */
  public Optional<Tour> current() {
    return transactions
        .read(() -> rows.find())
        .map(row -> new Tour(row.participantId(), row.step()));
  }

  /**
   * Starts the tour, if it is offered; a crash leaves neither the tour nor its participant.
   *
   * @param enrol enrols the example participant, and returns their id
   */
  public void start(Supplier<String> enrol) {
    transactions.write(() -> {
      if (offered()) {
        rows.save(new JdbcTours.Row(enrol.get(), TourStep.PHONE, clock.instant()));
      }
    });
  }

  /** Moves the tour to the step after this one, unless it has moved on already. */
  public void next(TourStep from) {
    var steps = TourStep.all(dailyPrompts());
    move(from, steps.get(Math.min(steps.indexOf(from) + 1, steps.size() - 1)));
  }

  /** Moves the tour to a step, if it is at {@code from}. */
  public void move(TourStep from, TourStep to) {
    transactions.write(() ->
        rows.find()
            .filter(row -> row.step() == from)
            .map(row -> rows.move(row.participantId(), to))
            .orElse(0));
  }

  /** Returns whether the example participant gets daily prompts. */
  boolean dailyPrompts() {
    return flows.defaultFlow().dailyPrompt() != null;
  }

  /** Returns whether the steps can be taken: the clock moves only while phones are simulated. */
  boolean takeable() {
    return rehearsal.on();
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
