package org.habitline.bench;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Collects the results of a run. Benchmarks take it as a parameter; after the last one, it prints
 * one table and writes {@code results.json}. Habitline's log goes to a file, as in production.
 */
public final class Report implements AutoCloseable {

  /** Passes the single report of a run to each benchmark. */
  public static final class Handed implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType().equals(Report.class);
    }

    @Override
    public Report resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getRoot()
          .getStore(Namespace.create(Report.class))
          .getOrComputeIfAbsent(Report.class, key -> new Report(), Report.class);
    }
  }

  private static final Path RESULTS = Path.of(System.getProperty("habitline.bench.results"));

  private final List<Measured> lines = new ArrayList<>();
  private final Map<String, Object> machine = new TreeMap<>();

  private Report() {
    try {
      Files.createDirectories(RESULTS.toAbsolutePath().getParent());
      System.setErr(
          new PrintStream(new FileOutputStream(RESULTS.resolveSibling("line.log").toFile()), true));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    machine.put("cores", Runtime.getRuntime().availableProcessors());
    machine.put("heap_mb", Runtime.getRuntime().maxMemory() >> 20);
    machine.put("jdk", System.getProperty("java.vm.name") + " " + Runtime.version());
    machine.put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    machine.put("measured_at", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
  }

  public void add(Measured measured) {
    lines.add(measured);
    System.out.println(row(measured));
  }

  /** Adds the version of a program that was part of the run. */
  public void version(String name, String version) {
    machine.put(name, version);
  }

  @Override
  public void close() throws IOException {
    print(System.out);
    var json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    json.writeValue(RESULTS.toFile(), Map.of("machine", machine, "results", lines));
  }

  private void print(PrintStream out) {
    out.println();
    machine.forEach((name, value) -> out.println(name + ": " + value));
    out.println();
    out.println("| what | setting | unit | line | reference | ratio | lowest to highest | goal |");
    out.println("|---|---|---|--:|--:|--:|---|---|");
    lines.forEach(measured -> out.println(row(measured)));
    out.println();
  }

  private static String row(Measured m) {
    return String.format(
        Locale.ROOT,
        "| %s | %s | %s | %s | %s | %.2f | %.2f to %.2f | %s |",
        m.what(),
        m.setting(),
        m.unit(),
        figure(m.line()),
        figure(m.reference()),
        m.ratio(),
        Collections.min(m.ratios()),
        Collections.max(m.ratios()),
        m.goal());
  }

  private static String figure(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }
}
