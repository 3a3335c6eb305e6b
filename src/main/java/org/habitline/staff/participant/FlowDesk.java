package org.habitline.staff.participant;

import jakarta.inject.Singleton;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.calls.FlowMoves;
import org.habitline.conversation.stored.Situation;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.jspecify.annotations.Nullable;

/**
 * Moves a participant to another flow for staff, for the page and the REST API. The move and its
 * audit entry are one transaction, and no turn of the participant runs meanwhile.
 */
@Singleton
final class FlowDesk {

  private final FlowMoves moves;
  private final FlowCatalog flows;
  private final QuietChanges quiet;
  private final AuditLog audit;

  FlowDesk(FlowMoves moves, FlowCatalog flows, QuietChanges quiet, AuditLog audit) {
    this.moves = moves;
    this.flows = flows;
    this.quiet = quiet;
    this.audit = audit;
  }

  /**
   * A flow to move to, and what a move does.
   *
   * @param language the language in which the participant is written to then
   */
  record Move(Flow flow, FlowMoves.Consequences consequences, String language) {

    private static Move of(Participant participant, Flow flow, FlowMoves.Consequences does) {
      var own = participant.language();
      return new Move(
          flow, does, own == null || does.language() != null ? flow.languages().standard() : own);
    }
  }

  /**
   * Returns what a move would do now.
   *
   * @throws ApiProblem 400 for a flow that does not exist, 409 if the participant has it already
   */
  Move preview(Participant participant, @Nullable String flow) {
    var to = other(participant, flow);
    return Move.of(participant, to, moves.consequences(participant, to));
  }

  /**
   * Moves a participant and returns what it did.
   *
   * @throws ApiProblem 400 for a flow that does not exist or without a reason, 404 if there is no
   *     such participant, 409 if they have the flow already or a turn is running
   */
  Move move(Actor actor, String id, @Nullable String flow, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    if (why == null) {
      throw ApiProblem.bad("reason: missing; write why you move the participant.");
    }
    return quiet.make(
        id,
        (participant, situation) -> {
          var to = other(participant, flow);
          var does = moves.move(participant, to, actor.name());
          audit.record(
              AuditEntry.of(actor.name(), actor.role(), AuditAction.FLOW_CHANGED)
                  .to(id)
                  .changed(before(participant, situation), to.id() + ", module " + does.module())
                  .because(why));
          return Move.of(participant, to, does);
        });
  }

  private String before(Participant participant, Situation situation) {
    return participant.flow() + ", module " + moves.module(participant, situation);
  }

  private Flow other(Participant participant, @Nullable String flow) {
    var said = flow == null ? "" : flow.strip();
    var to =
        flows
            .flow(said)
            .orElseThrow(() ->
                ApiProblem.bad(
                    said.isEmpty()
                        ? "flow: missing; expected one of " + flows.ids() + "."
                        : "flow: unknown; expected one of " + flows.ids() + "."));
    if (to.id().equals(participant.flow())) {
      throw ApiProblem.conflict("The participant has this flow already; nothing was changed.");
    }
    return to;
  }
}
