package org.habitline;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks for words in every file of a folder, byte by byte, as {@code strings} and {@code grep} do.
 */
public final class HomeBytes {

  private static final List<Charset> WRITTEN_AS =
      List.of(StandardCharsets.UTF_8, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE);

  private HomeBytes() {}

  /**
   * A word as it is looked for.
   *
   * @param bytes one character for each
   */
  private record Wanted(String word, String bytes) {}

  /** Returns where which of the words were found, as {@code file: word}. */
  public static Set<String> holding(Path home, Collection<String> words) {
    var wanted =
        words.stream()
            .flatMap(
                word -> WRITTEN_AS.stream().map(as -> new Wanted(word, bytes(word.getBytes(as)))))
            .toList();
    var found = new TreeSet<String>();
    for (var file : files(home).entrySet()) {
      for (var word : in(file.getValue(), wanted)) {
        found.add(file.getKey().getFileName() + ": " + word);
      }
    }
    return found;
  }

  private static Map<Path, String> files(Path home) {
    try (var files = Files.walk(home)) {
      var read = new LinkedHashMap<Path, String>();
      for (var file : files.filter(Files::isRegularFile).toList()) {
        read.put(file, bytes(Files.readAllBytes(file)));
      }
      return read;
    } catch (NoSuchFileException | UncheckedIOException e) {
      // A file went away while the folder was read.
      return files(home);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String bytes(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static List<String> in(String bytes, List<Wanted> wanted) {
    var beginnings = new BitSet(1 << 24);
    wanted.forEach(it -> beginnings.set(beginning(it.bytes(), 0)));
    var found = new ArrayList<String>();
    for (int at = 0; at + 3 <= bytes.length(); at++) {
      if (beginnings.get(beginning(bytes, at))) {
        for (var word : wanted) {
          if (bytes.startsWith(word.bytes(), at)) {
            found.add(word.word());
          }
        }
      }
    }
    return found;
  }

  private static int beginning(String bytes, int at) {
    return bytes.charAt(at) << 16 | bytes.charAt(at + 1) << 8 | bytes.charAt(at + 2);
  }
}
