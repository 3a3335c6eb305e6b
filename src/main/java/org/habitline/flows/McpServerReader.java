package org.habitline.flows;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.config.Section;

/**
 * Reads the servers that a flow names under {@code mcp_servers}. No secret stands in the file:
 * headers and variables are given by the names of environment variables, and no mistake quotes what
 * was written instead.
 */
final class McpServerReader {

  static final int LONGEST_CALL_SECONDS = 120;
  static final int USUAL_CALL_SECONDS = 20;

  /** The longest name of a tool that model servers accept. */
  private static final int LONGEST_SHOWN = 64;

  private static final int LONGEST_URL = 500;
  private static final int LONGEST_ARGUMENT = 500;
  private static final int LONGEST_NAME = 200;

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,19}");
  private static final Pattern TOOL = Pattern.compile("[A-Za-z0-9_./-]{1,64}");
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9-]{1,64}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Z][A-Z0-9_]{0,99}");

  /** Headers that belong to the connection or to the protocol. */
  private static final Set<String> RESERVED =
      Set.of(
          "accept",
          "connection",
          "content-length",
          "content-type",
          "expect",
          "host",
          "last-event-id",
          "mcp-protocol-version",
          "mcp-session-id",
          "transfer-encoding",
          "upgrade");

  private final Set<String> local;

  /** What each name that the model would see stands for. */
  private final Map<String, String> shown = new HashMap<>();

  /** Creates a reader; {@code local} are the names of the tools of Habitline itself. */
  McpServerReader(Set<String> local) {
    this.local = local;
  }

  /** Returns the servers by name, in the order of the file. */
  Map<String, McpServer> read(Section section) {
    var servers = new LinkedHashMap<String, McpServer>();
    section
        .sections()
        .forEach((name, server) -> {
          if (NAME.matcher(name).matches()) {
            servers.put(name, server(name, server));
          } else {
            section.refuse(
                name,
                "expected a server's name in lower-case letters, digits and _, beginning with a"
                    + " letter, at most 20 characters");
          }
        });
    return servers;
  }

  private McpServer server(String name, Section section) {
    section.only("url", "headers", "command", "environment", "tools", "timeout_seconds");
    if (section.has("url") == section.has("command")) {
      section.refuse("", "expected either url or command");
    }
    var place = section.has("command") ? program(section) : web(section);
    var server =
        new McpServer(
            name,
            place,
            section.has("tools") ? section.optionalTexts("tools", LONGEST_NAME) : List.of(),
            Duration.ofSeconds(
                section.integer("timeout_seconds", 1, LONGEST_CALL_SECONDS, USUAL_CALL_SECONDS)));
    tools(section, server);
    return server;
  }

  private static McpServer.Place program(Section section) {
    if (section.has("headers")) {
      section.refuse("headers", "expected only with url");
    }
    var command = section.list("command", LONGEST_ARGUMENT);
    if (command.isEmpty()) {
      section.refuse("command", "expected the program and its arguments, such as [notes, --read]");
    }
    var environment = section.optionalTexts("environment", LONGEST_NAME);
    for (int i = 0; i < environment.size(); i++) {
      if (!VARIABLE.matcher(environment.get(i)).matches()) {
        section.refuse("environment", i, "expected the name of an environment variable");
      }
    }
    return new McpServer.Place.Program(command, environment);
  }

  private static McpServer.Place web(Section section) {
    if (section.has("environment")) {
      section.refuse("environment", "expected only with command");
    }
    return new McpServer.Place.Web(
        section.has("url") ? url(section) : URI.create(""),
        section.optionalSection("headers").map(McpServerReader::headers).orElse(Map.of()));
  }

  private static URI url(Section section) {
    try {
      var url = new URI(section.text("url", LONGEST_URL));
      var web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (web
          && url.getHost() != null
          && url.getRawUserInfo() == null
          && url.getRawFragment() == null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // Refused below like any other text that is no address.
    }
    section.refuse(
        "url", "expected an address such as https://tools.example.org/mcp, without a password");
    return URI.create("");
  }

  private static Map<String, String> headers(Section section) {
    var headers = new LinkedHashMap<String, String>();
    for (var header : section.keys()) {
      if (!HEADER.matcher(header).matches() || RESERVED.contains(header.toLowerCase(Locale.ROOT))) {
        section.refuse(header, "expected a header that a caller may set, such as Authorization");
      }
      var variable = section.text(header, LONGEST_NAME);
      if (!VARIABLE.matcher(variable).matches()) {
        section.refuse(
            header, "expected the name of the environment variable that holds the value");
      }
      headers.put(header, variable);
    }
    return headers;
  }

  private void tools(Section section, McpServer server) {
    if (server.tools().isEmpty()) {
      section.refuse("tools", "missing; expected a list of the tools that may be called");
    }
    for (int i = 0; i < server.tools().size(); i++) {
      var tool = server.tools().get(i);
      var name = server.shown(tool);
      if (!TOOL.matcher(tool).matches()) {
        section.refuse(
            "tools", i, "expected a tool's name in letters, digits, '_', '-', '.' and '/'");
      } else if (name.length() > LONGEST_SHOWN) {
        section.refuse(
            "tools",
            i,
            "the model would see it as '%s'; expected at most %d characters"
                .formatted(name, LONGEST_SHOWN));
      } else {
        distinct(section, i, name, server.name() + "." + tool);
      }
    }
  }

  private void distinct(Section section, int item, String name, String tool) {
    var other = local.contains(name) ? name : shown.putIfAbsent(name, tool);
    if (other != null) {
      section.refuse(
          "tools",
          item,
          "the model would see it as '%s', like %s; expected a name that differs"
              .formatted(name, other));
    }
  }

  /** Returns what a module can write to offer a tool of these servers. */
  static Stream<String> names(Map<String, McpServer> servers) {
    return servers.values().stream()
        .flatMap(server -> server.tools().stream().map(tool -> server.name() + "." + tool));
  }
}
