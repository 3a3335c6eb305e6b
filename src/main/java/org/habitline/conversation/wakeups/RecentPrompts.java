package org.habitline.conversation.wakeups;

import jakarta.inject.Singleton;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OccurrenceReader;
import org.habitline.tools.HabitPromptWriter.Occasion;
import org.habitline.tools.HabitPromptWriter.Sent;

/** Tells the writer of a daily prompt what day it is and what the last daily prompts were. */
@Singleton
final class RecentPrompts {

  private static final int MOST = 5;

  private final OccurrenceReader occurrences;
  private final TranscriptReader transcript;

  RecentPrompts(OccurrenceReader occurrences, TranscriptReader transcript) {
    this.occurrences = occurrences;
    this.transcript = transcript;
  }

  /**
   * Returns what the writer is told, on the local day in the zone of the prompt's date.
   *
   * @param due the prompt to be written
   */
  Occasion.Daily before(Claim claim, Occurrence due) {
    var participant = claim.participant();
    var zone = due.moment().zone();
    var today = claim.pinned().instant().atZone(zone).toLocalDate();
    var enrolled = participant.enrolledAt().atZone(zone).toLocalDate();
    return new Occasion.Daily(
        today, ChronoUnit.DAYS.between(enrolled, today) + 1, sent(participant.id(), due.key()));
  }

  private List<Sent> sent(String participantId, Occurrence.Key due) {
    var last = occurrences.prompted(participantId, due, MOST);
    var texts = new HashMap<Integer, String>();
    transcript
        .saidIn(participantId, last.stream().map(RecentPrompts::turn).toList())
        // A turn's first message is the prompt; the question about the intensity may follow.
        .forEach(message -> texts.putIfAbsent(message.turn(), prompt(message.content())));
    return last.stream()
        .filter(prompt -> texts.containsKey(turn(prompt)))
        .map(prompt ->
            new Sent(
                prompt.key().date(),
                Objects.requireNonNull(texts.get(turn(prompt))),
                outcome(prompt)))
        .toList();
  }

  private static int turn(Occurrence prompt) {
    return Objects.requireNonNull(prompt.turn());
  }

  /** Returns the prompt, which is one line, without the question under it. */
  private static String prompt(String message) {
    return message.lines().findFirst().orElse("");
  }

  /** Returns what came of a prompt, in words for a model. */
  private static String outcome(Occurrence prompt) {
    if (prompt.outcome() != null) {
      return prompt.outcome().word();
    }
    return prompt.respondedAt() == null ? "no reply" : "replied, outcome unknown";
  }
}
