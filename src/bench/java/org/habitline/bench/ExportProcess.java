package org.habitline.bench;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micronaut.context.ApplicationContext;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.habitline.storage.Snapshots;
import org.habitline.study.exports.ExportScope;
import org.habitline.study.exports.StudyExports;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/**
 * Exports the study in a process with a heap of {@value #HEAP}, and copies the same tables with
 * PostgreSQL's own {@code COPY … TO} in the same process. How much of the heap an export needs is
 * measured in a run of its own, as collecting all garbage takes time.
 */
final class ExportProcess implements AutoCloseable {

  static final String HEAP = "256m";

  private static final JsonMapper JSON = new JsonMapper();
  private static final int BUFFER = 1 << 16;
  private static final String EXPORT = "export";
  private static final String LIVE = "live";

  /** How the tables are copied. */
  enum Copied {
    /** Each table an entry of a zip, as in an export. */
    COMPRESSED,
    /** One table after the other, as the server sends them. */
    AS_SENT
  }

  /**
   * What one export or copy took.
   *
   * @param early MB of the heap in use after a full collection: the median of the first quarter; 0
   *     if that was not measured
   * @param late the same in the last quarter
   * @param most the most after any of the collections
   */
  record Took(double seconds, long bytes, double early, double late, double most) {}

  private final Process process;
  private final BufferedReader answers;

  private ExportProcess(Process process) {
    this.process = process;
    this.answers = process.inputReader();
  }

  static ExportProcess start(Map<String, Object> settings) throws IOException {
    return new ExportProcess(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + HEAP,
                "-cp",
                System.getProperty("java.class.path"),
                ExportProcess.class.getName(),
                JSON.writeValueAsString(settings))
            .redirectError(Redirect.INHERIT)
            .start());
  }

  /** Exports the study to a new file. */
  Took export(ExportScope scope, Path file) throws IOException {
    return ask(EXPORT, scope, file);
  }

  /** Exports the study to a new file, more slowly, and measures the heap meanwhile. */
  Took exportMeasured(ExportScope scope, Path file) throws IOException {
    return ask(LIVE, scope, file);
  }

  /** Copies to a new file the columns that an export of this scope reads. */
  Took copy(ExportScope scope, Copied how, Path file) throws IOException {
    return ask(how.name(), scope, file);
  }

  private Took ask(String what, ExportScope scope, Path file) throws IOException {
    process.outputWriter().write(what + " " + scope.name() + " " + file + "\n");
    process.outputWriter().flush();
    var answer = answers.readLine();
    if (answer == null) {
      throw new IllegalStateException("The process that exports has ended");
    }
    return JSON.readValue(answer, Took.class);
  }

  @Override
  public void close() {
    process.destroy();
  }

  /** Serves until the process that started it ends. */
  public static void main(String[] args) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Map<String, Object> settings = JSON.readerForMapOf(Object.class).readValue(args[0]);
    try (var line = ApplicationContext.builder().properties(settings).start()) {
      var asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (var words = asked.readLine(); words != null; words = asked.readLine()) {
        var said = words.split(" ", 3);
        var scope = ExportScope.valueOf(said[1]);
        var file = Path.of(said[2]);
        System.out.println(
            JSON.writeValueAsString(
                switch (said[0]) {
                  case EXPORT -> timed(() -> export(line, scope, file), file);
                  case LIVE -> {
                    try (var heap = new LiveHeap()) {
                      var took = timed(() -> export(line, scope, file), file);
                      yield heap.took(took.seconds(), took.bytes());
                    }
                  }
                  default ->
                      timed(
                          () ->
                              copy(
                                  line.getBean(Snapshots.class),
                                  scope,
                                  Copied.valueOf(said[0]),
                                  file),
                          file);
                }));
      }
    }
  }

  /** Writes a file. */
  private interface Writing {
    void run() throws SQLException;
  }

  private static Took timed(Writing writing, Path file) throws SQLException, IOException {
    var began = System.nanoTime();
    writing.run();
    return new Took((System.nanoTime() - began) / 1e9, Files.size(file), 0, 0, 0);
  }

  private static void export(ApplicationContext line, ExportScope scope, Path file) {
    line.getBean(StudyExports.class)
        .write(file, new StudyExports.Wanted(scope, false, "a benchmark", "system"));
  }

  private static void copy(Snapshots snapshots, ExportScope scope, Copied how, Path file)
      throws SQLException {
    snapshots.read(snapshot -> {
      try (var channel =
              FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
          var out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER)) {
        if (how == Copied.COMPRESSED) {
          var zip = new ZipOutputStream(out, StandardCharsets.UTF_8);
          copy(snapshot, scope, zip, table -> zip.putNextEntry(new ZipEntry(table + ".csv")));
          zip.finish();
        } else {
          copy(snapshot, scope, out, table -> {});
        }
        out.flush();
        channel.force(true);
        return file;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  /** Is told of each table before it is copied. */
  private interface BeforeTable {
    void begins(String table) throws IOException;
  }

  private static void copy(
      Connection snapshot, ExportScope scope, OutputStream out, BeforeTable before)
      throws SQLException, IOException {
    var copies = new CopyManager(snapshot.unwrap(BaseConnection.class));
    for (var table : SeededStudy.exported(scope)) {
      before.begins(table.name());
      var rows = new BufferedOutputStream(out, BUFFER);
      copies.copyOut(
          "COPY (SELECT %s FROM %s) TO STDOUT (FORMAT csv)"
              .formatted(table.columns(), table.name()),
          rows);
      rows.flush();
    }
  }

  /** Collects all garbage again and again, and notes how much of the heap is still in use. */
  private static final class LiveHeap implements AutoCloseable {

    private static final double MB = 1 << 20;
    private static final int PAUSE_MS = 200;

    private final List<Double> left = new ArrayList<>();
    private final Thread collecting = Thread.ofPlatform().start(this::collect);
    private volatile boolean done;

    private void collect() {
      var memory = ManagementFactory.getMemoryMXBean();
      try {
        while (!done) {
          memory.gc();
          left.add(memory.getHeapMemoryUsage().getUsed() / MB);
          Thread.sleep(PAUSE_MS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    Took took(double seconds, long bytes) {
      close();
      var quarter = Math.max(1, left.size() / 4);
      return new Took(
          seconds,
          bytes,
          median(left.subList(0, quarter)),
          median(left.subList(left.size() - quarter, left.size())),
          Collections.max(left));
    }

    private static double median(List<Double> some) {
      return some.stream().sorted().toList().get(some.size() / 2);
    }

    @Override
    public void close() {
      done = true;
      try {
        collecting.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
