package org.habitline.knowledge;

import java.util.List;

/** The outcome of reading one file. */
sealed interface Reading {

  /** The file has a text. */
  record Read(List<Section> sections) implements Reading {}

  /**
   * The content of the file cannot be used, until it changes.
   *
   * @param why what is wrong and what is accepted, as the end of a sentence that begins with the
   *     file's name
   */
  record Unusable(String why) implements Reading {}

  /** The file could not be read from the disk; that may pass without a change of the file. */
  record Unreadable(String why) implements Reading {}
}
