package org.habitline.flows;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * The flows of this line, read once at the start from {@code config/flows/*.yaml} in the home
 * folder, or from those packaged with the program if it has none. A mistake in one stops the start.
 * Prompts are read when they are needed. Safe for any number of threads.
 */
@Singleton
public final class FlowCatalog implements Prompts {

  private final Map<String, Flow> flows;
  private final String standard;
  private final PromptFiles prompts;

  @Inject
  FlowCatalog(FlowSettings settings, KnownTools tools) {
    this(Path.of(settings.home()).toAbsolutePath(), settings.flow(), tools);
  }

  /**
   * Reads the flows of a home folder.
   *
   * @param standard the flow of participants enrolled without naming one
   * @throws BrokenFlow with one sentence if a flow or a prompt file cannot be used
   */
  FlowCatalog(Path home, String standard, KnownTools tools) {
    this.prompts = new PromptFiles(home.resolve("prompts"));
    this.standard = standard;
    this.flows = read(files(home.resolve("config").resolve("flows")), tools);
    if (!flows.containsKey(standard)) {
      throw new BrokenFlow(
          "HABITLINE_FLOW", "", "there is no flow '" + standard + "'; expected one of " + ids());
    }
    flows.values().forEach(this::readPrompts);
  }

  private static SortedMap<String, String> files(Path folder) {
    try {
      if (Files.isDirectory(folder)) {
        var files = Shipped.yamlFiles(folder);
        if (!files.isEmpty()) {
          return files;
        }
      }
    } catch (IOException e) {
      throw new BrokenFlow(
          "config/flows", "", "the folder cannot be read; expected readable YAML files in UTF-8");
    }
    return Shipped.flows();
  }

  private static Map<String, Flow> read(SortedMap<String, String> files, KnownTools tools) {
    var flows = new LinkedHashMap<String, Flow>();
    files.forEach((name, yaml) -> {
      var file = "config/flows/" + name;
      var flow = new FlowReader(file, tools.names()).read(yaml);
      if (flows.put(flow.id(), flow) != null) {
        throw new BrokenFlow(file, "id", "'" + flow.id() + "' is the id of another flow already");
      }
    });
    return Collections.unmodifiableMap(flows);
  }

  /** A prompt file that is named and cannot be read must not be found out by a participant. */
  private void readPrompts(Flow flow) {
    promptFiles(flow).forEach(file -> prompts.read(flow, file));
  }

  private static Collection<String> promptFiles(Flow flow) {
    var files = new TreeSet<String>();
    flow.modules().values().forEach(module -> files.add(module.prompt()));
    if (flow.promptGenerator() != null) {
      files.add(flow.promptGenerator().prompt());
    }
    return files;
  }

  /** Returns the flow of this id, or empty if there is none. */
  public Optional<Flow> flow(String id) {
    return Optional.ofNullable(flows.get(id));
  }

  /** The flow of participants who are enrolled without naming one. */
  public Flow defaultFlow() {
    return flows.values().stream()
        .filter(flow -> flow.id().equals(standard))
        .findFirst()
        .orElseThrow();
  }

  public Collection<Flow> all() {
    return flows.values();
  }

  /** The ids of all flows, for sentences: {@code fitness, habit}. */
  public String ids() {
    return String.join(", ", new TreeSet<>(flows.keySet()));
  }

  @Override
  public Prompt prompt(Flow flow, String file) {
    return prompts.read(flow, file);
  }

  /** Returns one sentence for each prompt file that is missing now, for the health page. */
  public List<String> warnings() {
    return flows.values().stream()
        .flatMap(flow -> promptFiles(flow).stream())
        .distinct()
        .filter(prompts::missing)
        .map(PromptFiles::warning)
        .toList();
  }
}
