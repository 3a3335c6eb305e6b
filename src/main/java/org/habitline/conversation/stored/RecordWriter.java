package org.habitline.conversation.stored;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Collection;
import java.util.TreeMap;
import org.habitline.tools.Effect;
import org.habitline.tools.Records;

/**
 * Writes what tools keep of a participant. Joins the running transaction, which must hold the
 * participant.
 */
@Singleton
public final class RecordWriter {

  private final JdbcRecords rows;
  private final Clock clock;

  RecordWriter(JdbcRecords rows, Clock clock) {
    this.rows = rows;
    this.clock = clock;
  }

  /**
   * Applies changes of a participant's records. Of several changes of one record only the last is
   * written. Applying the same changes again leads to the same records.
   */
  public void apply(String participantId, Collection<Effect.RecordChange> changes) {
    var last = new TreeMap<Records.Key, Effect.RecordChange>();
    changes.forEach(change -> last.put(change.key(), change));
    last.forEach((key, change) -> {
      switch (change) {
        case Effect.PutRecord put -> put(participantId, key, put.json());
        case Effect.DeleteRecord delete -> rows.delete(participantId, key.kind(), key.id());
      }
    });
  }

  private void put(String participantId, Records.Key key, String json) {
    var now = clock.instant();
    if (rows.update(participantId, key.kind(), key.id(), json, now) == 0) {
      rows.insert(participantId, key.kind(), key.id(), json, now);
    }
  }

  /** Deletes all records of a participant. */
  public void erase(String participantId) {
    rows.erase(participantId);
  }
}
