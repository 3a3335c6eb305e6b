package org.habitline.staff.people;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/**
 * A participant in the REST API.
 *
 * @param studyId the study's own id of the person
 * @param fields values of the study's own fields, by name; empty if none has a value
 * @param tags in alphabetical order
 * @param language the language that they are written to in, as an ISO 639 code, or {@code null} for
 *     the flow's own
 * @param consent how far they are with the study's question for consent
 * @param consentVersion the version of the consent text that this is about
 * @param consentAt since when, in study time
 * @param warnings warnings about the values given; only in the reply to an enrolment or a change of
 *     number, empty if there are none
 */
@Schema(name = "Participant")
public record ParticipantView(
    String id,
    @Schema(description = "The study's own id of the person", example = "S-0042")
        @Nullable String studyId,
    @Schema(
            description = "For the role viewer, only the last four digits, such as ••• 0188",
            example = "+15550100188")
        String phoneNumber,
    @Nullable String name,
    @Nullable String gender,
    @Nullable String ethnicity,
    @Nullable String background,
    String timezone,
    boolean timezoneAssumed,
    String flow,
    @Schema(description = "null stands for the flow's own language", example = "es")
        @Nullable String language,
    String channel,
    String status,
    boolean optedOut,
    String consent,
    @Nullable String consentVersion,
    @Nullable Instant consentAt,
    @Schema(description = "Values of the study's own fields, by name, as texts")
        Map<String, String> fields,
    @Schema(description = "Short words by which the team groups participants") List<String> tags,
    ParticipantFigures figures,
    Instant enrolledAt,
    Instant createdAt,
    Instant updatedAt,
    @Nullable List<String> warnings) {

  /**
   * What is computed of a participant.
   *
   * @param lastHeardAt when they sent their newest text
   * @param lastPromptAt when their newest daily prompt was sent
   * @param nextPromptAt when their next daily prompt is due
   * @param promptsSent daily prompts that a provider accepted
   * @param promptsAnswered those of them that they answered
   * @param answerRate {@code promptsAnswered} divided by {@code promptsSent}, 0 to 1; {@code null}
   *     if none was sent
   * @param openFlags what the coach flagged and nobody has closed
   */
  @Schema(name = "ParticipantFigures", description = "Counted as in GET /study/figures")
  public record ParticipantFigures(
      @Nullable Instant lastHeardAt,
      @Nullable Instant lastPromptAt,
      @Nullable Instant nextPromptAt,
      long promptsSent,
      long promptsAnswered,
      @Nullable Double answerRate,
      long openFlags) {

    static ParticipantFigures of(JdbcPeople.Figures figures) {
      return new ParticipantFigures(
          figures.lastHeardAt(),
          figures.lastPromptAt(),
          figures.nextPromptAt(),
          figures.sent(),
          figures.answered(),
          figures.sent() == 0 ? null : (double) figures.answered() / figures.sent(),
          figures.flags());
    }
  }

  /** What is stored or computed apart from the participant. */
  record Beside(Map<String, String> fields, List<String> tags, JdbcPeople.Figures figures) {}

  /** Returns the participant with the whole phone number, or only its last digits. */
  static ParticipantView of(
      Participant participant,
      boolean wholeNumber,
      Beside beside,
      @Nullable List<String> warnings) {
    return new ParticipantView(
        participant.id(),
        participant.studyId(),
        wholeNumber ? participant.phone().e164() : participant.phone().masked(),
        participant.name(),
        participant.gender(),
        participant.ethnicity(),
        participant.background(),
        participant.zone().getId(),
        participant.zoneAssumed(),
        participant.flow(),
        participant.language(),
        participant.channel().word(),
        participant.status().word(),
        participant.optedOut(),
        participant.consent().state().word(),
        participant.consent().version(),
        participant.consent().at(),
        beside.fields(),
        beside.tags(),
        ParticipantFigures.of(beside.figures()),
        participant.enrolledAt(),
        participant.createdAt(),
        participant.updatedAt(),
        warnings);
  }
}
