package org.habitline.study.exports;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads the parts of a table side by side, one on each connection, while the caller's thread
 * compresses their lines in the order of the parts. Closing does not close the connections.
 */
final class PartReaders implements AutoCloseable {

  /** How many parts of each connection are read or wait to be compressed. */
  private static final int AHEAD = 2;

  private final BlockingQueue<Connection> free;
  private final int most;
  private final ExecutorService threads;

  PartReaders(List<Connection> connections) {
    free = new ArrayBlockingQueue<>(connections.size(), false, connections);
    most = AHEAD * connections.size();
    threads =
        Executors.newFixedThreadPool(
            connections.size(), Thread.ofPlatform().name("study-export-", 1).factory());
  }

  /** Adds the lines of a part of a table. */
  interface Part {
    void read(Connection snapshot, CsvLines lines) throws SQLException, IOException;
  }

  /** A part that is being read. */
  private record Reading(CsvLines lines, Future<?> done) {}

  /** Writes the lines of all parts. Does something after each. */
  void write(List<Part> parts, OutputStream out, Runnable afterEach)
      throws SQLException, IOException {
    var reading = new ArrayDeque<Reading>();
    var next = parts.iterator();
    try {
      while (next.hasNext() || !reading.isEmpty()) {
        while (next.hasNext() && reading.size() < most) {
          reading.addLast(start(next.next()));
        }
        reading.getFirst().lines().writeTo(out);
        await(reading.removeFirst().done());
        afterEach.run();
      }
    } finally {
      // After a failure, readers may wait for somebody to take their lines.
      for (var left : reading) {
        left.lines().writeTo(OutputStream.nullOutputStream());
      }
    }
  }

  private Reading start(Part part) {
    var lines = new CsvLines();
    return new Reading(
        lines,
        threads.submit(() -> {
          var snapshot = free.remove();
          try {
            part.read(snapshot, lines);
          } finally {
            free.add(snapshot);
            lines.end();
          }
          return part;
        }));
  }

  private static void await(Future<?> part) throws SQLException, IOException {
    try {
      part.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case SQLException failure -> throw failure;
        case IOException failure -> throw failure;
        case RuntimeException failure -> throw failure;
        case null, default -> throw new IllegalStateException("A part was not read.", e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while rows were read.");
    }
  }

  @Override
  public void close() {
    threads.close();
  }
}
