package org.habitline.conversation.stored;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowModule;
import org.habitline.flows.Prompt;
import org.habitline.flows.Prompts;
import org.habitline.storage.Transactions;

/**
 * Stores the content behind every prompt hash that a turn pinned, so that what a model saw can be
 * read after the file was edited, and a resumed turn shows it the same.
 */
@Singleton
public final class PromptTexts {

  private final FlowCatalog flows;
  private final JdbcPromptTexts rows;
  private final Transactions transactions;
  private final Clock clock;
  private final Set<Stored> known = ConcurrentHashMap.newKeySet();

  PromptTexts(FlowCatalog flows, JdbcPromptTexts rows, Transactions transactions, Clock clock) {
    this.flows = flows;
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * The prompts that a turn pinned.
   *
   * @param files hashes of the files' contents, by file
   * @param rendered hashes of the contents with the flow's texts and times filled in, by file
   */
  public record Pins(Map<String, String> files, Map<String, String> rendered) {
    public static final Pins NONE = new Pins(Map.of(), Map.of());
  }

  /**
   * The hashes of a file and of its rendering, both on disk. Two files may render to the same text,
   * and one file to two texts.
   */
  private record Stored(String file, String rendered) {
    private static Stored of(Prompt prompt) {
      return new Stored(prompt.sha256(), prompt.renderedSha256());
    }
  }

  /**
   * Returns the prompts that a turn of this module may use, under the names that the flow gives
   * them, whatever its language.
   */
  public SequencedMap<String, Prompt> inUse(Flow flow, FlowModule module) {
    var prompts = new LinkedHashMap<String, Prompt>();
    module.promptFiles().forEach(file -> prompts.put(file, flows.prompt(flow, file)));
    if (flow.promptGenerator() != null) {
      var file = flow.promptGenerator().prompt();
      prompts.put(file, flows.prompt(flow, file));
    }
    return prompts;
  }

  /**
   * Returns the hashes of these prompts, and makes sure that their contents are on disk; joins the
   * running transaction.
   */
  public Pins pin(SequencedMap<String, Prompt> prompts) {
    var pins = new Pins(new LinkedHashMap<>(), new LinkedHashMap<>());
    prompts.forEach((file, prompt) -> {
      pins.files().put(file, prompt.sha256());
      pins.rendered().put(file, prompt.renderedSha256());
    });
    var unknown =
        prompts.values().stream().filter(prompt -> !known.contains(Stored.of(prompt))).toList();
    if (!unknown.isEmpty()) {
      transactions.write(() -> keepRendered(unknown));
    }
    return pins;
  }

  /**
   * Makes sure that the contents of prompt files are on disk, in the order of their hashes: two
   * nodes that keep the same texts at once wait for each other and never in a circle. Joins the
   * running transaction.
   */
  public void keep(Collection<Prompt> prompts) {
    transactions.write(() ->
        prompts.stream()
            .sorted(Comparator.comparing(Prompt::sha256))
            .forEach(prompt ->
                rows.insert(prompt.sha256(), prompt.file(), prompt.content(), clock.instant())));
  }

  private void keepRendered(Collection<Prompt> prompts) {
    keep(prompts);
    prompts.stream()
        .sorted(Comparator.comparing(Prompt::renderedSha256))
        .forEach(prompt -> {
          transactions.afterCommit(() -> known.add(Stored.of(prompt)));
          rows.insertRendering(
              prompt.renderedSha256(),
              prompt.sha256(),
              prompt.file(),
              prompt.text(),
              clock.instant());
        });
  }

  /** Returns the prompts as they were pinned, even if the files or settings have changed. */
  public Prompts pinned(Pins pins) {
    return (flow, file) -> {
      var hash = pins.files().get(file);
      var rendered = pins.rendered().get(file);
      return hash == null || rendered == null || isCurrent(flow, file, hash, rendered)
          ? flows.prompt(flow, file)
          : stored(file, hash, rendered);
    };
  }

  private boolean isCurrent(Flow flow, String file, String hash, String rendered) {
    try {
      var now = flows.prompt(flow, file);
      return now.sha256().equals(hash) && now.renderedSha256().equals(rendered);
    } catch (BrokenFlow e) {
      return false;
    }
  }

  /** Returns a prompt from its stored text. */
  private Prompt stored(String file, String hash, String rendered) {
    return transactions.read(() -> {
      var content = rows.find(hash).orElseThrow(() -> gone(file)).content();
      var text = rows.findRendering(rendered).orElseThrow(() -> gone(file)).content();
      return new Prompt(file, text, hash, content, false);
    });
  }

  private static NoContext gone(String file) {
    return new NoContext("the stored text of " + file + " no longer exists");
  }

  /**
   * The content of a prompt file, either before or after the flow's texts and times are filled in.
   */
  public record PromptText(String sha256, String file, String content) {}

  /** Returns the text for a hash of a prompt file or of its rendering, if it was ever in force. */
  public Optional<PromptText> find(String sha256) {
    return transactions
        .read(() -> rows.find(sha256).or(() -> rows.findRendering(sha256)))
        .map(row -> new PromptText(row.sha256(), row.file(), row.content()));
  }
}
