package org.habitline.bench.bare;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes a copy of the packaged jar without Habitline's own classes, beans, migrations, pages and
 * flows. The libraries beside it and {@code application.yml} stay, and {@link BareProgram} is its
 * main class.
 */
public final class BareJar {

  private static final Pattern OF_THE_LINE =
      Pattern.compile(
          "org/habitline/.*|META-INF/micronaut/[^/]+/(org\\.habitline|gg\\.jte\\.generated).*"
              + "|gg/jte/generated/.*|db/.*|assets/.*|shipped/.*|META-INF/swagger/.*"
              + "|logback\\.xml|META-INF/MANIFEST\\.MF");

  private static final String QUIET =
      """
      <configuration>
        <appender name="stderr" class="ch.qos.logback.core.ConsoleAppender">
          <target>System.err</target>
          <encoder><pattern>%d %-5level %logger{0} - %msg%n</pattern></encoder>
        </appender>
        <root level="ERROR"><appender-ref ref="stderr"/></root>
      </configuration>
      """;

  private BareJar() {}

  /** Writes the jar to the target and returns the target. */
  public static Path of(Path jarOfTheLine, Path target) throws IOException {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, BareProgram.class.getName());
    try (var from = new JarFile(jarOfTheLine.toFile())) {
      manifest
          .getMainAttributes()
          .put(Attributes.Name.CLASS_PATH, libraries(from, jarOfTheLine.toAbsolutePath()));
    }
    try (var from = new JarFile(jarOfTheLine.toFile());
        var to =
            new JarOutputStream(
                new BufferedOutputStream(Files.newOutputStream(target)), manifest)) {
      for (var entry : from.stream().toList()) {
        if (!OF_THE_LINE.matcher(entry.getName()).matches()) {
          copy(from, entry, to);
        }
      }
      add(to, "logback.xml", QUIET.getBytes(StandardCharsets.UTF_8));
      add(to, program(), programBytes());
    }
    return target;
  }

  /**
   * Returns a class path with the libraries beside Habitline's jar as absolute URIs, because the
   * bare jar is in another folder.
   */
  private static String libraries(JarFile jar, Path jarOfTheLine) throws IOException {
    var relative = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
    return Stream.of(relative.split(" "))
        .map(library -> jarOfTheLine.resolveSibling(library).toUri().toString())
        .collect(Collectors.joining(" "));
  }

  private static void copy(JarFile from, JarEntry entry, JarOutputStream to) throws IOException {
    try (var content = from.getInputStream(entry)) {
      add(to, entry.getName(), content.readAllBytes());
    }
  }

  private static void add(JarOutputStream to, String name, byte[] content) throws IOException {
    to.putNextEntry(new JarEntry(name));
    to.write(content);
    to.closeEntry();
  }

  private static String program() {
    return BareProgram.class.getName().replace('.', '/') + ".class";
  }

  private static byte[] programBytes() throws IOException {
    try (var program = BareJar.class.getClassLoader().getResourceAsStream(program())) {
      if (program == null) {
        throw new IOException("The program is not on the class path.");
      }
      return program.readAllBytes();
    }
  }
}
