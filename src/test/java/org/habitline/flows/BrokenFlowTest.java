package org.habitline.flows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every mistake in a flow stops the start, with a sentence a study designer can act on. */
class BrokenFlowTest {

  @TempDir Path folder;

  @Test
  void theFlowThatTheseTestsBreakIsRight() throws IOException {
    var flow = FlowHome.in(folder).open().defaultFlow();

    assertThat(flow.modules().keySet()).containsExactly("TALK", "LISTEN");
    assertThat(flow.modules().get("TALK"))
        .isEqualTo(
            new FlowModule(
                "TALK",
                "talk.txt",
                List.of(
                    new ToolUse("transition_state", ToolOptions.NONE),
                    new ToolUse("save_user_profile", ToolOptions.NONE),
                    new ToolUse("generate_habit_prompt", ToolOptions.NONE)),
                20,
                10,
                5,
                false,
                new ModelSettings("a-model", 0.5, 300),
                StatusPart.usual(true, true, false, false),
                new Guidance(
                    "The profile is not complete: ask for what is missing, one question at a time.",
                    "The profile is complete: a habit prompt may be written.")));
  }

  @Test
  void aModuleMayOfferToolsOfOtherServers() throws IOException {
    var home = FlowHome.in(folder);
    home.flow(
        "small",
        servers(
                "web: {url: 'https://a.example/mcp?x=1', headers: {Authorization: A_TOKEN}, tools: [a/b, c], timeout_seconds: 7},"
                    + " local: {command: [notes, -v, -v], environment: [B_TOKEN], tools: [c]}",
                "local.c",
                "web.a/b")
            .yaml());

    var web =
        new McpServer(
            "web",
            new McpServer.Place.Web(
                URI.create("https://a.example/mcp?x=1"), Map.of("Authorization", "A_TOKEN")),
            List.of("a/b", "c"),
            Duration.ofSeconds(7));
    var local =
        new McpServer(
            "local",
            new McpServer.Place.Program(List.of("notes", "-v", "-v"), List.of("B_TOKEN")),
            List.of("c"),
            Duration.ofSeconds(20));
    var module = home.open().defaultFlow().module("LISTEN").orElseThrow();
    assertThat(module.uses())
        .containsExactly(
            new ToolUse("local_c", new McpTool(local, "c")),
            new ToolUse("web_a_b", new McpTool(web, "a/b")));
    assertThat(module.mcpTools().getLast().server().source()).isEqualTo("mcp:web");
  }

  @ParameterizedTest
  @MethodSource
  void isRefusedWithASentence(String sentence, String yaml) throws IOException {
    var home = FlowHome.in(folder);
    home.flow("small", yaml);

    assertThatThrownBy(home::open)
        .isInstanceOfSatisfying(
            BrokenFlow.class,
            broken ->
                assertThat(broken.mistakes())
                    .contains("config/flows/small/flow.yaml: " + sentence)
                    .allMatch(mistake -> mistake.startsWith("config/flows/small/flow.yaml: ")));
  }

  @Test
  void everyMistakeIsNamedAndNotOnlyTheFirst() throws IOException {
    var home = FlowHome.in(folder);
    home.flow(
        "small",
        FlowHome.YAML
            .replace("initial_state: TALK", "initial_state: NOWHERE")
            .replace("load_limit: 20", "load_limit: many")
            .replace("type: choice", "type: colour")
            .replace("  help: Help.\n", ""));

    assertThatThrownBy(home::open)
        .isInstanceOfSatisfying(
            BrokenFlow.class,
            broken ->
                assertThat(broken.mistakes())
                    .containsExactlyInAnyOrder(
                        "config/flows/small/flow.yaml: initial_state: no module is called 'NOWHERE';"
                            + " expected one of TALK, LISTEN (line 2)",
                        "config/flows/small/flow.yaml: profile.strength.type: unknown type 'colour';"
                            + " expected text, choice, boolean, integer, number, date or list (line"
                            + " 24)",
                        "config/flows/small/flow.yaml: modules.TALK.load_limit: expected a whole"
                            + " number from 0 to 50, found 'many' (line 7)",
                        "config/flows/small/flow.yaml: texts.help: missing; expected a text (line"
                            + " 31)"));
  }

