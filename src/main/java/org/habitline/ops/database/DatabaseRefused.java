package org.habitline.ops.database;

/** Thrown when a database cannot be used as it is; the message tells the operator what to do. */
public final class DatabaseRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DatabaseRefused(String sentence) {
    super(sentence, null, false, false);
  }
}
