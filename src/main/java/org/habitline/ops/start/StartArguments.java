package org.habitline.ops.start;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What stands behind {@code java -jar habitline.jar}: a command with arguments of its own, or
 * settings as options for the line that starts. Whatever is neither would be ignored, and the line
 * start as if nothing had been said; so it is refused.
 */
public sealed interface StartArguments {

  /** The line shall start, with these settings in the form that Micronaut reads. */
  record Line(List<String> options) implements StartArguments {

    public Line {
      options = List.copyOf(options);
    }

    /** Returns the value that a key has here, if it has one. */
    public Optional<String> value(String key) {
      return options.stream()
          .filter(option -> option.startsWith("--" + key + "="))
          .map(option -> option.substring(option.indexOf('=') + 1))
          .reduce((before, last) -> last);
    }

    public String[] asArray() {
      return options.toArray(String[]::new);
    }
  }

  /** Something else than the line shall run. */
  record Command(String name, List<String> arguments) implements StartArguments {
    public Command {
      arguments = List.copyOf(arguments);
    }
  }

  /** Somebody asks what there is. */
  record Help(String text) implements StartArguments {}

  /** Nothing of it is known; the sentence says what is. */
  record Unknown(String sentence) implements StartArguments {}

  /**
   * Reads the arguments of the program.
   *
   * @param commands the words that run something else than the line
   */
  static StartArguments read(List<String> arguments, List<String> commands) {
    if (arguments.isEmpty()) {
      return new Line(List.of());
    }
    var first = arguments.getFirst();
    if (commands.contains(first)) {
      return new Command(first, arguments.subList(1, arguments.size()));
    }
    if (arguments.contains("--help") || arguments.contains("-h")) {
      return new Help(help(commands));
    }
    return arguments.stream()
        .filter(argument -> !isSetting(argument))
        .findFirst()
        .<StartArguments>map(argument -> new Unknown(sentence(argument, commands)))
        .orElseGet(() -> new Line(arguments));
  }

  private static boolean isSetting(String argument) {
    return Stream.of(Setting.values())
        .anyMatch(setting -> argument.startsWith("--" + setting.key() + "="));
  }

  /** The value of an option may be a secret and is left out. */
  private static String sentence(String argument, List<String> commands) {
    var name = argument.replaceFirst("(?s)=.*", "");
    return (name.startsWith("-") ? "There is no option '" : "There is no command '")
        + name
        + "'. Without a command the line starts; the commands are "
        + String.join(", ", commands)
        + "; the options are --help, and --KEY=VALUE with the key of a setting, such as --habitline.port=8081"
        + " (--help lists all of them).";
  }

  private static String help(List<String> commands) {
    var text = new StringBuilder();
    text.append("java -jar habitline.jar [--KEY=VALUE ...]   starts the line\n");
    commands.forEach(
        command -> text.append("java -jar habitline.jar ").append(command).append(" --help\n"));
    text.append("\nEvery setting may be given as an option; the README explains them.\n");
    Stream.of(Setting.values())
        .forEach(
            setting -> text.append("  --%-36s %s%n".formatted(setting.key(), setting.variable())));
    return text.toString();
  }
}
