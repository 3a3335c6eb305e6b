package org.habitline.tools.mcp;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.context.exceptions.ConfigurationException;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator.ValidationResponse;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.habitline.flows.McpServer;
import org.habitline.llm.Deadline;
import org.habitline.llm.ToolSpec;
import org.habitline.tools.ToolOutcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The connection to one MCP server. It is made when it is first needed, and again after a failure.
 * No call is made twice. Safe for any number of threads; a lock is held only while a session begins
 * or is checked, never during a call.
 */
final class McpConnection {

  /** The longest time to connect and to list the tools, so that no one waits for it for long. */
  static final Duration LONGEST_LISTING = Duration.ofSeconds(10);

  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

  /** How long what a program wrote at its end may take to be read. */
  private static final Duration LAST_WORDS = Duration.ofMillis(500);

  /** More pages than this are taken for a mistake of the server. */
  private static final int MOST_PAGES = 20;

  private static final int LONGEST_ERROR = 500;

  private static final Logger log = LoggerFactory.getLogger(McpConnection.class);
  private static final JsonMapper JSON = new JsonMapper();
  private static final TypeReference<Map<String, Object>> ARGUMENTS = new TypeReference<>() {};

  private final McpServer server;
  private final Transports transports;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable Session session;

  /** What the server listed last; kept while the server is away. */
  private volatile Listing listing = Listing.NONE;

  /** What the server listed first. */
  private volatile Listing first = Listing.NONE;

  /** Why the server could not be used the last time, if it could not. */
  private volatile Optional<String> trouble = Optional.empty();

  private volatile boolean closed;

  McpConnection(McpServer server, Transports transports) {
    this.server = server;
    this.transports = transports;
  }

  /** One conversation with the server. */
  private static final class Session {
    private final McpAsyncClient client;
    private final CompletableFuture<Void> ended;
    private final AtomicInteger calls = new AtomicInteger();

    /** Whether something failed since the tools were listed, so that it may be at its end. */
    private volatile boolean doubtful;

    Session(McpAsyncClient client, CompletableFuture<Void> ended) {
      this.client = client;
      this.ended = ended;
    }
  }

  /** Returns a tool as the server described it last, or empty if it has none of this name. */
  Optional<ToolSpec> spec(String tool) {
    return Optional.ofNullable(listing.specs().get(tool));
  }

  /** Returns what keeps a flow from using these tools, one sentence each. */
  List<String> warnings(List<String> used) {
    var warnings = new ArrayList<String>();
    trouble.ifPresent(
        why -> warnings.add(why + "; the model is told that its tools are not available"));
    var now = listing;
    if (trouble.isEmpty() || !now.equals(Listing.NONE)) {
      for (var tool : used) {
        if (now.faults().containsKey(tool)) {
          warnings.add(tool + " is left out, because " + now.faults().get(tool));
        } else if (!now.specs().containsKey(tool)) {
          warnings.add("it has no tool " + tool);
        }
      }
    }
    first.changedIn(now).stream()
        .filter(used::contains)
        .forEach(tool ->
            warnings.add(
                "it describes " + tool + " otherwise than at first; check the prompt files"));
    return warnings;
  }

  /**
   * Lists the tools, connecting first if needed; what fails is a warning. Does nothing while calls
   * are being made.
   */
  void refresh() {
    var current = session;
    if (current != null && current.calls.get() > 0) {
      // A server that does one thing at a time would not answer now, which means nothing.
      return;
    }
    if (current != null) {
      current.doubtful = true;
    }
    try {
      usable(Deadline.in(LONGEST_LISTING));
    } catch (CannotUse e) {
      // Already kept as the trouble of this connection.
    }
  }

