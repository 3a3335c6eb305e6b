package org.habitline.conversation;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelReply;
import org.habitline.messaging.InputKind;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileJson;
import org.habitline.tools.ProfileStatus;
import org.habitline.tools.UnreadableProfile;
import org.jspecify.annotations.Nullable;

/** Reads conversations for researchers and staff; changes nothing. */
@Singleton
public final class Conversations {

  private static final int COUNTED = 10_000;

  /** How a failed turn may have ended. */
  private static final List<Outcome> FAILURES =
      Arrays.stream(Outcome.values()).filter(Outcome::failed).toList();

  /** The line itself never says more in a row. */
  private static final int LOOKED_BACK = 10;

  private final JdbcTranscript transcript;
  private final JdbcTurns turns;
  private final JdbcIterations iterations;
  private final JdbcStates states;
  private final JdbcPromptTexts promptTexts;
  private final PromptState promptState;
  private final ProfileJson profiles;
  private final FlowCatalog flows;
  private final Transactions transactions;

  Conversations(
      JdbcTranscript transcript,
      JdbcTurns turns,
      JdbcIterations iterations,
      JdbcStates states,
      JdbcPromptTexts promptTexts,
      PromptState promptState,
      ProfileJson profiles,
      FlowCatalog flows,
      Transactions transactions) {
    this.transcript = transcript;
    this.turns = turns;
    this.iterations = iterations;
    this.states = states;
    this.promptTexts = promptTexts;
    this.promptState = promptState;
    this.profiles = profiles;
    this.flows = flows;
    this.transactions = transactions;
  }

  /**
   * One row of the transcript.
   *
   * @param turn the turn that wrote it, or 0 if none did: a person of the staff wrote it
   * @param authorName who of the staff
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
      Instant createdAt) {}

  /**
   * Returns the newest messages before a place in the transcript, oldest first.
   *
   * @param before a {@code seq}; {@link Long#MAX_VALUE} for the end
   */
  public List<Message> transcript(String participantId, long before, int most) {
    return transactions
        .read(() -> transcript.newest(participantId, before, most))
        .reversed()
        .stream()
        .map(Conversations::message)
        .toList();
  }

  /** Returns what was said in one turn, oldest first: the texts that it answers, and its answer. */
  public List<Message> saidIn(String participantId, int turn) {
    return transactions.read(() -> transcript.ofTurn(participantId, turn)).stream()
        .map(Conversations::message)
        .toList();
  }

  private static Message message(JdbcTranscript.Row row) {
    return new Message(
        Objects.requireNonNull(row.seq()),
        row.id(),
        row.conversationId(),
        row.participantId(),
        row.role(),
        row.content(),
        row.channel(),
        row.turn(),
        row.author(),
        row.authorName(),
        row.createdAt());
  }

  /** Returns the texts of these messages, oldest first; those that are gone are left out. */
  public List<String> texts(String participantId, List<String> messageIds) {
    return messageIds.isEmpty()
        ? List.of()
        : transactions.read(() -> transcript.these(participantId, messageIds)).stream()
            .map(JdbcTranscript.Row::content)
            .toList();
  }

  /**
   * One turn without its iterations.
   *
   * @param failure why the model failed, if it did
   */
  public record Turn(
      int number,
      InputKind kind,
      TurnStatus status,
      @Nullable String module,
      int attempts,
      @Nullable Outcome outcome,
      @Nullable String reason,
      @JsonIgnore @Nullable ModelFailure failure,
      Map<String, String> promptSha256,
      Map<String, String> promptRenderedSha256,
      Instant startedAt,
      @Nullable Instant completedAt) {}

  /** Returns how many turns run at this moment, or were left half done, on whatever node. */
  public int running() {
    return transactions.read(() -> turns.running());
  }

  /** Returns the newest turns before a number, newest first. */
  public List<Turn> turns(String participantId, int before, int most) {
    return transactions.read(() -> turns.newest(participantId, before, most)).stream()
        .map(Conversations::turn)
        .toList();
  }

  public Optional<Turn> turn(String participantId, int number) {
    return transactions.read(() -> turns.find(participantId, number)).map(Conversations::turn);
  }

  /** A turn, and whose it is. */
  public record Whose(String participantId, Turn turn) {}