  static Stream<Arguments> isRefusedWithASentence() {
    return Stream.of(
        // unknown, missing and repeated keys
        edit("id: small", "ids: small")
            .says(
                "ids: unknown key; expected one of daily_prompt, id, initial_state, language, mcp_servers, modules,"
                    + " profile, prompt_generator, texts, tone, whatsapp (line 1)"),
        edit("id: small", "id: small\nwhatsapp: {prompts: {}}")
            .says(
                "whatsapp.prompts: unknown key; expected one of greeting, nudge, prompt, prompt_buttons,"
                    + " reminder (line 2)"),
        edit("id: small", "id: small\nwhatsapp: {prompt: {content_sid: HX12}}")
            .says(
                "whatsapp.prompt.content_sid: expected HX and 32 hexadecimal digits, found 'HX12'"
                    + " (line 2)"),
        edit(
                "id: small",
                "id: small\nwhatsapp: {prompt: {content_sid: HX"
                    + "0".repeat(32)
                    + ", variables: {name: Robin}}}")
            .says(
                "whatsapp.prompt.variables.name: expected the number of a variable, from 1 to 99"
                    + " (line 2)"),
        edit(
                "id: small",
                "id: small\nwhatsapp: {prompt: {content_sid: HX"
                    + "0".repeat(32)
                    + ", variables: {\"1\": \"{{phone}}\"}}}")
            .says(
                "whatsapp.prompt.variables.1: unknown placeholder {{phone}}; expected {{name}},"
                    + " {{text}} (line 2)"),
        edit("    load_limit: 20", "    load_limits: 20")
            .says(
                "modules.TALK.load_limits: unknown key; expected one of fields, guidance, history_limit,"
                    + " load_limit, max_iterations, max_tokens, model, nudge, parallel_tool_calls, prompt,"
                    + " status, temperature, title, tools (line 7)"),
        edit("    max_length: 100", "    maxlength: 100")
            .says(
                "profile.anchor.maxlength: unknown key; expected one of aliases, appends, archives,"
                    + " ask_after_success, default, description, entries, flag, lowest_by, max_items, max_length, maximum, min_length, minimum, module,"
                    + " required, required_for_prompt, type, values (line 19)"),
        edit("  fallback_text: Try", "  text: Try")
            .says(
                "prompt_generator.text: unknown key; expected one of fallback_text, max_tokens,"
                    + " model, prompt, temperature (line 30)"),
        edit("  paused: Paused.", "  pause: Paused.")
            .says(
                "texts.pause: unknown key; expected one of completed, deletion_notice,"
                    + " disclosure, error_fallback, greeting_fallback, help, opt_out_confirmation, over_budget,"
                    + " paused, resources (line 38)"),
        edit("id: small\n", "").says("id: missing; expected a text (line 1)"),
        edit("id: small", "id:").says("id: missing; expected a text (line 1)"),
        edit("initial_state: TALK\n", "").says("initial_state: missing; expected a text (line 1)"),
        edit("    tools: []", "    load_limit: 1")
            .says("modules.LISTEN.tools: missing; expected a list of names (line 14)"),
        edit("    description: The moment.\n", "")
            .says("profile.anchor.description: missing; expected a text (line 17)"),
        edit("  fallback_text: Try one minute.\n", "")
            .says("prompt_generator.fallback_text: missing; expected a text (line 28)"),
        edit("  resources: Call someone.\n", "")
            .says("texts.resources: missing; expected a text (line 31)"),
        edit("  LISTEN:\n    tools: []", "  TALK:\n    tools: []")
            .says("modules.TALK: the key appears twice; expected each key once (line 14)"),
        edit("  strength:", "  anchor:")
            .says("profile.anchor: the key appears twice; expected each key once (line 23)"),
        edit("    load_limit: 20", "    max_iterations: 20")
            .says(
                "modules.TALK.max_iterations: the key appears twice; expected each key once (line"
                    + " 9)"),
        edit("  LISTEN:\n    tools: []", "  [LISTEN]: x")
            .says("modules: expected a plain word as the key (line 14)"),

        // servers of other tools
        servers("s: {url: 'https://a.example', tools: [t]}", "s.u")
            .says(
                "modules.LISTEN.tools[0]: unknown tool 's.u' of an MCP server; expected one of s.t"
                    + " (line 16)"),
        edit("    tools: []", "    tools: [s.t]")
            .says(
                "modules.LISTEN.tools[0]: 's.t' names a tool of an MCP server; expected the server"
                    + " in mcp_servers (line 15)"),
        servers("s: {url: 'https://a.example', tools: [t]}", "s.t: {most: 1}")
            .says("modules.LISTEN.tools[0].most: unknown key; expected none (line 16)"),
        servers("S: {url: 'https://a.example', tools: [t]}")
            .says(
                "mcp_servers.S: expected a server's name in lower-case letters, digits and _,"
                    + " beginning with a letter, at most 20 characters (line 2)"),
        servers("s: {url: 'https://a.example'}")
            .says(
                "mcp_servers.s.tools: missing; expected a list of the tools that may be called"
                    + " (line 2)"),
        servers("s: {tools: [t]}").says("mcp_servers.s: expected either url or command (line 2)"),
        servers("s: {url: 'https://a.example', command: [a], tools: [t]}")
            .says("mcp_servers.s: expected either url or command (line 2)"),
        servers("s: {url: 'https://a:b@a.example', tools: [t]}")
            .says(
                "mcp_servers.s.url: expected an address such as https://tools.example.org/mcp,"
                    + " without a password (line 2)"),
        servers("s: {url: 'file:///a', tools: [t]}")
            .says(
                "mcp_servers.s.url: expected an address such as https://tools.example.org/mcp,"
                    + " without a password (line 2)"),
        servers("s: {url: 'https://a.example', headers: {Authorization: Bearer x}, tools: [t]}")
            .says(
                "mcp_servers.s.headers.Authorization: expected the name of the environment variable"
                    + " that holds the value (line 2)"),
        servers("s: {url: 'https://a.example', headers: {Host: A}, tools: [t]}")
            .says(
                "mcp_servers.s.headers.Host: expected a header that a caller may set, such as"
                    + " Authorization (line 2)"),
        servers("s: {url: 'https://a.example', environment: [A], tools: [t]}")
            .says("mcp_servers.s.environment: expected only with command (line 2)"),
        servers("s: {command: [a], headers: {A: B}, tools: [t]}")
            .says("mcp_servers.s.headers: expected only with url (line 2)"),
        servers("s: {command: [], tools: [t]}")
            .says(
                "mcp_servers.s.command: expected the program and its arguments, such as [notes,"
                    + " --read] (line 2)"),
        servers("s: {command: [a], environment: [a=b], tools: [t]}")
            .says(
                "mcp_servers.s.environment[0]: expected the name of an environment variable (line"
                    + " 2)"),
        servers("s: {command: [a], tools: [t], timeout_seconds: 121}")
            .says(
                "mcp_servers.s.timeout_seconds: expected a whole number from 1 to 120, found '121'"
                    + " (line 2)"),
        servers("s: {command: [a], tools: ['t t']}")
            .says(
                "mcp_servers.s.tools[0]: expected a tool's name in letters, digits, '_', '-', '.'"
                    + " and '/' (line 2)"),
        servers("s: {command: [a], tools: [a.b, a_b]}")
            .says(
                "mcp_servers.s.tools[1]: the model would see it as 's_a_b', like s.a.b; expected a"
                    + " name that differs (line 2)"),
        servers("save: {command: [a], tools: [user_profile]}")
            .says(
                "mcp_servers.save.tools[0]: the model would see it as 'save_user_profile', like"
                    + " save_user_profile; expected a name that differs (line 2)"),
        servers("s: {command: [a], tools: [" + "t".repeat(63) + "]}")
            .says(
                "mcp_servers.s.tools[0]: the model would see it as 's_"
                    + "t".repeat(63)
                    + "'; expected at most 64 characters (line 2)"),

        // rules between fields
        edit("    values: [low, high]", "    values: [low, high]\n    flag: {}")
            .says(
                "profile.strength.flag: expected no flag with this type; only a boolean can be one"
                    + " (line 26)"),
        edit(
                "    description: How hard.",
                "    description: How hard.\n"
                    + "  alarm: {type: boolean, description: A., default: true, flag: {forbids: [talk]}}")
            .says(
                "profile.alarm.default: expected no default with flag: it begins without a value"
                    + " (line 28)"),
        edit(
                "    description: How hard.",
                "    description: How hard.\n"
                    + "  alarm: {type: boolean, description: A., flag: {forbids: [anchor, talk]}}")
            .says(
                "profile.alarm.flag.forbids[1]: expected another field of this profile (line 28)"),
        edit(
                "    description: How hard.",
                "    description: How hard.\n"
                    + "  alarm: {type: boolean, description: A., flag: {forbids: [strength: {values: [mid]}]}}")
            .says("profile.alarm.flag.forbids[0]: expected values of strength (line 28)"),
        edit(
                "    description: How hard.",
                "    description: How hard.\n"
                    + "  alarm: {type: boolean, description: A., flag: {forbids: [strength: {values: [high, low]}]}}")
            .says(
                "profile.alarm.flag.forbids[0]: expected no value that is the default of strength"
                    + " (line 28)"),
        edit(
                "    description: How hard.",
                "    description: How hard.\n"
                    + "  kg: {type: number, description: K., lowest_by: {field: anchor, up_to: {1: 2}, flag: strength}}")
            .says(
                "profile.kg.lowest_by.field: expected another field with type integer or number"
                    + " (line 28)"),
        edit(
                "    description: How hard.",
                "    description: How hard.\n"
                    + "  kg: {type: number, description: K., lowest_by: {field: cm, up_to: {tall: 2}, flag: strength}}")
            .says(
                "profile.kg.lowest_by.up_to.tall: expected a number as the key, found 'tall' (line"
                    + " 28)"),

        // wrong types
        edit("id: small", "id: [small]").says("id: expected a text, found a list (line 1)"),
        edit("id: small", "id: 7")
            .says(
                "id: expected a text, found '7'; if you mean this text, put it in quotes (line 1)"),
        edit("  help: Help.", "  help: ''")
            .says("texts.help: expected a text, found a blank one (line 34)"),
        edit("values: [low, high]", "values: [yes, no]")
            .says(
                "profile.strength.values[0]: expected a text, found 'yes'; if you mean this text,"
                    + " put it in quotes (line 25)"),
        edit("    tools: []", "    tools: save_user_profile")
            .says(
                "modules.LISTEN.tools: expected a list such as [a, b], found 'save_user_profile'"
                    + " (line 15)"),
        edit("    tools: []", "    tools: [{}]")
            .says("modules.LISTEN.tools[0]: expected one name with its options (line 15)"),
        edit("  LISTEN:\n    tools: []", "  LISTEN: later")
            .says("modules.LISTEN: expected keys with values, found 'later' (line 14)"),
        edit("  LISTEN:\n    tools: []", "  LISTEN:")
            .says("modules.LISTEN: missing; expected keys with values (line 14)"),
        edit("parallel_tool_calls: false", "parallel_tool_calls: no")
            .says("modules.TALK.parallel_tool_calls: expected true or false, found 'no' (line 10)"),
        edit("required_for_prompt: true", "required_for_prompt: 'true'")
            .says(
                "profile.anchor.required_for_prompt: expected true or false, found 'true' (line"
                    + " 20)"),
        edit("load_limit: 20", "load_limit: many")
            .says(
                "modules.TALK.load_limit: expected a whole number from 0 to 50, found 'many' (line"
                    + " 7)"),
        edit("load_limit: 20", "load_limit: '20'")
            .says(
                "modules.TALK.load_limit: expected a whole number from 0 to 50, found '20' (line"
                    + " 7)"),
        edit("load_limit: 20", "load_limit: 0x14")
            .says(
                "modules.TALK.load_limit: expected a whole number from 0 to 50, found '0x14' (line"
                    + " 7)"),
        edit("load_limit: 20", "load_limit: 19.5")
            .says(
                "modules.TALK.load_limit: expected a whole number from 0 to 50, found '19.5' (line"
                    + " 7)"),
        edit("temperature: 0.5", "temperature: .nan")
            .says(
                "modules.TALK.temperature: expected a number from 0 to 2, found '.nan' (line 12)"),

        // bounds
        edit("load_limit: 20", "load_limit: 51")
            .says(
                "modules.TALK.load_limit: expected a whole number from 0 to 50, found '51' (line"
                    + " 7)"),
        edit("history_limit: 10", "history_limit: 21")
            .says(
                "modules.TALK.history_limit: expected a whole number from 0 to 20, found '21' (line"
                    + " 8)"),
        edit("max_iterations: 5", "max_iterations: 0")
            .says(
                "modules.TALK.max_iterations: expected a whole number from 1 to 50, found '0' (line"
                    + " 9)"),
        edit("temperature: 0.5", "temperature: 2.1")
            .says("modules.TALK.temperature: expected a number from 0 to 2, found '2.1' (line 12)"),
        edit("max_tokens: 300", "max_tokens: 300\n    nudge: {after: soon, text: Hi.}")
            .says(
                "modules.TALK.nudge.after: expected hours or days such as 24h or 2d, from 1h to 30d,"
                    + " found 'soon' (line 14)"),
        edit("max_tokens: 300", "max_tokens: 300\n    nudge: {after: 31d, text: Hi.}")
            .says(
                "modules.TALK.nudge.after: expected hours or days such as 24h or 2d, from 1h to 30d,"
                    + " found '31d' (line 14)"),
        edit("max_tokens: 300", "max_tokens: 0")
            .says(
                "modules.TALK.max_tokens: expected a whole number from 1 to 1000000, found '0'"
                    + " (line 13)"),
        edit("max_length: 100", "max_length: 2001")
            .says(
                "profile.anchor.max_length: expected a whole number from 1 to 2000, found '2001'"
                    + " (line 19)"),
        edit("  help: Help.", "  help: " + "h".repeat(1_601))
            .says("texts.help: expected at most 1600 characters, found 1601 (line 34)"),
        edit("max_length: 100", "max_length: 4")
            .says("profile.anchor.default: expected at most 4 characters, found 5 (line 22)"),

        // names
        edit("id: small", "id: Small Flow")
            .says(
                "id: expected lower-case letters, digits, - and _, at most 40 characters,"
                    + " found 'Small Flow' (line 1)"),
        edit("  LISTEN:\n", "  listen:\n")
            .says(
                "modules.listen: expected a module's name in upper-case letters, digits and _, at"
                    + " most 40 characters (line 14)"),
        edit("  anchor:", "  Anchor:")
            .says(
                "profile.Anchor: expected names in lower-case letters, digits and _, at most 40"
                    + " characters, found 'Anchor' (line 17)"),
        edit("aliases: [moment]", "aliases: [strength]")
            .says(
                "profile.strength: the name 'strength' is already used by anchor; expected"
                    + " another name (line 23)"),
        edit("aliases: [moment]", "aliases: [anchor]")
            .says(
                "profile.anchor: the name 'anchor' is already used by anchor; expected another"
                    + " name (line 17)"),
        edit("aliases: [moment]", "aliases: [moment, moment]")
            .says("profile.anchor.aliases[1]: 'moment' appears twice; expected it once (line 21)"),
        edit("aliases: [moment]", "aliases: [tone_tags]")
            .says(
                "profile.anchor: the name 'tone_tags' is already used by Habitline itself; expected"
                    + " another name (line 17)"),

        // fields that a module offers, that append, and that archive others
        edit("    load_limit: 20", "    fields: [anchor, strength, tune]")
            .says(
                "modules.TALK.fields[2]: this module can save no field 'tune'; expected one of"
                    + " anchor, strength, tone (line 7)"),
        edit("    load_limit: 20", "    fields: []")
            .says("modules.TALK.fields: expected at least one of anchor, strength, tone (line 7)"),
        edit("    load_limit: 20", "    fields: anchor")
            .says("modules.TALK.fields: expected a list such as [a, b], found 'anchor' (line 7)"),
        edit("description: How hard.", "description: How hard.\n    module: LISTEN")
            .and("    load_limit: 20", "    fields: [strength]")
            .says(
                "modules.TALK.fields[0]: this module can save no field 'strength'; expected one of"
                    + " anchor, tone (line 7)"),
        edit("description: How hard.", "description: How hard.\n    appends: true")
            .says(
                "profile.strength.appends: expected no appends with this type; only a text can"
                    + " append (line 28)"),
        edit("    max_length: 100", "    entries: 5")
            .says("profile.anchor.entries: expected no entries without appends: true (line 19)"),
        edit("    max_length: 100", "    appends: often")
            .says("profile.anchor.appends: expected true or false, found 'often' (line 19)"),
        edit("    max_length: 100", "    appends: true")
            .says(
                "profile.anchor.default: expected no default with appends: it begins without"
                    + " entries (line 22)"),
        edit("    default: lunch", "    appends: true\n    entries: 101")
            .says(
                "profile.anchor.entries: expected a whole number from 1 to 100, found '101' (line"
                    + " 23)"),
        edit("    default: lunch", "    archives: [strength, anchor]")
            .says(
                "profile.anchor.archives[1]: expected another field of this profile without a flag,"
                    + " found 'anchor'; expected one of strength (line 22)"),
        edit("  most: 2", "  vary: often")
            .says(
                "daily_prompt.vary: expected one of constant, wording, action, found 'often' (line"
                    + " 42)"),

        // what does not fit together
        edit("initial_state: TALK", "initial_state: START")
            .says(
                "initial_state: no module is called 'START'; expected one of TALK, LISTEN (line 2)"),
        edit("tools: [transition_state, save_user_profile, ", "tools: [schedule, ")
            .says(
                "modules.TALK.tools[0]: unknown tool 'schedule'; expected one of"
                    + " flag_for_staff, generate_habit_prompt, opt_out, record_outcome,"
                    + " save_user_profile, scheduler, set_language, transition_state (line 6)"),
        edit("    tools: []", "    tools: [transition_state, transition_state]")
            .says(
                "modules.LISTEN.tools[1]: 'transition_state' appears twice; expected it once (line"
                    + " 15)"),
        edit("    values: [low, high]\n", "")
            .says(
                "profile.strength.values: missing; expected the values of a choice, such as [a, b]"
                    + " (line 23)"),
        edit("values: [low, high]", "values: [low, low]")
            .says("profile.strength.values[1]: 'low' appears twice; expected it once (line 25)"),
        edit("type: choice", "type: text")
            .says(
                "profile.strength.values: expected no values with type text; use type choice for a"
                    + " list of values (line 25)"),
        edit("type: choice", "type: number")
            .says(
                "profile.strength.values: expected no values with type number; use type choice for"
                    + " a list of values (line 25)"),
        edit("description: How hard.", "description: How hard.\n    max_length: 5")
            .says(
                "profile.strength.max_length: expected no max_length with type choice (line"
                    + " 28)"),
        edit("default: low", "default: middling")
            .says(
                "profile.strength.default: expected one of low, high, found 'middling' (line 26)"),
        edit("prompt_generator:\n  prompt: write.txt\n  fallback_text: Try one minute.\n", "")
            .says(
                "prompt_generator: missing; module TALK needs it for the tool"
                    + " generate_habit_prompt (line 1)"),
        edit(
                FlowHome.YAML.substring(
                    FlowHome.YAML.indexOf("profile:\n"),
                    FlowHome.YAML.indexOf("prompt_generator:")),
                "")
            .says("profile: missing; module TALK needs it for the tool save_user_profile (line 1)"),
        edit(
                FlowHome.YAML.substring(
                    FlowHome.YAML.indexOf("  TALK:\n"), FlowHome.YAML.indexOf("profile:\n")),
                "  {}\n")
            .says("modules: expected at least one module (line 3)"),
        edit(FlowHome.YAML.substring(FlowHome.YAML.indexOf("daily_prompt:")), "")
            .and("tools: []", "tools: [scheduler]")
            .says("daily_prompt: missing; module LISTEN needs it for the tool scheduler (line 1)"),
        edit("prompt_generator:\n  prompt: write.txt\n  fallback_text: Try one minute.\n", "")
            .and(", generate_habit_prompt]", "]")
            .says(
                "prompt_generator: missing; daily_prompt needs it to write the daily prompts (line"
                    + " 1)"),

        // the daily prompt
        edit("  at: \"11:15\"\n", "").says("daily_prompt.at: missing; expected a text (line 40)"),
        edit("at: \"11:15\"", "at: 11:15")
            .says(
                "daily_prompt.at: expected a text, found '11:15'; if you mean this text, put it in"
                    + " quotes (line 41)"),
        edit("at: \"11:15\"", "at: \"8:15\"")
            .says(
                "daily_prompt.at: expected a local time such as \"11:15\", in quotes, found '8:15'"
                    + " (line 41)"),
        edit("at: \"11:15\"", "at: \"24:00\"")
            .says(
                "daily_prompt.at: expected a local time such as \"11:15\", in quotes, found '24:00'"
                    + " (line 41)"),
        edit("at: \"11:15\"", "time: \"11:15\"")
            .says(
                "daily_prompt.time: unknown key; expected one of ask_after, at, check_in, done,"
                    + " feedback_state, follow_up, intensity_every, intensity_every_field,"
                    + " intensity_field, intensity_or, intensity_question, intensity_words, most,"
                    + " not_done, question, reminder, time_field, vary (line 41)"),
        askAfter("13h"),
        askAfter("30s"),
        askAfter("later"),
        edit("most: 2", "intensity_every: week")
            .says("daily_prompt.intensity_every: expected only with intensity_field (line 42)"),
        edit(
                "  follow_up: How was it?\n",
                """
                  follow_up: How?
                  intensity_field: strength
                  intensity_question: "Is it {{value}} or {{others}}?"
                  intensity_every: month
                """)
            .says(
                "daily_prompt.intensity_every: expected one of day, week, never, found 'month' (line 52)"),
        edit("most: 2", "intensity_every_field: strength")
            .says(
                "daily_prompt.intensity_every_field: expected only with intensity_field (line 42)"),
        edit(
                "  follow_up: How was it?\n",
                """
                  follow_up: How?
                  intensity_field: strength
                  intensity_question: "Is it {{value}} or {{others}}?"
                  intensity_every_field: strength
                """)
            .says(
                "daily_prompt.intensity_every_field: expected a profile field of type choice"
                    + " without a default, with values of day, week, never, found 'strength'"
                    + " (line 52)"),
        edit("follow_up: How was it?", "follow_up: How was it?\n  time_field: strength")
            .says(
                "daily_prompt.time_field: expected a profile field of type text, found 'strength' (line 50)"),
        edit("most: 2", "most: 11")
            .says("daily_prompt.most: expected a whole number from 1 to 10, found '11' (line 42)"),
        edit("question: Did you?", "question: " + "q".repeat(501))
            .says("daily_prompt.question: expected at most 500 characters, found 501 (line 43)"),
        edit("question: Did you?", "question: Did you {{value}}?")
            .says(
                "daily_prompt.question: unknown placeholder {{value}}; expected"
                    + " {{daily_prompt.at}}, {{daily_prompt.done}}, {{daily_prompt.not_done}},"
                    + " {{profile.strength.values}} (line 43)"),
        edit("  done: Done", "  done: " + "d".repeat(21))
            .says("daily_prompt.done: expected at most 20 characters, found 21 (line 44)"),
        edit("not_done: Next time", "not_done: DONE")
            .says(
                "daily_prompt.not_done: expected a reply that differs from done, found 'DONE' (line 45)"),
        edit("feedback_state: LISTEN", "feedback_state: REST")
            .says(
                "daily_prompt.feedback_state: no module is called 'REST'; expected one of TALK,"
                    + " LISTEN (line 46)"),
        edit("reminder: Remember.", "reminder: " + "r".repeat(1_601))
            .says("daily_prompt.reminder: expected at most 1600 characters, found 1601 (line 47)"),
        edit("reminder: Remember.", "reminder: '{{resources}}'")
            .says(
                "daily_prompt.reminder: unknown placeholder {{resources}}; expected"
                    + " {{daily_prompt.at}}, {{daily_prompt.done}}, {{daily_prompt.not_done}},"
                    + " {{profile.strength.values}} (line 47)"),
        edit("  follow_up: How was it?\n", "")
            .says("daily_prompt.follow_up: missing; expected a text (line 40)"),
        edit("  fallback_text: Try one minute.", "  fallback_text: " + "f".repeat(481))
            .says(
                "prompt_generator.fallback_text: expected at most 480 characters, found 481 (line"
                    + " 30)"),
        intensity("strength", "Is {{value}} or {{other}} right?")
            .says(
                "daily_prompt.intensity_question: unknown placeholder {{other}}; expected"
                    + " {{others}}, {{value}} (line 51)"),
        intensity("strength", "{{ value }}?")
            .says(
                "daily_prompt.intensity_question: unknown placeholder {{ value }}; expected"
                    + " {{others}}, {{value}} (line 51)"),
        intensity("strength", "q".repeat(501))
            .says(
                "daily_prompt.intensity_question: expected at most 500 characters, found 501 (line"
                    + " 51)"),
        intensity("strength", "{{value}}".repeat(50) + "q".repeat(50))
            .and("low, high]\n    default: low", "low, very very high]\n    default: low")
            .says(
                "daily_prompt.intensity_question: expected at most 500 characters, found 750 when it"
                    + " asks about 'very very high' (line 51)"),
        edit("done: Done", "done: Baja").says(taken("daily_prompt.done", "Baja", 44)),
        edit("not_done: Next time", "not_done: stop")
            .says(taken("daily_prompt.not_done", "stop", 45)),
        intensity("strength", "{{value}}?\"\n  intensity_words: {low: baja}\n  # \"")
            .says(taken("daily_prompt.intensity_words.low", "baja", 52)),
        intensity("strength", "{{value}}?")
            .and("values: [low, high]", "values: [low, stop]")
            .says(taken("daily_prompt.intensity_field", "stop", 50)),
        intensity("anchor", "{{value}}?")
            .says(
                "daily_prompt.intensity_field: expected a profile field of type choice with two"
                    + " values or more and a default, found 'anchor' (line 50)"),
        intensity("strength", "{{value}}?")
            .and("values: [low, high]", "values: [low]")
            .says(
                "daily_prompt.intensity_field: expected a profile field of type choice with two"
                    + " values or more and a default, found 'strength' (line 50)"),
        intensity("strength", "{{value}}?")
            .and("    default: low\n", "")
            .says(
                "daily_prompt.intensity_field: expected a profile field of type choice with two"
                    + " values or more and a default, found 'strength' (line 49)"),
        edit("  follow_up: How was it?\n", "  follow_up: How?\n  intensity_field: strength\n")
            .says("daily_prompt.intensity_question: missing; expected a text (line 40)"),

        // prompt files
        edit("prompt: talk.txt", "prompt: ../talk.txt")
            .says(
                "modules.TALK.prompt: expected the name of a .txt file in the prompts"
                    + " folder, found '../talk.txt' (line 5)"),
        edit("prompt: write.txt", "prompt: /etc/passwd")
            .says(
                "prompt_generator.prompt: expected the name of a .txt file in the prompts"
                    + " folder, found '/etc/passwd' (line 29)"),

        // no YAML
        edit("id: small", "id: 'small")
            .says(
                "expected YAML: found unexpected end of stream while scanning a quoted scalar from line 1"
                    + " (line 50)"),
        edit("  TALK:", "\tTALK:")
            .says(
                "expected YAML: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for"
                    + " indentation) (line 4)"),
        edit("id: small", "id: small\u0000")
            .says("expected YAML: special characters are not allowed"),
        edit(FlowHome.YAML, "").says("the file is empty; expected keys with values"),
        edit(FlowHome.YAML, "# nothing yet\n").says("the file is empty; expected keys with values"),
        edit(FlowHome.YAML, "habit").says("expected keys with values, found 'habit' (line 1)"));
  }

