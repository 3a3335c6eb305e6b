package org.habitline.flows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the flows and prompts packaged with the program, which are the repository's files. */
final class Shipped {

  private static final String FLOWS = "shipped/config/flows";
  private static final String PROMPTS = "shipped/prompts/";

  /** The name of a folder of documents. */
  static final String KNOWLEDGE = "knowledge";

  private Shipped() {}

  /** Returns the file of every packaged flow. */
  static List<FlowFile> flows() {
    var found = Shipped.class.getClassLoader().getResource(FLOWS);
    if (found == null) {
      throw new IllegalStateException("the program was packaged without " + FLOWS);
    }
    var uri = uri(found);
    if (!uri.getScheme().equals("jar")) {
      return FlowFiles.read(Path.of(uri));
    }
    try (var jar = FileSystems.newFileSystem(uri, Map.of())) {
      return FlowFiles.read(jar.getPath(FLOWS));
    } catch (IOException e) {
      throw new UncheckedIOException("The packaged flows cannot be read.", e);
    }
  }

  private static URI uri(URL url) {
    try {
      return url.toURI();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("The packaged flows have no valid URI.", e);
    }
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

  /**
   * Returns the folder of a packaged flow's documents, or empty if it has none. If it is in a jar,
   * the jar stays open until the program ends.
   */
  static Optional<Path> knowledge(String flow) {
    var name = FLOWS + "/" + flow + "/" + KNOWLEDGE;
    var found = Shipped.class.getClassLoader().getResource(name);
    if (found == null) {
      return Optional.empty();
    }
    var uri = uri(found);
    if (!uri.getScheme().equals("jar")) {
      return Optional.of(Path.of(uri));
    }
    var inJar = uri.getRawSchemeSpecificPart();
    var jar = Path.of(URI.create(inJar.substring(0, inJar.indexOf("!/"))));
    try {
      return Optional.of(FileSystems.newFileSystem(jar).getPath(name));
    } catch (IOException e) {
      throw new UncheckedIOException("The packaged documents cannot be read.", e);
    }
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
