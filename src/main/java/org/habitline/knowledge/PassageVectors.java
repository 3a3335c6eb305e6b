package org.habitline.knowledge;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.habitline.llm.Deadline;
import org.habitline.llm.Embeddings;
import org.habitline.llm.Embeddings.Outcome;
import org.habitline.llm.ModelFailure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The vectors of passages and queries. Vectors of passages are computed in the background, in
 * batches, once for each different passage, and kept while a passage is wanted. After a failure
 * nothing is requested for a while, so that a server that is away does not slow every search down.
 */
final class PassageVectors implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PassageVectors.class);

  private static final Duration FOR_A_BATCH = Duration.ofSeconds(30);
  static final Duration PAUSE = Duration.ofSeconds(30);

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
  private volatile @Nullable Failure failure;

  /** A failed request, and when the next is allowed. */
  private record Failure(String warning, Instant until) {}

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
    begin();
  }

  /**
   * Returns the vector of a query, or empty if it does not arrive in time, or if no passage has
   * one.
   */
  Optional<float[]> ofQuery(String query) {
    var text = query.substring(0, Math.min(query.length(), LONGEST_QUERY));
    return known.isEmpty() || text.isBlank() || pauses()
        ? Optional.empty()
        : vectors(List.of(text), forAQuery).map(List::getFirst);
  }

  /** Returns a sentence for staff while vectors are missing because of a failure. */
  Optional<String> warning() {
    return Optional.ofNullable(failure).map(Failure::warning);
  }

  private boolean pauses() {
    var last = failure;
    return last != null && clock.instant().isBefore(last.until());
  }

  private List<Chunk> missing(int most) {
    return wanted.values().stream()
        .filter(chunk -> !known.containsKey(chunk.hash()))
        .limit(most)
        .toList();
  }

  private void begin() {
    if (closed || pauses() || missing(1).isEmpty()) {
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

  private boolean computed(List<Chunk> batch) {
    var vectors = vectors(batch.stream().map(Chunk::embedded).toList(), FOR_A_BATCH);
    vectors.ifPresent(list -> {
      for (int i = 0; i < list.size(); i++) {
        known.put(batch.get(i).hash(), list.get(i));
      }
    });
    return vectors.isPresent();
  }

  private Optional<List<float[]>> vectors(List<String> texts, Duration time) {
    return switch (embeddings.embed(texts, Deadline.in(time))) {
      case Outcome.Embedded(List<float[]> vectors) -> ofOneSize(vectors);
      case Outcome.Failed(ModelFailure kind, String reason) -> {
        failed(ModelFailure.explained(reason, kind));
        yield Optional.empty();
      }
      case Outcome.Interrupted() -> Optional.empty();
    };
  }

  /** Vectors of different sizes cannot be compared; the first reply decides. */
  private synchronized Optional<List<float[]>> ofOneSize(List<float[]> vectors) {
    var sent = vectors.getFirst().length;
    if (size != 0 && size != sent) {
      failed(
          "the embeddings server sent vectors of "
              + sent
              + " numbers after vectors of "
              + size
              + " numbers");
      return Optional.empty();
    }
    size = sent;
    failure = null;
    return Optional.of(vectors);
  }

  private void failed(String reason) {
    var warning =
        "Knowledge search finds passages by their words only, because "
            + reason
            + ". Check OPENAI_EMBEDDING_MODEL and the model's server.";
    if (warning().filter(warning::equals).isEmpty()) {
      log.warn("{}", warning);
    }
    failure = new Failure(warning, clock.instant().plus(PAUSE));
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
