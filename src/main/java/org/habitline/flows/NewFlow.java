package org.habitline.flows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Writes the folder of a new flow, which works as it is, into the flows of a home folder. */
public final class NewFlow {

  private static final String TEMPLATE = "/new-flow/";

  private static final List<String> FILES =
      List.of(
          FlowFiles.FLOW,
          "prompts/welcome.txt",
          "prompts/coaching.txt",
          "knowledge/about-this-study.md");

  /** The name of the flow in the template. */
  private static final String NAME = "my_flow";

  /** What came of writing a flow. */
  public sealed interface Outcome {

    /**
     * The folder was written.
     *
     * @param at where it is in the home folder, such as {@code config/flows/sleep}
     */
    record Written(String at) implements Outcome {}

    /** No flow can have this name; nothing was written. */
    record BadName(String sentence) implements Outcome {}

    /** Nothing was written, and nothing that existed was changed. */
    record NotWritten(String sentence) implements Outcome {}
  }

  private NewFlow() {}

  /** Writes the folder of a flow of this name; either the whole folder appears, or nothing. */
  public static Outcome write(Path home, String name) {
    if (!FlowReader.isId(name)) {
      return new Outcome.BadName(
          "'%s' cannot be the name of a flow; expected %s, beginning with a letter."
              .formatted(name, FlowReader.ACCEPTED_ID));
    }
    if (Shipped.isFlow(name)) {
      return new Outcome.BadName(
          "'%s' is the name of a flow that comes with Habitline; expected another name."
              .formatted(name));
    }
    var at = FlowFiles.FLOWS + "/" + name;
    if (Files.exists(home.resolve(at), LinkOption.NOFOLLOW_LINKS)) {
      return new Outcome.NotWritten(at + " already exists; expected another name.");
    }
    var flows = home.resolve(FlowFiles.FLOWS);
    // Files whose names begin with a dot are not read as flows.
    var unfinished = flows.resolve("." + name + "-" + UUID.randomUUID());
    try {
      Files.createDirectories(flows);
      for (var file : FILES) {
        var target = unfinished.resolve(file);
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        Files.writeString(target, template(file).replace(NAME, name));
      }
      Files.move(unfinished, flows.resolve(name));
      return new Outcome.Written(at);
    } catch (IOException e) {
      delete(unfinished);
      return new Outcome.NotWritten(
          at + " cannot be written; expected a home folder that this user may write to.");
    }
  }

  private static String template(String file) throws IOException {
    try (var stream = NewFlow.class.getResourceAsStream(TEMPLATE + file)) {
      return new String(
          Objects.requireNonNull(stream, "the program was packaged without " + file).readAllBytes(),
          StandardCharsets.UTF_8);
    }
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      // What is left has a hidden name, so no start reads it.
    }
  }
}
