package org.habitline.flows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flows of this installation, read once at startup from {@code config/flows/*.yaml} in the home
 * folder, or from the program's package if the home folder has none. A mistake in a flow stops the
 * startup. Prompt files are read when they are needed, and again after an edit. Safe for any number
 * of threads.
 */
public final class FlowCatalog implements Prompts {

  private static final Logger log = LoggerFactory.getLogger(FlowCatalog.class);

  private final Map<String, Flow> flows;
  private final String standard;
  private final PromptFiles prompts;

  /**
   * Reads the flows of a home folder.
   *
   * @param standard the flow of participants who are enrolled without naming one
   * @param tools the tools a flow may name
   * @param usual {@code DEFAULT_SCHEDULE}: the default time of daily prompts, which replaces the
   *     flows' own
   * @throws BrokenFlow with one sentence if a flow or a prompt file cannot be used
   */
  public FlowCatalog(Path home, String standard, KnownTools tools, Optional<LocalTime> usual) {
    var own = FlowFiles.read(home.resolve("config").resolve("flows"));
    if (own.isEmpty()) {
      log.info("No flow in {}/config/flows; using the flows packaged with the program", home);
    }
    var folder = home.resolve("prompts");
    this.prompts = new PromptFiles(folder, !own.isEmpty() || Files.isDirectory(folder));
    this.standard = standard;
    this.flows = read(own.isEmpty() ? Shipped.flows() : own, tools.names(), usual);
    if (!flows.containsKey(standard)) {
      throw new BrokenFlow(
          "habitline.flow", "there is no flow '" + standard + "'; expected one of " + ids());
    }
    // Finds mistakes in prompt files now and not at a participant's first text.
    flows.values().forEach(flow -> flow.promptFiles().forEach(file -> prompts.read(flow, file)));
  }

  private static Map<String, Flow> read(
      SortedMap<String, String> files, Set<String> tools, Optional<LocalTime> usual) {
    var flows = new LinkedHashMap<String, Flow>();
    var origins = new HashMap<String, String>();
    files.forEach((name, yaml) -> {
      var file = FlowFiles.at(name);
      var flow = new FlowReader(file, tools).read(yaml);
      var origin = origins.putIfAbsent(flow.id(), file);
      if (origin != null) {
        throw new BrokenFlow(
            file,
            "id: '" + flow.id() + "' is already the id in " + origin + "; expected a unique id");
      }
      flows.put(flow.id(), usual.map(flow::promptedAt).orElse(flow));
    });
    return Collections.unmodifiableMap(flows);
  }

  /** Returns the flow of this id, or empty if there is none. */
  public Optional<Flow> flow(String id) {
    return Optional.ofNullable(flows.get(id));
  }

  /** Returns the flow of participants who are enrolled without naming one. */
  public Flow defaultFlow() {
    return Objects.requireNonNull(flows.get(standard));
  }

  /** Returns all flows, in the order of their file names. */
  public Collection<Flow> all() {
    return flows.values();
  }

  /** Returns the ids of all flows for messages, such as {@code fitness, habit}. */
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
        .flatMap(flow ->
            flow.promptFiles().stream()
                .filter(prompts::missing)
                .map(file -> prompts.warning(flow, file)))
        .distinct()
        .toList();
  }
}
