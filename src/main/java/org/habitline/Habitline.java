package org.habitline;

import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import org.habitline.ops.Banner;
import org.habitline.ops.MoveCommand;
import org.habitline.ops.Settings;
import org.habitline.ops.StartFailure;
import org.habitline.study.RehearseCommand;
import org.jspecify.annotations.Nullable;

/**
 * Starts the line. The home folder ({@code HABITLINE_HOME}, else the working directory) holds
 * {@code config}, {@code prompts} and {@code data}; environment variables win over its {@code
 * config/application.yml}, and that wins over the defaults in the program. A start that fails for a
 * reason an operator can put right says it in one sentence on standard error; the exit code is 1.
 * With the argument {@code rehearse} no line starts; a protocol is rehearsed instead. With {@code
 * move-to-postgresql} none starts either; the data of the H2 file are copied to PostgreSQL.
 */
public final class Habitline {

  private Habitline() {}

  public static void main(String[] args) throws InterruptedException {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    var stopped = new CountDownLatch(1);
    try {
      useHome();
      if (args.length > 0 && args[0].equals(RehearseCommand.NAME)) {
        Settings.checkEach();
        System.exit(
            RehearseCommand.run(
                List.of(args).subList(1, args.length), home(), System.out, System.err));
      }
      Settings.check();
      if (args.length > 0 && args[0].equals(MoveCommand.NAME)) {
        System.exit(MoveCommand.run(List.of(args).subList(1, args.length), System.out, System.err));
      }
      var context = ApplicationContext.builder(args).mainClass(Habitline.class).build();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(context, stopped)));
      context.start();
      var server = context.getBean(EmbeddedServer.class).start();
      context.getBean(Banner.class).print(server, System.out);
    } catch (RuntimeException | Error e) {
      StartFailure.tell(e, System.err);
      // Not exit: nothing was opened that an orderly stop would have to close.
      Runtime.getRuntime().halt(1);
    }
    stopped.await();
  }

  private static void stop(ApplicationContext context, CountDownLatch stopped) {
    context.stop();
    stopped.countDown();
  }

  private static Path home() {
    return Path.of(
            given(System.getenv("HABITLINE_HOME"))
                .or(() -> given(System.getProperty("habitline.home")))
                .orElse("."))
        .toAbsolutePath()
        .normalize();
  }

  private static void useHome() {
    var home = home();
    Settings.checkHome(home);
    System.setProperty("habitline.home", home.toString());
    var config = home.resolve("config").resolve("application.yml");
    if (Files.exists(config)) {
      System.setProperty("micronaut.config.files", config.toString());
    }
  }

  private static Optional<String> given(@Nullable String value) {
    return Optional.ofNullable(value).filter(text -> !text.isBlank());
  }
}
