package org.habitline.knowledge;

import org.habitline.Hashes;

/**
 * A passage as it is kept in the index.
 *
 * @param source the file and the place in it, as a {@link Passage} names them
 * @param title the file's name and the heading as words, which are searched as well
 * @param heading the heading, or empty
 * @param text the text of the passage
 * @param hash a hash of what {@link #embedded} returns
 */
record Chunk(String source, String title, String heading, String text, String hash) {

  static Chunk of(String file, Section section, String text) {
    var dot = file.lastIndexOf('.');
    var name = file.substring(0, dot < 0 ? file.length() : dot).replaceAll("[/_.\\-]+", " ");
    return new Chunk(
        section.place().isEmpty() ? file : file + ", " + section.place(),
        name + " " + section.heading(),
        section.heading(),
        text,
        Hashes.sha256(embedded(section.heading(), text)));
  }

  /** Returns the text that stands for this passage when its vector is computed. */
  String embedded() {
    return embedded(heading, text);
  }

  private static String embedded(String heading, String text) {
    return heading.isEmpty() ? text : heading + "\n" + text;
  }
}