  /**
   * Returns turns of anybody that failed, the newest first.
   *
   * @param since study time
   */
  public List<Whose> failed(Instant since, int most) {
    return transactions.read(() ->
        FAILURES.stream()
            .flatMap(outcome -> turns.ended(outcome, since, most).stream())
            .sorted(Comparator.comparing(Conversations::ended).reversed())
            .limit(most)
            .map(Conversations::whose)
            .toList());
  }

  /** Returns how many turns failed since then; of each kind of failure 10,000 are counted. */
  public int countFailed(Instant since) {
    return transactions.read(() ->
        FAILURES.stream().mapToInt(outcome -> turns.endedSince(outcome, since, COUNTED)).sum());
  }

  /**
   * Returns the newest turns of those who sent the same words again and again and were left without
   * an answer, the newest first.
   *
   * @param since study time
   */
  public List<Whose> braked(Instant since, int most) {
    return transactions.read(() -> turns.lastEnded(Outcome.BRAKED, since, most)).stream()
        .map(Conversations::whose)
        .toList();
  }

  /**
   * Returns the newest turns of those whose text was left to staff, who kept the coach silent, the
   * newest first.
   *
   * @param since study time
   */
  public List<Whose> leftToStaff(Instant since, int most) {
    return transactions.read(() ->
        Stream.of(Outcome.NOT_FOR_THE_COACH, Outcome.TAKEN_OVER)
            .flatMap(outcome -> turns.lastLeft(outcome, since, most).stream())
            .sorted(Comparator.comparing(Conversations::ended).reversed())
            .limit(most)
            .map(Conversations::whose)
            .toList());
  }

  /**
   * Returns when the participant said what nobody has answered, if it is the last that was said;
   * what the line itself says to HELP is no answer, nor what a script sends.
   */
  public Optional<Instant> unanswered(String participantId) {
    return transactions.read(() -> {
      for (var row : transcript.newest(participantId, Long.MAX_VALUE, LOOKED_BACK)) {
        if (row.author() == Author.PARTICIPANT) {
          return Optional.of(row.createdAt());
        }
        var byScript = row.author() == Author.STAFF && row.turn() != JdbcTranscript.NO_TURN;
        if (!byScript
            && (row.author() != Author.BOT || !saidByTheLineItself(participantId, row.turn()))) {
          return Optional.empty();
        }
      }
      return Optional.empty();
    });
  }

  private boolean saidByTheLineItself(String participantId, int turn) {
    return turns
        .find(participantId, turn)
        .filter(row -> row.outcome() == Outcome.NOT_FOR_THE_COACH)
        .isPresent();
  }

  private static Instant ended(JdbcTurns.Row row) {
    return Objects.requireNonNull(row.completedAt());
  }

  private static Whose whose(JdbcTurns.Row row) {
    return new Whose(row.participantId(), turn(row));
  }

  private static Turn turn(JdbcTurns.Row row) {
    var pinned = TurnJson.read(row.pinned(), new TypeReference<Claim.Pinned>() {});
    return new Turn(
        row.number(),
        row.kind(),
        row.status(),
        row.module() == null || row.module().isEmpty() ? null : row.module(),
        row.attempts(),
        row.outcome(),
        row.reason(),
        row.modelFailure(),
        pinned.prompts(),
        PromptTexts.Pins.of(pinned, row.rendered()).rendered(),
        row.startedAt(),
        row.completedAt());
  }

  /**
   * Returns the iterations of a turn, in the shape of seed 004; empty lists if there is no such
   * turn.
   */
  public IterationContext iterations(String participantId, int turn) {
    var rows = transactions.read(() -> iterations.of(participantId, turn));
    var children = new LinkedHashMap<Integer, List<Map<String, Object>>>();
    for (var row : rows) {
      if (row.child() > 0) {
        children
            .computeIfAbsent(row.number(), n -> new ArrayList<>())
            .add(metadata(row, List.of()));
      }
    }
    var found = new ArrayList<IterationContext.Iteration>();
    for (var row : rows) {
      if (row.child() == 0) {
        found.add(
            new IterationContext.Iteration(
                row.number(),
                List.copyOf(TurnJson.messages(row.messages())),
                TurnJson.calls(row.toolCalls()).stream().map(Conversations::call).toList(),
                row.startedAt(),
                row.completedAt(),
                metadata(row, children.getOrDefault(row.number(), List.of()))));
      }
    }
    return IterationContext.of(found);
  }

