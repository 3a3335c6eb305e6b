package org.habitline.tools;

import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowFolders;
import org.habitline.knowledge.KnowledgeBase;
import org.habitline.llm.Embeddings;

/**
 * The documents of each flow: the folder {@code knowledge} in the flow's own folder. A knowledge
 * base is opened when it is first needed. Safe for any number of threads.
 */
public final class KnowledgeBases {

  private final FlowFolders folders;
  private final Optional<Embeddings> embeddings;
  private final Clock clock;
  private final Map<String, KnowledgeBase> bases = new ConcurrentHashMap<>();

  KnowledgeBases(FlowFolders folders, Optional<Embeddings> embeddings, Clock clock) {
    this.folders = folders;
    this.embeddings = embeddings;
    this.clock = clock;
  }

  /** Returns the documents of a flow; reads them first if this was not done yet. */
  KnowledgeBase of(Flow flow) {
    return bases.computeIfAbsent(
        flow.id(), id -> KnowledgeBase.open(folders.knowledge(flow), embeddings, clock));
  }

  /** Reads the documents of the flows that search them, so that no participant waits for it. */
  public void open(Collection<Flow> flows) {
    searching(flows).forEach(this::of);
  }

  /**
   * Returns one sentence for each flow that searches a folder that is missing, and for each
   * document that is left out, for the health page.
   */
  public List<String> warnings(Collection<Flow> flows) {
    return searching(flows).flatMap(this::warnings).toList();
  }

  private Stream<String> warnings(Flow flow) {
    var folder = "config/flows/" + flow.id() + "/knowledge";
    var base = of(flow);
    return base.available()
        ? base.warnings().stream().map(warning -> folder + ": " + warning)
        : Stream.of(
            folder
                + " is missing; "
                + RagSearch.NAME
                + " tells the model that the knowledge base service is not available");
  }

  private static Stream<Flow> searching(Collection<Flow> flows) {
    return flows.stream()
        .filter(flow ->
            flow.modules().values().stream()
                .anyMatch(module -> module.tools().contains(RagSearch.NAME)));
  }

  /** Closes the knowledge bases; searches must have ended. */
  public void close() {
    bases.values().forEach(KnowledgeBase::close);
  }
}
