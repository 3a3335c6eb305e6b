package org.habitline.messaging.twilio;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands where the line would stand, and remembers how Twilio called it. */
final class ListeningLine implements AutoCloseable {

  private final HttpServer server;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger status = new AtomicInteger(200);

  record Call(String pathAndQuery, String signature, String contentType, String body) {
    FormFields form() {
      return FormFields.parse(body);
    }
  }

  ListeningLine() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void answer(int newStatus) {
    status.set(newStatus);
  }

  List<Call> calls() {
    return List.copyOf(calls);
  }

  Call onlyCall() {
    if (calls.size() != 1) {
      throw new AssertionError("The line was called %d times.".formatted(calls.size()));
    }
    return calls.getFirst();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      calls.add(
          new Call(
              exchange.getRequestURI().toString(),
              header(exchange, "X-Twilio-Signature"),
              header(exchange, "Content-Type"),
              body));
      var answer = "<Response/>".getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/xml");
      exchange.sendResponseHeaders(status.get(), answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private static String header(HttpExchange exchange, String name) {
    return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name)).orElse("");
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