  private record Edit(String yaml) {

    Edit and(String right, String wrong) {
      assertThat(yaml).as("what the case replaces").containsOnlyOnce(right);
      return new Edit(yaml.replace(right, wrong));
    }

    Arguments says(String sentence) {
      return Arguments.of(sentence, yaml);
    }
  }

  private static Edit edit(String right, String wrong) {
    return new Edit(FlowHome.YAML).and(right, wrong);
  }

  /** A flow with these servers, whose second module offers these tools. */
  private static Edit servers(String servers, String... tools) {
    return edit("id: small", "id: small\nmcp_servers: {" + servers + "}")
        .and("    tools: []", "    tools: [" + String.join(", ", tools) + "]");
  }

  private static Arguments askAfter(String written) {
    return edit("most: 2", "ask_after: " + written)
        .says(
            "daily_prompt.ask_after: expected with_prompt or a time from 1m to 12h such as 3h, found"
                + " '%s' (line 42)".formatted(written));
  }

  private static String taken(String key, String word, int line) {
    return "%s: expected another word than '%s', which is a keyword for STOP, START or HELP (line %d)"
        .formatted(key, word, line);
  }

  private static Edit intensity(String field, String question) {
    return edit(
        "  follow_up: How was it?\n",
        "  follow_up: How?\n  intensity_field: %s\n  intensity_question: \"%s\"\n"
            .formatted(field, question));
  }

