package org.habitline.whole;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * JVM options that make a start take half as long, for tests that start the jar again and again:
 * classes come from an archive that is written once per jar. What runs is the same.
 */
final class QuickStart {

  private QuickStart() {}

  /** Tests run in several processes; one of them writes the archive and the others wait. */
  static synchronized List<String> options() {
    var jar = Path.of(System.getProperty("habitline.jar"));
    var archive = jar.resolveSibling("habitline-tests.jsa");
    try (var lock =
            FileChannel.open(
                jar.resolveSibling("habitline-tests.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        var _ = lock.lock()) {
      if (!Files.exists(archive)
          || Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) < 0) {
        Files.deleteIfExists(archive);
        write(archive);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.of(
        "-XX:SharedArchiveFile=" + archive, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  }

  /** Lets a line answer one text and remember which classes that took. */
  private static void write(Path archive) throws IOException {
    var home = Files.createTempDirectory(archive.getParent(), "quick-start-");
    try (var line = new Deployment(home, Map.of())) {
      CoachScript.playedBy(line.model());
      line.start(List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable"));
      line.textAndAwaitAnswer(line.enrolAndGreet("+4915155555555"), "Plan a quick start");
      line.stop();
    }
  }
}
