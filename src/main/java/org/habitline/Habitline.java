package org.habitline;

import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import org.habitline.ops.Banner;
import org.habitline.ops.Settings;
import org.habitline.ops.StartFailure;

/**
 * Starts the line. The home folder ({@code HABITLINE_HOME}, else the working directory) holds
 * {@code config}, {@code prompts} and {@code data}; environment variables win over its {@code
 * config/application.yml}, and that wins over the defaults in the program. A start that fails says
 * why in one sentence on standard error and ends with exit code 1.
 */
public final class Habitline {

  private Habitline() {}

  public static void main(String[] args) throws InterruptedException {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    useHome();
    var stopped = new CountDownLatch(1);
    try {
      Settings.check();
      var context = ApplicationContext.builder(args).mainClass(Habitline.class).build();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(context, stopped)));
      context.start();
      var server = context.getBean(EmbeddedServer.class).start();
      context.getBean(Banner.class).print(server, System.out);
    } catch (RuntimeException e) {
      System.err.println(StartFailure.sentence(e));
      Runtime.getRuntime().halt(1);
    }
    stopped.await();
  }

  private static void stop(ApplicationContext context, CountDownLatch stopped) {
    context.stop();
    stopped.countDown();
  }

  private static void useHome() {
    var home =
        Path.of(
                Optional.ofNullable(System.getenv("HABITLINE_HOME"))
                    .or(() -> Optional.ofNullable(System.getProperty("habitline.home")))
                    .filter(given -> !given.isBlank())
                    .orElse("."))
            .toAbsolutePath()
            .normalize();
    System.setProperty("habitline.home", home.toString());
    var config = home.resolve("config").resolve("application.yml");
    if (Files.exists(config)) {
      System.setProperty("micronaut.config.files", config.toString());
    }
  }
}
