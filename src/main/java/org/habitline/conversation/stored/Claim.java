package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.messaging.Lease;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.timers.OccurrenceReader;
import org.habitline.timers.Wakeup;
import org.jspecify.annotations.Nullable;

/**
 * What a turn saw when it took its input; the same again when it is resumed.
 *
 * @param attempt 1 the first time; one more for every crash
 * @param resumed whether someone began the turn before and did not end it
 * @param pins what it pinned of its prompts
 * @param state what is stored about the conversation
 */
public record Claim(
    Lease lease,
    Participant participant,
    int turn,
    int attempt,
    boolean resumed,
    List<Input> inputs,
    Pinned pinned,
    PromptTexts.Pins pins,
    State state) {

  /** A turn that ended the process this often is closed and not tried again. */
  public static final int ATTEMPTS_AT_MOST = 3;

  /** Why such a turn ended. */
  public static final String CRASHED = ATTEMPTS_AT_MOST + " attempts did not end";

  /**
   * What is stored about a conversation.
   *
   * @param data state data by key
   * @param wakeup the wake-up that the turn is for, if it is for one
   * @param staff what staff want of the conversation
   * @param watched whether somebody wants to hear what is said while it is being said
   */
  public record State(
      Map<String, String> data,
      Counters counters,
      OccurrenceReader.Standing schedules,
      @Nullable Wakeup wakeup,
      Staff staff,
      boolean watched) {}

  /**
   * What staff want of a conversation.
   *
   * @param mutedUntil study time until which the coach says nothing, if somebody ever said so
   * @param mutedBy who did
   * @param debugUntil system time until which debug messages go out, if they ever did
   */
  public record Staff(
      @Nullable Instant mutedUntil, @Nullable String mutedBy, @Nullable Instant debugUntil) {

    /** How the reason of a turn begins whose text is left to staff. */
    public static final String HELD = "staff took over the conversation";

    /** Who keeps the coach silent at this instant of study time. */
    public Optional<String> mutes(Instant now) {
      return mutedUntil != null && mutedUntil.isAfter(now)
          ? Optional.of(HELD + ": automatic replies paused by " + mutedBy)
          : Optional.empty();
    }

    /** Whether debug messages go out at this instant of system time. */
    public boolean debugs(Instant now) {
      return debugUntil != null && debugUntil.isAfter(now);
    }
  }

  /**
   * What the server itself counts and keeps.
   *
   * @param feedbackState how far a check-in came (seed 003), or {@code null} before the first
   */
  public record Counters(int successCount, int totalPrompts, @Nullable String feedbackState) {}

  public Map<String, String> data() {
    return state.data();
  }

  /** The channel of the newest input, which the reply uses. */
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

  /** The texts of the participant, if the turn is for texts. */
  public List<Input.Said> said() {
    return inputs.stream()
        .filter(Input.Said.class::isInstance)
        .map(Input.Said.class::cast)
        .toList();
  }

  /** Whether the turn is for a wake-up. */
  public Optional<Input.Woke> woke() {
    return inputs.getFirst() instanceof Input.Woke woke ? Optional.of(woke) : Optional.empty();
  }

  /**
   * What must not change when a turn is resumed. Nodes of the version before read it as well while
   * a new version is rolled out, and fail at a field that they do not know: what is new stands
   * beside it.
   *
   * @param now study time, RFC 3339
   * @param module the sub-state that answers
   * @param prompts prompt files by name, with the SHA-256 of their content
   * @param subState what was stored as the sub-state, empty if nothing was; {@code null} in turns
   *     of an older version
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Pinned(
      List<Long> inbox,
      String now,
      String module,
      Map<String, String> prompts,
      @Nullable String subState) {
    public Instant instant() {
      return Instant.parse(now);
    }
  }
}
