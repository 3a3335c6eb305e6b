package org.habitline.conversation;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.habitline.conversation.Turns.Closing;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.Outbox;
import org.habitline.tools.Effect;
import org.habitline.tools.HabitPromptWriter;
import org.habitline.tools.Profile;
import org.habitline.tools.UnreadableProfile;
import org.jspecify.annotations.Nullable;

/**
 * The turn of a daily prompt: its text was prepared in the conversation, or is written now, or the
 * flow's own stands in; the flow's question goes with it, and once a day the one for the intensity.
 */
@Singleton
final class DailyPromptTurn {

  private static final String OWN_TEXT = "; the flow's own text was sent";

  private final ContextBuilder contexts;
  private final HabitPromptWriter writer;
  private final LanguageModel model;
  private final Outbox outbox;
  private final Clock clock;

  DailyPromptTurn(
      ContextBuilder contexts,
      HabitPromptWriter writer,
      LanguageModel model,
      Outbox outbox,
      Clock clock) {
    this.outbox = outbox;
    this.contexts = contexts;
    this.writer = writer;
    this.model = model;
    this.clock = clock;
  }

  /** A text, and why it is not the personal one, if it is not. */
  private record Text(
      String words, Outcome outcome, @Nullable String reason, @Nullable ModelFailure failure) {
    Text(String words, Outcome outcome, @Nullable String reason) {
      this(words, outcome, reason, null);
    }
  }

  /**
   * Writes the prompt of an occurrence.
   *
   * @param crashed whether no model may be asked any more
   */
  Closing close(
      Claim claim,
      Flow flow,
      Wakings.Due.Prompt due,
      Journal journal,
      Deadline deadline,
      boolean crashed) {
    var profile = profile(claim);
    var text = text(claim, flow, profile, journal, deadline, crashed);
    var today = clock.instant().atZone(claim.participant().zone()).toLocalDate();
    var intensity =
        profile
            .flatMap(it -> intensity(claim, due.daily(), it, today))
            .filter(it -> outbox.takesFreeWords(claim.participant().id(), claim.channel()));
    var says = new ArrayList<Say>();
    says.add(Say.of(text.words() + "\n\n" + due.daily().question(), OutboundKind.PROMPT));
    intensity.ifPresent(question -> says.add(Say.of(question, OutboundKind.INTENSITY)));
    return Closing.woke(
            claim,
            text.outcome(),
            text.reason(),
            List.of(new Effect.StoreHabitPrompt(text.words())),
            says,
            new Deed.Prompted(due.occurrence().key(), intensity.map(question -> today)),
            journal)
        .because(text.failure());
  }

  private Optional<Profile> profile(Claim claim) {
    try {
      return Optional.of(contexts.profile(claim));
    } catch (UnreadableProfile e) {
      return Optional.empty();
    }
  }

  private Text text(
      Claim claim,
      Flow flow,
      Optional<Profile> profile,
      Journal journal,
      Deadline deadline,
      boolean crashed) {
    var prepared = claim.data().get(StateKeys.PREPARED_PROMPT);
    if (prepared != null) {
      return new Text(prepared, Outcome.WOKE, null);
    }
    var own = Objects.requireNonNull(flow.promptGenerator()).fallbackText();
    if (crashed) {
      return new Text(own, Outcome.CRASHED, "its attempts did not end" + OWN_TEXT);
    }
    if (profile.isEmpty()) {
      return new Text(own, Outcome.NO_CONTEXT, "the profile cannot be read" + OWN_TEXT);
    }
    try {
      return written(
          writer.write(
              flow,
              contexts.prompts(claim),
              claim.participant(),
              profile.get(),
              Optional.empty(),
              new JournaledModel(journal, model, deadline, clock)),
          own);
    } catch (BrokenFlow | NoContext e) {
      return new Text(own, Outcome.NO_CONTEXT, e.getMessage() + OWN_TEXT);
    }
  }

  private static Text written(HabitPromptWriter.Writing writing, String own) {
    return switch (writing) {
      case HabitPromptWriter.Writing.Written written ->
          new Text(written.text(), Outcome.WOKE, null);
      case HabitPromptWriter.Writing.Incomplete incomplete ->
          new Text(
              own,
              Outcome.WOKE,
              "the profile does not say " + String.join(", ", incomplete.missing()) + OWN_TEXT);
      case HabitPromptWriter.Writing.Unwritten unwritten ->
          new Text(
              own,
              Outcome.MODEL_FAILED,
              "the model was asked for the prompt: " + unwritten.why() + OWN_TEXT,
              unwritten.failure());
    };
  }

  /** The question of a day, unless it was asked; it has no template to go as. */
  private static Optional<String> intensity(
      Claim claim, DailyPrompt daily, Profile profile, LocalDate today) {
    var asked = daily.intensity();
    if (asked == null
        || today.toString().equals(claim.data().get(StateKeys.LAST_INTENSITY_PROMPT_DATE))) {
      return Optional.empty();
    }
    return profile.value(asked.field()).map(asked::question);
  }
}
