package org.habitline.ops.start;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A log line as a JSON object. */
class LogFormatTest {

  private final LoggerContext context = new LoggerContext();

  private JsonNode written(LoggingEvent event) throws IOException {
    var line = LogFormat.json(context).encode(event);
    assertThat(line).endsWith((byte) '\n');
    return new JsonMapper().readTree(line);
  }

  private LoggingEvent event(String message, @Nullable Throwable failure, Object... values) {
    return new LoggingEvent(
        "here", context.getLogger("org.habitline.Test"), Level.WARN, message, failure, values);
  }

  @Test
  void aLineSaysWhenWhereHowBadAndWhat() throws IOException {
    var line = written(event("delivery {} refused\nfor good", null, "dlv_1"));
    assertThat(line.path("message").asText()).isEqualTo("delivery dlv_1 refused\nfor good");
    assertThat(line.path("level").asText()).isEqualTo("WARN");
    assertThat(line.path("logger_name").asText()).isEqualTo("org.habitline.Test");
    assertThat(line.path("@timestamp").asText()).endsWith("Z");
    assertThat(line.has("stack_trace")).isFalse();
  }

  @Test
  void aFailureIsToldByItsTypesAndPlacesAndNeverByItsMessage() throws IOException {
    var failure =
        new IllegalStateException(
            "call +12065550123", new IOException("and say: I feel better today"));
    var line = written(event("it broke", failure));
    assertThat(line.path("stack_trace").asText())
        .contains(
            "java.lang.IllegalStateException at ", "java.io.IOException at ", "LogFormatTest");
    assertThat(line.toString()).doesNotContain("2065550123", "better");
  }
}
