package org.habitline.flows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flow files and the prompt files beside them.
 *
 * @param files the flow files, in the order of their names
 */
record FlowSources(List<FlowFile> files, PromptFiles prompts) {

  private static final Logger log = LoggerFactory.getLogger(FlowSources.class);

  FlowSources {
    files = List.copyOf(files);
  }

  /**
   * Returns the flows in a home folder, or the packaged ones if it has none.
   *
   * @throws BrokenFlow if the folder of flows cannot be read
   */
  static FlowSources in(Path home) {
    var folder = home.resolve("config").resolve("flows");
    var own = FlowFiles.read(folder);
    if (own.isEmpty()) {
      log.info("No flow in {}/config/flows; using the flows packaged with the program", home);
    }
    var shared = home.resolve(PromptFiles.FOLDER);
    var prompts =
        new PromptFiles(
            shared,
            id ->
                own.isEmpty()
                    ? Optional.empty()
                    : Optional.of(PromptFolder.in(folder.resolve(id), FlowFiles.FLOWS + "/" + id)),
            !own.isEmpty() || Files.isDirectory(shared));
    return new FlowSources(own.isEmpty() ? Shipped.flows() : own, prompts);
  }

  /**
   * Returns the flow of one folder anywhere; it shares the prompts of a home folder.
   *
   * @param folder a folder that has a {@code flow.yaml}
   */
  static FlowSources ofFolder(Path folder, Path home) {
    var prompts = Optional.of(PromptFolder.in(folder, folder.toString()));
    return new FlowSources(
        List.of(FlowFiles.inFolder(folder, folder.toString())),
        new PromptFiles(home.resolve(PromptFiles.FOLDER), id -> prompts, true));
  }

  /** The flows by id, and the phrases of those that have some. */
  record Read(Map<String, Flow> flows, Map<String, PhraseTable> phrases) {
    Read {
      flows = Collections.unmodifiableMap(new LinkedHashMap<>(flows));
      phrases = Map.copyOf(phrases);
    }
  }

  /** Returns some of these flow files. */
  FlowSources only(Predicate<FlowFile> wanted) {
    return new FlowSources(files.stream().filter(wanted).toList(), prompts);
  }

  /**
   * Reads the flows, their phrases and every prompt file that they name, so that no mistake is
   * found only at a participant's first text.
   *
   * @throws BrokenFlow with every mistake, if there is any
   */
  Read read(KnownTools tools, Optional<LocalTime> usual) {
    var flows = new LinkedHashMap<String, Flow>();
    var phrases = new HashMap<String, PhraseTable>();
    var origins = new HashMap<String, String>();
    var mistakes = new LinkedHashSet<String>();
    for (var file : files) {
      try {
        var draft = new FlowReader(file, tools, usual).read();
        var flow = draft.flow();
        mistakes.addAll(draft.mistakes());
        mistakes.addAll(prompts.mistakes(flow));
        var origin = origins.putIfAbsent(flow.id(), file.at());
        if (origin != null) {
          mistakes.add(
              "%s: id: '%s' is already the id in %s; expected a unique id"
                  .formatted(file.at(), flow.id(), origin));
        }
        flows.put(flow.id(), flow);
        file.phrases()
            .ifPresent(yaml ->
                phrases.put(flow.id(), new PhraseReader(file.phrasesAt(), flow).read(yaml.get())));
      } catch (BrokenFlow broken) {
        mistakes.addAll(broken.mistakes());
      }
    }
    if (!mistakes.isEmpty()) {
      throw new BrokenFlow(List.copyOf(mistakes));
    }
    return new Read(flows, phrases);
  }
}
