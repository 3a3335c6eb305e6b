package org.habitline.tools;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A participant's records: small JSON documents that tools keep, such as tasks. Immutable. The JSON
 * is read only when it is asked for, so that a record that someone damaged stops only the tools
 * that use it.
 *
 * @param contents the JSON text of each record, in the order of its key
 */
public record Records(Map<Key, String> contents) {

  public static final Records NONE = new Records(Map.of());

  /** The kind of an exported form, whose id is that of the conversation. */
  public static final String EXPORT = "export";

  /** The kind of what tools only count with, such as the number of the next task. */
  public static final String COUNTER = "counter";

  /** The longest kind or id, in characters. */
  static final int LONGEST_WORD = 64;

  /** The longest JSON text of one record, in characters. */
  static final int LONGEST_JSON = 1_000_000;

  private static final JsonMapper JSON = new JsonMapper();

  public Records {
    contents = Collections.unmodifiableMap(new TreeMap<>(contents));
  }

  /**
   * Names a record of one participant. Keys are in the order of their kinds and then of their ids:
   * numbers by value, before all other ids. Both words have 1 to 64 characters.
   *
   * @param kind what the record is, such as {@code task}
   * @param id its id among the records of this kind
   */
  public record Key(String kind, String id) implements Comparable<Key> {

    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::kind)
            .thenComparing(key -> !key.isNumber())
            .thenComparingInt(key -> key.isNumber() ? key.id().length() : 0)
            .thenComparing(Key::id);

    public Key {
      bounded("kind", kind);
      bounded("id", id);
    }

    /** Returns the key of a conversation's export. */
    public static Key ofExport(String conversationId) {
      return new Key(EXPORT, conversationId);
    }

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }

    private boolean isNumber() {
      return id.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static void bounded(String name, String word) {
      if (word.isEmpty() || word.length() > LONGEST_WORD) {
        throw new IllegalArgumentException(
            "the %s of a record has %d characters, not 1 to %d"
                .formatted(name, word.length(), LONGEST_WORD));
      }
    }
  }

  /** A record of a known kind. */
  public record Entry(String id, JsonNode json) {}

  /**
   * Returns the records of one kind in the order of their ids.
   *
   * @throws IllegalStateException if one of them is not JSON
   */
  public List<Entry> list(String kind) {
    return contents.entrySet().stream()
        .filter(record -> record.getKey().kind().equals(kind))
        .map(record -> new Entry(record.getKey().id(), read(record.getKey(), record.getValue())))
        .toList();
  }

  /**
   * Returns one record, or empty if there is none.
   *
   * @throws IllegalStateException if it is not JSON
   */
  public Optional<JsonNode> get(Key key) {
    return Optional.ofNullable(contents.get(key)).map(text -> read(key, text));
  }

  /** Returns a copy with this change. */
  public Records with(Effect.RecordChange change) {
    var changed = new TreeMap<>(contents);
    switch (change) {
      case Effect.PutRecord put -> changed.put(put.key(), put.json());
      case Effect.DeleteRecord delete -> changed.remove(delete.key());
    }
    return new Records(changed);
  }

  private static JsonNode read(Key key, String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      // The cause is left out because the parser's message quotes the text.
      throw new IllegalStateException("the record %s is not JSON".formatted(key));
    }
  }
}