  private static IterationContext.ToolCallRecord call(CallRecord call) {
    return new IterationContext.ToolCallRecord(
        call.id(), call.name(), call.arguments(), call.result());
  }

  private static Map<String, Object> metadata(
      JdbcIterations.Row row, List<Map<String, Object>> children) {
    var metadata = new LinkedHashMap<String, Object>();
    var stored = TurnJson.tree(row.metadata());
    stored.properties().forEach(entry -> metadata.put(entry.getKey(), entry.getValue().asText()));
    metadata.put("request_hash", row.requestHash());
    if (row.answer() != null) {
      var answer = TurnJson.reply(row.answer());
      metadata.put("answer", answer(answer));
      text(answer).ifPresent(text -> metadata.put("text", text));
      metadata.put("receipt", answer.receipt());
    }
    if (row.child() > 0) {
      metadata.put("messages", TurnJson.messages(row.messages()));
    }
    if (!children.isEmpty()) {
      metadata.put("nested", children);
    }
    return metadata;
  }

  private static String answer(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says -> "says";
      case ModelReply.CallsTools calls -> "calls_tools";
      case ModelReply.Refused refused -> "refused";
      case ModelReply.CutOff cutOff -> "cut_off";
      case ModelReply.Failed failed -> "failed";
    };
  }

  private static Optional<String> text(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says -> Optional.of(says.text());
      case ModelReply.CallsTools calls -> Optional.ofNullable(calls.text());
      case ModelReply.CutOff cutOff -> Optional.ofNullable(cutOff.text());
      case ModelReply.Refused refused -> Optional.of(refused.reason());
      case ModelReply.Failed failed -> Optional.of(failed.reason());
    };
  }

  /** Returns the whole state of a participant by the keys of seed 003. */
  public Map<String, Object> state(Participant participant) {
    var stored = stored(participant);
    var state = new LinkedHashMap<String, Object>();
    state.put("currentState", StateKeys.CONVERSATION_ACTIVE);
    state.put(StateKeys.CONVERSATION_STATE, subState(participant, stored));
    var background = participant.backgroundText();
    if (!background.isEmpty()) {
      state.put("participantBackground", background);
    }
    profile(participant, stored).ifPresent(profile -> state.put(StateKeys.USER_PROFILE, profile));
    counters(participant)
        .map(JdbcStates.Counters::feedbackState)
        .ifPresent(feedback -> state.put("feedbackState", feedback));
    stored.entrySet().stream()
        .filter(entry -> !entry.getKey().equals(StateKeys.STATUS_TEXT_SENT))
        .forEach(entry -> state.putIfAbsent(entry.getKey(), entry.getValue()));
    state.putAll(promptState.of(participant));
    state.put("conversationHistory", Map.of("messages", history(participant)));
    return state;
  }

  /**
   * Where a conversation stands.
   *
   * @param answering whether a turn is running now
   * @param failure why the newest finished turn failed, if it did
   * @param brake why it was left without an answer, if the same text came again and again
   */
  public record Standing(
      String subState,
      @Nullable Instant lastMessageAt,
      boolean answering,
      @Nullable String failure,
      @Nullable String brake) {}

  /** Returns where these participants' conversations stand, by participant id. */
  public Map<String, Standing> standings(List<Participant> participants) {
    if (participants.isEmpty()) {
      return Map.of();
    }
    var ids = participants.stream().map(Participant::id).toList();
    var rows = new LinkedHashMap<String, JdbcTurns.Standing>();
    transactions
        .read(() -> turns.standings(ids))
        .forEach(row -> rows.put(row.participantId(), row));
    var standings = new LinkedHashMap<String, Standing>();
    for (var participant : participants) {
      var row = rows.get(participant.id());
      if (row != null) {
        var state = row.subState() == null ? "" : row.subState();
        standings.put(
            participant.id(),
            new Standing(
                subState(participant, state),
                row.lastMessageAt(),
                row.running() != null,
                failure(row),
                row.lastOutcome() == Outcome.BRAKED ? row.lastReason() : null));
      }
    }
    return standings;
  }

  private static @Nullable String failure(JdbcTurns.Standing row) {
    if (row.lastStatus() != TurnStatus.FAILED) {
      return null;
    }
    return row.lastReason() == null && row.lastOutcome() != null
        ? row.lastOutcome().word()
        : row.lastReason();
  }

  private String subState(Participant participant, Map<String, String> stored) {
    return subState(participant, stored.getOrDefault(StateKeys.CONVERSATION_STATE, ""));
  }

  private String subState(Participant participant, String state) {
    return flows
        .flow(participant.flow())
        .map(flow -> flow.module(state).isPresent() ? state : flow.initialState())
        .orElse(state);
  }

  /** One item of {@code conversationHistory}. */
  public record HistoryItem(MessageRole role, String content, Instant timestamp) {}

  /** Returns the trimmed view that a model may be shown at most: the newest 50, oldest first. */
  public List<HistoryItem> history(Participant participant) {
    return transcript(participant.id(), Long.MAX_VALUE, 50).stream()
        .map(message -> new HistoryItem(message.role(), message.content(), message.createdAt()))
        .toList();
  }

  /**
   * Returns the profile as JSON (the key {@code userProfile}), or empty before anything was saved.
   */
  public Optional<JsonNode> profile(Participant participant) {
    return profile(participant, stored(participant));
  }

  private Map<String, String> stored(Participant participant) {
    var stored = new LinkedHashMap<String, String>();
    transactions
        .read(() -> states.data(participant.id()))
        .forEach(datum -> stored.put(datum.dataKey(), datum.dataValue()));
    return stored;
  }

  private Optional<JdbcStates.Counters> counters(Participant participant) {
    return transactions.read(() -> states.counters(participant.id()));
  }

  private Profile counted(Participant participant, Profile profile) {
    return counters(participant)
        .map(it -> profile.counted(it.successCount(), it.totalPrompts()))
        .orElse(profile);
  }

  /** A profile that cannot be read is shown as it stands. */
  private Optional<JsonNode> profile(Participant participant, Map<String, String> stored) {
    return Optional.ofNullable(stored.get(StateKeys.USER_PROFILE))
        .map(json -> {
          try {
            var profile = counted(participant, profiles.read(json));
            return flows
                .flow(participant.flow())
                .<JsonNode>map(flow -> profiles.tree(flow, profile))
                .orElseGet(() -> profiles.tree(profile));
          } catch (UnreadableProfile e) {
            return TextNode.valueOf(json);
          }
        });
  }

  /**
   * Returns the fields that are still missing for a habit prompt, in the order of the flow; none
   * when the flow is gone or the profile cannot be read.
   */
  public List<String> missing(Participant participant) {
    var flow = flows.flow(participant.flow());
    if (flow.isEmpty()) {
      return List.of();
    }
    var stored = stored(participant).get(StateKeys.USER_PROFILE);
    try {
      return ProfileStatus.missing(
          flow.get(),
          stored == null ? profiles.empty(participant.enrolledAt()) : profiles.read(stored));
    } catch (UnreadableProfile e) {
      return List.of();
    }
  }

  /** One change of one profile field; absent before it was first said and after it was cleared. */
  public record ProfileChange(
      int turn,
      String field,
      @Nullable JsonNode before,
      @Nullable JsonNode after,
      Instant changedAt) {}

  /** Returns the participant's running schedules as {@code scheduleRegistry} holds them. */
  public List<Map<String, Object>> schedules(Participant participant) {
    return promptState.registry(participant);
  }

  /** Returns every change of the profile, oldest first. */
  public List<ProfileChange> profileChanges(String participantId) {
    return transactions.read(() -> states.changes(participantId)).stream()
        .map(row ->
            new ProfileChange(
                row.turn(),
                row.field(),
                row.oldValue() == null ? null : TurnJson.tree(row.oldValue()),
                row.newValue() == null ? null : TurnJson.tree(row.newValue()),
                row.changedAt()))
        .toList();
  }

  /**
   * The content of a prompt file before the flow's texts and times are filled in, or what a model
   * read with them.
   */
  public record PromptText(String sha256, String file, String content) {}

  /** Returns the prompt text that either hash of a turn names, if a turn ever used it. */
  public Optional<PromptText> promptText(String sha256) {
    return transactions
        .read(() -> promptTexts.find(sha256).or(() -> promptTexts.findRendering(sha256)))
        .map(row -> new PromptText(row.sha256(), row.file(), row.content()));
  }
}
