package org.habitline.flows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalTime;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.habitline.config.Section;

/** A home folder to break: a small flow that is right, and its prompt files. */
record FlowHome(Path folder) {

  /** The names and needs of the habit flow's tools, with no options but those it has. */
  static final KnownTools TOOLS =
      new KnownTools() {
        @Override
        public Set<String> names() {
          return NEEDS.keySet();
        }

        @Override
        public Set<FlowPart> needs(String tool) {
          return Objects.requireNonNull(NEEDS.get(tool));
        }

        @Override
        public ToolOptions options(String tool, Section given, FlowNames names) {
          given.only(tool.equals("generate_habit_prompt") ? "then" : "delay");
          return ToolOptions.NONE;
        }
      };

  /** The names of all tools that packaged flows have, with any options. */
  static final KnownTools ANY =
      new KnownTools() {
        @Override
        public Set<String> names() {
          return Set.of(
              "transition_state",
              "save_user_profile",
              "scheduler",
              "generate_habit_prompt",
              "rag_search",
              "write_data",
              "read_data",
              "export_data",
              "flag_for_staff",
              "set_language",
              "opt_out",
              "record_outcome",
              "add_task",
              "list_tasks",
              "complete_task",
              "update_task",
              "delete_task");
        }

        @Override
        public Set<FlowPart> needs(String tool) {
          return NEEDS.getOrDefault(tool, Set.of());
        }

        @Override
        public ToolOptions options(String tool, Section given, FlowNames names) {
          return ToolOptions.NONE;
        }
      };

  /** Two keywords of those that the service knows. */
  static final TakenWords TAKEN =
      text -> Set.of("stop", "baja").contains(text.toLowerCase(Locale.ROOT));

  private static final Map<String, Set<FlowPart>> NEEDS =
      Map.of(
          "transition_state", Set.of(),
          "save_user_profile", Set.of(FlowPart.PROFILE),
          "scheduler", Set.of(FlowPart.PROMPT_GENERATOR, FlowPart.DAILY_PROMPT),
          "generate_habit_prompt", Set.of(FlowPart.PROMPT_GENERATOR),
          "flag_for_staff", Set.of(),
          "record_outcome", Set.of(FlowPart.DAILY_PROMPT),
          "set_language", Set.of(),
          "opt_out", Set.of());

  static final String YAML =
      """
      id: small
      initial_state: TALK
      modules:
        TALK:
          prompt: talk.txt
          tools: [transition_state, save_user_profile, generate_habit_prompt]
          load_limit: 20
          history_limit: 10
          max_iterations: 5
          parallel_tool_calls: false
          model: a-model
          temperature: 0.5
          max_tokens: 300
        LISTEN:
          tools: []
      profile:
        anchor:
          description: The moment.
          max_length: 100
          required_for_prompt: true
          aliases: [moment]
          default: lunch
        strength:
          type: choice
          values: [low, high]
          default: low
          description: How hard.
      prompt_generator:
        prompt: write.txt
        fallback_text: Try one minute.
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
        paused: Paused.
        completed: Completed.
      daily_prompt:
        at: "11:15"
        most: 2
        question: Did you?
        done: Done
        not_done: Next time
        feedback_state: LISTEN
        reminder: Remember.
        check_in: How is it?
        follow_up: How was it?
      """;

  /** Writes the right flow and its prompts. */
  static FlowHome in(Path folder) throws IOException {
    var home = new FlowHome(folder);
    home.flow("small", YAML);
    home.prompt("talk.txt", "Talk. In a crisis: {{resources}}\n");
    home.prompt("write.txt", "Write.\n");
    home.prompt(PromptFiles.BASE, "Base.\n");
    return home;
  }

  /** Writes the flow of a folder. */
  Path flow(String name, String yaml) throws IOException {
    return write(flows().resolve(name), FlowFiles.FLOW, yaml);
  }

  /** Writes the phrases of a flow. */
  Path phrases(String flow, String yaml) throws IOException {
    return write(flows().resolve(flow), FlowFiles.PHRASES, yaml);
  }

  /** Writes a prompt of one flow. */
  Path ownPrompt(String flow, String name, String text) throws IOException {
    return write(flows().resolve(flow).resolve(PromptFiles.FOLDER), name, text);
  }

  private Path flows() {
    return folder.resolve("config").resolve("flows");
  }

  Path prompt(String name, String text) throws IOException {
    return write(folder.resolve("prompts"), name, text);
  }

  private static Path write(Path folder, String name, String text) throws IOException {
    return Files.writeString(Files.createDirectories(folder).resolve(name), text);
  }

  /** Writes a prompt as an editor would do it at some moment. */
  void editPrompt(String name, String text, Instant when) throws IOException {
    Files.setLastModifiedTime(prompt(name, text), FileTime.from(when));
  }

  FlowCatalog open() {
    return new FlowCatalog(folder, "small", TOOLS, Optional.empty(), TAKEN);
  }

  /** The same on a line that sets {@code DEFAULT_SCHEDULE}. */
  FlowCatalog open(LocalTime usual) {
    return new FlowCatalog(folder, "small", TOOLS, Optional.of(usual), TAKEN);
  }
}
