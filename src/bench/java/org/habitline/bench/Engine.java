package org.habitline.bench;

import io.micronaut.context.ApplicationContext;
import java.util.List;
import java.util.Map;
import org.habitline.FreshHome;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.messaging.inbox.InboundHandler;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.Participant;
import org.habitline.timers.Sweeps;

/**
 * Habitline's engine without its HTTP endpoints and timers. A text goes into the inbox, and the
 * calling thread handles it. The reply is then in the transcript and in the outbox, but it is not
 * sent.
 */
final class Engine implements AutoCloseable {

  private final ApplicationContext line;
  private final Inbox inbox;
  private final InboundHandler handler;

  private Engine(ApplicationContext line) {
    this.line = line;
    this.inbox = line.getBean(Inbox.class);
    this.handler = line.getBean(InboundHandler.class);
  }

  static Engine start(Map<String, Object> database, String modelUrl) {
    return new Engine(
        ApplicationContext.builder()
            .properties(database)
            .properties(
                Map.of(
                    "openai.base-url",
                    modelUrl,
                    "turn.quiet-period",
                    "0s",
                    "turns.per-minute",
                    "0"))
            .start());
  }

  Study study() {
    return new Study(line);
  }

  Sweeps sweeps() {
    return line.getBean(Sweeps.class);
  }

  void greet(Participant participant) {
    handle(participant);
  }

  void answer(Participant from, String text, String providerId) {
    var accepted = inbox.accept(new IncomingText(providerId, from.phone(), from.channel(), text));
    if (!(accepted instanceof Acceptance.Stored)) {
      throw new IllegalStateException("A text was not stored: " + accepted);
    }
    handle(from);
  }

  private void handle(Participant participant) {
    var handled = handler.handle(participant.id());
    if (!(handled instanceof InboundHandler.Handled.Answered)) {
      throw new IllegalStateException("A turn was not answered: " + handled);
    }
  }

  /** Returns the outcomes of all turns so far, without duplicates. */
  List<String> outcomes() {
    return FreshHome.rows(line, "SELECT DISTINCT outcome FROM turn").stream()
        .map(row -> String.valueOf(row.get("outcome")))
        .toList();
  }

  @Override
  public void close() {
    line.close();
  }
}
