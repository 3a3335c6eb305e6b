package org.habitline;

import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.habitline.ops.start.Banner;
import org.habitline.ops.start.CheckFlowCommand;
import org.habitline.ops.start.CheckModelCommand;
import org.habitline.ops.start.CheckSafetyCommand;
import org.habitline.ops.start.CheckStudyCommand;
import org.habitline.ops.start.CodeOutcomesCommand;
import org.habitline.ops.start.EraseCommand;
import org.habitline.ops.start.ExportCommand;
import org.habitline.ops.start.NewFlowCommand;
import org.habitline.ops.start.PostgresMigrationCommand;
import org.habitline.ops.start.ReplayCommand;
import org.habitline.ops.start.ReportCommand;
import org.habitline.ops.start.RestoredCommand;
import org.habitline.ops.start.Settings;
import org.habitline.ops.start.StartArguments;
import org.habitline.ops.start.StartFailure;
import org.habitline.ops.start.TrainCommand;
import org.habitline.rehearsal.RehearseCommand;
import org.jspecify.annotations.Nullable;

/**
 * Starts the service, or runs one of the {@link #COMMANDS} instead. The home folder ({@code
 * HABITLINE_HOME}, else the working directory) holds {@code config}, {@code prompts} and {@code
 * data}. Command-line options override environment variables, which override {@code
 * config/application.yml} in the home folder, which overrides the built-in defaults. A start that
 * fails for a reason an operator can fix prints one sentence on standard error and exits with code
 * 1. Unknown arguments are refused with exit code 2.
 */
public final class Habitline {

  private static final List<String> COMMANDS =
      List.of(
          NewFlowCommand.NAME,
          CheckFlowCommand.NAME,
          RehearseCommand.NAME,
          CheckModelCommand.NAME,
          CheckSafetyCommand.NAME,
          CheckStudyCommand.NAME,
          CodeOutcomesCommand.NAME,
          PostgresMigrationCommand.NAME,
          EraseCommand.NAME,
          ReplayCommand.NAME,
          ExportCommand.NAME,
          ReportCommand.NAME,
          RestoredCommand.NAME,
          TrainCommand.NAME);

  private static final int FAILED = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private static final String MAVENS_MAIN_CLASS = "org.codehaus.plexus.classworlds.launcher";
  private static final int SECONDS_FOR_MAVEN = 10;

  /**
   * How many virtual threads run at the same time at least, whatever the number of processors. On
   * JDK 25 a virtual thread that waits until another has loaded a class holds on to its carrier
   * (JDK-8369238): with one or two carriers that could stop all of them for good. More carriers
   * also keep a turn that reads a large document from holding up every other turn.
   */
  private static final int FEWEST_CARRIERS = 8;

  private static final String CARRIERS = "jdk.virtualThreadScheduler.parallelism";

  private Habitline() {}

  public static void main(String[] args) throws InterruptedException {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    // Read once, when the first virtual thread is made.
    if (System.getProperty(CARRIERS) == null) {
      System.setProperty(
          CARRIERS,
          Integer.toString(Math.max(FEWEST_CARRIERS, Runtime.getRuntime().availableProcessors())));
    }
    var stopped = new CountDownLatch(1);
    try {
      switch (StartArguments.read(List.of(args), COMMANDS)) {
        case StartArguments.Line line -> start(line, stopped);
        case StartArguments.Command command -> end(run(command));
        case StartArguments.Help help -> {
          System.out.print(help.text());
          end(0);
        }
        case StartArguments.Unknown unknown -> {
          System.err.println(unknown.sentence());
          end(WRONG_ARGUMENTS);
        }
      }
    } catch (RuntimeException | Error e) {
      StartFailure.tell(e, System.err);
      endMaven();
      // halt, not exit: everything opened is closed already, and the shutdown hook would only log
      // again.
      Runtime.getRuntime().halt(FAILED);
    }
    stopped.await();
  }

