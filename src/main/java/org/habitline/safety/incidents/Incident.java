package org.habitline.safety.incidents;

import java.time.Instant;
import java.util.Optional;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.jspecify.annotations.Nullable;

/**
 * A participant who may be in danger. While a crisis is not released, the participant gets no
 * coaching; a concern changes nothing for them. All times are study time. It holds no words of the
 * participant.
 *
 * @param participantId the participant or contact; {@code null} if the sender could not be texted,
 *     or once the participant was erased
 * @param urgent whether staff are alerted of it although it is no crisis
 * @param rule what found the first text: a rule such as {@code en/suicide-wish}, or the second
 *     opinion, or a flag of the coach
 * @param rulesVersion the version of all rules at that time
 * @param reopenedAt when a later text opened it again after an acknowledgement, if one did
 * @param texts how many texts belong to it
 * @param kind the most urgent kind of its texts
 * @param answeredAt when a fixed text was last planned, or {@code null} if none was or it did not
 *     arrive
 * @param answeredFor what that fixed text was about
 */
public record Incident(
    String id,
    @Nullable String participantId,
    Level level,
    RiskKind kind,
    boolean urgent,
    IncidentStatus status,
    String rule,
    String rulesVersion,
    Instant openedAt,
    @Nullable Instant reopenedAt,
    Instant lastTextAt,
    int texts,
    @Nullable Instant answeredAt,
    @Nullable RiskKind answeredFor,
    @Nullable Instant acknowledgedAt,
    @Nullable String acknowledgedBy,
    @Nullable Instant releasedAt,
    @Nullable String releasedBy,
    @Nullable IncidentOutcome outcome) {

  /**
   * An SQL condition: the incident {@code i} pauses coaching, because it is a crisis that nobody
   * has released. Names the statuses, so that the index by status finds the few that do.
   */
  public static final String PAUSES_COACHING =
      "i.level = 'crisis' AND i.status = ANY (ARRAY['open', 'acknowledged'])";

  /** Returns since when somebody must acknowledge it, while it is open. */
  public Instant openSince() {
    return reopenedAt == null ? openedAt : reopenedAt;
  }

  /** Returns whether it pauses coaching until somebody releases it. */
  public boolean isCrisis() {
    return level == Level.CRISIS;
  }

  /** Returns whether it is a crisis because somebody may be in danger, and not about an age. */
  public boolean isDanger() {
    return isCrisis() && kind.isDanger();
  }

  /** Returns whether all that it is about is that the participant may be too young. */
  public boolean isAboutAge() {
    return kind == RiskKind.UNDERAGE;
  }

  /** Returns whether staff are alerted of it at any hour until somebody acknowledges it. */
  public boolean alertsStaff() {
    return urgent || isDanger();
  }

  /**
   * Returns when its newest text came, if that was after the acknowledgement: nobody has said yet
   * that they saw it.
   */
  public Optional<Instant> newTextAt() {
    return status == IncidentStatus.ACKNOWLEDGED
            && acknowledgedAt != null
            && lastTextAt.isAfter(acknowledgedAt)
        ? Optional.of(lastTextAt)
        : Optional.empty();
  }
}
