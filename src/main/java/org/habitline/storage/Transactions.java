package org.habitline.storage;

import io.micronaut.transaction.TransactionOperations;
import io.micronaut.transaction.TransactionStatus;
import io.micronaut.transaction.support.TransactionSynchronization;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

/**
 * Runs work in database transactions: in the thread's own if one is running, else in a new one that
 * is committed at the end, or rolled back if the work throws.
 */
@Singleton
public final class Transactions {

  /** Work that needs the connection itself. */
  public interface OnConnection<T> {
    T on(Connection connection) throws SQLException;
  }

  private final TransactionOperations<Connection> transactions;

  public Transactions(TransactionOperations<Connection> transactions) {
    this.transactions = transactions;
  }

  /** Runs work that only reads, and returns its result. */
  public <T> T read(Supplier<T> work) {
    return transactions.executeRead(status -> work.get());
  }

  /** Runs work that only reads. */
  public void read(Runnable work) {
    transactions.executeRead(status -> {
      work.run();
      return true;
    });
  }

  /** Runs work that only reads and needs the connection itself. */
  public <T> T readWith(OnConnection<T> work) {
    return transactions.executeRead(status -> work.on(status.getConnection()));
  }

  /** Runs work that writes. */
  public void write(Runnable work) {
    transactions.executeWrite(status -> {
      work.run();
      return true;
    });
  }

  /** Runs work that writes, and returns its result. */
  public <T> T write(Supplier<T> work) {
    return transactions.executeWrite(status -> work.get());
  }

  /** Runs work that writes and needs the connection itself. */
  public <T> T writeWith(OnConnection<T> work) {
    return transactions.executeWrite(status -> work.on(status.getConnection()));
  }

  /** Marks the running transaction for rollback when it ends. */
  public void rollBack() {
    running().setRollbackOnly();
  }

  /**
   * Runs the action once the running transaction is committed; never if it is rolled back. For
   * hints, caches and live views only: what a crash must not lose belongs in the transaction
   * itself.
   */
  public void afterCommit(Runnable hint) {
    running()
        .registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void afterCommit() {
                hint.run();
              }
            });
  }

  /**
   * Runs the action once the running transaction is rolled back; never if it was committed or its
   * outcome is unknown.
   */
  public void afterRollback(Runnable undo) {
    running()
        .registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void afterCompletion(Status status) {
                if (status == Status.ROLLED_BACK) {
                  undo.run();
                }
              }
            });
  }

  private TransactionStatus<Connection> running() {
    return transactions
        .findTransactionStatus()
        .map(status -> (TransactionStatus<Connection>) status)
        .orElseThrow(() -> new IllegalStateException("No transaction is running."));
  }
}
