package org.habitline.knowledge;

/**
 * A part of a document with one place: a page of a PDF file, the text below a heading of a Markdown
 * file, or a whole text file.
 *
 * @param place what names the part, such as {@code page 3} or {@code Leave > Parental leave}; empty
 *     for a whole file
 * @param heading the heading of the part, or empty
 */
record Section(String place, String heading, String text) {

  static Section page(int number, String text) {
    return new Section("page " + number, "", text);
  }

  static Section below(String heading, String text) {
    return new Section(heading, heading, text);
  }

  static Section whole(String text) {
    return new Section("", "", text);
  }
}
