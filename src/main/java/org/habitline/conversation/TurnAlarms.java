package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.turn.Closing;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingScreen;
import org.habitline.messaging.inbox.Input;
import org.habitline.participants.Participants;
import org.habitline.safety.gates.ReplyGates;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.Incidents;
import org.habitline.safety.incidents.Sign;
import org.habitline.safety.opinions.Opinion;
import org.habitline.safety.opinions.SecondOpinions;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.habitline.safety.rules.Verdict;
import org.habitline.tools.Effect;
import org.habitline.tools.FlagKind;
import org.habitline.tools.FlagUrgency;

/**
 * Opens incidents for what a turn itself found: urgent flags of the coach, and a second opinion
 * that is worse than what the rules said. Joins the turn's transaction, so that the incident, its
 * fixed text and the end of the turn are committed together.
 */
@Singleton
final class TurnAlarms {

  /** The language of the fixed text if nobody knows which one the participant writes. */
  private static final String LANGUAGE = "en";

  private final Incidents incidents;
  private final SecondOpinions opinions;
  private final Participants participants;
  private final Inbox inbox;
  private final ReplyGates gates;

  TurnAlarms(
      Incidents incidents,
      SecondOpinions opinions,
      Participants participants,
      Inbox inbox,
      ReplyGates gates) {
    this.incidents = incidents;
    this.opinions = opinions;
    this.participants = participants;
    this.inbox = inbox;
    this.gates = gates;
  }

  /**
   * Opens or joins the incidents of a turn. Returns the closing to commit: without what the coach
   * says if one of them is a crisis.
   */
  Closing raise(Closing closing) {
    var claim = closing.claim();
    var signs = signs(closing);
    if (signs.isEmpty()) {
      return closing;
    }
    var to =
        new IncomingScreen.Arrived(
            "",
            participants.findWithContacts(claim.participant().id()).orElse(null),
            claim.participant().phone().e164(),
            claim.channel());
    var texts = inbox.providerIds(claim.said());
    var raised = signs.stream().flatMap(sign -> incidents.raise(sign, to, texts).stream()).toList();
    return raised.stream()
        .filter(Incident::isCrisis)
        .findFirst()
        .map(crisis -> closing.inCrisis(crisis.id()))
        .orElse(closing);
  }

  private List<Sign> signs(Closing closing) {
    var signs = new ArrayList<Sign>();
    var language = language(closing.claim());
    opinion(closing.claim()).map(it -> sign(it, language)).ifPresent(signs::add);
    closing.effects().stream()
        .filter(Effect.FlagForStaff.class::isInstance)
        .map(Effect.FlagForStaff.class::cast)
        .filter(flag -> flag.urgency() == FlagUrgency.NOW)
        .distinct()
        .map(flag -> sign(flag.kind(), language))
        .forEach(signs::add);
    return signs;
  }

  /** Looks also when second opinions were switched off since the turn began. */
  private Optional<Opinion> opinion(Claim claim) {
    return claim.said().isEmpty() || !(opinions.isOn() || claim.resumed())
        ? Optional.empty()
        : opinions
            .of(claim.participant().id(), claim.turn())
            .filter(it -> it.level() != Level.NONE);
  }

  /** Returns the language of the fixed text for what no rule found. */
  private String language(Claim claim) {
    return Optional.ofNullable(claim.participant().language())
        .or(() -> gates.languageOf(claim.said().stream().map(Input.Said::text).toList()))
        .orElse(LANGUAGE);
  }

  private static Sign sign(Opinion opinion, String theirs) {
    var language = opinion.language() == null ? theirs : opinion.language();
    var kind = opinion.kind() == null ? RiskKind.DANGER : opinion.kind();
    return new Sign(
        new Verdict.Finding(language + "/second-opinion", opinion.level(), kind),
        EntryKind.OPINION,
        false);
  }

  private static Sign sign(FlagKind kind, String language) {
    var danger = kind == FlagKind.DANGER;
    return new Sign(
        new Verdict.Finding(
            language + "/flag-" + kind.word().replace('_', '-'),
            danger ? Level.CRISIS : Level.CONCERN,
            risk(kind)),
        EntryKind.FLAG,
        !danger);
  }

  private static RiskKind risk(FlagKind kind) {
    return switch (kind) {
      case ADVERSE_EVENT -> RiskKind.ADVERSE_EVENT;
      case MEDICATION_STOPPED -> RiskKind.MEDICATION_STOPPED;
      case WANTS_A_PERSON -> RiskKind.WANTS_A_PERSON;
      case DANGER -> RiskKind.DANGER;
      case OTHER -> RiskKind.OTHER;
    };
  }
}
