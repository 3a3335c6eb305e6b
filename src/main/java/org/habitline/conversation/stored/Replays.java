package org.habitline.conversation.stored;

import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.habitline.conversation.stored.StoredRequests.Match;
import org.habitline.conversation.stored.StoredRequests.Replayed;
import org.habitline.conversation.stored.TurnReader.Turn;
import org.habitline.participants.Participants;
import org.jspecify.annotations.Nullable;

/**
 * Replays recorded turns: rebuilds each request to a model from the record alone and compares its
 * SHA-256 with the recorded one. Changes nothing, asks no model. Reads a turn at a time, so that a
 * study of any size fits into memory.
 */
@Singleton
public final class Replays {

  private static final int AT_A_TIME = 100;

  private final Participants participants;
  private final TurnReader turns;
  private final StoredRequests requests;

  Replays(Participants participants, TurnReader turns, StoredRequests requests) {
    this.participants = participants;
    this.turns = turns;
    this.requests = requests;
  }

  /** A model call whose rebuilt request has another hash than the one that was sent. */
  public record Difference(String participantId, Turn turn, Replayed call) {}

  /** What a replay found. Grows while turns are added. */
  public static final class Findings {
    private final Map<Match, Integer> calls = new EnumMap<>(Match.class);
    private int turns;
    private @Nullable Difference first;

    /** Returns how many turns were replayed. */
    public int turns() {
      return turns;
    }

    /** Returns how many model calls had this outcome. */
    public int calls(Match match) {
      return calls.getOrDefault(match, 0);
    }

    /** Returns the earliest difference, or empty if there is none. */
    public Optional<Difference> first() {
      return Optional.ofNullable(first);
    }

    /** Adds a turn; those of a participant come newest first. */
    private void add(String participantId, Turn turn, Iterable<Replayed> replayed) {
      turns++;
      for (var call : replayed) {
        calls.merge(call.match(), 1, Integer::sum);
        if (call.match() == Match.UNEQUAL
            && (first == null || !turn.startedAt().isAfter(first.turn().startedAt()))) {
          first = new Difference(participantId, turn, call);
        }
      }
    }
  }

  /** Replays one turn, or returns empty if there is no such turn. */
  public Optional<Findings> turn(String participantId, int number) {
    return turns
        .turn(participantId, number)
        .map(turn -> {
          var findings = new Findings();
          findings.add(participantId, turn, requests.replay(participantId, number));
          return findings;
        });
  }

  /** Replays all turns of a participant, or returns empty if there is no such participant. */
  public Optional<Findings> participant(String participantId) {
    return participants
        .find(participantId)
        .map(participant -> {
          var findings = new Findings();
          replay(participantId, Instant.MIN, Instant.MAX, findings);
          return findings;
        });
  }

  /**
   * Replays the turns of all participants that began at or after {@code from} and before {@code
   * until}, in study time.
   */
  public Findings between(Instant from, Instant until) {
    var findings = new Findings();
    @Nullable Long before = Long.MAX_VALUE;
    while (before != null) {
      var page = participants.list(new Participants.Filter(null, null), before, AT_A_TIME);
      page.participants().forEach(participant -> replay(participant.id(), from, until, findings));
      before = page.next();
    }
    return findings;
  }

  private void replay(String participantId, Instant from, Instant until, Findings findings) {
    var before = Integer.MAX_VALUE;
    while (true) {
      var page = turns.turns(participantId, before, AT_A_TIME);
      for (var turn : page) {
        if (!turn.startedAt().isBefore(from) && turn.startedAt().isBefore(until)) {
          findings.add(participantId, turn, requests.replay(participantId, turn.number()));
        }
      }
      if (page.isEmpty() || page.getLast().startedAt().isBefore(from)) {
        return;
      }
      before = page.getLast().number();
    }
  }
}
