package org.habitline.staff.people;

import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.Tags;
import org.habitline.staff.web.Actor;
import org.jspecify.annotations.Nullable;

/** Shows participants in the REST API, with what is stored or computed beside them. */
@Singleton
public final class ParticipantViews {

  private final Participants participants;
  private final Tags tags;
  private final PeopleSearch search;

  ParticipantViews(Participants participants, Tags tags, PeopleSearch search) {
    this.participants = participants;
    this.tags = tags;
    this.search = search;
  }

  public ParticipantView of(Participant participant) {
    return of(participant, null);
  }

  /** Shows a participant to a caller who may not see the whole phone number. */
  ParticipantView to(Authentication by, Participant participant) {
    return all(by, List.of(participant)).getFirst();
  }

  ParticipantView of(Participant participant, @Nullable List<String> warnings) {
    return all(List.of(participant), true, warnings).getFirst();
  }

  /** Shows the participants of a page of a list. */
  List<ParticipantView> all(Authentication by, List<Participant> page) {
    return all(page, Actor.seesNumbers(by), null);
  }

  private List<ParticipantView> all(
      List<Participant> page, boolean wholeNumbers, @Nullable List<String> warnings) {
    var ids = page.stream().map(Participant::id).toList();
    var fields = participants.fields(ids);
    var tagged = tags.of(ids);
    var figures = search.figures(page);
    return page.stream()
        .map(one ->
            ParticipantView.of(
                one,
                wholeNumbers,
                new ParticipantView.Beside(
                    fields.getOrDefault(one.id(), Map.of()),
                    tagged.getOrDefault(one.id(), List.of()),
                    figures.getOrDefault(one.id(), JdbcPeople.Figures.NONE)),
                warnings))
        .toList();
  }
}
