package org.habitline.flows;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The languages of a flow, as lower-case codes of ISO 639 such as {@code es}.
 *
 * @param own the language of these texts
 * @param standard the language of {@code flow.yaml}, which stands in for what a translation lacks
 * @param all every language in which participants can have the flow, the standard one included
 */
public record FlowLanguages(String own, String standard, SortedSet<String> all) {

  /** The language of flows that name none. */
  public static final String ENGLISH = "en";

  public FlowLanguages {
    all = Collections.unmodifiableSortedSet(new TreeSet<>(all));
  }

  /** Returns the languages of a flow with these translations, for its standard language. */
  static FlowLanguages of(String standard, Collection<String> translations) {
    var all = new TreeSet<>(translations);
    all.add(standard);
    return new FlowLanguages(standard, standard, all);
  }

  /** Returns the same languages, for texts in one of them. */
  FlowLanguages in(String language) {
    return new FlowLanguages(language, standard, all);
  }

  /** Returns whether these texts are a translation. */
  boolean isTranslation() {
    return !own.equals(standard);
  }

  /** Returns the languages for messages, such as {@code en, es}. */
  public String listed() {
    return String.join(", ", all);
  }
}
