package org.habitline.ops.start;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import org.habitline.safety.check.ExampleFile;
import org.habitline.safety.check.SafetyReport;
import org.habitline.safety.rules.BrokenRules;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.safety.rules.RiskKind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The command {@code check-safety}: judges labelled examples by the crisis rules in force and
 * prints one JSON object for each, then rates and every wrong verdict. Starts neither the service
 * nor the database, and never prints a text. Exit code 0 if every verdict is right (see {@link
 * SafetyReport#wrong()}); 1 if one is wrong or the rules cannot be used; 2 for wrong arguments and
 * for a file that cannot be used.
 */
public final class CheckSafetyCommand {

  public static final String NAME = "check-safety";

  private static final String EXAMPLES = "--examples";
  private static final int WELL = 0;
  private static final int NOT_WELL = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private CheckSafetyCommand() {}

  /**
   * Runs the command and returns its exit code.
   *
   * @param home the home folder, whose rule files replace packaged ones of the same name
   */
  public static int run(List<String> arguments, Path home, PrintStream out, PrintStream err) {
    return accepted()
        .read(
            arguments,
            out,
            err,
            given -> check(given.matchedOptionValue(EXAMPLES, Path.of("")), home, out, err));
  }

  private static int check(Path file, Path home, PrintStream out, PrintStream err) {
    ExampleFile examples;
    try {
      examples = ExampleFile.read(file);
    } catch (IOException e) {
      err.println(file + " cannot be read; expected a JSON Lines file in UTF-8.");
      return WRONG_ARGUMENTS;
    }
    if (!examples.mistakes().isEmpty()) {
      examples.mistakes().forEach(mistake -> err.println(file + ": " + mistake));
      return WRONG_ARGUMENTS;
    }
    if (examples.examples().isEmpty()) {
      err.println(file + " has no examples; expected one JSON object on each line.");
      return WRONG_ARGUMENTS;
    }
    CrisisRules rules;
    try {
      rules = CrisisRules.of(home);
    } catch (BrokenRules e) {
      e.mistakes().forEach(err::println);
      return NOT_WELL;
    }
    var report = SafetyReport.of(rules, examples.examples());
    report.judged().forEach(judged -> out.println(line(judged)));
    out.println();
    report.print(out);
    rules.warnings().forEach(out::println);
    return report.wrong().isEmpty() ? WELL : NOT_WELL;
  }

  private static String line(SafetyReport.Judged judged) {
    var fields = new LinkedHashMap<String, @Nullable Object>();
    fields.put("id", judged.example().id());
    fields.put("verdict", judged.verdict().level().word());
    fields.put("kind", judged.verdict().kind().map(RiskKind::word).orElse(null));
    try {
      return JSON.writeValueAsString(fields);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A verdict cannot be written as JSON.", e);
    }
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Judges labelled examples by the crisis rules in force: the packaged ones, and those in"
                + " config/safety of the home folder. Prints one JSON object for each example (id,"
                + " verdict, kind), then rates with 95 %% intervals and every wrong verdict. Never"
                + " prints a text. A verdict is wrong if an example labelled crisis is not a crisis"
                + " for the rules, or one labelled watch or none is. Whether it is a concern, and"
                + " which kind is named, makes no verdict wrong. The exit code is 0 if every"
                + " verdict is right, 1 if one is wrong or the rules cannot be used, and 2 if the"
                + " arguments or the file cannot be used.",
            "Expected " + EXAMPLES + " with a file, and no other option");
    accepted
        .spec()
        .addOption(
            OptionSpec.builder(EXAMPLES)
                .type(Path.class)
                .required(true)
                .paramLabel("<file>")
                .description("JSON Lines: id, lang, text, label (crisis, watch or none) and kind")
                .build());
    return accepted;
  }
}
