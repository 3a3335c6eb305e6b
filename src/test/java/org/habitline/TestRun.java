package org.habitline;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes what came of a phase's tests to the file that the system property {@code
 * habitline.test.run} names, once the last test has ended: {@link TestVerdict} reads it when all
 * phases have run. A process that dies before writes nothing. Without the property nothing is
 * written.
 */
public final class TestRun implements TestExecutionListener {

  private final AtomicInteger passed = new AtomicInteger();
  private final List<String> failed = new ArrayList<>();
  private final TreeSet<String> skipped = new TreeSet<>();

  @Override
  public synchronized void executionSkipped(TestIdentifier test, String reason) {
    skipped.add(reason);
  }

  @Override
  public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
    switch (result.getStatus()) {
      case FAILED -> failed.add(name(test));
      case ABORTED ->
          skipped.add(result.getThrowable().map(Throwable::getMessage).orElse("no reason given"));
      case SUCCESSFUL -> {
        if (test.isTest()) {
          passed.incrementAndGet();
        }
      }
    }
  }

  @Override
  public synchronized void testPlanExecutionFinished(TestPlan plan) {
    var file = System.getProperty("habitline.test.run");
    if (file == null) {
      return;
    }
    var lines = new ArrayList<String>();
    lines.add("passed " + passed);
    failed.forEach(test -> lines.add("failed " + line(test)));
    skipped.forEach(reason -> lines.add("skipped " + line(reason)));
    try {
      var path = Path.of(file);
      Files.createDirectories(path.toAbsolutePath().getParent());
      Files.write(path, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String name(TestIdentifier test) {
    return test.getSource()
        .map(source ->
            switch (source) {
              case MethodSource method -> method.getClassName() + "." + method.getMethodName();
              case ClassSource type -> type.getClassName();
              default -> test.getDisplayName();
            })
        .orElseGet(test::getDisplayName);
  }

  private static String line(String text) {
    return text.replaceAll("\\R", " ").replaceFirst("^Assumption failed: ", "");
  }
}
