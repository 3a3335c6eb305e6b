package org.habitline.ops.start;

import io.micronaut.context.env.Environment;
import io.micronaut.context.env.PropertySource;
import io.micronaut.context.env.PropertySource.PropertyConvention;
import jakarta.inject.Singleton;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.habitline.conversation.configuration.SettingsInForce;

/**
 * Lists the settings in force for display: the value and where it was set. Secrets are not shown.
 */
@Singleton
public final class Configuration implements SettingsInForce {

  /** Settings that differ from node to node and that no study depends on. */
  private static final Set<Setting> OF_THE_NODE =
      EnumSet.of(
          Setting.HABITLINE_HOME,
          Setting.HABITLINE_HOST,
          Setting.HABITLINE_PORT,
          Setting.HABITLINE_LOG_FORMAT);

  private final Environment environment;

  Configuration(Environment environment) {
    this.environment = environment;
  }

  /**
   * A setting in force.
   *
   * @param value its value; for a secret only whether it is set
   * @param source {@code default}, {@code environment}, {@code command line} or {@code file}
   */
  public record Value(String variable, String value, String source, String meaning) {}

  public List<Value> values() {
    return Stream.of(Setting.values()).map(this::value).toList();
  }

  @Override
  public SortedMap<String, String> settings() {
    var all = new TreeMap<String, String>();
    for (var setting : Setting.values()) {
      if (!OF_THE_NODE.contains(setting)) {
        all.put(setting.variable(), shown(setting, set(setting)));
      }
    }
    return all;
  }

  private Optional<String> set(Setting setting) {
    return environment.getProperty(setting.key(), String.class).filter(text -> !text.isBlank());
  }

  private Value value(Setting setting) {
    var set = set(setting);
    var isDefault = set.isEmpty() || set.get().equals(setting.standard());
    return new Value(
        setting.variable(),
        shown(setting, set),
        isDefault ? "default" : source(setting),
        setting.meaning());
  }

  private static String shown(Setting setting, Optional<String> set) {
    if (setting.secret()) {
      return set.isPresent() ? "set, not shown" : "not set";
    }
    return set.orElse(setting.otherwise());
  }

  private String source(Setting setting) {
    for (var source : environment.getPropertySources()) {
      if (source.getConvention() == PropertyConvention.ENVIRONMENT_VARIABLE) {
        if (source.get(setting.variable()) != null) {
          return "environment";
        }
        if (setting.secret() && source.get(setting.variable() + Settings.IN_A_FILE) != null) {
          return "file";
        }
      }
    }
    return environment.getPropertySources().stream()
            .filter(source -> source.get(setting.key()) != null)
            .anyMatch(Configuration::isOfTheProcess)
        ? "command line"
        : "file";
  }

  private static boolean isOfTheProcess(PropertySource source) {
    return source.getName().equals("system") || source.getName().equals("cli");
  }
}
