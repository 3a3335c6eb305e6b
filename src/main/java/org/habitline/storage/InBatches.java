package org.habitline.storage;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.Gatherers;

/**
 * Changes any number of rows, {@value #ROWS} in each transaction, so that other transactions do not
 * wait long and finished batches stay committed. Do not call it within a transaction.
 */
public final class InBatches {

  /** The most rows changed in one transaction. */
  public static final int ROWS = 1000;

  private final Transactions transactions;

  private InBatches(Transactions transactions) {
    this.transactions = transactions;
  }

  public static InBatches of(Transactions transactions) {
    return new InBatches(transactions);
  }

  /**
   * Deletes by key until a batch is not full. The keys are selected by a separate statement: as a
   * subquery, H2 would select all of them again for every row.
   *
   * @param next returns at most this many keys
   * @param delete deletes the rows of these keys, at least one
   */
  public <K> void delete(IntFunction<List<K>> next, Consumer<List<K>> delete) {
    change(most -> {
      var keys = next.apply(most);
      if (!keys.isEmpty()) {
        delete.accept(keys);
      }
      return keys.size();
    });
  }

  /** Deletes the rows of any number of keys; joins the running transaction. */
  public static <K> void deleteAll(List<K> keys, Consumer<List<K>> delete) {
    keys.stream().gather(Gatherers.windowFixed(ROWS)).forEach(delete);
  }

  /**
   * Repeats a change until a batch is not full; rows that were changed must not be found again.
   *
   * @param batch changes at most this many rows and returns how many it found
   */
  public void change(IntUnaryOperator batch) {
    int found;
    do {
      found = transactions.write(() -> batch.applyAsInt(ROWS));
    } while (found >= ROWS);
  }
}
