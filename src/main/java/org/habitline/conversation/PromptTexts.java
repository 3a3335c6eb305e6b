package org.habitline.conversation;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.flows.Prompt;
import org.habitline.flows.Prompts;
import org.habitline.participants.AfterCommit;

/**
 * Keeps the content behind every prompt hash a turn ever pinned, so that what a model was told can
 * be read after the file was edited, and a resumed turn tells it the same.
 */
@Singleton
final class PromptTexts {

  private final FlowCatalog flows;
  private final JdbcPromptTexts rows;
  private final TransactionOperations<Connection> transactions;
  private final Clock clock;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  PromptTexts(
      FlowCatalog flows,
      JdbcPromptTexts rows,
      TransactionOperations<Connection> transactions,
      Clock clock) {
    this.flows = flows;
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Returns the hashes of the prompts a turn of this module may use, by file, and makes sure that
   * their contents are on disk; joins the running transaction.
   */
  Map<String, String> pin(Flow flow, FlowModule module) {
    var pinned = new LinkedHashMap<String, String>();
    keep(flow, module.prompt(), pinned);
    if (flow.promptGenerator() != null) {
      keep(flow, flow.promptGenerator().prompt(), pinned);
    }
    return pinned;
  }

  private void keep(Flow flow, String file, Map<String, String> pinned) {
    var prompt = flows.prompt(flow, file);
    pinned.put(file, prompt.sha256());
    if (!known.contains(prompt.sha256())) {
      transactions.executeWrite(status -> {
        AfterCommit.run(transactions, () -> known.add(prompt.sha256()));
        return rows.insert(prompt.sha256(), file, prompt.content(), clock.instant());
      });
    }
  }

  /** Returns the prompts with the contents that were pinned, whatever the files say now. */
  Prompts pinned(Map<String, String> hashes) {
    return (flow, file) -> {
      var hash = hashes.get(file);
      return hash == null || isCurrent(flow, file, hash)
          ? flows.prompt(flow, file)
          : stored(flow, file, hash);
    };
  }

  private boolean isCurrent(Flow flow, String file, String hash) {
    try {
      return flows.prompt(flow, file).sha256().equals(hash);
    } catch (BrokenFlow e) {
      return false;
    }
  }

  private Prompt stored(Flow flow, String file, String hash) {
    return transactions
        .executeRead(status -> rows.find(hash))
        .map(row -> new Prompt(file, flow.fill(row.content()), hash, row.content(), false))
        .orElseThrow(() -> new NoContext("the pinned text of " + file + " is gone"));
  }
}
