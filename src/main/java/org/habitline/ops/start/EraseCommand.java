package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.habitline.ops.database.ErasedAgain;
import org.habitline.ops.database.ErasedSpace;
import org.habitline.ops.database.ErasureFile;
import org.habitline.participants.Suppressed;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The command {@code erase --again FILE…}: erases the participants whom any of these {@code
 * erasures.jsonl} files names and the database still holds, for example after a backup was
 * restored. Exit code 0 if no table, and on H2 no file, holds their data; 1 with one sentence if
 * something does; 2 for wrong arguments. It may be repeated.
 */
public final class EraseCommand {

  public static final String NAME = "erase";

  private static final String AGAIN = "--again";
  private static final int ERASED = 0;
  private static final int NOT_ERASED = 1;
  private static final int WRONG_ARGUMENTS = 2;
  private static final long LOOK_AGAIN = Duration.ofMillis(200).toNanos();

  private EraseCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    return run(
        arguments, ApplicationContext.builder().mainClass(EraseCommand.class).build(), out, err);
  }

  /**
   * Runs the command with the settings of a context that was not started; returns its exit code.
   */
  public static int run(
      List<String> arguments, ApplicationContext context, PrintStream out, PrintStream err) {
    return accepted()
        .read(
            arguments,
            out,
            err,
            given ->
                eraseAgain(
                    given.<List<Path>>matchedPositionalValue(0, List.of()), context, out, err));
  }

  private static int eraseAgain(
      List<Path> files, ApplicationContext context, PrintStream out, PrintStream err) {
    for (var file : files) {
      if (!Files.isReadable(file)) {
        err.println(
            "No participant was erased. "
                + file
                + ": there is no such file, or it cannot be read.");
        return WRONG_ARGUMENTS;
      }
    }
    try (context) {
      context.start();
      SuppressionKey.check(context.getBean(Suppressed.class));
      return erase(files, context, out);
    } catch (IOException e) {
      err.println(
          "No participant was erased. "
              + ErasureFile.NAME
              + " in the home folder cannot be read and written.");
    } catch (RuntimeException e) {
      err.println(
          "Not every participant was erased; run the command again. "
              + StartFailure.sentence(e).orElse("The cause was " + e.getClass().getName() + "."));
    }
    return NOT_ERASED;
  }

  private static int erase(List<Path> files, ApplicationContext context, PrintStream out)
      throws IOException {
    var named = ErasureFile.union(files).values();
    var own = context.getBean(ErasureFile.class);
    var erased = context.getBean(ErasedAgain.class).erase(named);
    // Afterwards this home folder's own file is enough.
    own.append(own.missing(named));
    out.println(
        named.size() + " erasures are recorded; " + erased + " of them were carried out again.");
    var space = context.getBean(ErasedSpace.class);
    var said = "";
    while (!space.finish()) {
      var now = space.told();
      if (!now.equals(said)) {
        out.println("Their data is being removed from the database: " + now + ".");
        said = now;
      }
      LockSupport.parkNanos(LOOK_AGAIN);
    }
    out.println(
        space.isOnFile()
            ? "None of their data is left."
            : "No table contains any of their data, and the server has freed the rows. Its"
                + " write-ahead log, archives, replicas and backups may still contain them; let those"
                + " expire.");
    return ERASED;
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Erases the participants that the files name and the database still contains, for"
                + " example after a backup was restored. Name the "
                + ErasureFile.NAME
                + " of every node. With an H2 file, stop the service first. No messages are sent.",
            "Expected " + AGAIN + " and one or more files");
    accepted
        .spec()
        .addOption(
            OptionSpec.builder(AGAIN)
                .type(boolean.class)
                .required(true)
                .description("carries erasures out again")
                .build())
        .addPositional(
            PositionalParamSpec.builder()
                .paramLabel("FILE")
                .type(List.class)
                .auxiliaryTypes(Path.class)
                .arity("1..*")
                .required(true)
                .description("a file " + ErasureFile.NAME)
                .build());
    return accepted;
  }
}
