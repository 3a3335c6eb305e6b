package org.habitline.whole;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Makes an AOT cache for the packaged jar with the command that makes the image's. */
final class AotCache {

  private static final Duration MADE_IN = Duration.ofMinutes(5);

  private AotCache() {}

  /**
   * Makes the cache in a folder and returns the option that uses it.
   *
   * @param collector the options that choose the garbage collector, which must be the same later
   * @throws IllegalStateException with what the command said, if it made none
   */
  static String in(Path folder, String... collector) throws IOException, InterruptedException {
    var file = folder.resolve("habitline.aot");
    var said = folder.resolve("cache.log");
    var command =
        Stream.of(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()),
                List.of(collector),
                List.of("-XX:AOTCacheOutput=" + file, "-Xlog:aot*=error"),
                List.of("-jar", RunningJar.jar().toString()),
                List.of("train"))
            .flatMap(List::stream)
            .toList();
    var process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    if (!process.waitFor(MADE_IN.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    if (!Files.exists(file)) {
      throw new IllegalStateException(Files.readString(said));
    }
    return "-XX:AOTCache=" + file;
  }
}