  @Test
  void aDefaultFlowThatIsNotThereIsRefused() throws IOException {
    FlowHome.in(folder);

    assertThatThrownBy(
            () -> new FlowCatalog(folder, "sleep", FlowHome.TOOLS, Optional.empty(), text -> false))
        .isInstanceOf(BrokenFlow.class)
        .hasMessage(
            "habitline.flow: there is no flow 'sleep'; expected one of habit, habit-cue, small");
  }

  @Test
  void aFlowInASingleFileIsRefused() throws IOException {
    var home = FlowHome.in(folder);
    Files.writeString(folder.resolve("config/flows/sleep.yaml"), FlowHome.YAML);
    Files.writeString(folder.resolve("config/flows/walk.yml"), FlowHome.YAML);

    assertThatThrownBy(home::open)
        .isInstanceOfSatisfying(
            BrokenFlow.class,
            broken ->
                assertThat(broken.mistakes())
                    .containsExactly(
                        "config/flows/sleep.yaml: expected a folder for each flow; move this file to"
                            + " config/flows/sleep/flow.yaml",
                        "config/flows/walk.yml: expected a folder for each flow; move this file to"
                            + " config/flows/walk/flow.yaml"));
  }

  @Test
  void aFlowThatIsNotUtf8IsRefused() throws IOException {
    var home = FlowHome.in(folder);
    Files.write(home.flow("small", ""), new byte[] {'i', 'd', ':', ' ', (byte) 0xE9});

    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage("config/flows/small/flow.yaml: expected text in UTF-8");
  }

