package org.habitline.flows;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One module of a flow, with its own prompt file, tools and limits.
 *
 * @param id the module's name, such as {@code INTAKE}
 * @param title what pages call it, such as {@code Intake}
 * @param prompt name of its prompt file under {@code prompts/}
 * @param uses the tools its model may call, in the order offered
 * @param loadLimit newest transcript messages loaded, 0 to 50
 * @param historyLimit the newest of those that are shown to the model, 0 to {@code loadLimit}; a
 *     lower {@code CHAT_HISTORY_LIMIT} applies instead
 * @param maxIterations the most model calls in one turn, 1 to 50
 * @param parallelToolCalls whether one reply may hold several calls, or {@code null} to leave that
 *     to the server
 * @param fields the profile fields that its tools offer to save, and {@code tone}; empty for all
 *     that it may save
 * @param status the lines of the participant's status that its model is shown, in order
 * @param nudge what it does about a participant who falls silent, or {@code null} for nothing
 */
public record FlowModule(
    String id,
    String title,
    String prompt,
    List<ToolUse> uses,
    int loadLimit,
    int historyLimit,
    int maxIterations,
    @Nullable Boolean parallelToolCalls,
    ModelSettings model,
    List<String> fields,
    List<StatusPart> status,
    Guidance guidance,
    @Nullable Nudge nudge) {

  /** The word for the tone among the fields. */
  public static final String TONE = "tone";

  /**
   * Creates a module that is called by its id in words, offers to save every field that it may
   * save, and nudges nobody.
   */
  public FlowModule(
      String id,
      String prompt,
      List<ToolUse> uses,
      int loadLimit,
      int historyLimit,
      int maxIterations,
      @Nullable Boolean parallelToolCalls,
      ModelSettings model,
      List<StatusPart> status,
      Guidance guidance) {
    this(
        id,
        inWords(id),
        prompt,
        uses,
        loadLimit,
        historyLimit,
        maxIterations,
        parallelToolCalls,
        model,
        List.of(),
        status,
        guidance,
        null);
  }

  public FlowModule {
    uses = List.copyOf(uses);
    fields = List.copyOf(fields);
    status = List.copyOf(status);
  }

  /** Returns an id in words: {@code Exercise plan} for {@code EXERCISE_PLAN}. */
  static String inWords(String id) {
    var words = id.strip().replace('_', ' ').toLowerCase(Locale.ROOT);
    return words.isEmpty()
        ? ""
        : words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  /** Returns whether the module's tools offer to save this field, or the {@link #TONE}. */
  public boolean offers(String field) {
    return fields.isEmpty() || fields.contains(field);
  }

  /** Returns what it does about a participant who falls silent, or empty for nothing. */
  public Optional<Nudge> silence() {
    return Optional.ofNullable(nudge);
  }

  /** Returns the names of the tools, in the order offered. */
  public List<String> tools() {
    return uses.stream().map(ToolUse::name).toList();
  }

  /** Returns the tools of other servers, in the order offered. */
  public List<McpTool> mcpTools() {
    return uses.stream()
        .map(ToolUse::options)
        .filter(McpTool.class::isInstance)
        .map(McpTool.class::cast)
        .toList();
  }

  /** Returns the prompt files that the module and its tools use, without duplicates. */
  public SortedSet<String> promptFiles() {
    var files = new TreeSet<String>();
    files.add(prompt);
    for (var use : uses) {
      if (use.options() instanceof ToolOptions.WithPromptFiles options) {
        files.addAll(options.promptFiles());
      }
    }
    return files;
  }

  /** Returns the options of a tool, or empty if the module does not offer it with such options. */
  public <T extends ToolOptions> Optional<T> options(String tool, Class<T> type) {
    return uses.stream()
        .filter(use -> use.name().equals(tool))
        .map(ToolUse::options)
        .filter(type::isInstance)
        .map(type::cast)
        .findFirst();
  }
}
