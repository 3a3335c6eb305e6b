package org.habitline.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;

/**
 * Runs the strict fake model in a separate process, so that its cost counts for neither side. It
 * replies at once or after a fixed time, with a tool call to a text about an anchor and with a
 * sentence otherwise.
 */
public final class ModelProcess implements AutoCloseable {

  /** The beginning of a text that the model answers with a tool call first. */
  public static final String ANCHOR = "My anchor is ";

  private static final int REMEMBERED_AT_MOST = 100;

  private final Process process;
  private final String baseUrl;

  private ModelProcess(Process process, String baseUrl) {
    this.process = process;
    this.baseUrl = baseUrl;
  }

  public static ModelProcess start() {
    return start(Duration.ZERO);
  }

  /** Starts a model that takes this long for every answer. */
  public static ModelProcess start(Duration thinking) {
    try {
      var process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx512m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  ModelProcess.class.getName(),
                  thinking.toString())
              .redirectError(Redirect.INHERIT)
              .start();
      return new ModelProcess(process, process.inputReader().readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String baseUrl() {
    return baseUrl;
  }

  @Override
  public void close() {
    process.destroy();
  }

  /** Serves until the process that started it ends. */
  public static void main(String[] args) throws IOException {
    var thinking = Duration.parse(args[0]);
    try (var fake = StrictFakeServer.start()) {
      var answered = new AtomicInteger();
      fake.otherwise(asked -> {
        if (answered.incrementAndGet() % REMEMBERED_AT_MOST == 0) {
          fake.violations().forEach(System.err::println);
          fake.forget();
        }
        return answer(asked).after(thinking);
      });
      System.out.println(fake.baseUrl());
      while (System.in.read() >= 0) {
        // Ignores the input and waits for its end.
      }
    }
  }

  private static Scripted answer(StrictFakeServer.Asked asked) {
    var text = asked.lastUserText();
    var last = asked.messages().getLast().path("role").asText();
    return text.startsWith(ANCHOR) && !last.equals("tool")
        ? Scripted.call(
            "save_user_profile", "{\"prompt_anchor\":\"" + text.substring(ANCHOR.length()) + "\"}")
        : Scripted.say("Thank you, that helps. When in the day would it suit you?");
  }
}