  @Test
  void aFlowThatCannotBeReadIsRefused() throws IOException {
    var home = FlowHome.in(folder);
    var file = home.flow("small", "");
    Files.delete(file);
    Files.createDirectory(file);

    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage(
            "config/flows/small/flow.yaml: the file exists but cannot be read; expected a readable text"
                + " file");
  }

  @Test
  void aPromptThatIsAFolderIsRefused() throws IOException {
    var home = FlowHome.in(folder);
    Files.delete(home.prompt("talk.txt", ""));
    Files.createDirectory(folder.resolve("prompts/talk.txt"));

    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage("prompts/talk.txt: expected a text file, found a folder");
  }

  @Test
  void aPromptThatIsNotUtf8IsRefused() throws IOException {
    var home = FlowHome.in(folder);
    Files.write(home.prompt("write.txt", ""), new byte[] {(byte) 0xC3, '('});

    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage("prompts/write.txt: expected text in UTF-8");
  }

  @Test
  void aPromptThatTheDatabaseCannotKeepIsRefused() throws IOException {
    var home = FlowHome.in(folder);
    home.prompt("write.txt", "Write a prompt.\0\0");
    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage("prompts/write.txt: found a NUL character; expected text in UTF-8");

    home.prompt("write.txt", "w".repeat(1_000_001));
    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage(
            "prompts/write.txt: the prompt has 1000001 characters; at most 1000000 are accepted");
  }

