package org.habitline.conversation.turn;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.habitline.conversation.stored.Claim;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.WhatsAppTemplates;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.Template;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Wakeup;
import org.habitline.timers.WakeupKind;
import org.jspecify.annotations.Nullable;

/**
 * Turns the messages of a turn into outbox entries: how long each may wait to be sent, and which
 * template it uses.
 */
@Singleton
public final class OutboundTexts {

  /** How long a reply may wait to be sent; after that it is no longer useful. */
  private static final Duration ANSWERS_KEEP = Duration.ofHours(24);

  private final FlowCatalog flows;
  private final PromptTimes times;
  private final Clock clock;

  OutboundTexts(FlowCatalog flows, PromptTimes times, Clock clock) {
    this.flows = flows;
    this.times = times;
    this.clock = clock;
  }

  public Outbox.Planned outbound(Claim claim, OutboundKind kind, String messageId, String body) {
    var flow = flows.flow(claim.participant().flow(), claim.participant().language());
    var templates =
        claim.channel().takesTemplates()
            ? flow.map(Flow::whatsapp).orElse(WhatsAppTemplates.NONE)
            : WhatsAppTemplates.NONE;
    var asks =
        flow.map(Flow::dailyPrompt).map(DailyPrompt::askAfter).isPresent()
            ? OutboundKind.REMINDER
            : OutboundKind.PROMPT;
    return new Outbox.Planned(
        claim.participant().id(),
        claim.turn(),
        messageId,
        kind,
        claim.channel(),
        body,
        keeps(kind, claim.state().wakeup()),
        filled(outside(claim, kind, templates), claim.participant(), body),
        filled(kind == asks ? templates.promptButtons() : null, claim.participant(), body));
  }

  /**
   * Returns how long a message may wait: messages of a wake-up until they are too late; replies,
   * and what scripts request, for a day.
   */
  private Duration keeps(OutboundKind kind, @Nullable Wakeup wakeup) {
    if (wakeup == null
        || wakeup.kind() == WakeupKind.HAND_BACK
        || wakeup.kind() == WakeupKind.RETRY
        || kind == OutboundKind.SCRIPTED) {
      return ANSWERS_KEEP;
    }
    if (kind == OutboundKind.NUDGE) {
      // It is as useful after an outage as before.
      return times.maxLateness();
    }
    var left = times.maxLateness().minus(Duration.between(wakeup.dueAt(), clock.instant()));
    return left.isNegative() ? Duration.ZERO : left;
  }

  private static WhatsAppTemplates.@Nullable Words outside(
      Claim claim, OutboundKind kind, WhatsAppTemplates templates) {
    return switch (kind) {
      case PROMPT -> templates.prompt();
      case REMINDER -> templates.reminder();
      case NUDGE -> templates.nudge();
      case REPLY -> claim.kind() == InputKind.ENROLLED ? templates.greeting() : null;
      // Nobody can agree to a text that the template leaves out.
      case CONSENT -> {
        var greeting = claim.kind() == InputKind.SAID ? null : templates.greeting();
        yield greeting != null && greeting.hasText() ? greeting : null;
      }
      case PROMPT_NOW,
          INTENSITY,
          CHECK_IN,
          STAFF,
          DEBUG,
          SCRIPTED,
          CHOSEN,
          STATUS,
          HELP,
          CONFIRMATION,
          NOTICE,
          CRISIS,
          ALERT ->
          null;
    };
  }

  private static @Nullable Template filled(
      WhatsAppTemplates.@Nullable Words words, Participant participant, String body) {
    var name = Optional.ofNullable(participant.name()).orElse("");
    return words == null ? null : new Template(words.contentSid(), words.filled(name, body));
  }
}
