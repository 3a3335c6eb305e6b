package org.habitline.safety.gates;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.protocol.ReplyGate;
import org.habitline.safety.rules.Phrases;

/**
 * Blocks dosages of medicines and diagnoses. A condition that stands in what the model was shown,
 * such as the participant's own messages, is no diagnosis.
 */
final class MedicalGate implements Gate {

  /** Where an amount and its unit are written together, such as "500mg". */
  private static final Pattern TOGETHER = Pattern.compile("(?<=\\d)(?=\\p{L})");

  private final List<GateLanguage> languages;

  /** The exceptions of all languages: many phrases are the same in several. */
  private final Phrases exceptions;

  MedicalGate(List<GateLanguage> languages) {
    this.languages = languages;
    this.exceptions = Phrases.joined(languages.stream().map(GateLanguage::exceptions).toList());
  }

  @Override
  public ReplyGate gate() {
    return ReplyGate.MEDICAL;
  }

  @Override
  public Optional<String> objection(Candidate candidate) {
    for (var sentence : candidate.sentences()) {
      var text = new Phrases.Said(TOGETHER.matcher(sentence).replaceAll(" "));
      for (var language : languages) {
        for (var advice : language.medical()) {
          var found = advice.phrases().find(text, exceptions);
          if (found.isPresent() && !(advice.unlessSaid() && wasShown(found.get(), candidate))) {
            return Optional.of(
                "Your last answer was not sent, because it %s. Write it again without that; if it matters, suggest asking a doctor or another professional."
                    .formatted(advice.means()));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Returns whether the participant or the study used the last word of a phrase first. */
  private static boolean wasShown(String found, Candidate candidate) {
    var condition = found.substring(found.lastIndexOf(' ') + 1);
    return candidate.shown().said().stream().anyMatch(text -> Words.of(text).contains(condition));
  }
}
