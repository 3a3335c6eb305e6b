package org.habitline.conversation.wakeups;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.habitline.conversation.model.ContextBuilder;
import org.habitline.conversation.model.TurnModel;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.NoContext;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.turn.Closing;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.WakeupAction;
import org.habitline.flows.BrokenFlow;
import org.habitline.flows.DailyPrompt;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.outbox.FreeWords;
import org.habitline.timers.Occurrence;
import org.habitline.timers.PromptOutcome;
import org.habitline.timers.WakeupKind;
import org.habitline.tools.Effect;
import org.habitline.tools.HabitPromptWriter;
import org.habitline.tools.Profile;
import org.habitline.tools.UnreadableProfile;
import org.jspecify.annotations.Nullable;

/**
 * Sends a daily prompt. Its text was prepared in the conversation, or is written now, or is the
 * flow's fallback; the flow's question is appended unless it is asked later, and as often as the
 * flow says the question about the intensity follows.
 */
@Singleton
final class DailyPromptTurn implements WakeupTurn {

  private static final String OWN_TEXT = "; the flow's fallback message was sent";

  private final ContextBuilder contexts;
  private final HabitPromptWriter writer;
  private final TurnModel model;
  private final WakeupGuards guards;
  private final PromptFollowUps prompts;
  private final RecentPrompts recent;
  private final FreeWords freeWords;
  private final Clock clock;

  DailyPromptTurn(
      ContextBuilder contexts,
      HabitPromptWriter writer,
      TurnModel model,
      WakeupGuards guards,
      PromptFollowUps prompts,
      RecentPrompts recent,
      FreeWords freeWords,
      Clock clock) {
    this.contexts = contexts;
    this.writer = writer;
    this.model = model;
    this.guards = guards;
    this.prompts = prompts;
    this.recent = recent;
    this.freeWords = freeWords;
    this.clock = clock;
  }

  @Override
  public Set<WakeupKind> kinds() {
    return Set.of(WakeupKind.DAILY_PROMPT);
  }

  @Override
  public Closing close(DueWakeup due) {
    var key = Occurrence.Key.read(due.wakeup().guard());
    var planned =
        due.claim()
            .state()
            .schedules()
            .find(key)
            .filter(occurrence -> occurrence.status() == Occurrence.Status.PLANNED);
    if (planned.isEmpty()) {
      return due.drop("its daily prompt is no longer scheduled");
    }
    var daily = due.flow().dailyPrompt();
    if (daily == null) {
      return missed(due, key, "the flow no longer has a daily prompt");
    }
    return guards
        .whyNotNow(due)
        .map(reason -> missed(due, key, reason))
        .orElseGet(() -> send(due, planned.get(), daily));
  }

  private Closing missed(DueWakeup due, Occurrence.Key key, String reason) {
    return due.drop(reason, missing(key, reason));
  }

  private WakeupAction missing(Occurrence.Key key, String reason) {
    return claim -> {
      prompts.missed(claim.participant().id(), key, reason);
      return true;
    };
  }

  /** The prompt's text, and why it is not the personal one, if it is not. */
  private record Text(
      String words, Outcome outcome, @Nullable String reason, @Nullable ModelFailure failure) {
    Text(String words, Outcome outcome, @Nullable String reason) {
      this(words, outcome, reason, null);
    }
  }

  private Closing send(DueWakeup due, Occurrence prompt, DailyPrompt daily) {
    var claim = due.claim();
    var key = prompt.key();
    var profile = profile(claim);
    var text = text(due, prompt, profile);
    // While a participant moves, the day of a prompt is the one in the zone of its date.
    var today = clock.instant().atZone(prompt.moment().zone()).toLocalDate();
    var intensity =
        profile
            .flatMap(it -> intensity(claim, daily, it, today))
            .filter(it -> freeWords.mayGo(claim.participant().id(), claim.channel()));
    var says = new ArrayList<DraftMessage>();
    var asks = daily.askAfter() == null;
    says.add(
        DraftMessage.of(
            asks ? text.words() + "\n\n" + daily.question() : text.words(), OutboundKind.PROMPT));
    intensity.ifPresent(question -> says.add(DraftMessage.of(question, OutboundKind.INTENSITY)));
    return Closing.woke(
            claim,
            text.outcome(),
            text.reason(),
            List.of(new Effect.StoreHabitPrompt(text.words())),
            says,
            new Prompted(key, asks, intensity.map(question -> today)),
            due.journal())
        .because(text.failure());
  }

  /** Marks the prompt as going out and removes a prepared text, which is used up. */
  private final class Prompted implements WakeupAction {
    private final Occurrence.Key key;
    private final boolean asks;
    private final Optional<LocalDate> asksIntensity;

