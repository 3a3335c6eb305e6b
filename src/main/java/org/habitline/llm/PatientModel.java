package org.habitline.llm;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.llm.ChatServer.Attempt;

/**
 * Asks a server again when that may help: with backoff and jitter, honouring {@code Retry-After},
 * until the deadline; then the fallback model with the time that was kept for it. Every end is a
 * {@link ModelReply}; an interrupt ends the waiting and is kept.
 */
public final class PatientModel implements LanguageModel {

  private static final double JITTER = 0.25;

  /** With a fallback model configured the first model gets this share of the time. */
  private static final double SHARE_OF_THE_FIRST = 2.0 / 3;

  private static final int NO_BOUND = -1;

  private final ChatServer server;
  private final Patience patience;

  public PatientModel(ChatServer server, Patience patience) {
    this.server = server;
    this.patience = patience;
  }

  @Override
  public boolean rehearsal() {
    return false;
  }

  @Override
  public String describe() {
    return patience.model() + " at " + server.address();
  }

  @Override
  public ModelReply answer(ModelRequest request, Deadline deadline) {
    var asking = new Asking(request);
    var model = request.model() == null ? patience.model() : request.model();
    var fallback = patience.fallbackModel().filter(other -> !other.equals(model));
    var time = deadline.left();
    var share =
        fallback.isPresent()
            ? Duration.ofNanos((long) (time.toNanos() * SHARE_OF_THE_FIRST))
            : time;
    var reply = asking.ask(model, share);
    if (reply instanceof ModelReply.Failed
        && fallback.isPresent()
        && !deadline.passed()
        && !Thread.currentThread().isInterrupted()) {
      return asking.ask(fallback.get(), deadline.left());
    }
    return reply;
  }

  /** The attempts for one request. */
  private final class Asking {
    private final ModelRequest request;

    private final AtomicInteger attempts = new AtomicInteger();
    private final long began = System.nanoTime();

    Asking(ModelRequest request) {
      this.request = request;
    }

    ModelReply ask(String model, Duration time) {
      var until = Deadline.in(time);
      if (until.passed()) {
        return failed(model, "the time of the turn was over before the model was asked");
      }
      try {
        return Failsafe.with(policy(until)).get(() -> attempt(model, until));
      } catch (NotAnswered e) {
        return failed(model, e.attempt.reason());
      } catch (FailsafeException e) {
        Thread.currentThread().interrupt();
        return failed(model, "the line is stopping");
      }
    }

    private RetryPolicy<ModelReply> policy(Deadline until) {
      return RetryPolicy.<ModelReply>builder()
          .handleIf(e -> e instanceof NotAnswered unanswered && worthIt(unanswered.attempt, until))
          .withMaxRetries(NO_BOUND)
          .withMaxDuration(until.left())
          .withBackoff(patience.firstPause(), patience.longestPause())
          .withJitter(JITTER)
          .withDelayFnOn(
              context ->
                  context.getLastException() instanceof NotAnswered unanswered
                      ? unanswered.attempt.after().orElse(Duration.ofNanos(NO_BOUND))
                      : Duration.ofNanos(NO_BOUND),
              NotAnswered.class)
          .build();
    }

    /** Waiting longer than there is time for is no use. */
    private boolean worthIt(Attempt.Unanswered unanswered, Deadline until) {
      return unanswered.again()
          && unanswered.after().orElse(Duration.ZERO).compareTo(until.left()) < 0;
    }

    private ModelReply attempt(String model, Deadline until) {
      var timeout =
          patience.attemptTimeout().compareTo(until.left()) < 0
              ? patience.attemptTimeout()
              : until.left();
      if (timeout.isZero()) {
        throw new NotAnswered(
            new Attempt.Unanswered("the model did not answer in time", false, Optional.empty()));
      }
      attempts.incrementAndGet();
      return switch (server.ask(request, model, timeout)) {
        case Attempt.Answered answered -> withReceipt(answered.reply(), model);
        case Attempt.Unanswered unanswered -> throw new NotAnswered(unanswered);
        case Attempt.Interrupted interrupted -> {
          Thread.currentThread().interrupt();
          yield failed(model, "the line is stopping");
        }
      };
    }

    private ModelReply failed(String model, String reason) {
      return new ModelReply.Failed(
          reason, new Receipt(model, null, null, null, 0, 0, millis(), attempts.get()));
    }

    private long millis() {
      return (System.nanoTime() - began) / 1_000_000;
    }

    private ModelReply withReceipt(ModelReply reply, String model) {
      var one = reply.receipt();
      var all =
          new Receipt(
              model,
              one.modelReturned(),
              one.requestId(),
              one.finishReason(),
              one.promptTokens(),
              one.completionTokens(),
              millis(),
              attempts.get());
      return switch (reply) {
        case ModelReply.Says says -> new ModelReply.Says(says.text(), all);
        case ModelReply.CallsTools calls ->
            new ModelReply.CallsTools(calls.text(), calls.calls(), all);
        case ModelReply.Refused refused -> new ModelReply.Refused(refused.reason(), all);
        case ModelReply.CutOff cutOff -> new ModelReply.CutOff(cutOff.text(), cutOff.calls(), all);
        case ModelReply.Failed failed -> new ModelReply.Failed(failed.reason(), all);
      };
    }
  }

  /** Carries a failed attempt to the retry policy. */
  private static final class NotAnswered extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Attempt.Unanswered attempt;

    NotAnswered(Attempt.Unanswered attempt) {
      super(attempt.reason(), null, false, false);
      this.attempt = attempt;
    }
  }
}
