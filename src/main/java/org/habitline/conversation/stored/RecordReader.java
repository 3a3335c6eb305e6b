package org.habitline.conversation.stored;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.habitline.storage.Transactions;
import org.habitline.tools.Records;

/** Reads what tools keep of a participant. Safe for any number of threads. */
@Singleton
public final class RecordReader {

  private final JdbcRecords rows;
  private final Transactions transactions;

  RecordReader(JdbcRecords rows, Transactions transactions) {
    this.rows = rows;
    this.transactions = transactions;
  }

  /**
   * One record as it is stored.
   *
   * @param json its content, or its text if it is not JSON
   * @param createdAt study time of the turn that stored it first
   * @param updatedAt study time of the turn that changed it last
   */
  public record StoredRecord(
      Records.Key key, JsonNode json, Instant createdAt, Instant updatedAt) {}

  /** Returns all records of a participant, for a turn's working copy. */
  public Records all(String participantId) {
    return new Records(
        rows(participantId).stream()
            .collect(Collectors.toMap(RecordReader::key, JdbcRecords.Row::content)));
  }

  /** Returns the participant's newest export as it was written, or empty if there is none. */
  public Optional<String> export(String participantId) {
    var key = Records.Key.ofExport(participantId);
    return content(participantId, key.kind(), key.id());
  }

  /** Returns the content of one record as it was written, or empty if there is none. */
  public Optional<String> content(String participantId, String kind, String id) {
    return rows(participantId).stream()
        .filter(row -> row.kind().equals(kind) && row.recordId().equals(id))
        .map(JdbcRecords.Row::content)
        .findFirst();
  }

  /** Returns a participant's records by kind, each kind in the order of its ids. */
  public SortedMap<String, List<StoredRecord>> byKind(String participantId) {
    return rows(participantId).stream()
        .map(row ->
            new StoredRecord(
                key(row), TurnJson.treeOrText(row.content()), row.createdAt(), row.updatedAt()))
        .sorted(Comparator.comparing(StoredRecord::key))
        .collect(
            Collectors.groupingBy(
                record -> record.key().kind(), TreeMap::new, Collectors.toUnmodifiableList()));
  }

  private List<JdbcRecords.Row> rows(String participantId) {
    return transactions.read(() -> rows.of(participantId));
  }

  private static Records.Key key(JdbcRecords.Row row) {
    return new Records.Key(row.kind(), row.recordId());
  }
}
