package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.habitline.conversation.model.TurnEventStream;
import org.habitline.conversation.requests.RequestedPrompts;
import org.habitline.conversation.stored.Author;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcTranscript;
import org.habitline.conversation.stored.MessageRole;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.OutboundTexts;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.storage.Ids;
import org.habitline.tools.Effect;

/**
 * Writes the texts and messages of a turn to the transcript and plans the messages in the outbox.
 * Joins the turn's transaction.
 */
@Singleton
final class TurnTexts {

  private final JdbcTranscript transcript;
  private final Outbox outbox;
  private final OutboundTexts outbound;
  private final DebugMessages debug;
  private final RequestedPrompts scripts;
  private final ConsentGate consents;
  private final Clock clock;

  TurnTexts(
      JdbcTranscript transcript,
      Outbox outbox,
      OutboundTexts outbound,
      DebugMessages debug,
      RequestedPrompts scripts,
      ConsentGate consents,
      Clock clock) {
    this.transcript = transcript;
    this.outbox = outbox;
    this.outbound = outbound;
    this.debug = debug;
    this.scripts = scripts;
    this.consents = consents;
    this.clock = clock;
  }

  /**
   * What a turn wrote to the transcript.
   *
   * @param heard the participant's messages by their number in the inbox
   */
  record Written(List<TurnEventStream.Spoken> spoken, Map<Long, String> heard) {}

  /** Writes both sides of the turn, plans what goes out, and returns what was written. */
  Written write(Closing closing) {
    var claim = closing.claim();
    var rows = new ArrayList<JdbcTranscript.Row>();
    var ids = new HashMap<Long, String>();
    var consentedBy = consentedBy(closing);
    for (var said : claim.said()) {
      var row = heard(claim, said, said.seq() <= consentedBy);
      ids.put(said.seq(), row.id());
      rows.add(row);
    }
    var heard = rows.size();
    closing.texts().forEach(say -> rows.add(spoken(claim, say)));
    transcript.saveAll(rows);
    var spoken = rows.subList(heard, rows.size());
    for (int i = 0; i < spoken.size(); i++) {
      plan(claim, closing.texts().get(i), spoken.get(i));
    }
    debug
        .of(closing)
        .ifPresent(text ->
            outbox.plan(
                new Outbox.Planned(
                    claim.participant().id(),
                    claim.turn(),
                    null,
                    OutboundKind.DEBUG,
                    claim.channel(),
                    text)));
    if (claim.data().containsKey(StateKeys.TEXTED_BY_SCRIPT)) {
      scripts.heard(claim);
    }
    return new Written(
        spoken.stream().map(row -> new TurnEventStream.Spoken(row.id(), row.content())).toList(),
        ids);
  }

  /**
   * Returns the number of the last text that no model may see, because it came before consent or is
   * the yes itself: 0 if the participant had consented.
   */
  private long consentedBy(Closing closing) {
    if (!consents.isMissing(closing.claim().participant())) {
      return 0;
    }
    return closing.effects().stream()
        .filter(Effect.AnswerConsent.class::isInstance)
        .map(effect -> ((Effect.AnswerConsent) effect).saidYes())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  private void plan(Claim claim, DraftMessage say, JdbcTranscript.Row row) {
    outbox.plan(outbound.outbound(claim, say.kind(), row.id(), row.content()));
    if (say.kind() == OutboundKind.CHOSEN && say.by() != null) {
      scripts.chosen(claim, say.by(), row.id());
    }
  }

  private static JdbcTranscript.Row heard(Claim claim, Input.Said said, boolean beforeConsent) {
    return new JdbcTranscript.Row(
        null,
        Ids.ordered("msg"),
        claim.participant().id(),
        MessageRole.USER,
        said.text(),
        said.channel(),
        claim.turn(),
        Author.PARTICIPANT,
        said.receivedAt(),
        null,
        claim.incidentOf(said),
        beforeConsent,
        false);
  }

  private JdbcTranscript.Row spoken(Claim claim, DraftMessage say) {
    return new JdbcTranscript.Row(
        null,
        Ids.ordered("msg"),
        claim.participant().id(),
        MessageRole.ASSISTANT,
        say.text(),
        claim.channel(),
        claim.turn(),
        say.author(),
        clock.instant(),
        say.by(),
        null,
        say.kind() == OutboundKind.CONSENT,
        false);
  }
}
