package org.habitline.flows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flow files and the prompt files beside them.
 *
 * @param own the flow files of the home folder, in the order of their names
 * @param packaged the flow files that come with the program; an own flow of the same id replaces
 *     one
 */
record FlowSources(List<FlowFile> own, List<FlowFile> packaged, PromptFiles prompts) {

  private static final Logger log = LoggerFactory.getLogger(FlowSources.class);

  FlowSources {
    own = List.copyOf(own);
    packaged = List.copyOf(packaged);
  }

  /**
   * Returns the flows in a home folder, and beside them the packaged ones.
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
            id ->
                own.isEmpty()
                    ? Files.isDirectory(shared) && Shipped.usesSharedPrompts(id)
                    : !Shipped.isFlow(id) || own.stream().anyMatch(file -> file.isOf(id)));
    return new FlowSources(own, Shipped.flows(), prompts);
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
        List.of(),
        new PromptFiles(home.resolve(PromptFiles.FOLDER), id -> prompts, id -> true));
  }

  /**
   * The flows by id, and the phrases of those that have some.
   *
   * @param translations the flows in other languages than their standard one, by id and language
   * @param untranslated one sentence for each language of a flow that lacks a text
   * @param beside the ids of packaged flows beside own ones
   */
  record Read(
      Map<String, Flow> flows,
      Map<String, Map<String, Flow>> translations,
      List<String> untranslated,
      Map<String, PhraseTable> phrases,
      Set<String> beside) {
    Read {
      flows = Collections.unmodifiableMap(new LinkedHashMap<>(flows));
      translations = Map.copyOf(translations);
      untranslated = List.copyOf(untranslated);
      phrases = Map.copyOf(phrases);
      beside = Set.copyOf(beside);
    }
  }

  /** Returns some of these flow files. */
  FlowSources only(Predicate<FlowFile> wanted) {
    return new FlowSources(
        own.stream().filter(wanted).toList(), packaged.stream().filter(wanted).toList(), prompts);
  }

  /** Returns whether there is no flow file. */
  boolean isEmpty() {
    return own.isEmpty() && packaged.isEmpty();
  }

  /**
   * Reads the flows, their phrases and every prompt file that they name, so that no mistake is
   * found only at a participant's first text. Beside own flows, a packaged flow that cannot be used
   * is left out with a warning: shared prompts may be written for the own ones.
   *
   * @throws BrokenFlow with every mistake, if there is any
   */
  Read read(KnownTools tools, Optional<LocalTime> usual, TakenWords taken) {
    var reading = new Reading(tools, usual, taken);
    var mistakes = new LinkedHashSet<String>();
    own.forEach(file -> mistakes.addAll(reading.add(file)));
    var beside = new LinkedHashSet<String>();
    for (var file : packaged) {
      var id = file.folder();
      if (reading.flows.containsKey(id)) {
        continue;
      }
      var found = reading.add(file);
      if (own.isEmpty()) {
        mistakes.addAll(found);
      } else if (found.isEmpty()) {
        beside.add(id);
      } else {
        reading.flows.remove(id);
        reading.translations.remove(id);
        log.warn(
            "The packaged flow {} cannot be used in this home folder and is left out: {}",
            id,
            String.join("; ", found));
      }
    }
    if (!mistakes.isEmpty()) {
      throw new BrokenFlow(List.copyOf(mistakes));
    }
    return new Read(
        reading.flows, reading.translations, reading.untranslated, reading.phrases, beside);
  }

  /** Flows as they are read, by id. */
  private final class Reading {

    private final KnownTools tools;
    private final Optional<LocalTime> usual;
    private final TakenWords taken;
    private final Map<String, Flow> flows = new LinkedHashMap<>();
    private final Map<String, Map<String, Flow>> translations = new HashMap<>();
    private final List<String> untranslated = new ArrayList<>();
    private final Map<String, PhraseTable> phrases = new HashMap<>();

    Reading(KnownTools tools, Optional<LocalTime> usual, TakenWords taken) {
      this.tools = tools;
      this.usual = usual;
      this.taken = taken;
    }

    /** Reads one file and returns its mistakes. */
    List<String> add(FlowFile file) {
      var mistakes = new ArrayList<String>();
      try {
        var draft = new FlowReader(file, tools, usual, taken).read();
        var flow = draft.flow();
        mistakes.addAll(draft.mistakes());
        mistakes.addAll(prompts.mistakes(flow));
        flows.put(flow.id(), flow);
        if (draft.mistakes().isEmpty()) {
          file.languages()
              .forEach(
                  (language, yaml) -> mistakes.addAll(translation(file, flow, language, yaml)));
        }
        file.phrases()
            .ifPresent(yaml ->
                phrases.put(flow.id(), new PhraseReader(file.phrasesAt(), flow).read(yaml.get())));
      } catch (BrokenFlow broken) {
        mistakes.addAll(broken.mistakes());
      }
      return mistakes;
    }

    /** Reads a flow in one more language and returns the mistakes of its file. */
    private List<String> translation(
        FlowFile file, Flow flow, String language, Supplier<String> yaml) {
      try {
        var read = new LanguageReader(file, tools, usual, taken).read(flow, language, yaml);
        translations.computeIfAbsent(flow.id(), id -> new TreeMap<>()).put(language, read.flow());
        if (!read.missing().isEmpty()) {
          untranslated.add(
              "%s lacks %s; people who get the flow %s in %s get these texts in %s"
                  .formatted(
                      file.languageAt(language),
                      String.join(", ", read.missing()),
                      flow.id(),
                      language,
                      flow.languages().standard()));
        }
        return Stream.concat(read.mistakes().stream(), prompts.mistakes(read.flow()).stream())
            .toList();
      } catch (BrokenFlow broken) {
        return broken.mistakes();
      }
    }
  }
}
