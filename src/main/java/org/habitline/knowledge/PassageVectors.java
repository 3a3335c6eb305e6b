package org.habitline.knowledge;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.habitline.llm.Deadline;
import org.habitline.llm.Embeddings;
import org.habitline.llm.Embeddings.Outcome;
import org.habitline.llm.ModelFailure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The vectors of passages and queries. Vectors of passages are computed in the background, in
 * batches, once for each different passage, and kept while a passage is wanted. A passage that the
 * server refuses is left out, and the others go on. After any other failure nothing is requested
 * for a while, so that a server that is away does not slow every search down.
 */
final class PassageVectors implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PassageVectors.class);

  private static final Duration FOR_A_BATCH = Duration.ofSeconds(30);
  static final Duration PAUSE = Duration.ofSeconds(30);

  /** After so many refused passages in a row, not the passages but the server is at fault. */
  private static final int REFUSALS = 3;

  /** Models take some 8,000 tokens; what a query asks is in its beginning. */
  private static final int LONGEST_QUERY = 2_000;

  private final Embeddings embeddings;
  private final Clock clock;
  private final Duration forAQuery;
  private final Runnable whenKnown;
  private final Map<String, float[]> known = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable Thread> worker = new AtomicReference<>();
  private volatile Map<String, Chunk> wanted = Map.of();
  private volatile int size;
  private volatile boolean closed;
  private final Failures ofPassages = new Failures();
  private final Failures ofQueries = new Failures();

  /** Hashes of the wanted passages that the server refused. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  /** The last failure of one kind of request, unless a later one succeeded. */
  private final class Failures {

    private volatile String warning = "";
    private volatile Instant until = Instant.MIN;

    boolean pauses() {
      return !warning.isEmpty() && clock.instant().isBefore(until);
    }

    void over() {
      warning = "";
    }

    void add(String reason) {
      var now =
          "Knowledge search finds passages by their words only, because "
              + reason
              + ". Check OPENAI_EMBEDDING_MODEL and the model's server.";
      if (!now.equals(warning)) {
        log.warn("{}", now);
      }
      until = clock.instant().plus(PAUSE);
      warning = now;
    }
  }

  /**
   * @param forAQuery the longest wait for the vector of a query
   * @param whenKnown runs on a background thread after vectors have become known
   */
  PassageVectors(Embeddings embeddings, Clock clock, Duration forAQuery, Runnable whenKnown) {
    this.embeddings = embeddings;
    this.clock = clock;
    this.forAQuery = forAQuery;
    this.whenKnown = whenKnown;
  }

  /** Returns the passage's vector if it is known. */
  Optional<float[]> of(Chunk chunk) {
    return Optional.ofNullable(known.get(chunk.hash()));
  }

  /** Forgets other passages, and begins to compute the vectors that are missing. */
  void want(Collection<Chunk> chunks) {
    var all = new LinkedHashMap<String, Chunk>();
    chunks.forEach(chunk -> all.put(chunk.hash(), chunk));
    wanted = all;
    known.keySet().retainAll(all.keySet());
    refused.retainAll(all.keySet());
    begin();
  }

  /**
   * Returns the vector of a query, or empty if it does not arrive in time, or if no passage has
   * one.
   */
  Optional<float[]> ofQuery(String query) {
    var text = query.substring(0, Math.min(query.length(), LONGEST_QUERY));
    return known.isEmpty() || text.isBlank() || ofQueries.pauses()
        ? Optional.empty()
        : vectors(embeddings.embed(List.of(text), Deadline.in(forAQuery)), ofQueries)
            .map(List::getFirst);
  }

  /** Returns a sentence for staff about each reason why vectors are missing. */
  List<String> warnings() {
    var count = refused.size();
    var ofRefused =
        count == 0
            ? ""
            : "The embeddings server refused %d %s, so knowledge search finds %s by words only."
                .formatted(count, count == 1 ? "passage" : "passages", count == 1 ? "it" : "them");
    return Stream.of(ofPassages.warning, ofQueries.warning, ofRefused)
        .filter(warning -> !warning.isEmpty())
        .distinct()
        .toList();
  }

  private List<Chunk> missing(int most) {
    return wanted.values().stream()
        .filter(chunk -> !known.containsKey(chunk.hash()) && !refused.contains(chunk.hash()))
        .limit(most)
        .toList();
  }

  private void begin() {
    if (closed || ofPassages.pauses() || missing(1).isEmpty()) {
      return;
    }
    var thread = Thread.ofVirtual().name("knowledge-vectors").unstarted(this::compute);
    if (worker.compareAndSet(null, thread)) {
      thread.start();
    }
  }

  private void compute() {
    var more = true;
    try {
      for (var batch = missing(Embeddings.MOST_TEXTS);
          more && !batch.isEmpty() && !closed;
          batch = missing(Embeddings.MOST_TEXTS)) {
        more = computed(batch);
      }
      if (!closed) {
        whenKnown.run();
      }
    } finally {
      worker.set(null);
    }
    if (more) {
      // Passages may have been added after the last look.
      begin();
    }
  }

  /** Returns whether the server answered usably, if only for a part of the batch. */
  private boolean computed(List<Chunk> batch) {
    var outcome = embedded(batch);
    if (isRefusal(outcome) && batch.size() > 1) {
      return computedOneByOne(batch, outcome);
    }
    return keep(batch, outcome);
  }

  private boolean computedOneByOne(List<Chunk> batch, Outcome ofAll) {
    var refusals = new ArrayList<String>();
    for (int i = 0; i < batch.size() && !closed; i++) {
      var one = batch.subList(i, i + 1);
      var outcome = embedded(one);
      if (isRefusal(outcome)) {
        refusals.add(one.getFirst().hash());
      } else if (!keep(one, outcome)) {
        return false;
      }
      if (refusals.size() == i + 1 && (i + 1 == REFUSALS || i + 1 == batch.size())) {
        return keep(batch, ofAll);
      }
    }
    refused.addAll(refusals);
    return true;
  }

  private Outcome embedded(List<Chunk> batch) {
    return embeddings.embed(batch.stream().map(Chunk::embedded).toList(), Deadline.in(FOR_A_BATCH));
  }

  private static boolean isRefusal(Outcome outcome) {
    return outcome instanceof Outcome.Failed failed && failed.failure() == ModelFailure.OTHER;
  }

  private boolean keep(List<Chunk> batch, Outcome outcome) {
    var vectors = vectors(outcome, ofPassages);
    vectors.ifPresent(list -> {
      for (int i = 0; i < list.size(); i++) {
        known.put(batch.get(i).hash(), list.get(i));
      }
    });
    return vectors.isPresent();
  }

  private Optional<List<float[]>> vectors(Outcome outcome, Failures failures) {
    return switch (outcome) {
      case Outcome.Embedded(List<float[]> vectors) -> ofOneSize(vectors, failures);
      case Outcome.Failed(ModelFailure kind, String reason) -> {
        failures.add(ModelFailure.explained(reason, kind));
        yield Optional.empty();
      }
      case Outcome.Interrupted() -> Optional.empty();
    };
  }

  /** Vectors of different sizes cannot be compared; the first reply decides. */
  private synchronized Optional<List<float[]>> ofOneSize(List<float[]> vectors, Failures failures) {
    var sent = vectors.getFirst().length;
    if (size != 0 && size != sent) {
      failures.add(
          "the embeddings server sent vectors of "
              + sent
              + " numbers after vectors of "
              + size
              + " numbers");
      return Optional.empty();
    }
    size = sent;
    failures.over();
    return Optional.of(vectors);
  }

  @Override
  public void close() {
    closed = true;
    var thread = worker.get();
    if (thread != null) {
      thread.interrupt();
    }
  }
}
