package org.habitline.rehearsal;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import org.habitline.participants.TimeZones;
import org.habitline.participants.UnknownZone;
import org.habitline.timers.AllowedHours;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/**
 * The command {@code rehearse}: plays a protocol with simulated participants and prints a report.
 * The exit code is 0 if there are no anomalies, 1 if there are any, and 2 for invalid arguments,
 * for a flow that does not exist, and if the report cannot be written.
 */
public final class RehearseCommand {

  public static final String NAME = "rehearse";

  private static final int WELL = 0;
  private static final int ANOMALIES = 1;
  private static final int WRONG_ARGUMENTS = 2;
  private static final int NOT_REHEARSED = 2;

  private static final int MOST_PARTICIPANTS = 1000;
  private static final int MOST_DAYS = 366;

  private static final String FLOW = "--flow";
  private static final String PARTICIPANTS = "--participants";
  private static final String DAYS = "--days";
  private static final String FROM = "--from";
  private static final String TIMEZONE = "--timezone";
  private static final String ALLOWED_HOURS = "--allowed-hours";
  private static final String PROMPTS = "--prompts";
  private static final String MOVES_TO = "--moves-to";
  private static final String SEED = "--seed";
  private static final String SAFETY = "--safety";
  static final String WITH_MODEL = "--with-model";
  private static final String JSON = "--json";
  private static final String KEEP = "--keep";

  private RehearseCommand() {}

  /**
   * Runs the command and returns its exit code.
   *
   * @param home the home folder whose flows and prompts are rehearsed
   */
  public static int run(List<String> arguments, Path home, PrintStream out, PrintStream err) {
    var command = new CommandLine(spec());
    ParseResult given;
    Plan plan;
    try {
      given = command.parseArgs(arguments.toArray(String[]::new));
      if (command.isUsageHelpRequested()) {
        command.usage(out);
        return WELL;
      }
      plan = plan(given, command);
    } catch (ParameterException e) {
      err.println(sentence(e));
      return WRONG_ARGUMENTS;
    }
    return rehearse(plan, given, home, out, err);
  }

  private static int rehearse(
      Plan plan, ParseResult given, Path home, PrintStream out, PrintStream err) {
    boolean keep = given.matchedOptionValue(KEEP, false);
    Path json = given.matchedOptionValue(JSON, null);
    try (var line = RehearsalService.open(plan, home, keep)) {
      var report = line.rehearsal().play(plan).report();
      report.print(out);
      if (keep) {
        out.println("Kept in " + line.home());
      }
      if (json != null) {
        Files.writeString(json, json(report));
      }
      return report.anomalies().isEmpty() ? WELL : ANOMALIES;
    } catch (NothingToRehearse e) {
      err.println("Nothing was rehearsed. " + e.getMessage());
      return NOT_REHEARSED;
    } catch (IOException e) {
      err.println("The report could not be written to " + json + ".");
      return WRONG_ARGUMENTS;
    }
  }

  private static String json(ProtocolReport report) throws IOException {
    return JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build()
            .writeValueAsString(report)
        + "\n";
  }

  private static String sentence(ParameterException e) {
    var message = String.valueOf(e.getMessage()).lines().findFirst().orElse("").strip();
    return (message.endsWith(".") ? message : message + ".").replaceFirst("\\.$", "")
        + "; "
        + NAME
        + " --help lists the options.";
  }

  // --- arguments ---

