package org.habitline.ops.start;

import io.micronaut.context.ApplicationContext;
import java.io.PrintStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.conversation.stored.Replays;
import org.habitline.conversation.stored.Replays.Findings;
import org.habitline.conversation.stored.StoredRequests.Match;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The command {@code replay}: rebuilds recorded requests to the model from the database alone and
 * compares them with what was sent. Exit code 0 if none differs; 1 with the first difference, or if
 * the database cannot be read; 2 for wrong arguments, or if there is no such turn or participant.
 */
public final class ReplayCommand {

  public static final String NAME = "replay";

  private static final String TURN = "--turn";
  private static final String PARTICIPANT = "--participant";
  private static final String FROM = "--from";
  private static final String TO = "--to";
  private static final Pattern TURN_ID = Pattern.compile("^(.+)/(\\d{1,9})");

  private static final int ALL_EQUAL = 0;
  private static final int DIFFERENT = 1;
  private static final int WRONG_ARGUMENTS = 2;

  private ReplayCommand() {}

  /** Runs the command with the settings of this process and returns its exit code. */
  public static int run(List<String> arguments, PrintStream out, PrintStream err) {
    return run(
        arguments, ApplicationContext.builder().mainClass(ReplayCommand.class).build(), out, err);
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
            given -> {
              try {
                return replay(Wanted.of(given), context, out, err);
              } catch (IllegalArgumentException e) {
                err.println(e.getMessage());
                return WRONG_ARGUMENTS;
              }
            });
  }

  /** Which turns to replay. */
  private sealed interface Wanted {
    record OfTurn(String participantId, int number) implements Wanted {}

    record OfParticipant(String id) implements Wanted {}

    record Between(Instant from, Instant until) implements Wanted {}

    /**
     * Returns what the arguments name.
     *
     * @throws IllegalArgumentException with a sentence if they name nothing, or too much
     */
    static Wanted of(ParseResult given) {
      @Nullable String turn = given.matchedOptionValue(TURN, null);
      @Nullable String participant = given.matchedOptionValue(PARTICIPANT, null);
      @Nullable String from = given.matchedOptionValue(FROM, null);
      @Nullable String to = given.matchedOptionValue(TO, null);
      var dates = from != null || to != null;
      if ((turn == null ? 0 : 1) + (participant == null ? 0 : 1) + (dates ? 1 : 0) != 1) {
        throw new IllegalArgumentException(
            "Name what to replay by exactly one of --turn, --participant, and dates (--from, --to).");
      }
      if (turn != null) {
        var id = TURN_ID.matcher(turn);
        if (!id.matches()) {
          throw new IllegalArgumentException(
              "--turn: expected a participant's id, a slash and the number of the turn, such as conv_1a2b/12.");
        }
        return new OfTurn(id.group(1), Integer.parseInt(id.group(2)));
      }
      return participant != null
          ? new OfParticipant(participant)
          : new Between(
              from == null ? Instant.MIN : midnight(FROM, from, 0),
              to == null ? Instant.MAX : midnight(TO, to, 1));
    }

    private static Instant midnight(String option, String date, int later) {
      try {
        return LocalDate.parse(date).plusDays(later).atStartOfDay(ZoneOffset.UTC).toInstant();
      } catch (DateTimeException e) {
        throw new IllegalArgumentException(
            option + ": expected a date such as 2026-03-01, found " + date + ".");
      }
    }
  }

  private static int replay(
      Wanted wanted, ApplicationContext context, PrintStream out, PrintStream err) {
    try (context) {
      context.start();
      var replays = context.getBean(Replays.class);
      return switch (wanted) {
        case Wanted.OfTurn(var id, var number) ->
            told(replays.turn(id, number), "turn " + number + " of participant " + id, out, err);
        case Wanted.OfParticipant(var id) ->
            told(replays.participant(id), "participant " + id, out, err);
        case Wanted.Between(var from, var until) -> told(replays.between(from, until), out, err);
      };
    } catch (RuntimeException e) {
      err.println(
          "Nothing was compared. "
              + StartFailure.sentence(e).orElse("The cause was " + e.getClass().getName() + "."));
      return DIFFERENT;
    }
  }

  private static int told(Optional<Findings> found, String what, PrintStream out, PrintStream err) {
    if (found.isEmpty()) {
      err.println("There is no " + what + ". If it was erased, nothing is left to replay.");
      return WRONG_ARGUMENTS;
    }
    return told(found.get(), out, err);
  }

  private static int told(Findings found, PrintStream out, PrintStream err) {
    out.println(
        "%d turns replayed. Requests to the model: %d equal, %d not equal, %d partly deleted."
            .formatted(
                found.turns(),
                found.calls(Match.EQUAL),
                found.calls(Match.UNEQUAL),
                found.calls(Match.GONE)));
    if (found.first().isEmpty()) {
      return ALL_EQUAL;
    }
    var first = found.first().get();
    err.println(
        "The first difference is in turn %s/%d, model call %d%s: SHA-256 %s was sent, %s was rebuilt."
            .formatted(
                first.participantId(),
                first.turn().number(),
                first.call().number(),
                first.call().child() == 0 ? "" : "." + first.call().child(),
                first.call().recorded(),
                first.call().rebuilt().orElse("nothing")));
    return DIFFERENT;
  }

  private static CommandArguments accepted() {
    var accepted =
        new CommandArguments(
            NAME,
            "Rebuilds recorded requests to the model from the database alone, without network, and"
                + " compares the SHA-256 of each with the one recorded when it was sent. With an H2"
                + " file, stop the service first.",
            "Expected --turn ID, --participant ID, or --from DATE and --to DATE");
    option(accepted, TURN, "ID", "one turn: participant/number, such as conv_1a2b/12");
    option(accepted, PARTICIPANT, "ID", "all turns of one participant");
    option(accepted, FROM, "DATE", "turns from this day on (UTC, study time)");
    option(accepted, TO, "DATE", "turns up to this day, included");
    return accepted;
  }

  private static void option(
      CommandArguments accepted, String name, String label, String description) {
    accepted
        .spec()
        .addOption(
            OptionSpec.builder(name)
                .type(String.class)
                .paramLabel(label)
                .description(description)
                .build());
  }
}