  private static void start(StartArguments.Line line, CountDownLatch stopped) {
    readSecretFiles();
    var context = context(line);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(context, stopped)));
    open(context);
  }

  private static ApplicationContext context(StartArguments.Line line) {
    useHome(home(line.value("habitline.home")));
    Settings.check(line.asArray());
    return ApplicationContext.builder()
        .args(line.asArray())
        .mainClass(Habitline.class)
        // Habitline has no bean that adds settings; looking for one takes time.
        .bootstrapEnvironment(false)
        .build();
  }

  private static EmbeddedServer open(ApplicationContext context) {
    try {
      context.start();
      // With a level of a logger among the settings, the start reads logback.xml again.
      Settings.useLogFormat(context.getEnvironment());
      var server = context.getBean(EmbeddedServer.class).start();
      context.getBean(Banner.class).print(server, System.out);
      return server;
    } catch (RuntimeException | Error e) {
      close(context);
      throw e;
    }
  }

  /** Closes what a failed start opened; the database matters most. */
  private static void close(ApplicationContext context) {
    try {
      context.stop();
    } catch (RuntimeException e) {
      // The failure that stopped the start matters more; the caller reports it.
    }
  }

  private static int run(StartArguments.Command command) {
    var arguments = command.arguments();
    if (command.name().equals(TrainCommand.NAME)) {
      return TrainCommand.run(arguments, line -> open(context(line)), System.out, System.err);
    }
    var home = home(Optional.empty());
    useHome(home);
    readSecretFiles();
    return switch (command.name()) {
      case NewFlowCommand.NAME -> NewFlowCommand.run(arguments, home, System.out, System.err);
      case CheckFlowCommand.NAME -> {
        Settings.checkEach();
        yield CheckFlowCommand.run(arguments, home, System.out, System.err);
      }
      case RehearseCommand.NAME -> {
        Settings.checkEach();
        yield RehearseCommand.run(arguments, home, System.out, System.err);
      }
      case CheckModelCommand.NAME -> {
        Settings.checkModel();
        yield CheckModelCommand.run(arguments, System.out, System.err);
      }
      case CheckSafetyCommand.NAME ->
          CheckSafetyCommand.run(arguments, home, System.out, System.err);
      case CheckStudyCommand.NAME -> CheckStudyCommand.run(arguments, home, System.out, System.err);
      case CodeOutcomesCommand.NAME -> {
        Settings.check();
        yield CodeOutcomesCommand.run(arguments, System.out, System.err);
      }
      case PostgresMigrationCommand.NAME -> {
        Settings.check();
        yield PostgresMigrationCommand.run(arguments, System.out, System.err);
      }
      case ReplayCommand.NAME -> {
        Settings.check();
        yield ReplayCommand.run(arguments, System.out, System.err);
      }
      case ExportCommand.NAME -> {
        Settings.check();
        yield ExportCommand.run(arguments, System.out, System.err);
      }
      case ReportCommand.NAME -> {
        Settings.check();
        yield ReportCommand.run(arguments, System.out, System.err);
      }
      case RestoredCommand.NAME -> {
        Settings.check();
        yield RestoredCommand.run(arguments, System.out, System.err);
      }
      case EraseCommand.NAME -> {
        Settings.check();
        yield EraseCommand.run(arguments, System.out, System.err);
      }
      default -> throw new IllegalStateException("There is no command " + command.name());
    };
  }

  private static void stop(ApplicationContext context, CountDownLatch stopped) {
    context.stop();
    stopped.countDown();
  }

  private static void end(int exitCode) {
    if (exitCode != 0) {
      endMaven();
    }
    System.exit(exitCode);
  }

  /**
   * Ends the Maven process that runs {@code mn:run}, if there is one, and waits until it exits, for
   * {@value #SECONDS_FOR_MAVEN} seconds at most. Maven drops the exit code of its child: after a
   * refused start it would wait for changed files or report success.
   */
  private static void endMaven() {
    if (!Boolean.getBoolean(StartArguments.UNDER_MAVEN)) {
      return;
    }
    ProcessHandle.current()
        .parent()
        .filter(parent ->
            parent.info().commandLine().filter(it -> it.contains(MAVENS_MAIN_CLASS)).isPresent())
        .filter(ProcessHandle::destroy)
        .ifPresent(maven -> {
          try {
            maven.onExit().get(SECONDS_FOR_MAVEN, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (ExecutionException | TimeoutException e) {
            // Maven has been told to stop; this process ends either way.
          }
        });
  }

  private static Path home(Optional<String> option) {
    return Path.of(
            option
                .filter(text -> !text.isBlank())
                .or(() -> given(System.getenv("HABITLINE_HOME")))
                .or(() -> given(System.getProperty("habitline.home")))
                .orElse("."))
        .toAbsolutePath()
        .normalize();
  }

  private static void useHome(Path home) {
    Settings.checkHome(home);
    System.setProperty("habitline.home", home.toString());
    var config = home.resolve("config").resolve("application.yml");
    if (Files.exists(config)) {
      System.setProperty("micronaut.config.files", config.toString());
    }
  }

  private static void readSecretFiles() {
    Settings.inFiles(System.getenv()).forEach(System::setProperty);
  }

  private static Optional<String> given(@Nullable String value) {
    return Optional.ofNullable(value).filter(text -> !text.isBlank());
  }
}
