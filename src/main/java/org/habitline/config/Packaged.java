package org.habitline.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Finds folders that are packaged with the program. */
public final class Packaged {

  private static final ConcurrentMap<Path, FileSystem> JARS = new ConcurrentHashMap<>();

  private Packaged() {}

  /**
   * Returns a packaged folder, or empty if there is none. If it is in a jar, the jar stays open
   * until the program ends.
   *
   * @param name the folder's name in the package, such as {@code shipped/config/flows}
   */
  public static Optional<Path> folder(String name) {
    return Optional.ofNullable(Packaged.class.getClassLoader().getResource(name))
        .map(found -> folder(uri(found), name));
  }

  private static Path folder(URI uri, String name) {
    return uri.getScheme().equals("jar") ? jar(uri).getPath(name) : Path.of(uri);
  }

  /**
   * Returns the jar of a packaged file, opened for this class alone: the file system that Java
   * shares between all who ask for the same jar is closed by the first of them that is done.
   */
  private static FileSystem jar(URI uri) {
    var place = uri.getRawSchemeSpecificPart();
    var jar = Path.of(URI.create(place.substring(0, place.indexOf("!/"))));
    return JARS.computeIfAbsent(jar, Packaged::open);
  }

  private static FileSystem open(Path jar) {
    try {
      return FileSystems.newFileSystem(jar);
    } catch (IOException e) {
      throw new UncheckedIOException("The packaged files cannot be read.", e);
    }
  }

  private static URI uri(URL url) {
    try {
      return url.toURI();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("A packaged folder has no valid URI.", e);
    }
  }
}
