package org.habitline.study.coding;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.habitline.budgets.Spending;
import org.habitline.budgets.UsedUp;
import org.habitline.conversation.model.CallCosts;
import org.habitline.llm.Deadline;
import org.habitline.storage.Transactions;
import org.habitline.timers.Occurrence;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Codes what came of all daily prompts whose windows are over, each once for each version of the
 * coder, and again only if its texts changed. Each code is stored on its own, so a run that is
 * stopped loses only what is being asked; no transaction is open while a model is asked. Several
 * runs at a time ask some models twice and harm nothing. Each request is charged, and counts
 * against the budget of the study and not of the participant, so that the coach goes on.
 */
@Singleton
public final class OutcomeCoding {

  private static final Logger log = LoggerFactory.getLogger(OutcomeCoding.class);

  private static final int AT_ONCE = 8;

  /** After this many requests in a row without an answer, the server is taken for away. */
  private static final int MOST_FAILURES = 24;

  private final OutcomeWindows windows;
  private final OutcomeCodes codes;
  private final OutcomeCoder coder;
  private final CallCosts costs;
  private final Spending spending;
  private final Transactions transactions;

  OutcomeCoding(
      OutcomeWindows windows,
      OutcomeCodes codes,
      OutcomeCoder coder,
      CallCosts costs,
      Spending spending,
      Transactions transactions) {
    this.windows = windows;
    this.codes = codes;
    this.coder = coder;
    this.costs = costs;
    this.spending = spending;
    this.transactions = transactions;
  }

  /**
   * What came of a run.
   *
   * @param version the version of the coder
   * @param byModel how many prompts the model coded
   * @param withoutText how many prompts had no text to code
   * @param before how many were coded before
   * @param failed how many remain without a code, because the model gave no answer that can be read
   * @param stopped whether the run ended early, because too many requests in a row failed
   * @param usedUp the budget of the study for which the run ended early, if it did
   * @param tokens how many tokens were read and written
   */
  public record Report(
      String version,
      int byModel,
      int withoutText,
      int before,
      int failed,
      boolean stopped,
      Optional<UsedUp> usedUp,
      long tokens) {}

  /**
   * Codes the prompts of these local dates; blocks until all are done.
   *
   * @param from the first date, or {@code null}
   * @param to the last date, or {@code null}
   * @param patience how long one answer is waited for
   */
  public Report code(@Nullable LocalDate from, @Nullable LocalDate to, Duration patience) {
    var run = new Run(from, to, patience);
    run.everybody();
    return run.report();
  }

  /** One run. */
  private final class Run {
    private final @Nullable LocalDate from;
    private final @Nullable LocalDate to;
    private final Duration patience;
    private final Semaphore free = new Semaphore(AT_ONCE);
    private final AtomicInteger byModel = new AtomicInteger();
    private final AtomicInteger withoutText = new AtomicInteger();
    private final AtomicInteger before = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger failedInARow = new AtomicInteger();
    private final AtomicLong tokens = new AtomicLong();
    private volatile @Nullable UsedUp usedUp;

    Run(@Nullable LocalDate from, @Nullable LocalDate to, Duration patience) {
      this.from = from;
      this.to = to;
      this.patience = patience;
    }

    Report report() {
      return new Report(
          coder.version(),
          byModel.get(),
          withoutText.get(),
          before.get(),
          failed.get(),
          failedInARow.get() >= MOST_FAILURES,
          Optional.ofNullable(usedUp),
          tokens.get());
    }

    void everybody() {
      // Closing it waits for what is being asked.
      try (var threads =
          Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("coder-", 0).factory())) {
        windows.forParticipants(
            ids -> ids.forEach(id -> todo(id, window -> threads.execute(() -> coded(window)))));
      }
    }

    private boolean stopped() {
      return usedUp != null || failedInARow.get() >= MOST_FAILURES;
    }

    private void todo(String participantId, Consumer<OutcomeWindow> begin) {
      if (stopped()) {
        return;
      }
      Map<Occurrence.Key, JdbcOutcomeCodes.Row> known =
          codes.ofVersion(participantId, coder.version()).stream()
              .collect(Collectors.toMap(OutcomeCoding::key, Function.identity()));
      for (var window : windows.of(participantId)) {
        if (stopped() || !asksFor(window)) {
          continue;
        }
        var code = known.get(window.key());
        if (code != null && isOf(code, window)) {
          before.incrementAndGet();
        } else if (window.textIds().isEmpty()) {
          if (codes.ofModel(window, coder.version(), null, CodedOutcome.NO_ANSWER)) {
            withoutText.incrementAndGet();
          }
        } else {
          free.acquireUninterruptibly();
          begin.accept(window);
        }
      }
    }

    private boolean asksFor(OutcomeWindow window) {
      var date = window.key().date();
      return (from == null || !date.isBefore(from)) && (to == null || !date.isAfter(to));
    }

    private void coded(OutcomeWindow window) {
      try {
        var budget = spending.studyUsedUp();
        if (budget.isPresent()) {
          usedUp = budget.get();
          failed.incrementAndGet();
          return;
        }
        var seen = windows.seen(window);
        if (seen.isEmpty()) {
          // Its texts changed just now; the next run sees what is left.
          failed.incrementAndGet();
          return;
        }
        var reply = coder.code(seen.get(), Deadline.in(patience));
        tokens.addAndGet(reply.tokens());
        charge(window, reply);
        if (reply.outcome().isEmpty()) {
          failed.incrementAndGet();
          failedInARow.incrementAndGet();
          return;
        }
        failedInARow.set(0);
        if (codes.ofModel(window, coder.version(), reply.model(), reply.outcome().get())) {
          byModel.incrementAndGet();
        }
      } catch (RuntimeException e) {
        // Only the type is logged: the message may hold what the participant wrote.
        log.error("The outcome of a prompt was not coded: {}", e.getClass().getName());
        failed.incrementAndGet();
        failedInARow.incrementAndGet();
      } finally {
        free.release();
      }
    }
  }

  private void charge(OutcomeWindow window, OutcomeCoder.Reply reply) {
    transactions.write(() -> {
      costs.write(
          costs.charge(window.participantId(), reply.request(), reply.reply()).stream().toList());
      spending.addToStudy(costs.of(reply.request(), reply.reply()));
    });
  }

  private static Occurrence.Key key(JdbcOutcomeCodes.Row row) {
    return new Occurrence.Key(LocalDate.parse(row.localDate()), row.slot());
  }

  /** Returns whether a code is about these texts. Texts never change, but come late or go. */
  private static boolean isOf(JdbcOutcomeCodes.Row code, OutcomeWindow window) {
    return code.texts() == window.textIds().size()
        && Objects.equals(code.lastMessageId(), window.lastTextId());
  }
}
