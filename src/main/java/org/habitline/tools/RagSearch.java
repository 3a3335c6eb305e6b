package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.config.Section;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowNames;
import org.habitline.flows.ToolOptions;
import org.habitline.llm.ToolSpec;

/**
 * Searches the documents in the flow's folder {@code knowledge} and returns the passages that fit
 * best, each with its source (seed 002). Changes nothing.
 */
@Singleton
final class RagSearch implements Tool {

  static final String NAME = "rag_search";

  private static final String QUERY = "query";
  private static final String PASSAGES = "passages";
  private static final int LONGEST_QUERY = 500;
  private static final int MOST_PASSAGES = 10;
  private static final int USUAL_PASSAGES = 4;

  /** The score as the model reads it: three digits after the point. */
  private static final double THOUSANDTHS = 1_000;

  private final KnowledgeBases bases;

  RagSearch(KnowledgeBases bases) {
    this.bases = bases;
  }

  /**
   * The options of a module.
   *
   * @param passages how many passages a search returns at most
   */
  record Options(int passages) implements ToolOptions {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public ToolOptions options(Section given, FlowNames names) {
    given.only(PASSAGES);
    return new Options(given.integer(PASSAGES, 1, MOST_PASSAGES, USUAL_PASSAGES));
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    return new ToolSpec(
        NAME,
        "Searches the organization's documents and returns the passages that fit best. Answer only"
            + " from what they say.",
        new StrictSchema().text(QUERY, "What to look for, in a few words.", LONGEST_QUERY).done());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, List.of(QUERY), List.of());
    var query = arguments.requiredText(QUERY, LONGEST_QUERY);
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var base = bases.of(run.flow());
    if (!base.available()) {
      // Seed 002 fixes these words.
      return ToolOutcome.error("Knowledge base service not available");
    }
    var most =
        run.flow()
            .module(run.module())
            .flatMap(module -> module.options(NAME, Options.class))
            .map(Options::passages)
            .orElse(USUAL_PASSAGES);
    var found = ToolOutcome.success();
    var passages = found.result().putArray(PASSAGES);
    for (var passage : base.search(query.orElseThrow(), most)) {
      passages
          .addObject()
          .put("source", passage.source())
          .put("score", Math.round(passage.score() * THOUSANDTHS) / THOUSANDTHS)
          .put("text", passage.text());
    }
    if (passages.isEmpty()) {
      found.result().put("message", "No document fits this query.");
    }
    return found;
  }
}
