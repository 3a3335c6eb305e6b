package org.habitline.flows;

import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A server of the Model Context Protocol that a flow names, and what the flow may ask of it.
 *
 * @param tools the only tools that may be called, by the server's own names
 * @param timeout the longest time for one call
 */
public record McpServer(String name, Place place, List<String> tools, Duration timeout) {

  public McpServer {
    tools = List.copyOf(tools);
  }

  /** How the server is reached. */
  public sealed interface Place {

    /**
     * A server that is reached over streamable HTTP.
     *
     * @param headers the environment variable that holds the value, by header
     */
    record Web(URI url, Map<String, String> headers) implements Place {
      public Web {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
      }
    }

    /**
     * A program that is started and asked over its standard input and output.
     *
     * @param command the program and its arguments
     * @param environment the environment variables that it is given, besides the usual ones such as
     *     {@code PATH}
     */
    record Program(List<String> command, List<String> environment) implements Place {
      public Program {
        command = List.copyOf(command);
        environment = List.copyOf(environment);
      }
    }
  }

  /** Returns the server as the source of a call, such as {@code mcp:calendar}. */
  public String source() {
    return "mcp:" + name;
  }

  /** Returns the name under which the model sees a tool of this server. */
  public String shown(String tool) {
    return name + "_" + tool.replaceAll("[^a-zA-Z0-9_-]", "_");
  }
}
