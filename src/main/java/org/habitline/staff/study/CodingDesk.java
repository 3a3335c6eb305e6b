package org.habitline.staff.study;

import jakarta.inject.Singleton;
import java.io.InputStream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.habitline.study.coding.CodedOutcome;
import org.habitline.study.coding.DoubleCoding;
import org.habitline.study.coding.OutcomeExport;

/** Codes outcomes when staff say so, and exports them, each with its audit entry. */
@Singleton
final class CodingDesk {

  private final DoubleCoding coding;
  private final OutcomeExport export;
  private final AuditLog audit;
  private final Transactions transactions;

  CodingDesk(DoubleCoding coding, OutcomeExport export, AuditLog audit, Transactions transactions) {
    this.coding = coding;
    this.export = export;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * Stores what a member of staff says of a prompt, in place of what they said before. The audit
   * log does not say which code it was: another coder could read it there.
   *
   * @throws ApiProblem 400 for an unknown outcome, 404 if the prompt is not to be coded, or no more
   */
  void code(Actor actor, String token, String outcome) {
    var said =
        CodedOutcome.ofText(outcome)
            .orElseThrow(() ->
                ApiProblem.bad(
                    "outcome: expected one of "
                        + String.join(", ", CodedOutcome.wordsOfTexts())
                        + "."));
    transactions.write(() -> {
      var coded =
          coding
              .code(actor.name(), token, said)
              .orElseThrow(() ->
                  ApiProblem.notFound(
                      "This prompt is no longer to be coded: its texts or its participant were"
                          + " removed."));
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.OUTCOME_CODED)
              .to(coded.participantId())
              .about(coded.prompt().text()));
    });
  }

  /** Returns the table of outcomes, after its audit entry is committed. */
  InputStream export(Actor actor) {
    transactions.write(() ->
        audit.record(
            AuditEntry.of(actor.name(), actor.role(), AuditAction.OUTCOME_CODES_EXPORTED)));
    return export.open();
  }
}
