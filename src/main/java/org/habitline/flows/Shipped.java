package org.habitline.flows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.habitline.config.Packaged;

/** Reads the flows and prompts packaged with the program, which are the repository's files. */
final class Shipped {

  private static final String FLOWS = "shipped/config/flows";
  private static final String PROMPTS = "shipped/prompts/";

  /** The name of a folder of documents. */
  static final String KNOWLEDGE = "knowledge";

  private Shipped() {}

  /** Returns the file of every packaged flow. */
  static List<FlowFile> flows() {
    return FlowFiles.read(Packaged.folder(FLOWS).orElseThrow());
  }

  /** Returns whether a flow of this id is packaged; each flow's folder is named after its id. */
  static boolean isFlow(String id) {
    return has(FLOWS + "/" + id + "/" + FlowFiles.FLOW);
  }

  /**
   * Returns whether the shared prompts are the texts of a packaged flow, because its folder has no
   * prompts of its own.
   */
  static boolean usesSharedPrompts(String id) {
    return isFlow(id) && !has(own(id));
  }

  /** Returns the bytes of a packaged prompt file of a flow, or empty if the flow has none. */
  static Optional<byte[]> prompt(String flow, String file) {
    return usesSharedPrompts(flow) ? bytes(PROMPTS + file) : bytes(own(flow) + "/" + file);
  }

  /** Returns the folder of a packaged flow's documents, or empty if it has none. */
  static Optional<Path> knowledge(String flow) {
    return Packaged.folder(FLOWS + "/" + flow + "/" + KNOWLEDGE);
  }

  private static String own(String flow) {
    return FLOWS + "/" + flow + "/" + PromptFiles.FOLDER;
  }

  private static boolean has(String resource) {
    return Shipped.class.getClassLoader().getResource(resource) != null;
  }

  private static Optional<byte[]> bytes(String resource) {
    try (var stream = Shipped.class.getClassLoader().getResourceAsStream(resource)) {
      return stream == null ? Optional.empty() : Optional.of(stream.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("The packaged file " + resource + " cannot be read.", e);
    }
  }
}
