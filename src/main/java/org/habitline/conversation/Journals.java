package org.habitline.conversation;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import org.habitline.audit.Events;
import org.habitline.messaging.Leases;

/** Opens the journal of a turn. */
@Singleton
final class Journals {

  private final JdbcIterations rows;
  private final Leases leases;
  private final Events events;
  private final TransactionOperations<Connection> transactions;

  Journals(
      JdbcIterations rows,
      Leases leases,
      Events events,
      TransactionOperations<Connection> transactions) {
    this.rows = rows;
    this.leases = leases;
    this.events = events;
    this.transactions = transactions;
  }

  Journal open(Claim claim) {
    var broadcast = new Broadcast(claim, events, leases, transactions);
    return new Journal(claim, rows, leases, broadcast, transactions);
  }
}
