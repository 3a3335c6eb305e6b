package org.habitline.flows;

import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.config.Mistakes;
import org.habitline.config.Section;
import org.habitline.config.YamlText;
import org.jspecify.annotations.Nullable;

/**
 * Reads one flow file and refuses any key or value that it does not know. Every mistake names the
 * file, the key and what was expected. {@code docs/flows.md} lists every key with its bounds.
 */
final class FlowReader {

  /** The history keeps at most 50 messages (seed 003). */
  static final int MOST_LOADED = 50;

  static final int USUALLY_SHOWN = 30;
  static final int MOST_ITERATIONS = 50;
  static final int USUAL_ITERATIONS = 10;
  static final int HOTTEST = 2;
  static final int MOST_TOKENS = 1_000_000;

  /** The longest message that the provider accepts. */
  static final int LONGEST_TEXT = 1_600;

  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_TITLE = 40;
  private static final int LONGEST_GUIDANCE = 500;

  /** What is accepted as an id, for messages. */
  static final String ACCEPTED_ID = "lower-case letters, digits, - and _, at most 40 characters";

  private static final Pattern ID = Pattern.compile("[a-z][a-z0-9_-]{0,39}");
  private static final Pattern LANGUAGE = Pattern.compile("[a-z]{2,3}");

  /** What is accepted as a language, for messages. */
  private static final String ACCEPTED_LANGUAGE =
      "a language in two or three lower-case letters, such as es";

  private static final Pattern MODULE = Pattern.compile("[A-Z][A-Z0-9_]{0,39}");

  private static final Pattern SILENCE = Pattern.compile("([0-9]{1,3})([hd])");
  private static final Pattern CONTENT_SID = Pattern.compile("HX[0-9a-fA-F]{32}");
  private static final Pattern VARIABLE = Pattern.compile("[1-9][0-9]?");

  private final FlowFile file;
  private final KnownTools tools;
  private final Optional<LocalTime> usual;
  private final TakenWords taken;

  /**
   * Creates a reader of one file.
   *
   * @param usual {@code DEFAULT_SCHEDULE}, which replaces the flow's own time of daily prompts
   * @param taken words that no reply may be
   */
  FlowReader(FlowFile file, KnownTools tools, Optional<LocalTime> usual, TakenWords taken) {
    this.file = file;
    this.tools = tools;
    this.usual = usual;
    this.taken = taken;
  }

  /**
   * Returns the flow with every mistake in its file.
   *
   * @throws BrokenFlow if the file is no mapping, so that no flow can be read from it
   */
  FlowDraft read() {
    var mistakes = new Mistakes(file.at());
    var root = root(file.yaml().get(), mistakes);
    return new FlowDraft(read(root, languages(root)), mistakes.all());
  }

  /** Returns the languages that a flow has, and refuses those that have no usable name. */
  private FlowLanguages languages(Section root) {
    var standard =
        root.has("language")
            ? matching(root, "language", LANGUAGE, ACCEPTED_LANGUAGE)
            : FlowLanguages.ENGLISH;
    for (var language : file.languages().keySet()) {
      if (!LANGUAGE.matcher(language).matches()) {
        root.refuse(
            FlowFiles.LANGUAGES,
            "expected files named after " + ACCEPTED_LANGUAGE + ", found '" + language + "'");
      } else if (language.equals(standard)) {
        root.refuse(
            FlowFiles.LANGUAGES,
            "'" + language + "' is the language of flow.yaml itself; expected only others");
      }
    }
    return FlowLanguages.of(standard, file.languages().keySet());
  }

  /** Returns the flow with these keys and values; its mistakes are added to the section. */
  Flow read(Section root, FlowLanguages languages) {
    root.only(
        "id",
        "language",
        "initial_state",
        "modules",
        "profile",
        "tone",
        "prompt_generator",
        "daily_prompt",
        "mcp_servers",
        "texts",
        "whatsapp");
    var id = id(root);
    var moduleSections = modules(root.section("modules"));
    var names = moduleSections.keySet();
    var initial = root.text("initial_state", LONGEST_NAME);
    if (!names.contains(initial) && !names.isEmpty()) {
      root.refuse(
          "initial_state",
          "no module is called '" + initial + "'; expected one of " + listed(names));
    }
    var profile =
        root.optionalSection("profile").map(new FieldReader(names)::read).orElse(List.of());
    var generator = root.optionalSection("prompt_generator").map(FlowReader::generator);
    var daily =
        root.optionalSection("daily_prompt")
            .map(it -> new DailyPromptReader(it, usual, taken).read(names, profile));
    var parts = EnumSet.noneOf(FlowPart.class);
    if (!profile.isEmpty()) {
      parts.add(FlowPart.PROFILE);
    }
    generator.ifPresent(it -> parts.add(FlowPart.PROMPT_GENERATOR));
    daily.ifPresent(it -> parts.add(FlowPart.DAILY_PROMPT));
    var tone = root.flag("tone", daily.isPresent());
    var servers =
        root.optionalSection("mcp_servers")
            .map(new McpServerReader(tools.names())::read)
            .orElse(Map.of());
    var modules = new LinkedHashMap<String, FlowModule>();
    moduleSections.forEach((name, module) ->
        modules.put(
            name,
            module(module, new FlowNames(name, names, profile), initial, parts, servers, tone)));
    toolsHaveWhatTheyNeed(root, modules, parts);
    return new Flow(
        id,
        initial,
        modules,
        profile,
        tone,
        generator.orElse(null),
        daily.orElse(null),
        texts(root.section("texts"), daily.orElse(null), profile),
        root.optionalSection("whatsapp").map(FlowReader::whatsapp).orElse(WhatsAppTemplates.NONE),
        languages);
  }

