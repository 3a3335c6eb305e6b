package org.habitline.study.figures;

import java.util.Locale;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.safety.incidents.Incident;

/**
 * How a participant takes part now. Each participant is counted once: their status comes first, and
 * an active participant is {@link #ACTIVE} only if nothing keeps the coach from writing to them.
 * (Takeovers, budgets and a stop of all sending end by themselves or concern everybody, so they do
 * not count.)
 */
public enum Participation {
  /** Their status is active, and the coach writes to them. */
  ACTIVE("active"),
  /** The study asks for consent and has no answer from them yet, or none to its present text. */
  WAITING_FOR_CONSENT("waiting for consent"),
  /** They declined, or they are younger than the study allows. */
  NO_CONSENT("declined or too young"),
  /** Their number opted out. */
  OPTED_OUT("opted out"),
  /** Coaching is paused by a crisis that nobody has released. */
  PAUSED_BY_INCIDENT("paused by an incident"),
  /** Staff paused them. */
  PAUSED("paused"),
  COMPLETED("completed"),
  WITHDRAWN("withdrawn");

  /**
   * An SQL expression with the word of a participant {@code p} with their address {@code a}. Its
   * one parameter {@code version} is the version of the consent text that counts, or an empty text
   * if the study asks nobody; a version is never empty.
   */
  public static final String OF_PARTICIPANT =
      """
      CASE
        WHEN p.status <> 'active' THEN p.status
        WHEN p.id IN (SELECT i.participant_id FROM incident i
                      WHERE i.participant_id IS NOT NULL AND \
      """
          + Incident.PAUSES_COACHING
          + """
            ) THEN 'paused_by_incident'
            WHEN a.opted_out = TRUE THEN 'opted_out'
            WHEN :version IN ('', CASE WHEN p.consent IN ('given', 'elsewhere') THEN p.consent_version END) THEN 'active'
            WHEN p.consent IN ('declined', 'not_eligible') THEN 'no_consent'
            ELSE 'waiting_for_consent'
          END\
          """;

  private final String title;

  Participation(String title) {
    this.title = title;
  }

  /** Returns the status of those who take part in this way. */
  public ParticipantStatus status() {
    return switch (this) {
      case ACTIVE, WAITING_FOR_CONSENT, NO_CONSENT, OPTED_OUT, PAUSED_BY_INCIDENT ->
          ParticipantStatus.ACTIVE;
      case PAUSED -> ParticipantStatus.PAUSED;
      case COMPLETED -> ParticipantStatus.COMPLETED;
      case WITHDRAWN -> ParticipantStatus.WITHDRAWN;
    };
  }

  /** Returns the words for the pages. */
  public String title() {
    return title;
  }

  /** Returns the lower-case word used in the API. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns how one participant takes part, as {@link #OF_PARTICIPANT} counts them.
   *
   * @param inCrisis whether coaching is paused by a crisis that nobody has released
   * @param consentMissing whether the study asks for consent and has none of them
   */
  public static Participation of(
      Participant participant, boolean inCrisis, boolean consentMissing) {
    return switch (participant.status()) {
      case PAUSED -> PAUSED;
      case COMPLETED -> COMPLETED;
      case WITHDRAWN -> WITHDRAWN;
      case ACTIVE -> {
        if (inCrisis) {
          yield PAUSED_BY_INCIDENT;
        }
        if (participant.optedOut()) {
          yield OPTED_OUT;
        }
        if (!consentMissing) {
          yield ACTIVE;
        }
        yield switch (participant.consent().state()) {
          case DECLINED, NOT_ELIGIBLE -> NO_CONSENT;
          case NOT_ASKED, AGE_ASKED, ASKED, GIVEN, ELSEWHERE, LEFT_TO_STAFF -> WAITING_FOR_CONSENT;
        };
      }
    };
  }

  /**
   * Reads a word of the database.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Participation of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
