package org.habitline.study.exports;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lines of CSV on their way from a thread that reads rows to the one that compresses them. At most
 * {@value #CHUNKS} chunks wait; the reader then waits too, so that memory does not grow with the
 * rows. For one reader and one writer.
 */
public final class CsvLines {

  /** What spreadsheet programs take for the beginning of a formula, full-width signs included. */
  private static final String FORMULA = "=+-@\t\r\uFF1D\uFF0B\uFF0D\uFF20";

  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]++(?:[.,][0-9]++)*+");

  private static final int CHUNK = 1 << 14;
  private static final int CHUNKS = 32;

  /** Made in advance, because the end must be said even if no memory is left. */
  private static final byte[] END = new byte[0];

  private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(CHUNKS);
  private final StringBuilder lines = new StringBuilder();
  private boolean ended;

  CsvLines() {}

  /**
   * Returns a text so that no spreadsheet program takes it for a formula: with an apostrophe before
   * it, unless it is a number, such as -2.
   */
  public static String guarded(String text) {
    return text.isEmpty() || FORMULA.indexOf(text.charAt(0)) < 0 || NUMBER.matcher(text).matches()
        ? text
        : "'" + text;
  }

  /** Adds a line. Waits while too many lines wait. */
  void add(List<? extends @Nullable String> values) throws InterruptedIOException {
    for (int i = 0; i < values.size(); i++) {
      var value = values.get(i);
      if (i > 0) {
        lines.append(',');
      }
      if (value != null) {
        if (isQuoted(value, i == 0)) {
          lines.append('"').append(value.replace("\"", "\"\"")).append('"');
        } else {
          lines.append(value);
        }
      }
    }
    lines.append("\r\n");
    if (lines.length() >= CHUNK) {
      handOver();
    }
  }

  /**
   * Returns whether a value is quoted, as Commons CSV does for RFC 4180: also if a space or a
   * control character is at its end, or a character up to {@code #} at its beginning.
   */
  private static boolean isQuoted(String value, boolean first) {
    if (value.isEmpty()) {
      return first;
    }
    if (value.charAt(0) <= '#' || value.charAt(value.length() - 1) <= ' ') {
      return true;
    }
    for (int i = 0; i < value.length(); i++) {
      var character = value.charAt(i);
      if (character <= ','
          && (character == ',' || character == '"' || character == '\n' || character == '\r')) {
        return true;
      }
    }
    return false;
  }

  /** Says that there are no more lines: an empty chunk is the last. */
  void end() throws InterruptedIOException {
    try {
      if (!lines.isEmpty()) {
        handOver();
      }
    } finally {
      put(END);
    }
  }

  private void handOver() throws InterruptedIOException {
    put(lines.toString().getBytes(StandardCharsets.UTF_8));
    lines.setLength(0);
  }

  private void put(byte[] chunk) throws InterruptedIOException {
    try {
      waiting.put(chunk);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /** Writes the lines until there are no more. */
  void writeTo(OutputStream out) throws IOException {
    while (!ended) {
      byte[] chunk;
      try {
        chunk = waiting.take();
      } catch (InterruptedException e) {
        throw interrupted();
      }
      ended = chunk.length == 0;
      out.write(chunk);
    }
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("Interrupted while lines were written.");
  }
}
