package org.habitline.knowledge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.KnnVectorsReader;
import org.apache.lucene.codecs.KnnVectorsWriter;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsFormat;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SegmentReadState;
import org.apache.lucene.index.SegmentWriteState;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.VectorSimilarityFunction;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.KnnFloatVectorQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * The passages of all files in a Lucene index in memory. Any number of threads may search while one
 * changes files; a search sees the files as they were last {@linkplain #publish published}.
 */
final class PassageIndex implements AutoCloseable {

  private static final String FILE = "file";
  private static final String SOURCE = "source";
  private static final String TITLE = "title";
  private static final String TEXT = "text";
  private static final String VECTOR = "vector";

  /** A query's further words are ignored; Lucene accepts 1,024 clauses. */
  private static final int MOST_WORDS = 128;

  private static final float TITLE_BOOST = 1.5f;

  /** How much a word in both title and text counts more than in one. */
  private static final float BOTH = 0.1f;

  /** The passages of each kind of search that are merged. */
  private static final int CANDIDATES = 50;

  /** The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009). */
  private static final double RANK_CONSTANT = 60;

  /** Larger than any model's vectors; Lucene's own bound is 1,024. */
  private static final int LARGEST_VECTOR = 8_192;

  /** Kept here, because a logger that nobody keeps forgets its level. */
  private static final Logger LUCENE = Logger.getLogger("org.apache.lucene.internal.vectorization");

  static {
    // Lucene would otherwise recommend a preview module of the JDK on standard error.
    LUCENE.setLevel(Level.SEVERE);
  }

  private final SearchWords words = new SearchWords();
  private final ByteBuffersDirectory directory = new ByteBuffersDirectory();
  private final IndexWriter writer;
  private final SearcherManager searchers;

  PassageIndex() {
    try {
      writer =
          new IndexWriter(
              directory,
              new IndexWriterConfig(words)
                  .setCodec(new LargeVectors())
                  .setMergeScheduler(new SerialMergeScheduler()));
      searchers = new SearcherManager(writer, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces the passages of a file. The vectors are those known so far. */
  void put(String file, List<Chunk> chunks, Function<Chunk, Optional<float[]>> vectors) {
    if (chunks.isEmpty()) {
      // Lucene's writer loses count of its memory if a file is replaced by no passages.
      remove(file);
      return;
    }
    try {
      writer.updateDocuments(
          new Term(FILE, file),
          chunks.stream().map(chunk -> document(file, chunk, vectors.apply(chunk))).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void remove(String file) {
    try {
      writer.deleteDocuments(new Term(FILE, file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes the changes so far visible to searches that begin from now on. */
  void publish() {
    try {
      searchers.maybeRefreshBlocking();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Document document(String file, Chunk chunk, Optional<float[]> vector) {
    var document = new Document();
    document.add(new StringField(FILE, file, Field.Store.NO));
    document.add(new StoredField(SOURCE, chunk.source()));
    document.add(new TextField(TITLE, chunk.title(), Field.Store.NO));
    document.add(new TextField(TEXT, chunk.text(), Field.Store.YES));
    vector.ifPresent(numbers ->
        document.add(
            new KnnFloatVectorField(VECTOR, numbers, VectorSimilarityFunction.DOT_PRODUCT)));
    return document;
  }

  /**
   * Returns the best passages, the best first. With a vector of the query, its nearest passages are
   * merged with those that share words with it, by reciprocal rank fusion; the score is then the
   * sum of {@code 1 / (60 + rank)}, and otherwise that of BM25.
   */
  List<Passage> search(String query, Optional<float[]> vector, int most) {
    try {
      var searcher = searchers.acquire();
      try {
        var depth = Math.max(CANDIDATES, most);
        var hits = List.of(searcher.search(words(query), depth).scoreDocs);
        if (vector.isPresent()) {
          var near = new KnnFloatVectorQuery(VECTOR, vector.get(), depth);
          hits = fused(hits, List.of(searcher.search(near, depth).scoreDocs));
        }
        return passages(searcher, hits.subList(0, Math.min(most, hits.size())));
      } finally {
        searchers.release(searcher);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a query for any of the words. No character of the text has a meaning of its own. */
  private Query words(String text) {
    var any = new BooleanQuery.Builder();
    for (var word : words.of(text, MOST_WORDS)) {
      any.add(
          new DisjunctionMaxQuery(
              List.of(
                  new TermQuery(new Term(TEXT, word)),
                  new BoostQuery(new TermQuery(new Term(TITLE, word)), TITLE_BOOST)),
              BOTH),
          BooleanClause.Occur.SHOULD);
    }
    return any.build();
  }

  @SafeVarargs
  private static List<ScoreDoc> fused(List<ScoreDoc>... rankings) {
    var scores = new LinkedHashMap<Integer, Double>();
    for (var ranking : rankings) {
      for (int i = 0; i < ranking.size(); i++) {
        scores.merge(ranking.get(i).doc, 1 / (RANK_CONSTANT + i + 1), Double::sum);
      }
    }
    return scores.entrySet().stream()
        .sorted(Map.Entry.<Integer, Double>comparingByValue().reversed())
        .map(hit -> new ScoreDoc(hit.getKey(), hit.getValue().floatValue()))
        .toList();
  }

  private static List<Passage> passages(IndexSearcher searcher, List<ScoreDoc> hits)
      throws IOException {
    var stored = searcher.storedFields();
    var passages = new ArrayList<Passage>();
    for (var hit : hits) {
      var document = stored.document(hit.doc);
      passages.add(new Passage(document.get(SOURCE), document.get(TEXT), hit.score));
    }
    return List.copyOf(passages);
  }

  @Override
  public void close() {
    try (words;
        directory;
        writer;
        searchers) {
      // Closed in the reverse order.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lucene's codec, but for vectors of any model's size. */
  private static final class LargeVectors extends Lucene104Codec {

    @Override
    public KnnVectorsFormat getKnnVectorsFormatForField(String field) {
      return new LargeVectorsFormat();
    }
  }

  /**
   * Writes what Lucene's format of the same name can read, with a larger bound and without a graph.
   * Comparing 6,000 vectors one by one takes some 8 ms; building their graph took 20 seconds, in
   * which searches had to wait.
   */
  private static final class LargeVectorsFormat extends KnnVectorsFormat {

    /** No segment is so large that it gets a graph. */
    private static final int NO_GRAPH = Integer.MAX_VALUE;

    private final KnnVectorsFormat lucenes;

    LargeVectorsFormat() {
      this(
          new Lucene99HnswVectorsFormat(
              Lucene99HnswVectorsFormat.DEFAULT_MAX_CONN,
              Lucene99HnswVectorsFormat.DEFAULT_BEAM_WIDTH,
              Lucene99HnswVectorsFormat.DEFAULT_NUM_MERGE_WORKER,
              null,
              NO_GRAPH));
    }

    private LargeVectorsFormat(KnnVectorsFormat lucenes) {
      super(lucenes.getName());
      this.lucenes = lucenes;
    }

    @Override
    public KnnVectorsWriter fieldsWriter(SegmentWriteState state) throws IOException {
      return lucenes.fieldsWriter(state);
    }

    @Override
    public KnnVectorsReader fieldsReader(SegmentReadState state) throws IOException {
      return lucenes.fieldsReader(state);
    }

    @Override
    public int getMaxDimensions(String field) {
      return LARGEST_VECTOR;
    }
  }
}
