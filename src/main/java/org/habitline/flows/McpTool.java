package org.habitline.flows;

/**
 * A tool of another server, as a module offers it.
 *
 * @param tool the server's own name of the tool
 */
public record McpTool(McpServer server, String tool) implements ToolOptions {}
