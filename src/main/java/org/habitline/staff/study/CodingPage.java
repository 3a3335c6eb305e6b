package org.habitline.staff.study;

import java.util.List;
import java.util.Optional;
import org.habitline.staff.web.PageFrame;
import org.habitline.study.coding.CodedOutcome;
import org.habitline.study.coding.DoubleCoding;
import org.habitline.study.coding.Seen;

/**
 * The page on which staff code one prompt.
 *
 * @param task the prompt, if one is left
 * @param progress how far they are
 * @param again whether it is the prompt that they coded last
 * @param complaint why the last answer was refused, or empty
 */
public record CodingPage(
    PageFrame frame,
    Optional<DoubleCoding.Task> task,
    DoubleCoding.Progress progress,
    boolean again,
    String complaint) {

  /** Returns the answers in their order. */
  public static List<CodedOutcome> outcomes() {
    return CodedOutcome.OF_TEXTS;
  }

  /** Returns the participant's text, or empty for a message of the line. */
  public static Optional<String> text(Seen seen) {
    return seen instanceof Seen.Text text ? Optional.of(text.text()) : Optional.empty();
  }

  /** Returns what a message of the line was, or an empty text. */
  public static String message(Seen seen) {
    return seen instanceof Seen.Message message ? message.kind().title() : "";
  }

  /** Returns whether they said this before. */
  public boolean said(CodedOutcome outcome) {
    return task.flatMap(DoubleCoding.Task::said).filter(outcome::equals).isPresent();
  }
}
