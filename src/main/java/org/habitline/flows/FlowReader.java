package org.habitline.flows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Reads one flow file and refuses whatever is not meant: each complaint is a {@link BrokenFlow}
 * that names file, key and what was expected.
 */
final class FlowReader {

  static final int LOADED_AT_MOST = 50;
  static final int ITERATIONS_AT_MOST = 50;
  static final int LONGEST_FIELD = 10_000;
  private static final int TOKENS_AT_MOST = 1_000_000;

  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9_-]{0,63}");
  private static final Pattern STATE = Pattern.compile("[A-Z][A-Z0-9_]{0,63}");
  private static final Pattern FIELD = Pattern.compile("[a-z][a-z0-9_]{0,63}");
  private static final Pattern PROMPT_FILE =
      Pattern.compile("[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*");

  /** What the server itself keeps in a profile, or a tool uses beside the fields. */
  private static final Set<String> TAKEN =
      Set.of(
          "success_count",
          "total_prompts",
          "tone",
          "created_at",
          "updated_at",
          "tone_tags",
          "tone_update_source",
          "tone_confidence",
          "clear_fields");

  private static final YAMLMapper YAML =
      new YAMLMapper(
          YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());

  private final String file;
  private final Set<String> tools;

  FlowReader(String file, Set<String> tools) {
    this.file = file;
    this.tools = tools;
  }

  Flow read(String yaml) {
    var root = new Section(file, "", parse(yaml));
    root.only("id", "initial_state", "modules", "profile", "prompt_generator", "texts");
    var id = matching(root, "id", ID, "lower-case letters, digits, hyphens and underscores");
    var modules = modules(root.section("modules"));
    var initial = root.text("initial_state");
    if (!modules.containsKey(initial)) {
      throw root.broken(
          "initial_state",
          "'"
              + initial
              + "' is no module of this flow; expected one of "
              + listed(modules.keySet()));
    }
    var generator = root.optionalSection("prompt_generator").map(this::generator).orElse(null);
    var flow =
        new Flow(id, initial, modules, profile(root), generator, texts(root.section("texts")));
    toolsHaveWhatTheyNeed(root, flow);
    return flow;
  }

  private JsonNode parse(String yaml) {
    try {
      var root = YAML.readTree(yaml);
      if (root == null || root.isMissingNode() || root.isNull()) {
        throw new BrokenFlow(file, "", "the file is empty; expected a flow");
      }
      return root;
    } catch (JsonProcessingException e) {
      var place = e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr();
      throw new BrokenFlow(
          file,
          "",
          "not readable as YAML"
              + place
              + ": "
              + e.getOriginalMessage().lines().findFirst().orElse(""));
    }
  }

  private static String matching(Section section, String key, Pattern pattern, String expected) {
    var text = section.text(key);
    if (!pattern.matcher(text).matches()) {
      throw section.broken(key, "'" + text + "' is not made of " + expected);
    }
    return text;
  }

  private Map<String, FlowModule> modules(Section section) {
    var modules = new LinkedHashMap<String, FlowModule>();
    for (var module : section.sections()) {
      if (!STATE.matcher(module.name()).matches()) {
        throw module.broken(
            "", "a module's name is made of upper-case letters, digits and underscores");
      }
      modules.put(module.name(), module(module));
    }
    if (modules.isEmpty()) {
      throw section.broken("", "expected at least one module");
    }
    return Collections.unmodifiableMap(modules);
  }

  private FlowModule module(Section section) {
    section.only(
        "prompt",
        "tools",
        "load_limit",
        "history_limit",
        "max_iterations",
        "parallel_tool_calls",
        "model",
        "temperature",
        "max_tokens");
    var load = section.integer("load_limit", 0, LOADED_AT_MOST, LOADED_AT_MOST);
    return new FlowModule(
        section.name(),
        prompt(section, "prompt"),
        tools(section),
        load,
        section.integer("history_limit", 0, load, Math.min(30, load)),
        section.integer("max_iterations", 1, ITERATIONS_AT_MOST, 10),
        section.flag("parallel_tool_calls", false),
        model(section));
  }

  private static ModelSettings model(Section section) {
    return new ModelSettings(
        section.optionalText("model"),
        section.optionalNumber("temperature", 0, 2),
        section.optionalInteger("max_tokens", 1, TOKENS_AT_MOST));
  }

  private static String prompt(Section section, String key) {
    return matching(
        section,
        key,
        PROMPT_FILE,
        "letters, digits, dots, hyphens and underscores: a file under prompts/");
  }

  private List<String> tools(Section section) {
    var named = section.texts("tools", false);
    var seen = new HashSet<String>();
    for (int i = 0; i < named.size(); i++) {
      if (!tools.contains(named.get(i))) {
        throw section.broken(
            "tools[" + i + "]",
            "unknown tool '" + named.get(i) + "'; expected one of " + listed(tools));
      }
      if (!seen.add(named.get(i))) {
        throw section.broken("tools[" + i + "]", "'" + named.get(i) + "' is named twice");
      }
    }
    return named;
  }

  private List<ProfileField> profile(Section root) {
    var fields = new ArrayList<ProfileField>();
    var names = new HashSet<>(TAKEN);
    for (var section : root.optionalSection("profile").map(Section::sections).orElse(List.of())) {
      var field = field(section);
      for (var name : names(field)) {
        if (!FIELD.matcher(name).matches()) {
          throw section.broken(
              "", "'" + name + "' is not made of lower-case letters, digits and underscores");
        }
        if (!names.add(name)) {
          throw section.broken(
              "",
              "the name '" + name + "' is taken: by another field or alias, or by the line itself");
        }
      }
      fields.add(field);
    }
    return List.copyOf(fields);
  }

  private static List<String> names(ProfileField field) {
    var names = new ArrayList<String>();
    names.add(field.name());
    names.addAll(field.aliases());
    return names;
  }

  private static ProfileField field(Section section) {
    section.only(
        "type", "values", "max_length", "required_for_prompt", "description", "aliases", "default");
    var type =
        switch (section.optionalText("type")) {
          case null -> ProfileField.Type.TEXT;
          case "text" -> ProfileField.Type.TEXT;
          case "choice" -> ProfileField.Type.CHOICE;
          case String other ->
              throw section.broken("type", "'" + other + "' is no type; expected text or choice");
        };
    var values = section.texts("values", true);
    if ((type == ProfileField.Type.CHOICE) != !values.isEmpty()) {
      throw section.broken(
          "values", "expected a list of values for type choice, and none for type text");
    }
    var otherwise = section.optionalText("default");
    if (otherwise != null && !values.isEmpty() && !values.contains(otherwise)) {
      throw section.broken("default", "'" + otherwise + "' is none of the values");
    }
    return new ProfileField(
        section.name(),
        type,
        values,
        section.integer("max_length", 1, LONGEST_FIELD, 500),
        section.flag("required_for_prompt", false),
        section.text("description"),
        section.texts("aliases", true),
        otherwise);
  }

  private PromptGenerator generator(Section section) {
    section.only("prompt", "fallback_text", "model", "temperature", "max_tokens");
    return new PromptGenerator(
        prompt(section, "prompt"), section.text("fallback_text"), model(section));
  }

  private static FlowTexts texts(Section section) {
    section.only(
        "greeting_fallback",
        "error_fallback",
        "help",
        "deletion_notice",
        "opt_out_confirmation",
        "resources",
        "paused",
        "completed");
    return new FlowTexts(
        section.text("greeting_fallback"),
        section.text("error_fallback"),
        section.text("help"),
        section.text("deletion_notice"),
        section.text("opt_out_confirmation"),
        section.text("resources"),
        section.optionalText("paused"),
        section.optionalText("completed"));
  }

  private static void toolsHaveWhatTheyNeed(Section root, Flow flow) {
    for (var module : flow.modules().values()) {
      if (module.tools().contains("generate_habit_prompt") && flow.promptGenerator() == null) {
        throw root.broken(
            "prompt_generator",
            "missing; module " + module.id() + " offers generate_habit_prompt, which needs it");
      }
      if (module.tools().contains("save_user_profile") && flow.profile().isEmpty()) {
        throw root.broken(
            "profile",
            "missing; module " + module.id() + " offers save_user_profile, which needs it");
      }
    }
  }

  private static String listed(Set<String> names) {
    return String.join(", ", new TreeSet<>(names));
  }
}