  /** Makes one call; see {@link org.habitline.tools.OutsideTools#call}. */
  ToolOutcome call(String tool, ObjectNode arguments, Duration atMost) {
    var deadline = Deadline.in(server.timeout().compareTo(atMost) <= 0 ? server.timeout() : atMost);
    Session used;
    try {
      used = usable(deadline);
    } catch (CannotUse e) {
      log.warn("MCP server {}: {} is not called: {}", server.name(), tool, e.why());
      return ToolOutcome.error("The tool is not available now; the call was not carried out.");
    }
    if (!listing.specs().containsKey(tool)) {
      return ToolOutcome.error("The server no longer has this tool; the call was not carried out.");
    }
    var request =
        CallToolRequest.builder(tool).arguments(JSON.convertValue(arguments, ARGUMENTS)).build();
    used.calls.incrementAndGet();
    try {
      var result = await(used.client.callTool(request), used.ended, deadline);
      return result == null ? unknown(used, tool, "its answer is empty") : Answer.of(result);
    } catch (ExecutionException e) {
      return failed(used, tool, e);
    } catch (TimeoutException e) {
      return unknown(used, tool, Failure.of(e).why());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return unknown(used, tool, "the wait for its answer was interrupted");
    } catch (RuntimeException e) {
      return unknown(used, tool, Failure.of(e).why());
    } finally {
      used.calls.decrementAndGet();
    }
  }

  private ToolOutcome failed(Session used, String tool, ExecutionException thrown) {
    var error = Failure.find(thrown, McpError.class);
    if (error != null && error.getJsonRpcError() != null) {
      log.warn(
          "MCP server {}: the call of {} was answered with error {}",
          server.name(),
          tool,
          error.getJsonRpcError().code());
      var words = Answer.bounded(String.valueOf(error.getJsonRpcError().message()));
      return ToolOutcome.error(
          "The server answered with an error: "
              + words.substring(0, Math.min(LONGEST_ERROR, words.length())));
    }
    var failure = Failure.of(thrown);
    if (failure.sent()) {
      return unknown(used, tool, failure.why());
    }
    used.doubtful = true;
    log.warn("MCP server {}: {} is not called: {}", server.name(), tool, failure.why());
    return ToolOutcome.error("The tool is not available now; the call was not carried out.");
  }

  private ToolOutcome unknown(Session used, String tool, String why) {
    used.doubtful = true;
    log.warn(
        "MCP server {}: it is unknown whether {} was carried out: {}; the call is not made again",
        server.name(),
        tool,
        why);
    return ToolOutcome.unknown();
  }

