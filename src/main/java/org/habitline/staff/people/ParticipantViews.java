package org.habitline.staff.people;

import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Actor;
import org.jspecify.annotations.Nullable;

/** Shows participants in the REST API, with the values of the study's own fields. */
@Singleton
public final class ParticipantViews {

  private final Participants participants;

  ParticipantViews(Participants participants) {
    this.participants = participants;
  }

  public ParticipantView of(Participant participant) {
    return of(participant, null);
  }

  /** Shows a participant to a caller who may not see the whole phone number. */
  ParticipantView to(Authentication by, Participant participant) {
    return ParticipantView.of(
        participant, Actor.seesNumbers(by), participants.fields(participant.id()), null);
  }

  ParticipantView of(Participant participant, @Nullable List<String> warnings) {
    return ParticipantView.of(participant, true, participants.fields(participant.id()), warnings);
  }

  /** Shows the participants of a page of a list. */
  List<ParticipantView> all(Authentication by, List<Participant> page) {
    var whole = Actor.seesNumbers(by);
    var fields = participants.fields(page.stream().map(Participant::id).toList());
    return page.stream()
        .map(one -> ParticipantView.of(one, whole, fields.getOrDefault(one.id(), Map.of()), null))
        .toList();
  }
}
