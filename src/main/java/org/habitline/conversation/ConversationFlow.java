package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.util.function.UnaryOperator;
import org.habitline.conversation.model.Journal;
import org.habitline.conversation.model.Journals;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.wakeups.RequestedPromptTurn;
import org.habitline.conversation.wakeups.WakeupTurns;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.LeaseLost;
import org.habitline.messaging.Leases;
import org.habitline.messaging.inbox.InboundHandler;
import org.habitline.messaging.inbox.Input;
import org.habitline.storage.Database;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a participant's waiting input as one turn: claims it, decides the reply, and commits
 * everything in one transaction. No connection is held while a model is asked. Whatever fails, the
 * participant's texts are kept and the failure is recorded: if the model fails, the flow's fallback
 * message is sent; a crash only delays the turn, and after several it ends with the fallback
 * message.
 */
@Singleton
public final class ConversationFlow implements InboundHandler {

  private static final Logger log = LoggerFactory.getLogger(ConversationFlow.class);

  private final TurnClaim claims;
  private final TurnCommit commits;
  private final ReplyTurn replies;
  private final WakeupTurns wakeups;
  private final RequestedPromptTurn scripted;
  private final FlowCatalog flows;
  private final Journals journals;
  private final Leases leases;

  ConversationFlow(
      TurnClaim claims,
      TurnCommit commits,
      ReplyTurn replies,
      WakeupTurns wakeups,
      RequestedPromptTurn scripted,
      FlowCatalog flows,
      Journals journals,
      Leases leases) {
    this.claims = claims;
    this.commits = commits;
    this.replies = replies;
    this.wakeups = wakeups;
    this.scripted = scripted;
    this.flows = flows;
    this.journals = journals;
    this.leases = leases;
  }

  @Override
  public Handled handle(String participantId) {
    return switch (claims.take(participantId)) {
      case TurnClaim.Taken.Nothing nothing -> new Handled.Nothing();
      case TurnClaim.Taken.Closed closed -> new Handled.Nothing();
      case TurnClaim.Taken.Gathering gathering -> new Handled.NotYet(gathering.pause());
      case TurnClaim.Taken.Claimed claimed -> handle(claimed.claim());
    };
  }

  private Handled handle(Claim claim) {
    try {
      leases.holding(claim.lease(), () -> answerAndCommit(claim));
      return new Handled.Answered();
    } catch (LeaseLost e) {
      log.warn(
          "turn {} of {} stops: its lease was lost; the node that has the lease now continues",
          claim.turn(),
          claim.participant().id());
      return new Handled.Nothing();
    } catch (RuntimeException e) {
      giveBack(claim, Database.isPassing(e));
      throw e;
    } catch (Error e) {
      giveBack(claim, false);
      throw e;
    }
  }

  private void answerAndCommit(Claim claim) {
    try {
      answerAndCommit(claim, journals.open(claim), closing -> closing);
    } catch (RuntimeException | Error e) {
      if (!isGivenUp(claim, e)) {
        throw e;
      }
      try {
        answerAndCommit(claim, journals.open(claim), Closing::withoutContent);
      } catch (RuntimeException | Error again) {
        if (!isGivenUp(claim, again)) {
          throw again;
        }
        answerAndCommit(claim, journals.blank(claim), Closing::bare);
      }
    }
  }

  /**
   * Returns whether the turn has failed too often and would fail in the same way each time. Then it
   * ends with less of its result; otherwise it would be retried forever and would block the
   * participant's later texts.
   */
  private static boolean isGivenUp(Claim claim, Throwable failure) {
    if (!crashed(claim) || failure instanceof LeaseLost || Database.isPassing(failure)) {
      return false;
    }
    log.warn(
        "turn {} of {} is given up, and changes of it are lost: {}",
        claim.turn(),
        claim.participant().id(),
        failure.getClass().getName());
    return true;
  }

  private static boolean crashed(Claim claim) {
    return claim.attempt() > Claim.ATTEMPTS_AT_MOST;
  }

  private void answerAndCommit(Claim claim, Journal journal, UnaryOperator<Closing> kept) {
    try {
      commit(kept.apply(answer(claim, journal)));
    } finally {
      // Also of a turn that is lost: its answers were paid for.
      journal.countRest();
    }
  }

  private void commit(Closing closing) {
    var claim = closing.claim();
    Journals.keeping(() -> commits.commit(closing));
    log.info(
        "turn {} of {} closed: {}",
        claim.turn(),
        claim.participant().id(),
        closing.outcome().word());
  }

  /**
   * Gives a turn back after a failure, so that it can be resumed; only logs if that fails too.
   *
   * @param handedOver whether the turn itself was not at fault, so that no crash is counted
   */
  private void giveBack(Claim claim, boolean handedOver) {
    try {
      claims.giveBack(claim, handedOver);
    } catch (RuntimeException e) {
      log.warn(
          "turn {} of {} could not be given back and keeps its lease until it expires: {}",
          claim.turn(),
          claim.participant().id(),
          e.getClass().getName());
    }
  }

  private Closing answer(Claim claim, Journal journal) {
    var participant = claim.participant();
    var flow = flows.flow(participant.flow(), participant.language()).orElseGet(flows::defaultFlow);
    var crashed = crashed(claim);
    return switch (claim.inputs().getFirst()) {
      case Input.Woke woke -> wakeups.close(claim, flow, journal, crashed);
      case Input.StaffAsked asked -> scripted.asked(claim, flow, asked, journal, crashed);
      case Input.Said said when claim.participant().contact() ->
          replies.closeOfContact(claim, journal);
      case Input.Said said -> replies.close(claim, flow, journal, crashed);
      case Input.Enrolled enrolled -> replies.close(claim, flow, journal, crashed);
    };
  }
}
