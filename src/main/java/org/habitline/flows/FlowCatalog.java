package org.habitline.flows;

import java.nio.file.Path;
import java.time.LocalTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The flows of this installation, read once at startup from the folders of {@code config/flows} in
 * the home folder, and beside them the packaged flows whose ids no folder has. A mistake in a flow
 * stops the startup. Prompt files are read when they are needed, and again after an edit. Safe for
 * any number of threads.
 */
public final class FlowCatalog implements Prompts {

  private static final Logger log = LoggerFactory.getLogger(FlowCatalog.class);

  private final Map<String, Flow> flows;
  private final Map<String, Map<String, Flow>> translations;
  private final List<String> untranslated;
  private final Map<String, PhraseTable> phrases;
  private final Set<String> beside;
  private final String standard;
  private final PromptFiles prompts;

  /**
   * Reads the flows of a home folder.
   *
   * @param standard the flow of participants who are enrolled without naming one
   * @param tools the tools a flow may name
   * @param usual {@code DEFAULT_SCHEDULE}: the default time of daily prompts, which replaces the
   *     flows' own
   * @param taken words that no reply may be
   * @throws BrokenFlow with every mistake if a flow or a prompt file cannot be used
   */
  public FlowCatalog(
      Path home, String standard, KnownTools tools, Optional<LocalTime> usual, TakenWords taken) {
    var sources = FlowSources.in(home);
    this.prompts = sources.prompts();
    this.standard = standard;
    var read = sources.read(tools, usual, taken);
    this.flows = read.flows();
    this.translations = read.translations();
    this.untranslated = read.untranslated();
    this.phrases = read.phrases();
    this.beside = read.beside();
    if (!flows.containsKey(standard)) {
      throw new BrokenFlow(
          "habitline.flow", "there is no flow '" + standard + "'; expected one of " + ids());
    }
    untranslated.forEach(log::warn);
    warningsAboutPrompts().forEach(log::warn);
  }

  /** Returns the flow of this id, or empty if there is none. */
  public Optional<Flow> flow(String id) {
    return Optional.ofNullable(flows.get(id));
  }

  /**
   * Returns the flow of this id in a language, or empty if there is none of this id.
   *
   * @param language the language of a participant; a flow that does not have it, and {@code null},
   *     give the flow in its standard language
   */
  public Optional<Flow> flow(String id, @Nullable String language) {
    return flow(id)
        .map(flow ->
            language == null
                ? flow
                : translations.getOrDefault(id, Map.of()).getOrDefault(language, flow));
  }

  /**
   * Returns what pages call a module of a flow; if the flow has no such module, its id in words.
   */
  public String moduleTitle(String flow, String module) {
    return flow(flow)
        .flatMap(it -> it.module(module))
        .map(FlowModule::title)
        .orElseGet(() -> moduleTitle(module));
  }

  /**
   * Returns what pages call a module where no flow is known: its title in the flow of new
   * participants, else in another flow, else its id in words.
   */
  public String moduleTitle(String module) {
    return Stream.concat(Stream.of(defaultFlow()), flows.values().stream())
        .flatMap(flow -> flow.module(module).stream())
        .map(FlowModule::title)
        .findFirst()
        .orElseGet(() -> FlowModule.inWords(module));
  }

  /** Returns the flow of participants who are enrolled without naming one. */
  public Flow defaultFlow() {
    return Objects.requireNonNull(flows.get(standard));
  }

  /** Returns all flows in the order of their file names, own ones before packaged ones. */
  public Collection<Flow> all() {
    return flows.values();
  }

  /**
   * Returns what the rehearsal's script understands in a flow; nothing if the flow says nothing.
   */
  public PhraseTable phrases(String flow) {
    return phrases.getOrDefault(flow, PhraseTable.NONE);
  }

  /**
   * Returns whether any flow sends daily prompts. Packaged flows beside own ones do not count, but
   * for the one of new participants.
   */
  public boolean sendDailyPrompts() {
    return flows.values().stream()
        .filter(flow -> flow.id().equals(standard) || !beside.contains(flow.id()))
        .anyMatch(flow -> flow.dailyPrompt() != null);
  }

  /** Returns the ids of all flows for messages, such as {@code fitness, habit}. */
  public String ids() {
    return String.join(", ", new TreeSet<>(flows.keySet()));
  }

  @Override
  public Prompt prompt(Flow flow, String file) {
    return prompts.read(flow, file);
  }

  /**
   * Returns a number that grows whenever a prompt file was read with another content than before.
   */
  public long edition() {
    return prompts.edition();
  }

  /** Returns the prompts of all flows in all languages as they are in force, by their paths. */
  public SortedMap<String, Prompt> promptsInForce() {
    var all = new TreeMap<String, Prompt>();
    Stream.concat(flows.values().stream(), translations())
        .forEach(flow ->
            flow.promptFiles().stream()
                .filter(Section::isPromptFile)
                .flatMap(file -> prompts.inForce(flow, file).stream())
                .forEach(it -> all.put(it.getKey(), it.getValue())));
    return all;
  }

  /** Returns one sentence for each language of a flow in which a prompt is missing. */
  private Stream<String> warningsAboutPrompts() {
    return translations().flatMap(flow -> prompts.untranslated(flow).stream());
  }

  private Stream<Flow> translations() {
    return translations.values().stream().flatMap(its -> its.values().stream());
  }

  /**
   * Returns one sentence for each prompt file that is missing now, and for each language in which a
   * text or a prompt is missing, for the health page.
   */
  public List<String> warnings() {
    return Stream.of(
            Stream.concat(flows.values().stream(), translations())
                .flatMap(flow ->
                    flow.promptFiles().stream()
                        .filter(file -> prompts.missing(flow, file))
                        .map(file -> prompts.warning(flow, file))),
            untranslated.stream(),
            warningsAboutPrompts())
        .flatMap(it -> it)
        .distinct()
        .toList();
  }
}
