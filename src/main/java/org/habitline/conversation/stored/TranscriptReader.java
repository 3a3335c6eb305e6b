package org.habitline.conversation.stored;

import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Reads the messages to and the texts from a participant. */
@Singleton
public final class TranscriptReader {

  private static final int HISTORY = 50;

  /** Shown instead of the words of an incident to people who may not read them. */
  public static final String HIDDEN = "Hidden: part of a safety incident";

  private final JdbcTranscript rows;
  private final Transactions transactions;

  TranscriptReader(JdbcTranscript rows, Transactions transactions) {
    this.rows = rows;
    this.transactions = transactions;
  }

  /**
   * One row of the transcript.
   *
   * @param turn the turn that wrote it, or 0 if a staff member wrote it
   * @param authorName which staff member or script, or {@code null}
   * @param incidentId the safety incident that it belongs to, or {@code null}
   */
  public record Message(
      long seq,
      String id,
      String conversationId,
      String participantId,
      MessageRole role,
      String content,
      ChannelKind channel,
      int turn,
      Author author,
      @Nullable String authorName,
      @Nullable String incidentId,
      Instant createdAt) {

    /**
     * Returns the message as somebody sees it.
     *
     * @param ofIncidents whether they may read the words of safety incidents
     */
    public Message shown(boolean ofIncidents) {
      return ofIncidents || incidentId == null
          ? this
          : new Message(
              seq,
              id,
              conversationId,
              participantId,
              role,
              HIDDEN,
              channel,
              turn,
              author,
              authorName,
              incidentId,
              createdAt);
    }
  }

  /**
   * Returns the newest messages before a {@code seq}, oldest first.
   *
   * @param before a {@code seq}; {@link Long#MAX_VALUE} for the end
   */
  public List<Message> newest(String participantId, long before, int most) {
    var newest =
        new ArrayList<>(
            transactions.read(() -> rows.newest(participantId, before, most)).reversed());
    fixedTextsAfterWhatTheyAnswer(newest);
    return newest.stream().map(TranscriptReader::message).toList();
  }

  /**
   * Moves fixed texts of incidents behind the texts that came before them: they are written at
   * once, and a participant's text only with its turn. The first message stays, because its place
   * is where the page before ends.
   */
  private static void fixedTextsAfterWhatTheyAnswer(List<JdbcTranscript.Row> messages) {
    for (int i = messages.size() - 2; i > 0; i--) {
      var fixed = messages.get(i);
      if (fixed.incidentId() == null
          || fixed.author() != Author.BOT
          || fixed.turn() != JdbcTranscript.NO_TURN) {
        continue;
      }
      for (int next = i + 1; next < messages.size(); next++) {
        var text = messages.get(next);
        if (text.role() != MessageRole.USER || text.createdAt().isAfter(fixed.createdAt())) {
          break;
        }
        Collections.swap(messages, next - 1, next);
      }
    }
  }

  /** Returns the messages that these turns wrote to a participant, oldest first. */
  public List<Message> saidIn(String participantId, List<Integer> turns) {
    return turns.isEmpty()
        ? List.of()
        : transactions.read(() -> rows.saidIn(participantId, turns)).stream()
            .map(TranscriptReader::message)
            .toList();
  }

  /** Returns the messages of one turn, oldest first: the texts it received and its reply. */
  public List<Message> ofTurn(String participantId, int turn) {
    return transactions.read(() -> rows.ofTurn(participantId, turn)).stream()
        .map(TranscriptReader::message)
        .toList();
  }

  /**
   * Returns the messages that belong to a safety incident of a participant, and the first message
   * after it, oldest first.
   */
  public List<Message> ofIncident(String participantId, String incidentId) {
    return transactions.read(() -> rows.ofIncident(participantId, incidentId)).stream()
        .map(TranscriptReader::message)
        .toList();
  }

  private static Message message(JdbcTranscript.Row row) {
    return new Message(
        Objects.requireNonNull(row.seq()),
        row.id(),
        row.participantId(),
        row.participantId(),
        row.role(),
        row.content(),
        row.channel(),
        row.turn(),
        row.author(),
        row.authorName(),
        row.incidentId(),
        row.createdAt());
  }

  /** Returns the contents of these messages, oldest first, without those that no longer exist. */
  public List<String> texts(String participantId, List<String> messageIds) {
    return messageIds.isEmpty()
        ? List.of()
        : transactions.read(() -> rows.these(participantId, messageIds)).stream()
            .map(JdbcTranscript.Row::content)
            .toList();
  }

  /**
   * Returns the contents of these messages by id, without those of safety incidents and those that
   * retention cleared.
   */
  public Map<String, String> outsideIncidents(List<String> messageIds) {
    return messageIds.isEmpty()
        ? Map.of()
        : transactions.read(() -> rows.outsideIncidents(messageIds)).stream()
            .collect(Collectors.toMap(JdbcTranscript.Row::id, JdbcTranscript.Row::content));
  }

  /** One item of {@code conversationHistory}. */
  public record HistoryItem(MessageRole role, String content, Instant timestamp) {}

  /**
   * Returns the newest 50 messages, oldest first: the most of the transcript that a model may see.
   *
   * @param ofIncidents whether the reader may see the words of safety incidents
   */
  public List<HistoryItem> history(Participant participant, boolean ofIncidents) {
    return newest(participant.id(), Long.MAX_VALUE, HISTORY).stream()
        .map(message -> message.shown(ofIncidents))
        .map(message -> new HistoryItem(message.role(), message.content(), message.createdAt()))
        .toList();
  }
}
