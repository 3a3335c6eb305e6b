package org.habitline.llm;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.habitline.llm.ChatServer.Attempt;
import org.habitline.llm.ChatServer.MayHelp;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats requests to a server when that may help, with backoff and jitter, honouring {@code
 * Retry-After}, until the time for the model is over. Then it asks the fallback model with the time
 * reserved for it. Every outcome is a {@link ModelReply}. An interrupt ends the waiting, and the
 * thread stays interrupted.
 */
public final class RetryingModel implements LanguageModel {

  private static final Logger log = LoggerFactory.getLogger(RetryingModel.class);

  /** Pauses vary by up to this share, so that many turns do not retry at the same moment. */
  private static final double JITTER = 0.1;

  /** The first model's share of the time when a fallback model is configured. */
  private static final double SHARE_OF_THE_FIRST = 2.0 / 3;

  /** Failsafe's value for "no retry limit" and for "no computed delay". */
  private static final int NO_BOUND = -1;

  private static final String STOPPING = "the wait for the model was interrupted";
  private static final String TOO_LATE = "the time limit was reached before the model was asked";

  private final ChatServer server;
  private final Patience patience;

  public RetryingModel(ChatServer server, Patience patience) {
    this.server = server;
    this.patience = patience;
  }

  @Override
  public boolean rehearsal() {
    return false;
  }

  @Override
  public String describe() {
    return patience.model()
        + patience.fallbackModel().map(other -> ", then " + other).orElse("")
        + " at "
        + server.address();
  }

  @Override
  public List<String> models() {
    return Stream.concat(Stream.of(patience.model()), patience.fallbackModel().stream()).toList();
  }

  @Override
  public Optional<String> adapted() {
    return server.adapted();
  }

  @Override
  public ModelReply answer(ModelRequest request, Deadline deadline) {
    return answer(new Asking(request, null), request, deadline);
  }

  @Override
  public ModelReply answer(ModelRequest request, Deadline deadline, TextListener listener) {
    return answer(new Asking(request, new TakingBack(listener)), request, deadline);
  }

  private ModelReply answer(Asking asking, ModelRequest request, Deadline deadline) {
    var model = request.model() == null ? patience.model() : request.model();
    var fallback = patience.fallbackModel().filter(other -> !other.equals(model));
    var time = deadline.left();
    var share =
        fallback.isPresent()
            ? Duration.ofNanos((long) (time.toNanos() * SHARE_OF_THE_FIRST))
            : time;
    var first = asking.ask(model, share);
    if (fallback.isEmpty()
        || deadline.passed()
        || !(first instanceof Attempt.Unanswered unanswered)
        || unanswered.mayHelp() == MayHelp.NOTHING) {
      return asking.reply(first, model, null);
    }
    log.warn(
        "model {} gave no reply: {}; {} is asked instead",
        model,
        unanswered.reason(),
        fallback.get());
    return asking.reply(
        asking.ask(fallback.get(), deadline.left()),
        fallback.get(),
        new Receipt.Instead(model, unanswered.failure()));
  }

  /** The attempts for one request, with their count and time. */
  private final class Asking {
    private final ModelRequest request;
    private final @Nullable TakingBack listener;
    private final AtomicInteger attempts = new AtomicInteger();
    private final long began = System.nanoTime();

    Asking(ModelRequest request, @Nullable TakingBack listener) {
      this.request = request;
      this.listener = listener;
    }

    /** Repeats the request until there is a reply, a retry cannot help, or the time is over. */
    Attempt ask(String model, Duration time) {
      var until = Deadline.in(time);
      if (!time.isPositive()) {
        return new Attempt.Unanswered(
            ModelFailure.TOO_LATE, TOO_LATE, MayHelp.NOTHING, Optional.empty());
      }
      try {
        return Failsafe.with(policy(model, time, until))
            .get(context -> attempt(model, until, context.getLastResult()));
      } catch (FailsafeException e) {
        // The only checked exception is the interrupt of a pause.
        Thread.currentThread().interrupt();
        return new Attempt.Interrupted();
      } catch (RuntimeException e) {
        // The exception's message may quote the request, so only its type is logged.
        log.error("asking model {} failed with {}", model, e.getClass().getName());
        return new Attempt.Unanswered(
            ModelFailure.OTHER,
            "the request to the model failed with " + e.getClass().getSimpleName(),
            MayHelp.ANOTHER_MODEL,
            Optional.empty());
      }
    }

