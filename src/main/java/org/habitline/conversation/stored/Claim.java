package org.habitline.conversation.stored;

import com.fasterxml.jackson.core.type.TypeReference;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.messaging.Lease;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.CoachingPause;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Wakeup;
import org.jspecify.annotations.Nullable;

/**
 * The input that a turn took and what it sees of the conversation. {@code pinned} is the same when
 * the turn is resumed.
 *
 * @param attempt 1 at first; one more after every crash
 * @param resumed whether an earlier attempt began the turn and did not end it
 * @param state the stored state of the conversation
 */
public record Claim(
    Lease lease,
    Participant participant,
    int turn,
    int attempt,
    boolean resumed,
    List<Input> inputs,
    Pinned pinned,
    State state) {

  /** A turn that failed or ended the process this often is closed instead of tried again. */
  public static final int ATTEMPTS_AT_MOST = 3;

  /** Why such a turn ended. */
  public static final String CRASHED = ATTEMPTS_AT_MOST + " attempts did not finish";

  /**
   * The stored state of a conversation.
   *
   * @param data state data by key
   * @param wakeup the wake-up that the turn handles, or {@code null}
   * @param staff what staff have set for the conversation
   * @param watched whether staff watch the conversation live
   */
  public record State(
      Map<String, String> data,
      Counters counters,
      OccurrenceReader.Standing schedules,
      @Nullable Wakeup wakeup,
      Staff staff,
      boolean watched) {}

  /**
   * What staff have set for a conversation.
   *
   * @param mutedUntil study time until which automatic replies are paused, or {@code null} if they
   *     never were
   * @param mutedBy who paused them
   * @param debugUntil system time until which debug messages are on, or {@code null} if they are
   *     not
   * @param incidentId the safety incident for which coaching is paused until staff release it, or
   *     {@code null}
   */
  public record Staff(
      @Nullable Instant mutedUntil,
      @Nullable String mutedBy,
      @Nullable Instant debugUntil,
      @Nullable String incidentId) {

    /** The beginning of a turn's reason if its reply is left to staff. */
    public static final String HELD = "staff took over the conversation";

    /** Returns the reason if automatic replies are paused at this instant of study time. */
    public Optional<String> mutes(Instant now) {
      if (incidentId != null) {
        return Optional.of(CoachingPause.REASON);
      }
      return mutedUntil != null && mutedUntil.isAfter(now)
          ? Optional.of(HELD + ": automatic replies paused by " + mutedBy)
          : Optional.empty();
    }

    /** Returns whether debug messages are on at this instant of system time. */
    public boolean debugs(Instant now) {
      return debugUntil != null && debugUntil.isAfter(now);
    }
  }

  /**
   * Counters that the server keeps itself.
   *
   * @param feedbackState the stage of the check-in (seed 003), or {@code null} before the first
   */
  public record Counters(int successCount, int totalPrompts, @Nullable String feedbackState) {}

  public Map<String, String> data() {
    return state.data();
  }

  /** Returns the channel of the newest input, which the reply uses. */
  public ChannelKind channel() {
    return inputs.getLast().channel();
  }

  public InputKind kind() {
    return switch (inputs.getFirst()) {
      case Input.Enrolled enrolled -> InputKind.ENROLLED;
      case Input.Said said -> InputKind.SAID;
      case Input.StaffAsked asked -> InputKind.ASKED;
      case Input.Woke woke -> InputKind.WOKE;
    };
  }

  /**
   * Returns the same without the participant's texts up to this one, by its number in the inbox.
   */
  public Claim after(long seq) {
    return new Claim(
        lease,
        participant,
        turn,
        attempt,
        resumed,
        inputs.stream()
            .filter(input -> !(input instanceof Input.Said said) || said.seq() > seq)
            .toList(),
        pinned,
        state);
  }

  /** Returns the participant's texts, or none if the turn is not for texts. */
  public List<Input.Said> said() {
    return inputs.stream()
        .filter(Input.Said.class::isInstance)
        .map(Input.Said.class::cast)
        .toList();
  }

  /**
   * Returns the safety incident that a text belongs to: its own, or the one for which coaching is
   * paused now; {@code null} if there is none.
   */
  public @Nullable String incidentOf(Input.Said said) {
    return said.incidentId() == null ? state.staff().incidentId() : said.incidentId();
  }

  /** Returns whether one of the texts, or the participant now, belongs to a crisis. */
  public boolean isInDanger() {
    return state.staff().incidentId() != null
        || said().stream().anyMatch(said -> said.incidentId() != null);
  }

  /** Returns a copy whose texts belong to a crisis that opened while the turn was running. */
  public Claim inCrisis(String incidentId) {
    var staff = state.staff();
    return new Claim(
        lease,
        participant,
        turn,
        attempt,
        resumed,
        inputs,
        pinned,
        new State(
            state.data(),
            state.counters(),
            state.schedules(),
            state.wakeup(),
            new Staff(staff.mutedUntil(), staff.mutedBy(), staff.debugUntil(), incidentId),
            state.watched()));
  }

  /** Returns the wake-up's input, if the turn is for one. */
  public Optional<Input.Woke> woke() {
    return inputs.getFirst() instanceof Input.Woke woke ? Optional.of(woke) : Optional.empty();
  }

  /**
   * What must not change when a turn is resumed.
   *
   * @param now study time, RFC 3339
   * @param module the module that replies
   * @param subState the stored module, empty if none was stored
   */
  public record Pinned(
      List<Long> inbox, String now, String module, PromptTexts.Pins prompts, String subState) {
    private static final TypeReference<Pinned> JSON = new TypeReference<>() {};

    public static Pinned read(String json) {
      return TurnJson.read(json, JSON);
    }

    public Instant instant() {
      return Instant.parse(now);
    }
  }
}
