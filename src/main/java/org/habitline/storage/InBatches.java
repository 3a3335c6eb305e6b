package org.habitline.storage;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.Gatherers;

/**
 * Changes any number of rows, a thousand in each transaction, so that nobody waits for all of them
 * and what is done stays done. Not within a transaction of the caller.
 */
public final class InBatches {

  /** Rows in one transaction. */
  public static final int ROWS = 1000;

  private final Transactions transactions;

  private InBatches(Transactions transactions) {
    this.transactions = transactions;
  }

  public static InBatches of(Transactions transactions) {
    return new InBatches(transactions);
  }

  /**
   * Deletes by key until fewer rows are found than may be deleted at once. The keys are looked for
   * in a statement of their own: H2 would look for all of them again at every row.
   *
   * @param next returns the keys of so many rows at the most
   * @param delete deletes the rows of some keys, at least one
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

  /** Deletes the rows of any number of keys, joining the running transaction. */
  public static <K> void deleteAll(List<K> keys, Consumer<List<K>> delete) {
    keys.stream().gather(Gatherers.windowFixed(ROWS)).forEach(delete);
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
      found = transactions.write(() -> batch.applyAsInt(ROWS));
    } while (found >= ROWS);
  }
}
