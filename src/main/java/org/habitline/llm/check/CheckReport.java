package org.habitline.llm.check;

import java.io.PrintStream;
import java.util.List;
import org.apache.commons.text.WordUtils;

/**
 * What a model can do, and what Habitline does about the rest.
 *
 * @param model the model that was asked
 * @param server its address, without any key
 * @param exchanges the exchanges in the order they were played
 * @param adapted one line for each change that Habitline makes for this server
 * @param doNotRelyOn one line for each thing that a study must not rely on
 */
public record CheckReport(
    String model,
    String server,
    List<Result> exchanges,
    List<String> adapted,
    List<String> doNotRelyOn) {

  private static final int WIDTH = 100;
  private static final String INDENT = "  ";

  /** The columns before the sentence: number, title and verdict. */
  private static final String START = "%4s  %-33s %-15s ";

  private static final int SENTENCE = WIDTH - START.formatted("", "", "").length();

  public CheckReport {
    exchanges = List.copyOf(exchanges);
    adapted = List.copyOf(adapted);
    doNotRelyOn = List.copyOf(doNotRelyOn);
  }

  /**
   * The outcome of one exchange.
   *
   * @param name its name, for programs
   * @param title its name, for people
   * @param consequence one sentence about what the outcome means for a study
   */
  public record Result(String name, String title, Verdict verdict, String consequence) {}

  /** Returns whether every exchange worked, adapted or not. */
  public boolean allWork() {
    return exchanges.stream().noneMatch(result -> result.verdict() == Verdict.DOES_NOT_WORK);
  }

  /** Prints the report as plain text of at most 100 columns. */
  public void print(PrintStream out) {
    wrapped("Check of the model " + model + " at " + server, WIDTH).forEach(out::println);
    out.println();
    var number = 1;
    for (var result : exchanges) {
      var sentence = wrapped(result.consequence(), SENTENCE);
      out.println(
          START.formatted(number, result.title(), result.verdict().words()) + sentence.getFirst());
      sentence.stream().skip(1).forEach(more -> out.println(START.formatted("", "", "") + more));
      number++;
    }
    out.println();
    list("Adapted:", adapted, out);
    list("Do not rely on:", doNotRelyOn, out);
    out.flush();
  }

  private static void list(String heading, List<String> lines, PrintStream out) {
    out.println(lines.isEmpty() ? heading + " nothing" : heading);
    for (var line : lines) {
      var start = INDENT + "- ";
      for (var part : wrapped(line, WIDTH - start.length())) {
        out.println(start + part);
        start = INDENT + INDENT;
      }
    }
  }

  private static List<String> wrapped(String text, int width) {
    return WordUtils.wrap(text, width, "\n", true).lines().toList();
  }
}
