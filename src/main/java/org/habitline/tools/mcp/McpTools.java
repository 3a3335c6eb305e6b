package org.habitline.tools.mcp;

import io.micronaut.context.annotation.Value;
import io.micronaut.context.env.Environment;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.flows.McpServer;
import org.habitline.flows.McpTool;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;
import org.habitline.tools.OutsideTools;
import org.habitline.tools.ToolCatalog;
import org.habitline.tools.ToolOutcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tools of the MCP servers that flows name, one connection for each server. */
@Singleton
final class McpTools implements OutsideTools {

  private static final Logger log = LoggerFactory.getLogger(McpTools.class);

  private final FlowCatalog flows;
  private final Transports transports;
  private final boolean connected;
  private final Map<McpServer, McpConnection> connections = new ConcurrentHashMap<>();

  /** What was logged last about the tools of each flow. */
  private final Map<String, String> told = new ConcurrentHashMap<>();

  /**
   * @param connected false in a rehearsal, which must not act outside: then no server is asked, and
   *     no module offers its tools
   */
  McpTools(
      FlowCatalog flows,
      Environment environment,
      @Value("${habitline.outside-tools:true}") boolean connected) {
    this.flows = flows;
    this.connected = connected;
    this.transports = new Transports(environment);
  }

  private McpConnection connection(McpServer server) {
    return connections.computeIfAbsent(server, it -> new McpConnection(it, transports));
  }

  @Override
  @Scheduled(initialDelay = "1m", fixedDelay = "1m")
  public void refresh() {
    var servers = flows.all().stream().flatMap(McpTools::servers).distinct().toList();
    if (servers.isEmpty() || !connected) {
      return;
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      servers.forEach(server -> threads.execute(connection(server)::refresh));
    }
    flows.all().forEach(this::tell);
  }

  private static Stream<McpServer> servers(Flow flow) {
    return flow.mcpTools().stream().map(McpTool::server).distinct();
  }

  /** Logs which tools a flow has, at the start and whenever that changes. */
  private void tell(Flow flow) {
    var there = new ArrayList<String>();
    var missing = new ArrayList<String>();
    for (var tool : flow.mcpTools()) {
      (connection(tool.server()).spec(tool.tool()).isPresent() ? there : missing)
          .add(tool.server().shown(tool.tool()));
    }
    if (there.isEmpty() && missing.isEmpty()) {
      return;
    }
    var tools = there + (missing.isEmpty() ? "" : "; not available: " + missing);
    if (!tools.equals(told.put(flow.id(), tools))) {
      log.info("MCP tools available to flow {}: {}", flow.id(), tools);
    }
  }

  @Override
  public List<ToolSpec> offered(FlowModule module) {
    return module.mcpTools().stream()
        .flatMap(tool -> connection(tool.server()).spec(tool.tool()).stream())
        .toList();
  }

  @Override
  public ToolOutcome call(McpTool tool, ToolCall call, Duration atMost) {
    return ToolCatalog.arguments(call.arguments())
        .map(arguments -> connection(tool.server()).call(tool.tool(), arguments, atMost))
        .orElseGet(ToolCatalog::unreadable);
  }

  @Override
  public List<String> warnings() {
    var warnings = new ArrayList<String>();
    for (var flow : flows.all()) {
      servers(flow)
          .forEach(server -> {
            var used =
                flow.mcpTools().stream()
                    .filter(tool -> tool.server().equals(server))
                    .map(McpTool::tool)
                    .toList();
            connection(server)
                .warnings(used)
                .forEach(warning ->
                    warnings.add(
                        "Flow %s, MCP server %s: %s".formatted(flow.id(), server.name(), warning)));
          });
    }
    return List.copyOf(warnings);
  }

  /** Ends the connections, and the programs that were started for them. */
  @PreDestroy
  void close() {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      connections.values().forEach(connection -> threads.execute(connection::close));
    }
  }
}
