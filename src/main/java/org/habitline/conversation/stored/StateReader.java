package org.habitline.conversation.stored;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.ProfileField;
import org.habitline.participants.Participant;
import org.habitline.storage.Transactions;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileJson;
import org.habitline.tools.ProfileStatus;
import org.habitline.tools.UnreadableProfile;
import org.jspecify.annotations.Nullable;

/** Reads the state of conversations: the state data of seed 003, the profile and the module. */
@Singleton
public final class StateReader {

  private final JdbcStates rows;
  private final JdbcTurns turns;
  private final TranscriptReader transcript;
  private final PromptState promptState;
  private final ProfileJson profiles;
  private final FlowCatalog flows;
  private final Transactions transactions;

  StateReader(
      JdbcStates rows,
      JdbcTurns turns,
      TranscriptReader transcript,
      PromptState promptState,
      ProfileJson profiles,
      FlowCatalog flows,
      Transactions transactions) {
    this.rows = rows;
    this.turns = turns;
    this.transcript = transcript;
    this.promptState = promptState;
    this.profiles = profiles;
    this.flows = flows;
    this.transactions = transactions;
  }

  /**
   * Returns the whole state of a participant by the keys of seed 003.
   *
   * @param ofIncidents whether the reader may see the words of safety incidents
   */
  public Map<String, Object> state(Participant participant, boolean ofIncidents) {
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
    state.put(
        "conversationHistory", Map.of("messages", transcript.history(participant, ofIncidents)));
    return state;
  }

  /** Returns participants who stayed silent although they were nudged, the longest first. */
  public List<JdbcStates.Stuck> stuck(int most) {
    return transactions.read(() -> rows.stuck(Instant.EPOCH, most));
  }

  /**
   * The state of a conversation.
   *
   * @param answering whether a turn is running now
   * @param failure why the newest finished turn failed, if it did
   * @param brake why it got no reply, if the same text came again and again
   */
  public record Standing(
      String subState,
      @Nullable Instant lastMessageAt,
      boolean answering,
      @Nullable String failure,
      @Nullable String brake) {}

  /** Returns the state of these participants' conversations, by participant id. */
  public Map<String, Standing> standings(List<Participant> participants) {
    if (participants.isEmpty()) {
      return Map.of();
    }
    var ids = participants.stream().map(Participant::id).toList();
    var found = new LinkedHashMap<String, JdbcTurns.Standing>();
    transactions
        .read(() -> turns.standings(ids))
        .forEach(row -> found.put(row.participantId(), row));
    var standings = new LinkedHashMap<String, Standing>();
    for (var participant : participants) {
      var row = found.get(participant.id());
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

  /** Returns the text that is prepared for the next daily prompt, or empty if none is. */
  public Optional<String> preparedPrompt(String participantId) {
    return transactions.read(() -> rows.datum(participantId, StateKeys.PREPARED_PROMPT));
  }

  /**
   * The profile of a participant, as people read it.
   *
   * @param json the key {@code userProfile}, or empty before anything was saved
   * @param missing the fields that are still missing for a habit prompt, or in a flow that writes
   *     none the required fields without a value, in the order of the flow
   * @param flags the flags of the flow that are true, in the order of the flow
   */
  public record ProfileView(Optional<JsonNode> json, List<String> missing, List<String> flags) {}

  /**
   * Returns the profile. No field is missing and no flag is true if the flow is gone or the profile
   * cannot be read.
   */
  public ProfileView profile(Participant participant) {
    var stored = stored(participant);
    var flow = flows.flow(participant.flow());
    var profile = read(participant, stored);
    return new ProfileView(
        profile(participant, stored),
        named(flow, profile, StateReader::missing),
        named(
            flow,
            profile,
            (of, it) -> ProfileStatus.raised(of, it).stream().map(ProfileField::name).toList()));
  }

  private static List<String> missing(Flow flow, Profile profile) {
    return flow.promptGenerator() == null
        ? ProfileStatus.missingRequired(flow, profile)
        : ProfileStatus.missing(flow, profile);
  }

  private static List<String> named(
      Optional<Flow> flow,
      Optional<Profile> profile,
      BiFunction<Flow, Profile, List<String>> fields) {
    return flow.flatMap(of -> profile.map(it -> fields.apply(of, it))).orElse(List.of());
  }

  /**
   * Returns the stored profile, an empty one before anything was saved, or empty if it cannot be
   * read.
   */
  public Optional<Profile> storedProfile(Participant participant) {
    return read(participant, stored(participant));
  }

  private Optional<Profile> read(Participant participant, Map<String, String> stored) {
    var json = stored.get(StateKeys.USER_PROFILE);
    try {
      return Optional.of(
          json == null ? profiles.empty(participant.enrolledAt()) : profiles.read(json));
    } catch (UnreadableProfile e) {
      return Optional.empty();
    }
  }

  private Map<String, String> stored(Participant participant) {
    var stored = new LinkedHashMap<String, String>();
    transactions
        .read(() -> rows.data(participant.id()))
        .forEach(datum -> stored.put(datum.dataKey(), datum.dataValue()));
    return stored;
  }

  private Optional<JdbcStates.Counters> counters(Participant participant) {
    return transactions.read(() -> rows.counters(participant.id()));
  }

  private Profile counted(Participant participant, Profile profile) {
    return counters(participant)
        .map(it -> profile.counted(it.successCount(), it.totalPrompts()))
        .orElse(profile);
  }

  /** Returns the profile as JSON, or as the stored text if it cannot be read. */
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
   * One change of one profile field; a value is absent before it was first set and after it was
   * cleared.
   *
   * @param turn the turn that changed it, or {@code null} if staff did
   * @param changedBy the staff member who changed it, or {@code null} if a turn did
   */
  public record ProfileChange(
      long seq,
      @Nullable Integer turn,
      @Nullable String changedBy,
      String field,
      @Nullable JsonNode before,
      @Nullable JsonNode after,
      Instant changedAt) {
    private static ProfileChange of(JdbcStates.ProfileChange row) {
      return new ProfileChange(
          Objects.requireNonNull(row.seq()),
          row.turn(),
          row.changedBy(),
          row.field(),
          row.oldValue() == null ? null : TurnJson.tree(row.oldValue()),
          row.newValue() == null ? null : TurnJson.tree(row.newValue()),
          row.changedAt());
    }
  }

  /** Returns one change of the participant's profile, or empty if there is no such one. */
  public Optional<ProfileChange> profileChange(String participantId, long seq) {
    return transactions.read(() -> rows.change(participantId, seq)).map(ProfileChange::of);
  }

  /** Returns the participant's running schedules in the form of {@code scheduleRegistry}. */
  public List<Map<String, Object>> schedules(Participant participant) {
    return promptState.registry(participant);
  }

  /** Returns every change of the profile, oldest first. */
  public List<ProfileChange> profileChanges(String participantId) {
    return transactions.read(() -> rows.changes(participantId)).stream()
        .map(ProfileChange::of)
        .toList();
  }
}
