package org.habitline.llm.check;

/**
 * What one exchange showed.
 *
 * @param detail what was seen, as the end of a sentence, or empty if there is nothing to add
 */
record Finding(Verdict verdict, String detail) {

  static Finding works() {
    return new Finding(Verdict.WORKS, "");
  }

  static Finding works(String detail) {
    return new Finding(Verdict.WORKS, detail);
  }

  /** Works, although the server did not do quite what was asked. */
  static Finding adapted(String detail) {
    return new Finding(Verdict.ADAPTED, detail);
  }

  static Finding fails(String cause) {
    return new Finding(Verdict.DOES_NOT_WORK, cause);
  }
}
