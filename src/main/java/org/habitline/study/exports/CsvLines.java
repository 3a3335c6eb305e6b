package org.habitline.study.exports;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.commons.csv.CSVFormat;
import org.jspecify.annotations.Nullable;

/**
 * Formats and writes lines of CSV on a thread of its own, so that the next rows are read while the
 * last ones are compressed. At most {@value #BATCHES} batches of {@value #LINES} lines wait. For
 * one caller at a time. Closing does not close the stream.
 */
final class CsvLines implements AutoCloseable {

  private static final int LINES = 100;
  private static final int BATCHES = 4;
  private static final String LINE_END = "\r\n";

  private final Writer csv;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("study-export-lines").factory());
  private final Deque<Future<?>> waiting = new ArrayDeque<>();
  private List<List<? extends @Nullable String>> batch = new ArrayList<>();

  CsvLines(OutputStream out) {
    csv = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
  }

  /**
   * Adds a line.
   *
   * @param values which the caller does not change any more
   * @throws IOException if a line could not be written; it may be an earlier one
   */
  void add(List<? extends @Nullable String> values) throws IOException {
    batch.add(values);
    if (batch.size() == LINES) {
      handOver();
    }
  }

  /** Waits until the stream has all lines; the caller may then write to it. */
  void flush() throws IOException {
    handOver();
    while (!waiting.isEmpty()) {
      await(waiting.removeFirst());
    }
    csv.flush();
  }

  private void handOver() throws IOException {
    if (waiting.size() == BATCHES) {
      await(waiting.removeFirst());
    }
    var lines = batch;
    batch = new ArrayList<>(LINES);
    waiting.addLast(
        thread.submit(() -> {
          for (var values : lines) {
            csv.write(CSVFormat.RFC4180.format(values.toArray()));
            csv.write(LINE_END);
          }
          return lines;
        }));
  }

  private static void await(Future<?> written) throws IOException {
    try {
      written.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException failure -> throw failure;
        case RuntimeException failure -> throw failure;
        case null, default -> throw new IllegalStateException("A line was not written.", e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while lines were written.");
    }
  }

  /** Ends the thread, also if lines are left. */
  @Override
  public void close() {
    thread.close();
  }
}