  @Test
  void aBlankPromptIsRefused() throws IOException {
    var home = FlowHome.in(folder);
    home.prompt("talk.txt", " \n");

    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage("prompts/talk.txt: the file is blank; expected the text of a prompt");
  }

  @Test
  void aPromptIsReadWithoutTheCommentAtItsTop() throws IOException {
    var home = FlowHome.in(folder);
    home.prompt("talk.txt", "<!-- Source:\n{{the book}} -->\n\nTalk. <!-- Stay. -->");
    var catalog = home.open();
    var prompt = catalog.prompt(catalog.defaultFlow(), "talk.txt");
    assertThat(prompt.text()).isEqualTo("Talk. <!-- Stay. -->");
    assertThat(prompt.content()).startsWith("<!-- Source:");

    home.prompt("talk.txt", "<!-- Source:\nthe book -->\n{{book}}");
    assertThatThrownBy(home::open).isInstanceOf(BrokenFlow.class).hasMessageEndingWith("(line 3)");
    home.prompt("talk.txt", "<!-- Source: the book -->\n");
    assertThatThrownBy(home::open).isInstanceOf(BrokenFlow.class).hasMessageContaining("blank");
    home.prompt("talk.txt", "<!-- Source: the book");
    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage(
            "prompts/talk.txt: the comment that begins with <!-- has no end; expected --> (line 1)");
  }

