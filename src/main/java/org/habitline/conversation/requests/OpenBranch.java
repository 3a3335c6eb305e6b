package org.habitline.conversation.requests;

import com.fasterxml.jackson.core.type.TypeReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.timers.Occurrence;

/**
 * A choice that a participant was offered and has not made yet, stored in their state data. A newer
 * one replaces it. It is open for {@link #LASTS}, but not after a daily prompt, because later texts
 * are replies to that.
 *
 * @param askedAt study time, RFC 3339
 * @param by who requested the prompt that offers it
 */
public record OpenBranch(String askedAt, String by, List<RequestedPrompt.Option> options) {

  /** How long a choice is open; a text that comes later is about something else. */
  static final Duration LASTS = Duration.ofDays(7);

  private static final TypeReference<OpenBranch> TYPE = new TypeReference<>() {};
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,2}");
  private static final Pattern BLANKS = Pattern.compile("\\s+");

  public OpenBranch {
    options = List.copyOf(options);
  }

  public String json() {
    return TurnJson.write(this);
  }

  /** Returns the open choice in the state data, or empty if there is none. */
  public static Optional<OpenBranch> in(Map<String, String> data) {
    return Optional.ofNullable(data.get(StateKeys.OPEN_BRANCH)).map(OpenBranch::read);
  }

  static OpenBranch read(String json) {
    return TurnJson.read(json, TYPE);
  }

  /**
   * Returns the message for the option that a turn's texts choose; for the first one, if several
   * do.
   */
  public static Optional<DraftMessage> chosen(Claim claim) {
    var promptedAt =
        claim.state().schedules().newestPrompt().map(Occurrence::promptedAt).orElse(Instant.MIN);
    return in(claim.data())
        .filter(branch -> !promptedAt.isAfter(branch.asked()))
        .flatMap(branch ->
            claim.said().stream()
                .flatMap(said -> branch.choice(said).stream())
                .findFirst()
                .map(option ->
                    DraftMessage.scripted(option.body(), OutboundKind.CHOSEN, branch.by())));
  }

  private Instant asked() {
    return Instant.parse(askedAt);
  }

  /** Returns the option that a text chooses, by its number or label. */
  public Optional<RequestedPrompt.Option> choice(Input.Said said) {
    return said.wish() == null ? choice(said.text(), said.receivedAt()) : Optional.empty();
  }

  /**
   * Returns the option that a text received at an instant chooses, or empty if the choice was not
   * open then.
   */
  public Optional<RequestedPrompt.Option> choice(String text, Instant at) {
    if (at.isBefore(asked()) || at.isAfter(asked().plus(LASTS))) {
      return Optional.empty();
    }
    var word = word(text);
    return options.stream()
        .filter(option -> word(option.label()).equals(word))
        .findFirst()
        .or(() -> number(word));
  }

  private Optional<RequestedPrompt.Option> number(String word) {
    return Optional.of(word)
        .filter(it -> NUMBER.matcher(it).matches())
        .map(Integer::parseInt)
        .filter(number -> number >= 1 && number <= options.size())
        .map(number -> options.get(number - 1));
  }

  /**
   * Returns a text as labels are compared: lower case, without punctuation around the words; the
   * whole text if it has no words.
   */
  public static String word(String text) {
    var bare = PlainText.bare(text);
    var word = bare.isEmpty() ? text.strip().toLowerCase(Locale.ROOT) : bare;
    return BLANKS.matcher(word).replaceAll(" ");
  }
}
