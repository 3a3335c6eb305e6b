package org.habitline.flows;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The flows and prompts that were packaged with the program, from the same files as the
 * repository's.
 */
final class Shipped {

  private static final String FLOWS = "shipped/config/flows";
  private static final String PROMPTS = "shipped/prompts/";

  private Shipped() {}

  /** Returns the YAML of every shipped flow by file name. */
  static SortedMap<String, String> flows() {
    var found = Shipped.class.getClassLoader().getResource(FLOWS);
    if (found == null) {
      return new TreeMap<>();
    }
    try {
      return list(found);
    } catch (IOException e) {
      throw new UncheckedIOException("The packaged flows cannot be read.", e);
    }
  }

  private static SortedMap<String, String> list(URL folder) throws IOException {
    var uri = uri(folder);
    if (!uri.getScheme().equals("jar")) {
      return yamlFiles(Path.of(uri));
    }
    try (var jar = FileSystems.newFileSystem(uri, Map.of())) {
      return yamlFiles(jar.getPath(FLOWS));
    }
  }

  private static URI uri(URL url) {
    try {
      return url.toURI();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("The packaged flows have no address.", e);
    }
  }

  static SortedMap<String, String> yamlFiles(Path folder) throws IOException {
    var files = new TreeMap<String, String>();
    try (var entries = Files.newDirectoryStream(folder, "*.yaml")) {
      for (var entry : entries) {
        files.put(
            Objects.toString(entry.getFileName()), Files.readString(entry, StandardCharsets.UTF_8));
      }
    }
    return files;
  }

  /** Returns the bytes of a shipped prompt file, or empty if there is none of that name. */
  static Optional<byte[]> prompt(String file) {
    try (var stream = Shipped.class.getClassLoader().getResourceAsStream(PROMPTS + file)) {
      return Optional.ofNullable(bytes(stream));
    } catch (IOException e) {
      throw new UncheckedIOException("The packaged prompt " + file + " cannot be read.", e);
    }
  }

  private static byte @Nullable [] bytes(@Nullable InputStream stream) throws IOException {
    return stream == null ? null : stream.readAllBytes();
  }
}
