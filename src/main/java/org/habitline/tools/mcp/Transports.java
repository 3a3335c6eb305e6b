package org.habitline.tools.mcp;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micronaut.core.value.PropertyResolver;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.habitline.flows.McpServer;
import reactor.core.publisher.Mono;

/**
 * Opens the ways to MCP servers: streamable HTTP without redirects, which would take the headers
 * elsewhere, and programs that see only the environment variables that their flow lists.
 */
final class Transports {

  /** The largest message that is read from a server, in bytes. */
  static final int LARGEST_MESSAGE = 4 * 1024 * 1024;

  private static final Pattern HEADER_VALUE = Pattern.compile("[\\x20-\\x7E]+");

  private static final McpJsonMapper JSON = new JacksonMcpJsonMapper(new JsonMapper());

  private final PropertyResolver environment;

  Transports(PropertyResolver environment) {
    this.environment = environment;
  }

  /**
   * Returns a new way to a server.
   *
   * @param connectTimeout the longest time for a connection over HTTP
   * @throws CannotUse if an environment variable is missing or cannot be used
   */
  Way to(McpServer server, Duration connectTimeout) {
    return switch (server.place()) {
      case McpServer.Place.Web web -> new Way(web(web, connectTimeout), new CompletableFuture<>());
      case McpServer.Place.Program program -> program(program);
    };
  }

  /**
   * A way to a server.
   *
   * @param ended completes when the server's program has ended, with a {@link CannotUse} if it
   *     could not be started; never for one over HTTP
   */
  record Way(McpClientTransport transport, CompletableFuture<Void> ended) {}

  private McpClientTransport web(McpServer.Place.Web web, Duration connectTimeout) {
    var request = HttpRequest.newBuilder();
    web.headers().forEach((header, variable) -> request.header(header, headerValue(variable)));
    var url = web.url();
    return HttpClientStreamableHttpTransport.builder(
            url.getScheme() + "://" + url.getRawAuthority())
        .endpoint(endpoint(url))
        .clientBuilder(
            HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER))
        .connectTimeout(connectTimeout)
        .jsonMapper(JSON)
        .resumableStreams(false)
        .maxResponseSize(LARGEST_MESSAGE)
        .requestBuilder(request)
        .build();
  }

  private static String endpoint(URI url) {
    var path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
  }

  /** Returns the value of a header; no mistake quotes it. */
  private String headerValue(String variable) {
    var value = value(variable);
    if (!HEADER_VALUE.matcher(value).matches()) {
      throw new CannotUse(
          "the environment variable " + variable + " holds characters that no header may hold");
    }
    return value;
  }

  private String value(String variable) {
    return environment
        .getProperty(variable.toLowerCase(Locale.ROOT).replace('_', '.'), String.class)
        .map(String::strip)
        .filter(value -> !value.isEmpty())
        .orElseThrow(() -> new CannotUse("the environment variable " + variable + " is not set"));
  }

  private Way program(McpServer.Place.Program program) {
    var values = new HashMap<String, String>();
    program.environment().forEach(variable -> values.put(variable, value(variable)));
    var transport = new Bare(program.command(), values);
    // What a program writes there may quote a participant.
    transport.setStdErrorHandler(line -> {});
    return new Way(transport, transport.ended);
  }

  /** A program that does not inherit this process's environment variables. */
  private static final class Bare extends StdioClientTransport {

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    Bare(List<String> command, Map<String, String> environment) {
      super(
          ServerParameters.builder(command.getFirst())
              .args(command.subList(1, command.size()))
              .env(environment)
              .build(),
          JSON,
          LARGEST_MESSAGE);
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
      return super.connect(handler)
          .onErrorMap(failed -> new CannotUse("its program cannot be started"))
          // The SDK does not always tell those who wait.
          .doOnError(ended::completeExceptionally)
          .doOnSuccess(started -> watch());
    }

    /** Waits for the end of the program, which the SDK does not report to those who wait. */
    private void watch() {
      Thread.ofVirtual()
          .name("mcp-program")
          .start(() -> {
            try {
              awaitForExit();
            } finally {
              ended.complete(null);
            }
          });
    }

    @Override
    protected ProcessBuilder getProcessBuilder() {
      var builder = super.getProcessBuilder();
      builder.environment().clear();
      return builder;
    }
  }
}
