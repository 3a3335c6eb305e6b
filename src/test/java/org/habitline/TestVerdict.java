package org.habitline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Ends the build after all phases of tests have run, whatever failed in one of them. Prints one
 * line for each thing that the machine lacks and that tests were skipped for, and one for each
 * phase that failed or that left no report, for example because its process died. Ends with exit
 * code 1 if there is one of the latter.
 *
 * <p>Arguments: the folder of the reports that {@link TestRun} writes, then the names of the
 * phases.
 */
public final class TestVerdict {

  private TestVerdict() {}

  public static void main(String[] arguments) throws IOException {
    var folder = Path.of(arguments[0]);
    var skipped = new TreeSet<String>();
    var wrong = new ArrayList<String>();
    for (var phase : List.of(arguments).subList(1, arguments.length)) {
      var report = folder.resolve(phase + ".txt");
      if (!Files.exists(report)) {
        wrong.add(
            "The tests of the phase "
                + phase
                + " left no report: their process died or did not start. See the errors above.");
        continue;
      }
      var lines = Files.readAllLines(report);
      var failures = after("failed ", lines);
      skipped.addAll(after("skipped ", lines));
      if (!failures.isEmpty()) {
        wrong.add("Tests failed in the phase " + phase + ": " + String.join(", ", failures));
      } else if (lines.contains("passed 0") && after("skipped ", lines).isEmpty()) {
        wrong.add("No test ran in the phase " + phase + ".");
      }
    }
    skipped.forEach(reason -> System.out.println("Skipped: " + reason));
    wrong.forEach(System.out::println);
    if (!wrong.isEmpty()) {
      System.exit(1);
    }
  }

  private static List<String> after(String word, List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(word))
        .map(line -> line.substring(word.length()))
        .toList();
  }
}