  /**
   * Returns a session that works: the one there is, or a new one.
   *
   * @throws CannotUse if there is none
   */
  private Session usable(Deadline deadline) {
    var current = session;
    if (current != null && !current.doubtful) {
      return current;
    }
    try {
      if (!opening.tryLock(deadline.left().toNanos(), TimeUnit.NANOSECONDS)) {
        throw new CannotUse("it does not answer in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CannotUse("the wait for a connection was interrupted");
    }
    try {
      var usable = checkedOrNew(deadline);
      trouble = Optional.empty();
      return usable;
    } catch (CannotUse e) {
      if (!trouble.equals(Optional.of(e.why()))) {
        log.warn("MCP server {}: {}", server.name(), e.why());
      }
      trouble = Optional.of(e.why());
      throw e;
    } finally {
      opening.unlock();
    }
  }

  private Session checkedOrNew(Deadline deadline) {
    var current = session;
    if (current != null && !current.doubtful) {
      return current;
    }
    if (current != null && current.calls.get() > 0) {
      // Other participants' calls would break with it.
      return current;
    }
    if (current != null) {
      var time = shorter(deadline);
      try {
        list(current, Deadline.in(time));
        return current;
      } catch (CannotUse e) {
        if (time.compareTo(LONGEST_LISTING) < 0) {
          // Whoever has little time left learns nothing about the session.
          throw e;
        }
        // The session is at its end: its server may have been started again.
        session = null;
        close(current.client);
      }
    }
    return open(Deadline.in(shorter(deadline)));
  }

  private static Duration shorter(Deadline deadline) {
    return deadline.left().compareTo(LONGEST_LISTING) < 0 ? deadline.left() : LONGEST_LISTING;
  }

  private Session open(Deadline deadline) {
    if (closed) {
      throw new CannotUse("Habitline is stopping");
    }
    if (deadline.passed()) {
      throw new CannotUse("it does not answer in time");
    }
    var opened = began(deadline);
    try {
      asked(opened.client.initialize(), opened, deadline);
      list(opened, deadline);
      session = opened;
      if (closed) {
        throw new CannotUse("Habitline is stopping");
      }
      return opened;
    } catch (CannotUse e) {
      session = null;
      close(opened.client);
      throw e;
    }
  }

  private Session began(Deadline deadline) {
    try {
      var way = transports.to(server, deadline.left());
      return new Session(client(way.transport()), way.ended());
    } catch (IllegalArgumentException e) {
      throw new CannotUse("its address or command cannot be used");
    } catch (ConfigurationException e) {
      // Its message may quote the value of an environment variable.
      throw new CannotUse("one of its environment variables cannot be read");
    }
  }

  private McpAsyncClient client(McpClientTransport transport) {
    return McpClient.async(transport)
        .clientInfo(McpSchema.Implementation.builder("habitline", "1").build())
        .initializationTimeout(LONGEST_LISTING)
        .requestTimeout(server.timeout().plus(LONGEST_LISTING))
        // Results are shown to the model as they are; nothing depends on their structure.
        .jsonSchemaValidator((schema, content) -> ValidationResponse.asValid(""))
        .toolsChangeConsumer(tools -> Mono.fromRunnable(() -> keep(tools)))
        .build();
  }

  private void list(Session used, Deadline deadline) {
    var tools = new ArrayList<Tool>();
    var cursors = new HashSet<String>();
    String cursor = null;
    do {
      var page = asked(used.client.listTools(cursor), used, deadline);
      if (page == null || page.tools() == null) {
        throw new CannotUse("its list of tools is empty");
      }
      tools.addAll(page.tools());
      cursor = page.nextCursor();
      if (cursor != null && (!cursors.add(cursor) || cursors.size() > MOST_PAGES)) {
        throw new CannotUse("its list of tools does not end");
      }
    } while (cursor != null);
    keep(tools);
    used.doubtful = false;
  }

  private void keep(List<Tool> tools) {
    var now = Listing.of(server, tools);
    if (first.equals(Listing.NONE)) {
      first = now;
    }
    if (!now.equals(listing)) {
      log.info(
          "MCP server {} has these tools that flows may use: {}",
          server.name(),
          now.specs().keySet().stream().sorted().toList());
    }
    listing = now;
  }

  /** Returns the answer to a request that changes nothing. */
  private static <T> @Nullable T asked(Mono<T> question, Session of, Deadline deadline) {
    try {
      return await(question, of.ended, deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CannotUse("the wait for a connection was interrupted");
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      throw new CannotUse(Failure.of(e).why());
    }
  }

  /** Waits for an answer until the deadline, or shortly after the end of the server's program. */
  private static <T> @Nullable T await(
      Mono<T> question, CompletableFuture<Void> ended, Deadline deadline)
      throws ExecutionException, TimeoutException, InterruptedException {
    var answer = question.toFuture();
    try {
      var first = CompletableFuture.anyOf(answer, ended);
      first.get(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
      if (answer.isDone()) {
        return answer.get();
      }
      return answer.get(LAST_WORDS.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      if (ended.isDone()) {
        throw new ExecutionException(new CannotUse("its program has ended"));
      }
      throw e;
    } finally {
      answer.cancel(true);
    }
  }

  /** Ends the session, and the program if one was started. No new one begins. */
  void close() {
    closed = true;
    var current = session;
    session = null;
    if (current != null) {
      close(current.client);
    }
  }

  private static void close(McpAsyncClient client) {
    try {
      await(client.closeGracefully(), new CompletableFuture<>(), Deadline.in(LONGEST_CLOSE));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      client.close();
    }
  }
}
