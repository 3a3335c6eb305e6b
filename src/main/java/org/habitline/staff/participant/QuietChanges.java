package org.habitline.staff.participant;

import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.habitline.conversation.calls.BetweenTurns;
import org.habitline.conversation.stored.Situation;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.ApiProblem;

/**
 * Makes changes of staff while no turn of the participant runs, so that neither overwrites the
 * other. Each change is one transaction.
 */
@Singleton
final class QuietChanges {

  private static final Duration A_MOMENT = Duration.ofSeconds(5);

  private final EnrolmentDesk desk;
  private final BetweenTurns between;

  QuietChanges(EnrolmentDesk desk, BetweenTurns between) {
    this.desk = desk;
    this.between = between;
  }

  /**
   * Makes a change. What it throws rolls everything back.
   *
   * @throws ApiProblem 404 if there is no such participant, 409 if a turn did not end in time
   */
  <R> R make(String id, Function<Participant, R> change) {
    return make(id, (participant, _) -> change.apply(participant));
  }

  /**
   * Makes a change that reads the state of the conversation.
   *
   * @throws ApiProblem 404 if there is no such participant, 409 if a turn did not end in time
   */
  <R> R make(String id, BiFunction<Participant, Situation, R> change) {
    desk.participant(id);
    return switch (between.run(id, situation -> change.apply(desk.participant(id), situation))) {
      case BetweenTurns.Ran.Done(var result) -> result;
      case BetweenTurns.Ran.Busy() ->
          throw soon("The coach is writing to this participant right now.");
      case BetweenTurns.Ran.Gone() -> throw ApiProblem.noParticipant();
    };
  }

  /** Returns the 409 for a change that is possible again in a few seconds. */
  static ApiProblem soon(String why) {
    return new ApiProblem(
        HttpStatus.CONFLICT, why + " Nothing was changed; try again in a few seconds.", A_MOMENT);
  }
}
