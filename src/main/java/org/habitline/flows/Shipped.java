package org.habitline.flows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** Reads the flows and prompts packaged with the program, which are the repository's files. */
final class Shipped {

  private static final String FLOWS = "shipped/config/flows";
  private static final String PROMPTS = "shipped/prompts/";

  private Shipped() {}

  /** Returns the YAML of every packaged flow by file name. */
  static SortedMap<String, String> flows() {
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

  /** Returns whether a flow of this id is packaged; each flow's file is named after its id. */
  static boolean isFlow(String id) {
    return Shipped.class.getClassLoader().getResource(FLOWS + "/" + id + ".yaml") != null;
  }

  /** Returns the bytes of a packaged prompt file, or empty if there is none of that name. */
  static Optional<byte[]> prompt(String file) {
    try (var stream = Shipped.class.getClassLoader().getResourceAsStream(PROMPTS + file)) {
      return stream == null ? Optional.empty() : Optional.of(stream.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("The packaged prompt " + file + " cannot be read.", e);
    }
  }
}
