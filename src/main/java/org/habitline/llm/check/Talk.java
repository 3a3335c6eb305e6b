package org.habitline.llm.check;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.habitline.llm.ChatServer;
import org.habitline.llm.ChatServer.Attempt;
import org.habitline.llm.Deadline;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelQuirk;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Patience;
import org.habitline.llm.RetryingModel;
import org.habitline.llm.TextListener;

/**
 * The requests of one exchange, asked as a turn asks them: with retries until the deadline of a
 * turn. Remembers how requests and replies were adapted. Used by one thread.
 */
final class Talk {

  private final Overheard server;
  private final Patience patience;
  private final Duration turn;
  private final LongSupplier nanoTime;
  private final RetryingModel model;
  private final Set<ModelQuirk> quirks = EnumSet.noneOf(ModelQuirk.class);

  /**
   * @param patience the model to check, without a fallback model
   * @param turn how long a turn waits for the model
   * @param nanoTime the monotonic clock by which the first piece of a stream is timed
   */
  Talk(ChatServer server, Patience patience, Duration turn, LongSupplier nanoTime) {
    this.server = new Overheard(server);
    this.patience = patience;
    this.turn = turn;
    this.nanoTime = nanoTime;
    this.model = new RetryingModel(this.server, patience);
  }

  /** A streamed reply, the number of its pieces, and the time until the first one. */
  record Streamed(ModelReply reply, int pieces, Duration first) {}

  /** Returns the quirks that changed a request so far. */
  Set<ModelQuirk> quirks() {
    return quirks;
  }

  /** Returns whether a reply so far had its tool calls in its text. */
  boolean callsInText() {
    return server.callsInText;
  }

  ModelReply ask(ModelRequest request) {
    var reply = model.answer(request, Deadline.in(turn));
    adapted(request, false);
    return reply;
  }

  Streamed stream(ModelRequest request) {
    var heard = new Heard();
    var began = nanoTime.getAsLong();
    var reply = model.answer(request, Deadline.in(turn), heard);
    adapted(request, true);
    return new Streamed(reply, heard.pieces, Duration.ofNanos(heard.first - began));
  }

  /**
   * Asks for a stream once and interrupts the request when the first piece arrives. Waits on a
   * thread of its own, so that the interrupt ends nothing else.
   */
  Attempt cancel(ModelRequest request) {
    var outcome = new CompletableFuture<Attempt>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            outcome.complete(
                server.ask(
                    request, patience.model(), patience.attemptTimeout(), new Interrupting()));
          } catch (RuntimeException e) {
            outcome.completeExceptionally(e);
          }
        });
    var attempt = outcome.join();
    adapted(request, true);
    return attempt;
  }

  private void adapted(ModelRequest request, boolean streamed) {
    quirks.addAll(server.adapts(request, patience.model(), streamed));
  }

  /** Returns, as the end of a sentence, why a reply is not what was asked for. */
  static String unexpected(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says ->
          says.text().isBlank()
              ? "the reply is blank"
              : "the model wrote a text and called no tool";
      case ModelReply.CallsTools calls -> "the model called a tool instead of replying";
      case ModelReply.CutOff cutOff -> "the reply was cut off at the token limit";
      case ModelReply.Refused refused -> "the model declined to reply";
      case ModelReply.Failed failed -> ModelFailure.explained(failed.reason(), failed.failure());
    };
  }

  /** Counts the pieces of a reply since the last reset, and notes when the first one arrived. */
  private final class Heard implements TextListener {
    private int pieces;
    private long first = nanoTime.getAsLong();

    @Override
    public void text(String piece) {
      if (pieces == 0) {
        first = nanoTime.getAsLong();
      }
      pieces++;
    }

    @Override
    public void reset() {
      pieces = 0;
    }
  }

  /** Ends the wait for the rest of a reply. */
  private static final class Interrupting implements TextListener {

    @Override
    public void text(String piece) {
      Thread.currentThread().interrupt();
    }

    @Override
    public void reset() {
      // Nothing is kept.
    }
  }

  /** Passes everything on, and notes whether calls were read from the text of a reply. */
  private static final class Overheard implements ChatServer {
    private final ChatServer server;
    private boolean callsInText;

    Overheard(ChatServer server) {
      this.server = server;
    }

    @Override
    public Attempt ask(ModelRequest request, String model, Duration timeout) {
      return heard(server.ask(request, model, timeout));
    }

    @Override
    public Attempt ask(
        ModelRequest request, String model, Duration timeout, TextListener listener) {
      return heard(server.ask(request, model, timeout, listener));
    }

    private Attempt heard(Attempt attempt) {
      callsInText |= attempt instanceof Attempt.Answered answered && answered.callsInText();
      return attempt;
    }

    @Override
    public String address() {
      return server.address();
    }

    @Override
    public Optional<String> adapted() {
      return server.adapted();
    }

    @Override
    public Set<ModelQuirk> adapts(ModelRequest request, String model, boolean streamed) {
      return server.adapts(request, model, streamed);
    }
  }
}
