package org.habitline.participants;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.storage.Transactions;

/**
 * Keeps the tags of participants: short words by which the team groups them. The same word in
 * another case is the same tag. The coach never sees tags.
 */
@Singleton
public final class Tags implements ParticipantListener {

  /** The most tags that one participant has. */
  public static final int MOST_OF_ONE = 20;

  /** The most different tags that a study uses at a time. */
  public static final int MOST_OF_STUDY = 200;

  /** What is accepted, for error messages. */
  public static final String ACCEPTED =
      "up to 40 letters, digits, spaces and . _ -, beginning with a letter or digit";

  private static final Pattern TAG =
      Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} ._-]{0,39}");

  private final JdbcTags rows;
  private final Participants participants;
  private final Transactions transactions;

  Tags(JdbcTags rows, Participants participants, Transactions transactions) {
    this.rows = rows;
    this.participants = participants;
    this.transactions = transactions;
  }

  /** What became of a tag that was to be added. */
  public enum Added {
    ADDED,
    HAD_IT,
    /** The participant has {@value #MOST_OF_ONE} tags already. */
    TOO_MANY_OF_ONE,
    /** The tag is new, and the study has {@value #MOST_OF_STUDY} tags already. */
    TOO_MANY_OF_STUDY
  }

  /** Returns a tag as it is stored, or empty if it is not {@link #ACCEPTED}. */
  public static Optional<String> read(String said) {
    var tag = said.strip().replaceAll(" {2,}", " ").toLowerCase(Locale.ROOT);
    return TAG.matcher(tag).matches() ? Optional.of(tag) : Optional.empty();
  }

  /**
   * Adds a tag to a participant, who must exist. Joins a running transaction.
   *
   * @param tag as {@link #read} returns it
   */
  public Added add(String participantId, String tag) {
    return transactions.write(() -> {
      participants.hold(participantId);
      var has = of(participantId);
      if (has.contains(tag)) {
        return Added.HAD_IT;
      }
      if (has.size() >= MOST_OF_ONE) {
        return Added.TOO_MANY_OF_ONE;
      }
      var used = all();
      if (used.size() >= MOST_OF_STUDY && !used.contains(tag)) {
        return Added.TOO_MANY_OF_STUDY;
      }
      rows.insert(participantId, tag);
      return Added.ADDED;
    });
  }

  /** Removes a tag from a participant; returns whether they had it. Joins a running transaction. */
  public boolean remove(String participantId, String tag) {
    return transactions.write(() -> rows.delete(participantId, tag) > 0);
  }

  /** Returns the tags of a participant in alphabetical order. */
  public List<String> of(String participantId) {
    return of(List.of(participantId)).getOrDefault(participantId, List.of());
  }

  /**
   * Returns the tags of these participants, by id. A participant without any is left out.
   *
   * @param participantIds a few hundred at most
   */
  public Map<String, List<String>> of(Collection<String> participantIds) {
    var found = new HashMap<String, List<String>>();
    if (!participantIds.isEmpty()) {
      transactions
          .read(() -> rows.of(participantIds))
          .forEach(row ->
              found.computeIfAbsent(row.participantId(), id -> new ArrayList<>()).add(row.tag()));
    }
    return found;
  }

  /** Returns all tags that participants have, in alphabetical order. */
  public List<String> all() {
    return transactions.read(() -> rows.all(2 * MOST_OF_STUDY));
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
