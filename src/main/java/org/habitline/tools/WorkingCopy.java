package org.habitline.tools;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.habitline.timers.Agenda;
import org.habitline.timers.Occurrence;
import org.jspecify.annotations.Nullable;

/**
 * The participant's state as the turn would leave it now: a later tool sees what an earlier one
 * requested.
 *
 * @param state the module when the turn began
 * @param movingTo the module that a transition of this turn requested, at once or later
 * @param language the language to write to them in; {@code null} is the standard one of their flow
 * @param preparedPrompt what the next scheduled prompt will send, if it is written already
 * @param agenda the participant's schedules
 * @param records what tools keep of the participant
 * @param prompts the daily prompts of the last days and those to come, newest date first
 */
public record WorkingCopy(
    String state,
    @Nullable String movingTo,
    @Nullable String language,
    Profile profile,
    @Nullable String lastHabitPrompt,
    @Nullable String preparedPrompt,
    Agenda agenda,
    Records records,
    List<Occurrence> prompts) {

  public WorkingCopy {
    prompts = List.copyOf(prompts);
  }

  /** Creates the copy of somebody who has no daily prompts and no language of their own. */
  public WorkingCopy(
      String state,
      @Nullable String movingTo,
      Profile profile,
      @Nullable String lastHabitPrompt,
      @Nullable String preparedPrompt,
      Agenda agenda,
      Records records) {
    this(
        state,
        movingTo,
        null,
        profile,
        lastHabitPrompt,
        preparedPrompt,
        agenda,
        records,
        List.of());
  }

  /** Returns the newest daily prompt that was sent or is about to be, if there is one. */
  public Optional<Occurrence> newestPrompt() {
    return prompts.stream()
        .filter(Occurrence::prompted)
        .max(
            Comparator.comparing(
                Occurrence::promptedAt, Comparator.nullsFirst(Comparator.naturalOrder())));
  }

  public WorkingCopy with(Effect effect) {
    return switch (effect) {
      case Effect.MoveState move -> moving(move.to());
      case Effect.MoveLater move -> moving(move.to());
      case Effect.SaveProfile save ->
          with(language, save.profile(), lastHabitPrompt, preparedPrompt);
      case Effect.AlertStaff _ -> this;
      case Effect.FlagForStaff _ -> this;
      // A prompt that was prepared is in the language before.
      case Effect.SetLanguage set -> with(set.language(), profile, lastHabitPrompt, null);
      case Effect.OptOut _ -> this;
      case Effect.StoreHabitPrompt prompt -> with(language, profile, prompt.text(), preparedPrompt);
      case Effect.PrepareHabitPrompt prompt ->
          with(language, profile, prompt.text(), prompt.text());
      case Effect.RecordOutcome said ->
          with(
              agenda,
              records,
              prompts.stream()
                  .map(it -> it.key().equals(said.prompt()) ? it.with(said.outcome()) : it)
                  .toList());
      case Effect.Plan plan -> with(agenda.with(plan.planned()), records, prompts);
      case Effect.Unplan unplan -> with(agenda.without(unplan.scheduleId()), records, prompts);
      case Effect.MoveZone move -> with(move.agenda(), records, prompts);
      case Effect.PublishExport publish -> this;
      case Effect.AnswerConsent answer -> this;
      case Effect.RecordChange change -> with(agenda, records.with(change), prompts);
    };
  }

  private WorkingCopy moving(String to) {
    return new WorkingCopy(
        state, to, language, profile, lastHabitPrompt, preparedPrompt, agenda, records, prompts);
  }

  private WorkingCopy with(
      @Nullable String language,
      Profile profile,
      @Nullable String lastHabitPrompt,
      @Nullable String preparedPrompt) {
    return new WorkingCopy(
        state,
        movingTo,
        language,
        profile,
        lastHabitPrompt,
        preparedPrompt,
        agenda,
        records,
        prompts);
  }

  private WorkingCopy with(Agenda agenda, Records records, List<Occurrence> prompts) {
    return new WorkingCopy(
        state,
        movingTo,
        language,
        profile,
        lastHabitPrompt,
        preparedPrompt,
        agenda,
        records,
        prompts);
  }
}
