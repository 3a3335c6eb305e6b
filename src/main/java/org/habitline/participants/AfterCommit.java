package org.habitline.participants;

import io.micronaut.transaction.TransactionOperations;
import io.micronaut.transaction.support.TransactionSynchronization;
import java.sql.Connection;

/**
 * What follows a commit and may be lost in a crash: hints, caches, live views. Whatever must not be
 * lost belongs into the transaction itself.
 */
public final class AfterCommit {

  private AfterCommit() {}

  /** Runs the hint once the running transaction is committed; never if it is not. */
  public static void run(TransactionOperations<Connection> transactions, Runnable hint) {
    transactions
        .findTransactionStatus()
        .orElseThrow()
        .registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void afterCommit() {
                hint.run();
              }
            });
  }

  /**
   * Runs this once the running transaction was rolled back; never if it was committed, nor if
   * nobody can tell.
   */
  static void orElse(TransactionOperations<Connection> transactions, Runnable undo) {
    transactions
        .findTransactionStatus()
        .orElseThrow()
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
}
