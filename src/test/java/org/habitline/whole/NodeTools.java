package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Node with the packages that {@code src/test/node} pins, for tests tagged {@code node}. */
public final class NodeTools {

  /** Where the packages are installed, and where Node runs. */
  static final Path FOLDER = Path.of("target", "node");

  private static final Path TOOLS = Path.of("src", "test", "node");
  private static final String RECENT =
      "const [major, minor] = process.versions.node.split('.').map(Number);"
          + "process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)";

  private static boolean installed;

  private NodeTools() {}

  /**
   * Installs the packages, once in a run of the tests. Without a recent Node the calling test is
   * skipped and says so.
   */
  public static synchronized void install() throws IOException, InterruptedException {
    if (installed) {
      return;
    }
    Files.createDirectories(FOLDER);
    assumeTrue(hasNode(), "the tests with Node, which need node 20.19 or newer and npm");
    for (var file : List.of("package.json", "package-lock.json", ".npmrc")) {
      copy(file);
    }
    assertThat(run("install", Map.of(), "npm", "ci", "--ignore-scripts"))
        .as("see target/node/install.txt")
        .isZero();
    installed = true;
  }

  /** Copies a file of the tests to where Node runs. */
  public static void copy(String file) throws IOException {
    Files.copy(TOOLS.resolve(file), FOLDER.resolve(file), StandardCopyOption.REPLACE_EXISTING);
  }

  private static boolean hasNode() throws InterruptedException {
    try {
      return run("node", Map.of(), "node", "-e", RECENT) == 0
          && run("npm", Map.of(), "npm", "--version") == 0;
    } catch (IOException none) {
      return false;
    }
  }

  /** Returns the exit code; what was said is in a file of this name in the folder. */
  public static int run(String name, Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder(command)
            .directory(FOLDER.toFile())
            .redirectOutput(said(name).toFile())
            .redirectError(FOLDER.resolve(name + ".err.txt").toFile());
    builder.environment().putAll(environment);
    var process = builder.start();
    if (!process.waitFor(5, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError(name + " takes too long; see target/node.");
    }
    return process.exitValue();
  }

  /** The file with what a command wrote. */
  public static Path said(String name) {
    return FOLDER.resolve(name + ".txt");
  }
}
