package org.habitline.ops.database;

import io.micronaut.context.RuntimeBeanDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.habitline.TestBean;

/** A disk with as much room as a test says. */
public final class TestSpace extends FreeSpace implements TestBean {

  private volatile long bytes;

  TestSpace(Path home, long bytes) {
    super(home.toString(), "");
    this.bytes = bytes;
  }

  /** A disk that can be written. */
  public static TestSpace of(long bytes) {
    try {
      var home = Files.createTempDirectory("habitline-space-");
      Files.createDirectory(home.resolve("data"));
      return new TestSpace(home, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void has(long newBytes) {
    bytes = newBytes;
  }

  @Override
  public Optional<Long> bytes() {
    return Optional.of(bytes);
  }

  @Override
  public List<RuntimeBeanDefinition<?>> definitions() {
    return List.of(
        RuntimeBeanDefinition.builder(FreeSpace.class, () -> this)
            .singleton(true)
            .replaces(FreeSpace.class)
            .build());
  }
}
