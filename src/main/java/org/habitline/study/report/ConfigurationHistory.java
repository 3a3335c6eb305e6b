package org.habitline.study.report;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.conversation.configuration.ConfigurationChanges;
import org.habitline.conversation.configuration.ConfigurationVersions;
import org.habitline.conversation.configuration.ConfigurationVersions.Content;
import org.habitline.conversation.configuration.ConfigurationVersions.Version;
import org.habitline.conversation.configuration.FileInForce;

/**
 * The configuration in force over time, for readers outside the study: without accounts and
 * addresses of the operator, and without the people whom {@code config/study.yaml} names.
 */
@Singleton
public final class ConfigurationHistory {

  /** The newest versions that are shown with their changes. */
  static final int MOST = 200;

  private static final String STUDY_FILE = "config/study.yaml";
  private static final String PRICES = "config/prices.yaml";

  /** Parts of the study's file that name people, with their numbers and addresses. */
  private static final Set<String> ABOUT_PEOPLE = Set.of("safety", "contact");

  private static final Pattern SECTION = Pattern.compile("^([A-Za-z_]+)\\s*:.*");

  /** Comments may name people too. */
  private static final Pattern COMMENT = Pattern.compile("(?:^|\\s)#.*$");

  /** Settings with accounts, numbers and addresses of whoever runs the service. */
  private static final List<String> OF_THE_OPERATOR =
      List.of(
          "DATABASE_",
          "TWILIO_",
          "ALERT_",
          "OPENAI_API_KEY",
          "HABITLINE_ADMIN_KEY",
          "HABITLINE_PUBLIC_URL",
          "HABITLINE_PROXY_HEADER");

  private final ConfigurationVersions versions;

  ConfigurationHistory(ConfigurationVersions versions) {
    this.versions = versions;
  }

  /**
   * The versions that the report shows.
   *
   * @param first what the first of them consists of
   * @param later the others with what each changed, oldest first
   * @param leftOut how many older ones there are
   */
  public record History(List<First> first, List<Later> later, long leftOut) {

    /** Returns the versions of the program, oldest first. */
    List<String> programs() {
      return Stream.concat(
              first.stream().map(it -> it.content().program()), later.stream().map(Later::program))
          .distinct()
          .toList();
    }
  }

  /** The first version. */
  public record First(Version version, Content content, Map<String, String> settings) {}

  /** A later version. */
  public record Later(Version version, String program, ConfigurationChanges changes) {}

  /** Returns the versions up to a number, at most the newest {@value #MOST}. */
  History upTo(long newest) {
    var found = new ArrayList<>(versions.before(newest + 1, MOST)).reversed();
    if (found.isEmpty()) {
      return new History(List.of(), List.of(), 0);
    }
    var first = found.getFirst();
    var content = versions.content(first);
    var later = new ArrayList<Later>();
    for (int i = 1; i < found.size(); i++) {
      later.add(later(found.get(i - 1), found.get(i)));
    }
    return new History(
        List.of(
            new First(
                first,
                content,
                content.settings().entrySet().stream()
                    .filter(setting -> isShown(setting.getKey()))
                    .collect(
                        Collectors.toMap(
                            Map.Entry::getKey,
                            Map.Entry::getValue,
                            (one, other) -> one,
                            TreeMap::new)))),
        later,
        first.number() - 1);
  }

  private Later later(Version before, Version version) {
    var changes = versions.changes(before, version, ConfigurationHistory::shown);
    return new Later(
        version,
        versions.content(version).program(),
        new ConfigurationChanges(
            changes.from(),
            changes.to(),
            changes.settings().stream().filter(setting -> isShown(setting.name())).toList(),
            changes.files()));
  }

  private static boolean isShown(String setting) {
    return OF_THE_OPERATOR.stream().noneMatch(setting::startsWith);
  }

  /** Returns the part of a file's text that names nobody. */
  static String shown(FileInForce file, String text) {
    return switch (file.kind()) {
      case FLOW, WORDS, PROMPT, DOCUMENT -> text;
      case STUDY ->
          file.path().equals(PRICES)
              ? text
              : file.path().equals(STUDY_FILE) ? withoutPeople(text) : "";
    };
  }

  private static String withoutPeople(String yaml) {
    var kept = new StringBuilder();
    var keep = false;
    for (var line : yaml.lines().toList()) {
      if (beginsSection(line)) {
        var section = SECTION.matcher(line);
        // What is not written as a plain key is left out: it might be one of the parts about
        // people.
        keep = section.matches() && !ABOUT_PEOPLE.contains(section.group(1));
        if (!keep && section.matches()) {
          kept.append(section.group(1)).append(": # left out of the report\n");
        }
      }
      if (keep) {
        kept.append(COMMENT.matcher(line).replaceFirst("")).append('\n');
      }
    }
    return kept.toString();
  }

  private static boolean beginsSection(String line) {
    return !line.isEmpty() && " \t#-]}".indexOf(line.charAt(0)) < 0;
  }
}