    /**
     * @param asks whether the prompt asks about its outcome
     * @param asksIntensity the local date on which the prompt also asks for the intensity, if it
     *     does
     */
    Prompted(Occurrence.Key key, boolean asks, Optional<LocalDate> asksIntensity) {
      this.key = key;
      this.asks = asks;
      this.asksIntensity = asksIntensity;
    }

    @Override
    public boolean carryOut(Claim claim) {
      return prompts.prompted(claim, key, asks, asksIntensity.isPresent());
    }

    @Override
    public WakeupAction takenOver(String reason) {
      return missing(key, reason);
    }

    @Override
    public Map<String, Optional<String>> data(Claim claim) {
      var data = new LinkedHashMap<String, Optional<String>>();
      data.put(StateKeys.PREPARED_PROMPT, Optional.empty());
      asksIntensity.ifPresent(
          date -> data.put(StateKeys.LAST_INTENSITY_PROMPT_DATE, Optional.of(date.toString())));
      return data;
    }
  }

  private Optional<Profile> profile(Claim claim) {
    try {
      return Optional.of(contexts.profile(claim));
    } catch (UnreadableProfile e) {
      return Optional.empty();
    }
  }

  private Text text(DueWakeup due, Occurrence prompt, Optional<Profile> profile) {
    var claim = due.claim();
    var flow = due.flow();
    var prepared = claim.data().get(StateKeys.PREPARED_PROMPT);
    if (prepared != null) {
      return new Text(prepared, Outcome.WOKE, null);
    }
    var own = Objects.requireNonNull(flow.promptGenerator()).fallbackText();
    if (due.crashed()) {
      return new Text(own, Outcome.CRASHED, "its attempts did not finish" + OWN_TEXT);
    }
    if (profile.isEmpty()) {
      return new Text(own, Outcome.NO_CONTEXT, "the profile cannot be read" + OWN_TEXT);
    }
    try {
      var writing =
          writer.write(
              flow,
              contexts.prompts(claim),
              claim.participant(),
              profile.get(),
              recent.before(claim, prompt),
              model.once(due.journal(), claim.participant(), flow, profile));
      return due.journal()
          .refused()
          .map(usedUp -> new Text(own, Outcome.WOKE, usedUp.reason() + OWN_TEXT))
          .orElseGet(() -> written(writing, own));
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
              "the profile has no " + String.join(", ", incomplete.missing()) + OWN_TEXT);
      case HabitPromptWriter.Writing.Unwritten unwritten ->
          new Text(
              own,
              unwritten.withheld() ? Outcome.GATED : Outcome.MODEL_FAILED,
              "the model did not write the prompt: " + unwritten.why() + OWN_TEXT,
              unwritten.failure());
    };
  }

  /** Returns the intensity question, if its turn has come. It has no WhatsApp template. */
  private static Optional<String> intensity(
      Claim claim, DailyPrompt daily, Profile profile, LocalDate today) {
    var asked = daily.intensity();
    if (asked == null || !isDue(every(asked, profile), claim, today)) {
      return Optional.empty();
    }
    return profile.value(asked.field()).map(JsonNode::asText).map(asked::question);
  }

  /** Returns how often the participant wants to be asked, or else what the flow says. */
  private static DailyPrompt.Intensity.Every every(DailyPrompt.Intensity asked, Profile profile) {
    return Optional.ofNullable(asked.chosen())
        .flatMap(profile::value)
        .map(JsonNode::asText)
        .flatMap(DailyPrompt.Intensity.Every::of)
        .orElse(asked.every());
  }

  private static boolean isDue(DailyPrompt.Intensity.Every every, Claim claim, LocalDate today) {
    var stored = claim.data().get(StateKeys.LAST_INTENSITY_PROMPT_DATE);
    var last = stored == null ? null : LocalDate.parse(stored);
    return switch (every) {
      case DAY -> !today.equals(last);
      case WEEK ->
          isAnythingKnown(claim)
              && (last == null
                  || !today.isBefore(last.plusWeeks(1))
                  || isMissedTwiceSince(claim, last));
      case NEVER -> false;
    };
  }

  /** Returns whether the participant ever said what came of a prompt, as far as it is read here. */
  private static boolean isAnythingKnown(Claim claim) {
    return claim.state().counters().successCount() > 0
        || claim.state().schedules().recent().stream().anyMatch(it -> it.outcome() != null);
  }

  /** Returns whether the two newest prompts were not done, and both came after this date. */
  private static boolean isMissedTwiceSince(Claim claim, LocalDate last) {
    var newest =
        claim.state().schedules().recent().stream()
            .filter(it -> it.status() == Occurrence.Status.SENT)
            .limit(2)
            .toList();
    return newest.size() == 2
        && newest.stream()
            .allMatch(
                it -> it.outcome() == PromptOutcome.NOT_DONE && it.key().date().isAfter(last));
  }
}
