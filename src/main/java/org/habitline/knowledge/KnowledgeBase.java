package org.habitline.knowledge;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.habitline.knowledge.FolderListing.Stamp;
import org.habitline.llm.Embeddings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches the Markdown, text and PDF files of one folder and its sub-folders. They are read when
 * the knowledge base is opened, and changed files again when a search begins, at most every {@link
 * #BETWEEN_CHECKS}: in the background, so that a large file holds up no search for long. A file
 * that cannot be used is left out with a {@linkplain #warnings warning}.
 *
 * <p>Passages are found by their words (BM25) and, with an embeddings model, by their meaning as
 * well. While the model's server does not answer, words alone are used.
 *
 * <p>Any number of threads may search, also while changed files are read; they then search what was
 * read before.
 */
public final class KnowledgeBase implements AutoCloseable {

  /** The shortest time between two looks at the folder. */
  public static final Duration BETWEEN_CHECKS = Duration.ofSeconds(5);

  /** The most passages that a search returns. */
  public static final int MOST_PASSAGES = 50;

  /** How long a search waits for changed files, and then for the vector of its query. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** A query's further characters are ignored. */
  private static final int LONGEST_QUERY = 10_000;

  private static final Logger log = LoggerFactory.getLogger(KnowledgeBase.class);

  private final Path folder;
  private final Clock clock;
  private final Duration patience;
  private final PassageIndex index = new PassageIndex();
  private final Optional<PassageVectors> vectors;

  /** The one thread that compares the folder and reads changed files, if there is one. */
  private final AtomicReference<@Nullable Thread> reader = new AtomicReference<>();

  /** What is in the index, by file. Guarded by {@link #index}. */
  private final Map<String, Entry> entries = new TreeMap<>();

  /** How many passages of a file are in the index with a vector. Guarded by {@link #index}. */
  private final Map<String, Long> withVector = new HashMap<>();

  private boolean closed;
  private volatile Instant checked = Instant.MIN;
  private volatile List<String> warnings = List.of();

  /**
   * A file as it was read.
   *
   * @param stamp the stamp it had then, or {@code null} to read it again at the next check
   */
  private record Entry(@Nullable Stamp stamp, List<Chunk> chunks, Optional<String> warning) {

    long vectors(PassageVectors known) {
      return chunks.stream().filter(chunk -> known.of(chunk).isPresent()).count();
    }
  }

  private KnowledgeBase(
      Path folder, Optional<Embeddings> embeddings, Clock clock, Duration patience) {
    this.folder = folder;
    this.clock = clock;
    this.patience = patience;
    this.vectors =
        embeddings.map(model -> new PassageVectors(model, clock, patience, this::addVectors));
  }

  /**
   * Reads the folder and returns its knowledge base. Reading takes as long as the files need;
   * vectors are computed afterwards, in the background. Never fails because of the folder or a
   * file.
   *
   * @param folder may be missing, and may appear or disappear later
   * @param embeddings the embeddings model, if one is configured
   * @param clock says when to look at the folder again
   */
  public static KnowledgeBase open(Path folder, Optional<Embeddings> embeddings, Clock clock) {
    return open(folder, embeddings, clock, PATIENCE);
  }

  /** Opens the folder with another limit for what a search waits for. */
  static KnowledgeBase open(
      Path folder, Optional<Embeddings> embeddings, Clock clock, Duration patience) {
    var base = new KnowledgeBase(folder, embeddings, clock, patience);
    base.check();
    return base;
  }

  /** Returns whether the folder exists at this moment. */
  public boolean available() {
    return Files.isDirectory(folder);
  }

  /**
   * Returns one sentence for each file that is left out, and one if the embeddings model fails.
   * Each names what is wrong and what is accepted, and none quotes a document or a query.
   */
  public List<String> warnings() {
    return Stream.concat(
            warnings.stream(), vectors.stream().flatMap(known -> known.warnings().stream()))
        .toList();
  }

  /**
   * Returns the passages that fit the query best, the best first; none if nothing fits or the
   * folder is missing. Every query is accepted, and no character in it has a special meaning; its
   * first 10,000 characters are used. Waits at most two seconds each for changed files and for the
   * embeddings model. With vectors there is almost always a nearest passage, even if it does not
   * fit well.
   *
   * @param most the most passages, from 1 to {@value #MOST_PASSAGES}
   * @throws IllegalArgumentException if {@code most} is outside these bounds
   */
  public List<Passage> search(String query, int most) {
    if (most < 1 || most > MOST_PASSAGES) {
      throw new IllegalArgumentException(
          most + " passages; expected a number from 1 to " + MOST_PASSAGES);
    }
    checkIfDue();
    var text = query.substring(0, Math.min(query.length(), LONGEST_QUERY));
    return index.search(text, vectors.flatMap(known -> known.ofQuery(text)), most);
  }

  private void checkIfDue() {
    var now = clock.instant();
    // A clock that was set back must not stop the checks.
    var due = now.isBefore(checked) || !now.isBefore(checked.plus(BETWEEN_CHECKS));
    if (due && !Thread.currentThread().isInterrupted()) {
      var thread = Thread.ofVirtual().name("knowledge-reader").unstarted(this::checkOnce);
      if (reader.compareAndSet(null, thread)) {
        checked = now;
        thread.start();
        await(thread);
      }
    }
  }

  private void checkOnce() {
    try {
      check();
    } finally {
      reader.set(null);
    }
  }

  private void await(Thread thread) {
    try {
      thread.join(patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Compares the folder with what was read, and reads what has changed. */
  private void check() {
    checked = clock.instant();
    var listing = FolderListing.of(folder);
    var changed = new TreeMap<String, Entry>();
    listing
        .files()
        .forEach((file, stamp) -> {
          if (isChanged(file, stamp)) {
            changed.put(file, read(file, stamp));
          }
        });
    synchronized (index) {
      // Files cannot be read by an interrupted thread.
      if (closed || Thread.currentThread().isInterrupted()) {
        checked = Instant.MIN;
        return;
      }
      var gone = new HashSet<>(entries.keySet());
      gone.removeAll(listing.files().keySet());
      gone.forEach(index::remove);
      entries.keySet().removeAll(gone);
      withVector.keySet().removeAll(gone);
      entries.putAll(changed);
      changed.forEach(this::put);
      if (!gone.isEmpty() || !changed.isEmpty()) {
        index.publish();
      }
      warn(listing);
      vectors.ifPresent(known ->
          known.want(entries.values().stream().flatMap(entry -> entry.chunks().stream()).toList()));
    }
  }

  private boolean isChanged(String file, Stamp stamp) {
    synchronized (index) {
      var entry = entries.get(file);
      return entry == null || !stamp.equals(entry.stamp());
    }
  }

  private Entry read(String file, Stamp stamp) {
    return switch (DocumentReader.read(folder.resolve(file))) {
      case Reading.Read(List<Section> sections) -> {
        var chunks = new ArrayList<Chunk>();
        for (var section : sections) {
          for (var text : PassageSplitter.split(section.text())) {
            chunks.add(Chunk.of(file, section, text));
          }
        }
        yield new Entry(stamp, List.copyOf(chunks), Optional.empty());
      }
      case Reading.Unusable(String why) -> unused(file, stamp, why);
      case Reading.Unreadable(String why) -> unused(file, null, why);
    };
  }

  private static Entry unused(String file, @Nullable Stamp stamp, String why) {
    return new Entry(stamp, List.of(), Optional.of(FolderListing.warning(file, why)));
  }

  private void put(String file, Entry entry) {
    vectors.ifPresent(known -> withVector.put(file, entry.vectors(known)));
    index.put(file, entry.chunks(), chunk -> vectors.flatMap(known -> known.of(chunk)));
  }

  private void warn(FolderListing listing) {
    var now =
        Stream.concat(
                listing.warnings().stream(),
                entries.values().stream().flatMap(entry -> entry.warning().stream()))
            .toList();
    var before = Set.copyOf(warnings);
    now.stream().filter(it -> !before.contains(it)).forEach(it -> log.warn("{}", it));
    warnings = now;
  }

  /** Adds the vectors that have become known to the files that lack them. */
  private void addVectors() {
    synchronized (index) {
      if (closed) {
        return;
      }
      entries.forEach((file, entry) -> {
        var now = vectors.map(entry::vectors).orElse(0L);
        if (now > withVector.getOrDefault(file, 0L)) {
          put(file, entry);
        }
      });
      index.publish();
    }
  }

  /** Ends what runs in the background and frees the memory. Searches must have ended. */
  @Override
  public void close() {
    var reading = reader.get();
    if (reading != null) {
      reading.interrupt();
    }
    vectors.ifPresent(PassageVectors::close);
    synchronized (index) {
      closed = true;
      index.close();
    }
  }
}
