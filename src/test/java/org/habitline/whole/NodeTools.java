package org.habitline.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The npm packages of the tests tagged {@code node}, and what they run. */
public final class NodeTools {

  static final Path FOLDER = Path.of("target", "node");

  private static final Path TOOLS = Path.of("src", "test", "node");
  private static final String RECENT =
      "const [major, minor] = process.versions.node.split('.').map(Number);"
          + "process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)";

  private static boolean installed;

  private NodeTools() {}

  /** Installs the packages once; skips the test and says so where there is no recent Node. */
  public static synchronized void install() throws IOException, InterruptedException {
    Files.createDirectories(FOLDER);
    assumeTrue(hasNode(), "Node 20.19 or newer is not installed: its tests are skipped.");
    if (installed) {
      return;
    }
    for (var file : List.of("package.json", "package-lock.json", ".npmrc", "mcp.mjs")) {
      Files.copy(TOOLS.resolve(file), FOLDER.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    assertThat(run("install", "npm", "ci", "--ignore-scripts"))
        .as("see target/node/install.txt")
        .isZero();
    installed = true;
  }

  private static boolean hasNode() throws InterruptedException {
    try {
      return run("node", "node", "-e", RECENT) == 0 && run("npm", "npm", "--version") == 0;
    } catch (IOException none) {
      return false;
    }
  }

  /** Returns the exit code; what was said is in {@link #said} of this name. */
  public static int run(String name, String... command) throws IOException, InterruptedException {
    var builder =
        new ProcessBuilder(command)
            .directory(FOLDER.toFile())
            .redirectOutput(said(name).toFile())
            .redirectError(FOLDER.resolve(name + ".err.txt").toFile());
    builder.environment().put("REDOCLY_TELEMETRY", "off");
    builder.environment().put("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
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