  /** Reads the id. A flow is named after its folder, also while its id is a mistake. */
  private String id(Section root) {
    var id = matching(root, "id", ID, ACCEPTED_ID);
    var folder = file.folder();
    if (!isId(folder)) {
      root.refuse("id", "its folder is named '" + folder + "'; expected a name of " + ACCEPTED_ID);
      return "";
    }
    if (!folder.equals(id)) {
      root.refuse("id", "'" + id + "' is not the name of its folder; expected '" + folder + "'");
    }
    return folder;
  }

  /** Returns whether a flow may have this id. */
  static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  private static WhatsAppTemplates whatsapp(Section section) {
    section.only("greeting", "prompt", "reminder", "nudge", "prompt_buttons");
    return new WhatsAppTemplates(
        words(section, "greeting"),
        words(section, "prompt"),
        words(section, "reminder"),
        words(section, "nudge"),
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
    var filledLater = new TreeMap<String, String>();
    filledLater.put(WhatsAppTemplates.NAME, WhatsAppTemplates.NAME);
    filledLater.put(WhatsAppTemplates.TEXT, WhatsAppTemplates.TEXT);
    var variables = new LinkedHashMap<String, String>();
    for (var name : section.keys()) {
      if (!VARIABLE.matcher(name).matches()) {
        section.refuse(name, "expected the number of a variable, from 1 to 99");
      }
      variables.put(name, filled(section, name, LONGEST_TEXT, new Placeholders(filledLater)));
    }
    return variables;
  }

  /**
   * Returns the keys and values of a file of a flow.
   *
   * @throws BrokenFlow if there are none to read
   */
  static Section root(String yaml, Mistakes mistakes) {
    var root = YamlText.parse(yaml, mistakes);
    check(mistakes);
    return root.orElseThrow();
  }

  /**
   * Ends the reading of a file.
   *
   * @throws BrokenFlow with every mistake, if there is any
   */
  static void check(Mistakes mistakes) {
    if (!mistakes.all().isEmpty()) {
      throw new BrokenFlow(mistakes.all());
    }
  }

  private static String matching(Section section, String key, Pattern pattern, String expected) {
    var text = section.text(key, LONGEST_NAME);
    if (!pattern.matcher(text).matches()) {
      section.refuse(key, "expected " + expected + ", found '" + text + "'");
    }
    return text;
  }

  private static Map<String, Section> modules(Section section) {
    var modules = section.sections();
    for (var name : modules.keySet()) {
      if (!MODULE.matcher(name).matches()) {
        section.refuse(
            name,
            "expected a module's name in upper-case letters, digits and _, at most 40 characters");
      }
    }
    if (modules.isEmpty()) {
      section.refuse("", "expected at least one module");
    }
    return modules;
  }

  private FlowModule module(
      Section section,
      FlowNames names,
      String initial,
      Set<FlowPart> parts,
      Map<String, McpServer> servers,
      boolean tone) {
    section.only(
        "title",
        "prompt",
        "tools",
        "fields",
        "status",
        "guidance",
        "load_limit",
        "history_limit",
        "max_iterations",
        "parallel_tool_calls",
        "model",
        "temperature",
        "max_tokens",
        "nudge");
    var load = section.integer("load_limit", 0, MOST_LOADED, MOST_LOADED);
    return new FlowModule(
        names.module(),
        section.has("title")
            ? section.text("title", LONGEST_TITLE)
            : FlowModule.inWords(names.module()),
        section.has("prompt") ? section.promptFile("prompt") : PromptFiles.BASE,
        tools(section, names, servers),
        load,
        section.integer("history_limit", 0, load, Math.min(USUALLY_SHOWN, load)),
        section.integer("max_iterations", 1, MOST_ITERATIONS, USUAL_ITERATIONS),
        section.has("parallel_tool_calls") ? section.flag("parallel_tool_calls", false) : null,
        model(section),
        fields(section, names, tone),
        section.has("status") ? status(section) : usualStatus(names.profile(), parts),
        section
            .optionalSection("guidance")
            .map(FlowReader::guidance)
            .orElseGet(() -> usualGuidance(names.module(), initial, parts)),
        section.optionalSection("nudge").map(it -> nudge(it, names)).orElse(null));
  }

  private static Nudge nudge(Section section, FlowNames names) {
    section.only("after", "text");
    return new Nudge(
        silence(section),
        filled(
            section,
            "text",
            LONGEST_TEXT,
            Placeholders.of("", null, names.profile()).without("resources")));
  }

  private static Duration silence(Section section) {
    var text = section.text("after", LONGEST_NAME);
    var found = SILENCE.matcher(text);
    var after =
        found.matches()
            ? found.group(2).equals("h")
                ? Duration.ofHours(Integer.parseInt(found.group(1)))
                : Duration.ofDays(Integer.parseInt(found.group(1)))
            : Duration.ZERO;
    if (after.compareTo(Nudge.SHORTEST) < 0 || after.compareTo(Nudge.LONGEST) > 0) {
      section.refuse(
          "after",
          "expected hours or days such as 24h or 2d, from 1h to 30d, found '" + text + "'");
    }
    return after;
  }

  /** Reads the fields that the module's tools offer; returns none for all that it may save. */
  private static List<String> fields(Section section, FlowNames names, boolean tone) {
    var fields = section.optionalTexts("fields", LONGEST_NAME);
    var accepted =
        Stream.concat(
                names.profile().stream()
                    .filter(
                        field -> field.module() == null || field.module().equals(names.module()))
                    .map(ProfileField::name),
                tone ? Stream.of(FlowModule.TONE) : Stream.<String>of())
            .toList();
    if (section.has("fields") && fields.isEmpty()) {
      section.refuse("fields", "expected at least one of " + listed(accepted));
    }
    for (int i = 0; i < fields.size(); i++) {
      if (!accepted.contains(fields.get(i))) {
        section.refuse(
            "fields",
            i,
            "this module can save no field '%s'; expected one of %s"
                .formatted(fields.get(i), listed(accepted)));
      }
    }
    return fields;
  }

  private static List<StatusPart> status(Section section) {
    var parts = new ArrayList<StatusPart>();
    var words = section.optionalTexts("status", LONGEST_NAME);
    for (int i = 0; i < words.size(); i++) {
      var part = StatusPart.of(words.get(i));
      if (part.isEmpty()) {
        section.refuse(
            "status",
            i,
            "unknown part '" + words.get(i) + "'; expected one of " + listed(StatusPart.words()));
      }
      part.ifPresent(parts::add);
    }
    return parts;
  }

  private static List<StatusPart> usualStatus(List<ProfileField> profile, Set<FlowPart> parts) {
    return StatusPart.usual(
        parts.contains(FlowPart.PROMPT_GENERATOR),
        parts.contains(FlowPart.DAILY_PROMPT),
        profile.stream().anyMatch(field -> field.module() != null),
        profile.stream().anyMatch(ProfileField::required));
  }

  private static Guidance guidance(Section section) {
    section.only("incomplete", "complete");
    return new Guidance(
        section.text("incomplete", LONGEST_GUIDANCE), section.text("complete", LONGEST_GUIDANCE));
  }

  private static Guidance usualGuidance(String module, String initial, Set<FlowPart> parts) {
    if (!parts.contains(FlowPart.PROMPT_GENERATOR)) {
      return Guidance.USUAL;
    }
    return new Guidance(
        module.equals(initial)
            ? "The profile is not complete: ask for what is missing, one question at a time."
            : "The profile is not complete: use transition_state to "
                + initial
                + " when it is needed, and do not ask intake questions here.",
        "The profile is complete: a habit prompt may be written.");
  }

  private static ModelSettings model(Section section) {
    return new ModelSettings(
        section.optionalText("model", LONGEST_NAME),
        section.optionalNumber("temperature", 0, HOTTEST),
        section.optionalInteger("max_tokens", 1, MOST_TOKENS));
  }

  private List<ToolUse> tools(Section section, FlowNames names, Map<String, McpServer> servers) {
    var uses = new ArrayList<ToolUse>();
    var index = 0;
    for (var named : section.named("tools").entrySet()) {
      var tool = named.getKey();
      if (tools.names().contains(tool)) {
        uses.add(new ToolUse(tool, tools.options(tool, named.getValue(), names)));
      } else if (tool.contains(".")) {
        named.getValue().only();
        uses.addAll(mcpTool(section, index, tool, servers));
      } else {
        section.refuse(
            "tools",
            index,
            "unknown tool '" + tool + "'; expected one of " + listed(new TreeSet<>(tools.names())));
      }
      index++;
    }
    return uses;
  }

  /** Returns the tool of another server, written {@code server.tool}; none if it is a mistake. */
  private static List<ToolUse> mcpTool(
      Section section, int index, String written, Map<String, McpServer> servers) {
    var dot = written.indexOf('.');
    var server = servers.get(written.substring(0, dot));
    var tool = written.substring(dot + 1);
    if (server != null && server.tools().contains(tool)) {
      return List.of(new ToolUse(server.shown(tool), new McpTool(server, tool)));
    }
    section.refuse(
        "tools",
        index,
        servers.isEmpty()
            ? "'" + written + "' names a tool of an MCP server; expected the server in mcp_servers"
            : "unknown tool '"
                + written
                + "' of an MCP server; expected one of "
                + String.join(", ", McpServerReader.names(servers).toList()));
    return List.of();
  }

  private static PromptGenerator generator(Section section) {
    section.only("prompt", "fallback_text", "model", "temperature", "max_tokens");
    return new PromptGenerator(
        section.promptFile("prompt"),
        section.text("fallback_text", PromptGenerator.LONGEST_PROMPT),
        model(section));
  }

  private static FlowTexts texts(
      Section section, @Nullable DailyPrompt daily, List<ProfileField> profile) {
    section.only(
        "greeting_fallback",
        "error_fallback",
        "help",
        "deletion_notice",
        "opt_out_confirmation",
        "resources",
        "paused",
        "completed",
        "over_budget",
        "disclosure");
    var others = Placeholders.of("", daily, profile).without("resources");
    var resources = filled(section, "resources", LONGEST_TEXT, others);
    var known = Placeholders.of(resources, daily, profile);
    return new FlowTexts(
        filled(section, "greeting_fallback", LONGEST_TEXT, known),
        filled(section, "error_fallback", LONGEST_TEXT, known),
        filled(section, "help", LONGEST_TEXT, known),
        filled(section, "deletion_notice", LONGEST_TEXT, known),
        filled(section, "opt_out_confirmation", LONGEST_TEXT, known),
        resources,
        section.has("paused") ? filled(section, "paused", LONGEST_TEXT, known) : null,
        section.has("completed") ? filled(section, "completed", LONGEST_TEXT, known) : null,
        section.has("over_budget")
            ? filled(section, "over_budget", LONGEST_TEXT, known)
            : FlowTexts.OVER_BUDGET,
        section.has("disclosure") ? filled(section, "disclosure", LONGEST_TEXT, known) : null);
  }

  /**
   * Reads a text and fills in its placeholders. An unknown placeholder is a mistake, because
   * participants would see it.
   */
  static String filled(Section section, String key, int longest, Placeholders known) {
    var text = section.text(key, longest);
    refuseUnknown(section, key, text, known);
    var filled = known.fill(text);
    var length = filled.codePointCount(0, filled.length());
    if (length > longest) {
      section.refuse(
          key,
          "expected at most %d characters, found %d with its placeholders filled in"
              .formatted(longest, length));
    }
    return filled;
  }

  /** Refuses a text with a placeholder that nothing replaces. */
  static void refuseUnknown(Section section, String key, String text, Placeholders known) {
    known.unknown(text).stream()
        .map(Placeholders.Unknown::name)
        .distinct()
        .reduce((one, next) -> one + ", " + next)
        .ifPresent(found ->
            section.refuse(key, "unknown placeholder " + found + "; expected " + known.listed()));
  }

  /** Refuses a flow without a part that one of its tools needs. */
  private void toolsHaveWhatTheyNeed(
      Section root, Map<String, FlowModule> modules, Set<FlowPart> parts) {
    for (var module : modules.values()) {
      for (var tool : module.tools().stream().filter(tools.names()::contains).toList()) {
        for (var part : new TreeSet<>(tools.needs(tool))) {
          if (!parts.contains(part)) {
            root.refuse(
                part.key(),
                "missing; module %s needs it for the tool %s".formatted(module.id(), tool));
          }
        }
      }
    }
    if (parts.contains(FlowPart.DAILY_PROMPT) && !parts.contains(FlowPart.PROMPT_GENERATOR)) {
      root.refuse("prompt_generator", "missing; daily_prompt needs it to write the daily prompts");
    }
  }

  private static String listed(Iterable<String> names) {
    return String.join(", ", names);
  }
}
