package org.habitline.conversation.model;

import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import jakarta.inject.Singleton;
import java.time.Duration;
import org.habitline.audit.Events;
import org.habitline.budgets.Spending;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.JdbcIterations;
import org.habitline.conversation.stored.StoredRequests;
import org.habitline.messaging.Leases;
import org.habitline.storage.ConnectionLane;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;

/**
 * Opens the journal of a turn and runs the writes that record model replies: before any new work,
 * and again while the database fails, because the reply was paid for.
 */
@Singleton
public final class Journals {

  /** How long writes are retried; shorter than a lease, which must still be held. */
  private static final Duration TRIED_FOR = Duration.ofSeconds(25);

  private static final RetryPolicy<Object> UNTIL_KEPT =
      RetryPolicy.builder()
          .withBackoff(Duration.ofMillis(100), Duration.ofSeconds(5))
          .withMaxRetries(-1)
          .withMaxDuration(TRIED_FOR)
          .handleIf(Database::isPassing)
          .build();

  private final JdbcIterations rows;
  private final StoredRequests requests;
  private final Leases leases;
  private final Events events;
  private final Spending spending;
  private final CallCosts costs;
  private final PinnedModels models;
  private final Transactions transactions;

  Journals(
      JdbcIterations rows,
      StoredRequests requests,
      Leases leases,
      Events events,
      Spending spending,
      CallCosts costs,
      PinnedModels models,
      Transactions transactions) {
    this.rows = rows;
    this.requests = requests;
    this.leases = leases;
    this.events = events;
    this.spending = spending;
    this.costs = costs;
    this.models = models;
    this.transactions = transactions;
  }

  /** Writes a part of a turn, or commits it; retries while the database fails temporarily. */
  public static void keeping(Runnable keep) {
    ConnectionLane.FINISHING.run(() -> Failsafe.with(UNTIL_KEPT).run(keep::run));
  }

  /** Opens the journal of a turn and recovers what an earlier attempt recorded. */
  public Journal open(Claim claim) {
    var journal = blank(claim);
    if (claim.resumed()) {
      journal.recover(requests);
    }
    return journal;
  }

  /** Opens a journal that recovers nothing, for a turn that is given up. */
  public Journal blank(Claim claim) {
    var broadcast = new TurnEventStream(claim, events, leases, transactions);
    var meter = new TurnMeter(claim, spending, costs, transactions);
    return new Journal(claim, rows, leases, broadcast, meter, models, transactions);
  }
}
