package org.habitline.participants;

import io.micronaut.transaction.TransactionOperations;
import java.sql.Connection;
import java.util.function.IntUnaryOperator;

/**
 * Changes any number of rows, a thousand in each transaction, so that nobody waits for all of them
 * and what is done stays done. Not within a transaction of the caller.
 */
public final class InBatches {

  /** Rows in one transaction. */
  public static final int ROWS = 1000;

  private final TransactionOperations<Connection> transactions;

  private InBatches(TransactionOperations<Connection> transactions) {
    this.transactions = transactions;
  }

  public static InBatches of(TransactionOperations<Connection> transactions) {
    return new InBatches(transactions);
  }

  /**
   * Repeats a deletion until it finds fewer rows than it may delete.
   *
   * @param batch deletes so many rows at the most and returns how many it found
   */
  public void delete(IntUnaryOperator batch) {
    change(batch);
  }

  /**
   * Repeats a change until it finds fewer rows than it may change; those that it changed must not
   * be found again.
   *
   * @param batch changes so many rows at the most and returns how many it found
   */
  public void change(IntUnaryOperator batch) {
    int found;
    do {
      found = transactions.executeWrite(status -> batch.applyAsInt(ROWS));
    } while (found >= ROWS);
  }
}
