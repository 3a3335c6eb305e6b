package org.habitline.conversation;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.habitline.messaging.Input;
import org.habitline.messaging.Lease;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;

/**
 * What a turn saw when it took its input; the same again when it is resumed.
 *
 * @param attempt 1 the first time; one more for every crash
 * @param resumed whether someone began the turn before and did not end it
 * @param data state data by key
 */
record Claim(
    Lease lease,
    Participant participant,
    int turn,
    int attempt,
    boolean resumed,
    List<Input> inputs,
    Pinned pinned,
    Map<String, String> data) {

  /** The channel of the newest input, which the reply uses. */
  ChannelKind channel() {
    return inputs.getLast().channel();
  }

  String kind() {
    return inputs.getFirst() instanceof Input.Enrolled ? "enrolled" : "said";
  }

  /**
   * What must not change when a turn is resumed.
   *
   * @param now study time, RFC 3339
   * @param module the sub-state that answers
   * @param prompts prompt files by name, with the SHA-256 of their content
   */
  record Pinned(List<Long> inbox, String now, String module, Map<String, String> prompts) {
    Instant instant() {
      return Instant.parse(now);
    }
  }
}
