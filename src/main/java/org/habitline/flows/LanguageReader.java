package org.habitline.flows;

import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.habitline.config.Mistakes;
import org.habitline.config.Section;
import org.habitline.config.YamlText;

/**
 * Reads a flow in another language: its {@code flow.yaml} with the texts of {@code
 * languages/<language>.yaml} in place of its own. Such a file holds only what people read. A text
 * that it lacks stays as it is in {@code flow.yaml}, and is reported.
 */
final class LanguageReader {

  /** The parts of a flow that people read. */
  private static final List<String> PARTS =
      List.of("texts", "daily_prompt", "prompt_generator", "whatsapp");

  private static final String MODULES = "modules";
  private static final String NUDGE = "nudge";
  private static final String TEXT = "text";

  /** What a flow settles for all languages in these parts. */
  private static final Set<String> SETTINGS =
      Set.of(
          "daily_prompt.at",
          "daily_prompt.most",
          "daily_prompt.ask_after",
          "daily_prompt.vary",
          "daily_prompt.time_field",
          "daily_prompt.intensity_every",
          "daily_prompt.intensity_every_field",
          "daily_prompt.feedback_state",
          "daily_prompt.intensity_field",
          "prompt_generator.prompt",
          "prompt_generator.model",
          "prompt_generator.temperature",
          "prompt_generator.max_tokens");

  private final FlowFile file;
  private final KnownTools tools;
  private final Optional<LocalTime> usual;
  private final TakenWords taken;

  LanguageReader(FlowFile file, KnownTools tools, Optional<LocalTime> usual, TakenWords taken) {
    this.file = file;
    this.tools = tools;
    this.usual = usual;
    this.taken = taken;
  }

  /**
   * What was read of one language.
   *
   * @param flow can be used only if there is no mistake
   * @param missing the keys of the texts that stay in the flow's standard language
   */
  record Translation(Flow flow, List<String> mistakes, List<String> missing) {
    Translation {
      mistakes = List.copyOf(mistakes);
      missing = List.copyOf(missing);
    }
  }

  /**
   * Reads one language of a flow that has no mistake itself.
   *
   * @throws BrokenFlow if no flow can be read from the file
   */
  Translation read(Flow flow, String language, Supplier<String> yaml) {
    var mistakes = new Mistakes(file.languageAt(language));
    var own = FlowReader.root(yaml.get(), mistakes);
    var base = FlowReader.root(file.yaml().get(), mistakes);
    own.only(Stream.concat(PARTS.stream(), Stream.of(MODULES)).toArray(String[]::new));
    var missing = new ArrayList<String>();
    nudges(own, base, missing);
    for (var part : PARTS) {
      compare(part, own, base, missing);
    }
    FlowReader.check(mistakes);
    var merged = YamlText.over(file.yaml().get(), yaml.get(), mistakes).orElseThrow();
    var read =
        new FlowReader(file, tools, usual, taken).read(merged, flow.languages().in(language));
    return new Translation(read, mistakes.all(), missing);
  }

  /** Of a module, people read the text of its nudge. */
  private static void nudges(Section own, Section base, List<String> missing) {
    var modules = base.section(MODULES);
    var said = own.optionalSection(MODULES);
    said.ifPresent(section -> {
      section.only(modules.keys().toArray(String[]::new));
      section
          .keys()
          .forEach(id -> {
            section.section(id).only(NUDGE);
            section.section(id).section(NUDGE).only(TEXT);
          });
    });
    for (var id : modules.keys()) {
      var nudged = modules.section(id).has(NUDGE);
      var translated = said.filter(it -> it.has(id)).isPresent();
      if (translated && !nudged) {
        said.orElseThrow().refuse(id, "the module has no nudge in flow.yaml; expected none here");
      } else if (nudged && !translated) {
        missing.add(String.join(".", MODULES, id, NUDGE, TEXT));
      }
    }
  }

  private static void compare(String part, Section own, Section base, List<String> missing) {
    var texts = base.optionalSection(part);
    if (texts.isEmpty() && own.has(part)) {
      own.refuse(part, "flow.yaml has no such part; expected only parts that it has");
    }
    var said = own.optionalSection(part);
    said.ifPresent(section ->
        section.keys().stream()
            .filter(key -> SETTINGS.contains(part + "." + key))
            .forEach(key ->
                section.refuse(key, "a setting of all languages; expected it in flow.yaml only")));
    texts.ifPresent(section ->
        section.keys().stream()
            .filter(key -> !SETTINGS.contains(part + "." + key))
            .filter(key -> said.filter(it -> it.has(key)).isEmpty())
            .map(key -> part + "." + key)
            .forEach(missing::add));
  }
}