  private static CommandSpec spec() {
    var spec = CommandSpec.create().name(NAME);
    spec.usageMessage()
        .description(
            "Runs a study with simulated participants on a virtual clock and reports what went"
                + " wrong. No real messages are sent.")
        .sortOptions(false)
        .width(100);
    return spec.addOption(
            option(
                    FLOW,
                    "<id>",
                    "the flow that is played; the one that HABITLINE_FLOW names if not given",
                    null)
                .type(String.class)
                .build())
        .addOption(
            option(PARTICIPANTS, "<n>", "number of participants, 1 to " + MOST_PARTICIPANTS, "50")
                .type(Integer.class)
                .converters(whole(MOST_PARTICIPANTS))
                .build())
        .addOption(
            option(DAYS, "<n>", "number of days, 1 to " + MOST_DAYS, "28")
                .type(Integer.class)
                .converters(whole(MOST_DAYS))
                .build())
        .addOption(
            option(FROM, "<date>", "the first day, such as 2026-03-01", "2026-03-01")
                .type(LocalDate.class)
                .converters(RehearseCommand::date)
                .build())
        .addOption(
            option(
                    TIMEZONE,
                    "<zone>",
                    "the time zone in which the participants live",
                    "America/New_York")
                .type(ZoneId.class)
                .converters(RehearseCommand::zone)
                .build())
        .addOption(
            option(
                    ALLOWED_HOURS,
                    "<hours>",
                    "a prompt outside these hours is an anomaly",
                    "${env:ALLOWED_HOURS:-08:00-21:00}")
                .type(AllowedHours.class)
                .converters(RehearseCommand::hours)
                .build())
        .addOption(
            option(
                    PROMPTS,
                    "<hours>",
                    "the hours in which participants ask for prompts; the allowed hours if not given",
                    null)
                .type(AllowedHours.class)
                .converters(RehearseCommand::hours)
                .build())
        .addOption(
            option(
                    MOVES_TO,
                    "<zone>",
                    "the time zone to which all participants move on one day of the study",
                    null)
                .type(ZoneId.class)
                .converters(RehearseCommand::zone)
                .build())
        .addOption(
            option(SEED, "<n>", "the same seed gives the same report", "1")
                .type(Long.class)
                .converters(RehearseCommand::seed)
                .build())
        .addOption(
            OptionSpec.builder(SAFETY)
                .type(boolean.class)
                .description(
                    "adds participants in crises and other situations of safety, and reports each;"
                        + " at least "
                        + Episode.DAYS
                        + " days")
                .build())
        .addOption(
            OptionSpec.builder(WITH_MODEL)
                .type(boolean.class)
                .description(
                    "the model of OPENAI_API_KEY or OPENAI_BASE_URL replies instead of the script;"
                        + " every reply may cost money")
                .build())
        .addOption(
            option(JSON, "<file>", "also writes the report to this file as JSON", null)
                .type(Path.class)
                .build())
        .addOption(
            OptionSpec.builder(KEEP)
                .type(boolean.class)
                .description("keeps the database and prints its location")
                .build())
        .addOption(
            OptionSpec.builder("--help", "-h")
                .type(boolean.class)
                .usageHelp(true)
                .description("shows this help")
                .build());
  }

  private static OptionSpec.Builder option(
      String name, String label, String meaning, @Nullable String standard) {
    var option = OptionSpec.builder(name).paramLabel(label);
    return standard == null
        ? option.description(meaning)
        : option.description(meaning + " (${DEFAULT-VALUE})").defaultValue(standard);
  }

  private static ITypeConverter<Integer> whole(int most) {
    return text -> {
      if (!text.matches("[1-9]\\d{0,5}") || Integer.parseInt(text) > most) {
        throw new TypeConversionException("expected a whole number from 1 to " + most);
      }
      return Integer.valueOf(text);
    };
  }

  private static Long seed(String text) {
    try {
      return Long.valueOf(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException("expected a whole number");
    }
  }

  private static LocalDate date(String text) {
    try {
      return LocalDate.parse(text);
    } catch (DateTimeException e) {
      throw new TypeConversionException("expected a date such as 2026-03-01");
    }
  }

  private static ZoneId zone(String text) {
    try {
      return TimeZones.read(text);
    } catch (UnknownZone e) {
      throw new TypeConversionException("expected an IANA time zone such as Europe/Berlin");
    }
  }

  private static AllowedHours hours(String text) {
    return AllowedHours.read(text)
        .orElseThrow(() ->
            new TypeConversionException(
                "expected local hours such as 08:00-21:00 that end after they start"));
  }

  private static Plan plan(ParseResult given, CommandLine command) {
    var allowed = value(command, ALLOWED_HOURS, AllowedHours.class);
    AllowedHours prompts = given.matchedOptionValue(PROMPTS, allowed);
    if (prompts.end() - prompts.start() < 60) {
      throw new ParameterException(
          command, "Invalid value for option '%s': expected at least an hour".formatted(PROMPTS));
    }
    int days = value(command, DAYS, Integer.class);
    boolean safety = given.matchedOptionValue(SAFETY, false);
    if (safety && days < Episode.DAYS) {
      throw new ParameterException(
          command,
          "Invalid value for option '%s': with %s, expected at least %d days"
              .formatted(DAYS, SAFETY, Episode.DAYS));
    }
    return new Plan(
        value(command, PARTICIPANTS, Integer.class),
        days,
        value(command, FROM, LocalDate.class),
        value(command, TIMEZONE, ZoneId.class),
        allowed,
        prompts,
        given.matchedOptionValue(MOVES_TO, null),
        given.matchedOptionValue(FLOW, null),
        value(command, SEED, Long.class),
        safety,
        given.matchedOptionValue(WITH_MODEL, false));
  }

  private static <T> T value(CommandLine command, String option, Class<T> type) {
    return type.cast(command.getCommandSpec().findOption(option).<Object>getValue());
  }
}