    private RetryPolicy<Attempt> policy(String model, Duration time, Deadline until) {
      return RetryPolicy.<Attempt>builder()
          .handleResultIf(attempt -> worthIt(attempt, until))
          .withMaxRetries(NO_BOUND)
          .withMaxDuration(time)
          .withBackoff(patience.firstPause(), patience.longestPause())
          .withJitter(JITTER)
          .withDelayFn(context -> pause(context.getLastResult()))
          .onRetryScheduled(scheduled ->
              log.info(
                  "model {} gave no reply: {}; asking again in {} ms",
                  model,
                  reason(scheduled.getLastResult()),
                  scheduled.getDelay().toMillis()))
          .build();
    }

    /**
     * Returns whether a retry may help and the server's requested wait ends before the deadline.
     */
    private boolean worthIt(Attempt attempt, Deadline until) {
      return attempt instanceof Attempt.Unanswered unanswered
          && unanswered.mayHelp() == MayHelp.ASKING_AGAIN
          && unanswered.after().orElse(Duration.ZERO).compareTo(until.left()) < 0;
    }

    /** Returns a pause that stays at least as long as the server asked for, even after jitter. */
    private Duration pause(Attempt last) {
      return last instanceof Attempt.Unanswered unanswered && unanswered.after().isPresent()
          ? Duration.ofNanos((long) (unanswered.after().get().toNanos() / (1 - JITTER)))
          : Duration.ofNanos(NO_BOUND);
    }

    private Attempt attempt(String model, Deadline until, @Nullable Attempt last) {
      var left = until.left();
      if (!left.isPositive()) {
        return last == null
            ? new Attempt.Unanswered(
                ModelFailure.TOO_LATE, TOO_LATE, MayHelp.NOTHING, Optional.empty())
            : last;
      }
      attempts.incrementAndGet();
      var timeout =
          patience.attemptTimeout().compareTo(left) < 0 ? patience.attemptTimeout() : left;
      var attempt =
          listener == null ? server.ask(request, model, timeout) : heard(model, timeout, listener);
      // An attempt that the deadline cut short says less than the one before it.
      return last instanceof Attempt.Unanswered
              && attempt instanceof Attempt.Unanswered
              && !until.left().isPositive()
          ? last
          : attempt;
    }

    /** Asks once, and resets the listener unless the reply is text. */
    private Attempt heard(String model, Duration timeout, TakingBack by) {
      var said = false;
      try {
        var attempt = server.ask(request, model, timeout, by);
        said =
            attempt instanceof Attempt.Answered answered
                && answered.reply() instanceof ModelReply.Says;
        return attempt;
      } finally {
        if (!said) {
          by.reset();
        }
      }
    }

    private String reason(Attempt attempt) {
      return attempt instanceof Attempt.Unanswered unanswered ? unanswered.reason() : "";
    }

    /**
     * Returns the outcome.
     *
     * @param instead the model that was asked before this one, or {@code null}
     */
    ModelReply reply(Attempt attempt, String model, Receipt.@Nullable Instead instead) {
      return switch (attempt) {
        case Attempt.Answered answered -> withReceipt(answered.reply(), model, instead);
        case Attempt.Unanswered unanswered ->
            failed(model, unanswered.failure(), unanswered.reason(), instead);
        case Attempt.Interrupted interrupted -> {
          Thread.currentThread().interrupt();
          yield failed(model, ModelFailure.OTHER, STOPPING, instead);
        }
      };
    }

    private ModelReply failed(
        String model, ModelFailure failure, String reason, Receipt.@Nullable Instead instead) {
      log.warn(
          "model {} gave no reply after {} attempts and {} ms: {}",
          model,
          attempts,
          millis(),
          reason);
      return new ModelReply.Failed(
          failure,
          reason,
          new Receipt(
              model, null, null, null, 0, 0, millis(), attempts.get(), null, null, instead));
    }

    private long millis() {
      return Duration.ofNanos(System.nanoTime() - began).toMillis();
    }

    private ModelReply withReceipt(
        ModelReply reply, String model, Receipt.@Nullable Instead instead) {
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
              attempts.get(),
              one.reasoning(),
              one.cachedTokens(),
              instead);
      return switch (reply) {
        case ModelReply.Says says -> new ModelReply.Says(says.text(), all);
        case ModelReply.CallsTools calls ->
            new ModelReply.CallsTools(calls.text(), calls.calls(), all);
        case ModelReply.Refused refused -> new ModelReply.Refused(refused.reason(), all);
        case ModelReply.CutOff cutOff -> new ModelReply.CutOff(cutOff.text(), cutOff.calls(), all);
        case ModelReply.Failed failed ->
            new ModelReply.Failed(failed.failure(), failed.reason(), all);
      };
    }
  }
}
