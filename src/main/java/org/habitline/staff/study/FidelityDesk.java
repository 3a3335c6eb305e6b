package org.habitline.staff.study;

import jakarta.inject.Singleton;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.habitline.study.fidelity.DeviationKind;
import org.habitline.study.fidelity.DeviationState;
import org.habitline.study.fidelity.Fidelity;
import org.habitline.study.fidelity.JdbcDeviations.Deviation;
import org.habitline.study.fidelity.JdbcFidelity;
import org.habitline.study.figures.Figures;
import org.jspecify.annotations.Nullable;

/**
 * Shows what differed from the plan of the study and records what staff say about it, for the page
 * and the REST API. The audit log has no notes, because they may be about the participant.
 */
@Singleton
final class FidelityDesk {

  /** The longest note, in characters. */
  static final int LONGEST_NOTE = 1000;

  private final Fidelity fidelity;
  private final AuditLog audit;
  private final Transactions transactions;

  FidelityDesk(Fidelity fidelity, AuditLog audit, Transactions transactions) {
    this.fidelity = fidelity;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * What to list.
   *
   * @param kind the word of a kind; all if none is given
   * @param state the word of a state; all if none is given
   */
  record Wanted(
      @Nullable String from, @Nullable String to, @Nullable String kind, @Nullable String state) {}

  /**
   * Returns the days asked for, at most those of three years; without dates, 28 until yesterday.
   *
   * @throws ApiProblem 400 for an invalid date, and for a range that is empty or too long
   */
  Figures.Range range(@Nullable String from, @Nullable String to) {
    return FiguresDesk.range(from, to, fidelity.yesterday());
  }

  List<JdbcFidelity.Day> days(Figures.Range range) {
    return fidelity.days(range);
  }

  /**
   * Returns deviations, newest first.
   *
   * @throws ApiProblem 400 for an invalid date, kind or state
   */
  List<Deviation> deviations(Wanted wanted, long before, int most) {
    return fidelity.deviations(
        range(wanted.from(), wanted.to()),
        kind(wanted.kind()),
        state(wanted.state()),
        before,
        most);
  }

  private static Optional<DeviationKind> kind(@Nullable String word) {
    if (word == null || word.isBlank()) {
      return Optional.empty();
    }
    var kinds = DeviationKind.values();
    return Optional.of(
        Arrays.stream(kinds)
            .filter(it -> it.word().equals(word))
            .findFirst()
            .orElseThrow(() ->
                ApiProblem.bad(
                    "kind: unknown; expected one of "
                        + Arrays.stream(kinds)
                            .map(DeviationKind::word)
                            .collect(Collectors.joining(", "))
                        + ".")));
  }

  private static Optional<DeviationState> state(@Nullable String word) {
    if (word == null || word.isBlank()) {
      return Optional.empty();
    }
    return Optional.of(
        Arrays.stream(DeviationState.values())
            .filter(it -> it.word().equals(word))
            .findFirst()
            .orElseThrow(
                () -> ApiProblem.bad("state: unknown; expected open, explained or closed.")));
  }

  /** Returns the days of a range that have not been compared with their plan. */
  List<LocalDate> unchecked(Figures.Range range) {
    return fidelity.unchecked(range);
  }

  /** Compares yesterday with its plan now. */
  void look(Actor actor) {
    fidelity.lookNow();
    audit.record(AuditEntry.of(actor.name(), actor.role(), AuditAction.FIDELITY_CHECKED));
  }

  /**
   * Compares the days of a range that were not compared yet, the first of them if there are many.
   */
  void lookAtUnchecked(Actor actor, Figures.Range range) {
    fidelity.lookAtUnchecked(range);
    audit.record(AuditEntry.of(actor.name(), actor.role(), AuditAction.FIDELITY_CHECKED));
  }

  /**
   * Explains or closes a deviation.
   *
   * @throws ApiProblem 400 if the state is another or the note is missing or too long, 404 if there
   *     is no such deviation, 409 if it is not open
   */
  Deviation decide(Actor actor, long seq, @Nullable String state, @Nullable String note) {
    var decided =
        state(state)
            .filter(it -> it != DeviationState.OPEN)
            .orElseThrow(() -> ApiProblem.bad("state: expected explained or closed."));
    var words = note == null ? "" : PlainText.storable(note).replace("\r\n", "\n").strip();
    if (words.isEmpty()) {
      throw ApiProblem.bad("note: missing; write what you found out.");
    }
    if (words.length() > LONGEST_NOTE) {
      throw ApiProblem.bad("note: too long; at most " + LONGEST_NOTE + " characters are accepted.");
    }
    return transactions.write(() -> {
      var open = find(seq);
      if (!fidelity.decide(seq, decided, words, actor.name())) {
        throw ApiProblem.conflict("Someone has explained or closed this deviation already.");
      }
      var entry =
          AuditEntry.of(
                  actor.name(),
                  actor.role(),
                  decided == DeviationState.EXPLAINED
                      ? AuditAction.DEVIATION_EXPLAINED
                      : AuditAction.DEVIATION_CLOSED)
              .about(String.valueOf(seq))
              .changed(open.state().word(), decided.word());
      audit.record(open.participantId() == null ? entry : entry.to(open.participantId()));
      return find(seq);
    });
  }

  private Deviation find(long seq) {
    return fidelity
        .find(seq)
        .orElseThrow(() -> ApiProblem.notFound("There is no deviation with this number."));
  }
}
