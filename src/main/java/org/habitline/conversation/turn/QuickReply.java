package org.habitline.conversation.turn;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Input;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.protocol.OutcomeWords;
import org.habitline.timers.Occurrence;
import org.habitline.timers.OutcomeEntry;
import org.habitline.timers.PromptOutcome;
import org.habitline.tools.Effect;
import org.habitline.tools.Profile;
import org.habitline.tools.ProfileStatus;

/**
 * What the participant's texts mean whatever a model makes of them: a reply to the newest daily
 * prompt, what came of it, a new intensity.
 *
 * @param answered the prompt that the texts reply to, if any
 * @param at when the first of these texts was received
 * @param outcome what came of the prompt, if the texts are words that say so and it is news
 * @param intensity the change of the profile, if the texts choose a new intensity
 */
public record QuickReply(
    Optional<Occurrence> answered,
    Instant at,
    Optional<Effect> outcome,
    Optional<Effect> intensity) {

  /** Messages about the daily prompt. */
  private static final Set<OutboundKind> ABOUT_THE_PROMPT =
      EnumSet.of(OutboundKind.PROMPT, OutboundKind.REMINDER);

  /** Messages about a prompt that was tried in the conversation. */
  private static final Set<OutboundKind> ABOUT_ANOTHER_PROMPT =
      EnumSet.of(OutboundKind.PROMPT_NOW, OutboundKind.CHECK_IN);

  public static QuickReply none() {
    return new QuickReply(Optional.empty(), Instant.EPOCH, Optional.empty(), Optional.empty());
  }

  /** Returns whether this is the first reply to a prompt. */
  public boolean isTheFirst() {
    return answered.filter(prompt -> prompt.respondedAt() == null).isPresent();
  }

  /** Returns the changes that the texts ask for by themselves. */
  public List<Effect> effects() {
    return Stream.concat(outcome.stream(), intensity.stream()).toList();
  }

  /**
   * Reads the texts of a turn. Texts received before the prompt are not replies to it.
   *
   * @param words texts that say what came of a prompt
   * @param answered the kind of message that a text answers, if any is known
   * @param profile the profile, or empty if it cannot be read; then no intensity is set
   */
  public static QuickReply in(
      Claim claim,
      Flow flow,
      OutcomeWords words,
      Function<Input.Said, Optional<OutboundKind>> answered,
      Optional<Profile> profile) {
    var prompt = claim.state().schedules().newestPrompt();
    var promptedAt = prompt.map(Occurrence::promptedAt).orElse(Instant.MAX);
    var answers =
        claim.said().stream().filter(said -> !said.receivedAt().isBefore(promptedAt)).toList();
    if (prompt.isEmpty() || answers.isEmpty()) {
      return none();
    }
    var daily = Optional.ofNullable(flow.dailyPrompt());
    return new QuickReply(
        prompt,
        answers.getFirst().receivedAt(),
        daily.flatMap(it -> outcome(prompt.get(), it, words, answered, answers)),
        daily
            .map(DailyPrompt::intensity)
            .filter(it -> asked(claim, prompt.get()))
            .flatMap(it ->
                profile.flatMap(
                    now -> intensity(flow, it, answers, now, claim.pinned().instant()))));
  }

  /**
   * Returns what came of the prompt. The last text that says so counts. Once an outcome is known, a
   * rule moves it only to done; other changes of mind are for the coach to understand.
   */
  private static Optional<Effect> outcome(
      Occurrence prompt,
      DailyPrompt daily,
      OutcomeWords words,
      Function<Input.Said, Optional<OutboundKind>> answered,
      List<Input.Said> answers) {
    return answers.reversed().stream()
        .flatMap(said -> outcome(prompt, daily, words, answered, said).stream())
        .findFirst()
        .filter(it -> it != prompt.outcome())
        .filter(it -> prompt.outcome() == null || it == PromptOutcome.DONE)
        .map(it -> new Effect.RecordOutcome(prompt.key(), it, OutcomeEntry.By.RULE, null));
  }

  /**
   * Returns what a text says of the prompt. The flow's own quick replies count at any time, but not
   * as an answer about another prompt; other words only as an answer to a message about this one.
   */
  private static Optional<PromptOutcome> outcome(
      Occurrence prompt,
      DailyPrompt daily,
      OutcomeWords words,
      Function<Input.Said, Optional<OutboundKind>> answered,
      Input.Said said) {
    var own = own(daily, said);
    if (own.isPresent()) {
      return own.filter(
          it -> answered.apply(said).filter(ABOUT_ANOTHER_PROMPT::contains).isEmpty());
    }
    return words
        .meaning(said.text())
        .filter(it -> !it.isShort() || repliesToTheQuestion(prompt, said))
        .filter(it -> answered.apply(said).filter(ABOUT_THE_PROMPT::contains).isPresent())
        .flatMap(it -> PromptOutcome.of(it.outcome()));
  }

  private static Optional<PromptOutcome> own(DailyPrompt daily, Input.Said said) {
    if (OutcomeWords.same(said.text(), daily.done())) {
      return Optional.of(PromptOutcome.DONE);
    }
    return OutcomeWords.same(said.text(), daily.notDone())
        ? Optional.of(PromptOutcome.NOT_DONE)
        : Optional.empty();
  }

  private static boolean repliesToTheQuestion(Occurrence prompt, Input.Said said) {
    return prompt.questionOpen()
        && prompt.askedAt() != null
        && !said.receivedAt().isBefore(prompt.askedAt());
  }

  /**
   * Returns whether the intensity was asked for with this prompt. Compares the local date on which
   * the prompt went out, which may be later than the date it was scheduled for.
   */
  private static boolean asked(Claim claim, Occurrence prompt) {
    var promptedAt = Objects.requireNonNull(prompt.promptedAt());
    var date = promptedAt.atZone(prompt.moment().zone()).toLocalDate();
    return date.toString().equals(claim.data().get(StateKeys.LAST_INTENSITY_PROMPT_DATE));
  }

  private static Optional<Effect> intensity(
      Flow flow,
      DailyPrompt.Intensity asked,
      List<Input.Said> answers,
      Profile profile,
      Instant now) {
    var field = asked.field();
    var before = profile.value(field);
    return answers.reversed().stream()
        .flatMap(said ->
            field.values().stream()
                .filter(value -> says(said, value) || says(said, asked.word(value))))
        .findFirst()
        .filter(value -> !before.equals(Optional.of(TextNode.valueOf(value))))
        .filter(value -> ProfileStatus.isAllowed(flow, profile, field, TextNode.valueOf(value)))
        .map(value ->
            new Effect.SaveProfile(
                profile.with(field.name(), TextNode.valueOf(value), now),
                List.of(
                    new Effect.Change(
                        field.name(),
                        profile.fields().containsKey(field.name())
                            ? profile.fields().get(field.name())
                            : NullNode.getInstance(),
                        TextNode.valueOf(value)))));
  }

  private static boolean says(Input.Said said, String word) {
    return PlainText.bare(said.text()).equals(PlainText.bare(word));
  }
}
