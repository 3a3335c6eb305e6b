package org.habitline.study.exports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.habitline.study.exports.PartReaders.Part;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class PartReadersTest {

  /** More lines than may wait. */
  private static final int MANY = 1_000_000;

  private final List<Connection> connections = new ArrayList<>();

  @BeforeEach
  void open() throws SQLException {
    for (int i = 0; i < 2; i++) {
      connections.add(DriverManager.getConnection("jdbc:h2:mem:"));
    }
  }

  @AfterEach
  void close() throws SQLException {
    for (var connection : connections) {
      connection.close();
    }
  }

  private static Part lines(String value, int count) {
    return (snapshot, lines) -> {
      for (int i = 0; i < count; i++) {
        lines.add(List.of(value));
      }
    };
  }

  private void write(List<Part> parts, OutputStream out) throws SQLException, IOException {
    try (var readers = new PartReaders(connections)) {
      readers.write(parts, out, () -> {});
    }
  }

  @Test
  void partsAreReadTogetherAndWrittenInTheirOrder() throws SQLException, IOException {
    var second = new CountDownLatch(1);
    var out = new ByteArrayOutputStream();
    Part waits =
        (snapshot, lines) -> {
          try {
            second.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          lines.add(List.of("a"));
        };
    Part goesOn =
        (snapshot, lines) -> {
          lines.add(List.of("b"));
          second.countDown();
        };
    write(List.of(waits, goesOn, lines("c", 2), lines("d", 1)), out);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a\r\nb\r\nc\r\nc\r\nd\r\n");
  }

  @Test
  void aPartThatCannotBeReadEndsTheExport() {
    Part broken =
        (snapshot, lines) -> {
          throw new SQLException("no such table");
        };
    assertThatThrownBy(() ->
            write(
                List.of(lines("a", 1), broken, lines("b", MANY), lines("c", MANY)),
                OutputStream.nullOutputStream()))
        .isInstanceOf(SQLException.class)
        .hasMessage("no such table");
  }

  @Test
  void aFullDiskEndsTheExportAlthoughReadersWait() {
    var full =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    assertThatThrownBy(() -> write(List.of(lines("a", MANY), lines("b", MANY)), full))
        .hasMessage("No space left on device");
  }
}
