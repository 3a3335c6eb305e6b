package org.habitline.flows;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the rehearsal's script understands in a flow besides the answers to its own questions: the
 * file {@code rehearsal.yaml} in the flow's folder. Real models do not read it.
 *
 * @param phrases of those that fit a text, one without placeholders counts, else the first
 * @param otherwise the reply to any other text, or {@code null} for a fixed one
 */
public record PhraseTable(List<Phrase> phrases, @Nullable String otherwise) {

  /** The table of a flow without {@code rehearsal.yaml}. */
  public static final PhraseTable NONE = new PhraseTable(List.of(), null);

  public PhraseTable {
    phrases = List.copyOf(phrases);
  }
}
