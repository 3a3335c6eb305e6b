package org.habitline.flows;

import java.io.StringReader;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;

/**
 * Reads one flow file and refuses any key or value that it does not know. The {@link BrokenFlow}
 * names the file, the key and what was expected. {@code docs/flows.md} lists every key with its
 * bounds.
 */
final class FlowReader {

  /** The history keeps at most 50 messages (seed 003). */
  static final int MOST_LOADED = 50;

  static final int USUALLY_SHOWN = 30;
  static final int MOST_ITERATIONS = 50;
  static final int USUAL_ITERATIONS = 10;
  static final int HOTTEST = 2;
  static final int MOST_TOKENS = 1_000_000;
  static final int LONGEST_FIELD = 2_000;
  static final int USUAL_FIELD = 500;

  /** The longest message that the provider accepts. */
  static final int LONGEST_TEXT = 1_600;

  static final int MOST_SCHEDULES = 10;

  /**
   * The longest question after a prompt, so that the prompt and both questions fit into one
   * message.
   */
  static final int LONGEST_QUESTION = 500;

  /** The longest text of a WhatsApp button. */
  static final int LONGEST_QUICK_REPLY = 20;

  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_DESCRIPTION = 500;

  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9_-]{0,39}");
  private static final Pattern MODULE = Pattern.compile("[A-Z][A-Z0-9_]{0,39}");
  private static final Pattern FIELD = Pattern.compile("[a-z][a-z0-9_]{0,39}");

  /** Matches a placeholder. A text may hold only those that its key allows. */
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{[^{}]*}}");

  private static final Pattern CONTENT_SID = Pattern.compile("HX[0-9a-fA-F]{32}");
  private static final Pattern VARIABLE = Pattern.compile("[1-9][0-9]?");

  private static final Pattern TIME = Pattern.compile("([01]\\d|2[0-3]):[0-5]\\d");

  /** Matches a plain file name, which cannot lead out of the folder and is not hidden. */
  private static final Pattern PROMPT_FILE =
      Pattern.compile("[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*\\.txt");

  /** Names that Habitline itself uses in a profile, or that a tool uses besides the fields. */
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

  private final String file;
  private final Set<String> tools;

  FlowReader(String file, Set<String> tools) {
    this.file = file;
    this.tools = tools;
  }

  /**
   * Returns the flow.
   *
   * @throws BrokenFlow if the file has a mistake; it describes the first one
   */
  Flow read(String yaml) {
    var root = new Section(file, "", parse(yaml));
    root.only(
        "id",
        "initial_state",
        "modules",
        "profile",
        "prompt_generator",
        "daily_prompt",
        "texts",
        "whatsapp");
    var id = matching(root, "id", ID, "lower-case letters, digits, - and _, at most 40 characters");
    var modules = modules(root.section("modules"));
    var initial = root.text("initial_state", LONGEST_NAME);
    if (!modules.containsKey(initial)) {
      throw root.broken(
          "initial_state",
          "no module is called '" + initial + "'; expected one of " + listed(modules.keySet()));
    }
    var profile = root.optionalSection("profile").map(this::profile).orElse(List.of());
    var generator = root.optionalSection("prompt_generator").map(this::generator).orElse(null);
    var daily =
        root.optionalSection("daily_prompt").map(it -> daily(it, modules, profile)).orElse(null);
    toolsHaveWhatTheyNeed(root, modules, profile, generator, daily);
    return new Flow(
        id,
        initial,
        modules,
        profile,
        generator,
        daily,
        texts(root.section("texts")),
        root.optionalSection("whatsapp").map(FlowReader::whatsapp).orElse(WhatsAppTemplates.NONE));
  }

  private static WhatsAppTemplates whatsapp(Section section) {
    section.only("greeting", "prompt", "reminder", "prompt_buttons");
    return new WhatsAppTemplates(
        words(section, "greeting"),
        words(section, "prompt"),
        words(section, "reminder"),
        words(section, "prompt_buttons"));
  }

  private static WhatsAppTemplates.@Nullable Words words(Section section, String key) {
    return section
        .optionalSection(key)
        .map(words -> {
          words.only("content_sid", "variables");
          return new WhatsAppTemplates.Words(
              matching(words, "content_sid", CONTENT_SID, "HX and 32 hexadecimal digits"),
              words.optionalSection("variables").map(FlowReader::variables).orElse(Map.of()));
        })
        .orElse(null);
  }

  private static Map<String, String> variables(Section section) {
    var variables = new LinkedHashMap<String, String>();
    for (var name : section.keys()) {
      if (!VARIABLE.matcher(name).matches()) {
        throw section.broken(name, "expected the number of a variable, from 1 to 99");
      }
      var value = section.text(name, LONGEST_TEXT);
      noPlaceholderBut(
          Set.of(WhatsAppTemplates.NAME, WhatsAppTemplates.TEXT), section, name, value);
      variables.put(name, value);
    }
    return variables;
  }

  private Node parse(String yaml) {
    try {
      var root = new Yaml(new LoaderOptions()).compose(new StringReader(yaml));
      if (root == null) {
        throw new BrokenFlow(file, "the file is empty; expected a flow");
      }
      return root;
    } catch (MarkedYAMLException e) {
      throw new BrokenFlow(file, "", line(e.getProblemMark()), "expected YAML: " + problem(e));
    } catch (YAMLException e) {
      throw new BrokenFlow(
          file,
          "expected YAML: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse("unreadable"));
    }
  }

  /**
   * Returns the mistake and where its element begins, because an open quote is found only at the
   * end of the file.
   */
  private static String problem(MarkedYAMLException e) {
    var whole = e.getContextMark();
    return whole == null
        ? e.getProblem()
        : e.getProblem() + " " + e.getContext() + " from line " + line(whole);
  }

  private static int line(@Nullable Mark mark) {
    return mark == null ? 1 : mark.getLine() + 1;
  }

  private static String matching(Section section, String key, Pattern pattern, String expected) {
    var text = section.text(key, LONGEST_NAME);
    if (!pattern.matcher(text).matches()) {
      throw section.broken(key, "expected " + expected + ", found '" + text + "'");
    }
    return text;
  }

  private Map<String, FlowModule> modules(Section section) {
    var modules = new LinkedHashMap<String, FlowModule>();
    section
        .sections()
        .forEach((name, module) -> {
          if (!MODULE.matcher(name).matches()) {
            throw section.broken(
                name,
                "expected a module's name in upper-case letters, digits and _, at most 40 characters");
          }
          modules.put(name, module(name, module));
        });
    if (modules.isEmpty()) {
      throw section.broken("", "expected at least one module");
    }
    return modules;
  }

  private FlowModule module(String name, Section section) {
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
    var load = section.integer("load_limit", 0, MOST_LOADED, MOST_LOADED);
    return new FlowModule(
        name,
        section.has("prompt") ? promptFile(section) : PromptFiles.BASE,
        tools(section),
        load,
        section.integer("history_limit", 0, load, Math.min(USUALLY_SHOWN, load)),
        section.integer("max_iterations", 1, MOST_ITERATIONS, USUAL_ITERATIONS),
        section.has("parallel_tool_calls") ? section.flag("parallel_tool_calls", false) : null,
        model(section));
  }

  private static ModelSettings model(Section section) {
    return new ModelSettings(
        section.optionalText("model", LONGEST_NAME),
        section.optionalNumber("temperature", 0, HOTTEST),
        section.optionalInteger("max_tokens", 1, MOST_TOKENS));
  }

  private static String promptFile(Section section) {
    return matching(
        section, "prompt", PROMPT_FILE, "the name of a .txt file in the prompts folder");
  }

  private List<String> tools(Section section) {
    var named = section.texts("tools", LONGEST_NAME);
    for (int i = 0; i < named.size(); i++) {
      if (!tools.contains(named.get(i))) {
        throw section.broken(
            "tools",
            i,
            "unknown tool '" + named.get(i) + "'; expected one of " + listed(new TreeSet<>(tools)));
      }
    }
    return named;
  }

  private List<ProfileField> profile(Section section) {
    var fields = new ArrayList<ProfileField>();
    var owners = new HashMap<String, String>();
    TAKEN.forEach(name -> owners.put(name, "Habitline itself"));
    section
        .sections()
        .forEach((name, given) -> {
          var field = field(name, given);
          Stream.concat(Stream.of(name), field.aliases().stream())
              .forEach(called -> claim(section, name, called, owners));
          fields.add(field);
        });
    return fields;
  }

  /** Refuses a name, of a field or an alias, that is already used. */
  private static void claim(
      Section section, String field, String name, Map<String, String> owners) {
    if (!FIELD.matcher(name).matches()) {
      throw section.broken(
          field,
          "expected names in lower-case letters, digits and _, at most 40 characters, found '"
              + name
              + "'");
    }
    var owner = owners.putIfAbsent(name, field);
    if (owner != null) {
      throw section.broken(
          field, "the name '" + name + "' is already used by " + owner + "; expected another name");
    }
  }

  private static ProfileField field(String name, Section section) {
    section.only(
        "type", "values", "max_length", "required_for_prompt", "description", "aliases", "default");
    var type =
        switch (section.optionalText("type", LONGEST_NAME)) {
          case null -> ProfileField.Type.TEXT;
          case "text" -> ProfileField.Type.TEXT;
          case "choice" -> ProfileField.Type.CHOICE;
          case String other ->
              throw section.broken("type", "unknown type '" + other + "'; expected text or choice");
        };
    var values = values(section, type);
    var longest = longest(section, type, values);
    return new ProfileField(
        name,
        type,
        values,
        longest,
        section.flag("required_for_prompt", false),
        section.text("description", LONGEST_DESCRIPTION),
        section.optionalTexts("aliases", LONGEST_NAME),
        standard(section, values, longest));
  }

  private static List<String> values(Section section, ProfileField.Type type) {
    var values = section.optionalTexts("values", LONGEST_NAME);
    if (type == ProfileField.Type.CHOICE && values.isEmpty()) {
      throw section.broken("values", "missing; expected the values of a choice, such as [a, b]");
    }
    if (type == ProfileField.Type.TEXT && section.has("values")) {
      throw section.broken(
          "values", "expected no values with type text; use type choice for a list of values");
    }
    return values;
  }

  private static int longest(Section section, ProfileField.Type type, List<String> values) {
    if (type == ProfileField.Type.CHOICE) {
      if (section.has("max_length")) {
        throw section.broken(
            "max_length", "expected no max_length with type choice; the values set the length");
      }
      return values.stream()
          .mapToInt(value -> value.codePointCount(0, value.length()))
          .max()
          .orElseThrow();
    }
    return section.integer("max_length", 1, LONGEST_FIELD, USUAL_FIELD);
  }

  private static @Nullable String standard(Section section, List<String> values, int longest) {
    var standard = section.optionalText("default", values.isEmpty() ? longest : LONGEST_NAME);
    if (standard != null && !values.isEmpty() && !values.contains(standard)) {
      throw section.broken(
          "default", "expected one of " + listed(values) + ", found '" + standard + "'");
    }
    return standard;
  }

  private PromptGenerator generator(Section section) {
    section.only("prompt", "fallback_text", "model", "temperature", "max_tokens");
    return new PromptGenerator(
        promptFile(section),
        section.text("fallback_text", PromptGenerator.LONGEST_PROMPT),
        model(section));
  }

  private static DailyPrompt daily(
      Section section, Map<String, FlowModule> modules, List<ProfileField> profile) {
    section.only(
        "at",
        "most",
        "question",
        "done",
        "not_done",
        "feedback_state",
        "intensity_field",
        "intensity_question",
        "reminder",
        "check_in",
        "follow_up");
    var state = section.optionalText("feedback_state", LONGEST_NAME);
    if (state != null && !modules.containsKey(state)) {
      throw section.broken(
          "feedback_state",
          "no module is called '" + state + "'; expected one of " + listed(modules.keySet()));
    }
    var at = matching(section, "at", TIME, "a local time such as \"11:15\", in quotes");
    var done = plain(section, "done", LONGEST_QUICK_REPLY);
    var notDone = plain(section, "not_done", LONGEST_QUICK_REPLY);
    if (done.equalsIgnoreCase(notDone)) {
      throw section.broken(
          "not_done", "expected a reply that differs from done, found '" + notDone + "'");
    }
    return new DailyPrompt(
        LocalTime.parse(at),
        section.integer("most", 1, MOST_SCHEDULES, 1),
        plain(section, "question", LONGEST_QUESTION),
        done,
        notDone,
        state,
        intensity(section, profile),
        plain(section, "reminder", LONGEST_TEXT),
        plain(section, "check_in", LONGEST_TEXT),
        plain(section, "follow_up", LONGEST_TEXT));
  }

  private static String plain(Section section, String key, int longest) {
    var text = section.text(key, longest);
    noPlaceholderBut(Set.of(), section, key, text);
    return text;
  }

  /** Refuses a placeholder that nothing replaces: participants would see it. */
  private static void noPlaceholderBut(
      Set<String> filled, Section section, String key, String text) {
    PLACEHOLDER
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(found -> !filled.contains(found))
        .findFirst()
        .ifPresent(found -> {
          throw section.broken(
              key,
              "unknown placeholder "
                  + found
                  + "; expected "
                  + (filled.isEmpty() ? "none" : listed(new TreeSet<>(filled))));
        });
  }

  private static DailyPrompt.@Nullable Intensity intensity(
      Section section, List<ProfileField> profile) {
    if (!section.has("intensity_field") && !section.has("intensity_question")) {
      return null;
    }
    var name = section.text("intensity_field", LONGEST_NAME);
    var field =
        profile.stream()
            .filter(it -> it.name().equals(name))
            .filter(it -> it.values().size() > 1 && it.defaultValue() != null)
            .findFirst()
            .orElseThrow(() ->
                section.broken(
                    "intensity_field",
                    "expected a profile field of type choice with two values or more and a"
                        + " default, found '"
                        + name
                        + "'"));
    var key = "intensity_question";
    var intensity = new DailyPrompt.Intensity(field, section.text(key, LONGEST_QUESTION));
    noPlaceholderBut(
        Set.of(DailyPrompt.VALUE, DailyPrompt.OTHERS), section, key, intensity.question());
    for (var value : field.values()) {
      var asked = intensity.question(value);
      var length = asked.codePointCount(0, asked.length());
      if (length > LONGEST_QUESTION) {
        throw section.broken(
            key,
            "expected at most %d characters, found %d when it asks about '%s'"
                .formatted(LONGEST_QUESTION, length, value));
      }
    }
    return intensity;
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
        section.text("greeting_fallback", LONGEST_TEXT),
        section.text("error_fallback", LONGEST_TEXT),
        section.text("help", LONGEST_TEXT),
        section.text("deletion_notice", LONGEST_TEXT),
        section.text("opt_out_confirmation", LONGEST_TEXT),
        section.text("resources", LONGEST_TEXT),
        section.optionalText("paused", LONGEST_TEXT),
        section.optionalText("completed", LONGEST_TEXT));
  }

  private static void toolsHaveWhatTheyNeed(
      Section root,
      Map<String, FlowModule> modules,
      List<ProfileField> profile,
      @Nullable PromptGenerator generator,
      @Nullable DailyPrompt daily) {
    for (var module : modules.values()) {
      if (module.tools().contains("generate_habit_prompt") && generator == null) {
        throw root.broken(
            "prompt_generator",
            "missing; module " + module.id() + " needs it for the tool generate_habit_prompt");
      }
      if (module.tools().contains("scheduler") && generator == null) {
        throw root.broken(
            "prompt_generator",
            "missing; module " + module.id() + " needs it for the tool scheduler");
      }
      if (module.tools().contains("scheduler") && daily == null) {
        throw root.broken(
            "daily_prompt", "missing; module " + module.id() + " needs it for the tool scheduler");
      }
      if (module.tools().contains("save_user_profile") && profile.isEmpty()) {
        throw root.broken(
            "profile",
            "missing; module " + module.id() + " needs it for the tool save_user_profile");
      }
    }
    if (daily != null && generator == null) {
      throw root.broken(
          "prompt_generator", "missing; daily_prompt needs it to write the daily prompts");
    }
  }

  private static String listed(Iterable<String> names) {
    return String.join(", ", names);
  }
}
