package org.habitline.staff.people;

import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
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

  ParticipantView of(Participant participant, @Nullable List<String> warnings) {
    return ParticipantView.of(participant, participants.fields(participant.id()), warnings);
  }

  /** Shows the participants of a page of a list. */
  List<ParticipantView> all(List<Participant> page) {
    var fields = participants.fields(page.stream().map(Participant::id).toList());
    return page.stream()
        .map(one -> ParticipantView.of(one, fields.getOrDefault(one.id(), Map.of()), null))
        .toList();
  }
}