  @Test
  void aPlaceholderNobodyFillsIsRefused() throws IOException {
    var home = FlowHome.in(folder);
    home.prompt("talk.txt", "In a crisis: {{resource}}");

    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage(
            "prompts/talk.txt: unknown placeholder {{resource}}; expected one that the flow 'small'"
                + " fills in: {{daily_prompt.at}}, {{daily_prompt.done}},"
                + " {{daily_prompt.not_done}}, {{daily_prompt.question}},"
                + " {{profile.strength.values}}, {{resources}} (line 1)");
  }

  @Test
  void aTimeOfAFlowWithoutDailyPromptsIsRefused() throws IOException {
    var home = FlowHome.in(folder);
    home.flow("small", FlowHome.YAML.substring(0, FlowHome.YAML.indexOf("daily_prompt:")));
    home.prompt("talk.txt", "At {{daily_prompt.at}}.");

    assertThatThrownBy(home::open)
        .isInstanceOf(BrokenFlow.class)
        .hasMessage(
            "prompts/talk.txt: unknown placeholder {{daily_prompt.at}}; expected one that the flow"
                + " 'small' fills in: {{profile.strength.values}}, {{resources}} (line 1)");
  }

  @Test
  void aPromptThatIsMissingIsNeverTheHabitCoachs() throws IOException {
    for (var file : List.of("talk.txt", "intake_bot_system.txt", PromptFiles.BASE)) {
      var home = FlowHome.in(folder);
      home.flow("small", FlowHome.YAML.replace("talk.txt", file));
      Files.delete(home.prompt(file, "Talk."));

      assertThatThrownBy(home::open)
          .isInstanceOf(BrokenFlow.class)
          .hasMessage(
              "prompts/"
                  + file
                  + ": the file is missing; expected it because the flow 'small' has no built-in"
                  + " text");
    }
  }
}
