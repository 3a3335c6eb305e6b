package org.habitline.flows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A conversation flow: its modules, profile fields, daily prompts and messages, as read from one
 * folder of {@code config/flows}. Immutable.
 *
 * @param tone whether the model learns in which tone a participant likes to be spoken to
 * @param languages the language of these texts, and those that participants can have instead
 */
public record Flow(
    String id,
    String initialState,
    Map<String, FlowModule> modules,
    List<ProfileField> profile,
    boolean tone,
    @Nullable PromptGenerator promptGenerator,
    @Nullable DailyPrompt dailyPrompt,
    FlowTexts texts,
    WhatsAppTemplates whatsapp,
    FlowLanguages languages) {

  /** Creates a flow in English only. */
  public Flow(
      String id,
      String initialState,
      Map<String, FlowModule> modules,
      List<ProfileField> profile,
      boolean tone,
      @Nullable PromptGenerator promptGenerator,
      @Nullable DailyPrompt dailyPrompt,
      FlowTexts texts,
      WhatsAppTemplates whatsapp) {
    this(
        id,
        initialState,
        modules,
        profile,
        tone,
        promptGenerator,
        dailyPrompt,
        texts,
        whatsapp,
        FlowLanguages.of(FlowLanguages.ENGLISH, List.of()));
  }

  public Flow {
    // Models are shown the modules in the order of the file.
    modules = Collections.unmodifiableMap(new LinkedHashMap<>(modules));
    profile = List.copyOf(profile);
  }

  /** Returns the module of this name, or empty if the flow has none. */
  public Optional<FlowModule> module(String state) {
    return Optional.ofNullable(modules.get(state));
  }

  /** Returns the tools of other servers that any module offers, each once. */
  public List<McpTool> mcpTools() {
    return modules.values().stream()
        .flatMap(module -> module.mcpTools().stream())
        .distinct()
        .toList();
  }

  /** Returns the texts that this flow sends without asking a model. */
  public List<String> ownTexts() {
    var own = new ArrayList<String>(texts.all());
    if (promptGenerator != null) {
      own.add(promptGenerator.fallbackText());
    }
    if (dailyPrompt != null) {
      own.addAll(
          List.of(
              dailyPrompt.question(),
              dailyPrompt.reminder(),
              dailyPrompt.checkIn(),
              dailyPrompt.followUp()));
    }
    modules.values().forEach(module -> module.silence().map(Nudge::text).ifPresent(own::add));
    return List.copyOf(own);
  }

  /** Returns the names of the prompt files that this flow needs, without duplicates. */
  SortedSet<String> promptFiles() {
    var files = new TreeSet<String>();
    modules.values().forEach(module -> files.addAll(module.promptFiles()));
    if (promptGenerator != null) {
      files.add(promptGenerator.prompt());
    }
    return files;
  }

  /** Returns the fields that a module saves: its own, and those of no module. */
  public List<ProfileField> profileOf(String module) {
    return profile.stream()
        .filter(field -> field.module() == null || field.module().equals(module))
        .toList();
  }

  /** Returns those of the fields that a module saves which its tools offer to the model. */
  public List<ProfileField> offered(FlowModule module) {
    return profileOf(module.id()).stream().filter(field -> module.offers(field.name())).toList();
  }

  /** Returns whether a module's tools offer the model to save the tone. */
  public boolean offersTone(FlowModule module) {
    return tone && module.offers(FlowModule.TONE);
  }

  /** Returns whether a module has fields of its own. */
  public boolean ownsFields(String module) {
    return profile.stream().anyMatch(field -> module.equals(field.module()));
  }

  /**
   * Returns the content of a prompt file as a model reads it: with this flow's texts and times
   * filled in, and without surrounding blanks and byte order mark. A placeholder that this flow
   * does not know is left unchanged.
   */
  public String fill(String promptContent) {
    var text = promptContent.startsWith("\uFEFF") ? promptContent.substring(1) : promptContent;
    return placeholders().fill(text.strip());
  }

  /** Returns the placeholders that prompt files of this flow may hold. */
  Placeholders placeholders() {
    return Placeholders.of(texts.resources(), dailyPrompt, profile);
  }
}
