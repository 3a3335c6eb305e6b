package org.habitline.staff.bulk;

import io.micronaut.http.HttpResponse;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Gatherers;
import org.habitline.conversation.stored.StateReader;
import org.habitline.participants.Participant;
import org.habitline.participants.Tags;
import org.habitline.staff.people.PeopleSearch;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Csv;
import org.habitline.staff.web.ReadLog;
import org.habitline.study.figures.Participation;
import org.jspecify.annotations.Nullable;

/** Writes chosen participants of the list as a table, and records who downloaded it. */
@Singleton
final class SelectionExport {

  private static final int AT_ONCE = 500;

  private static final List<String> COLUMNS =
      List.of(
          "id",
          "name",
          "study_id",
          "phone_number",
          "participation",
          "status",
          "opted_out",
          "consent",
          "flow",
          "sub_state",
          "tags",
          "channel",
          "timezone",
          "enrolled_at",
          "last_message_at");

  private final PeopleSearch people;
  private final StateReader states;
  private final Tags tags;
  private final ReadLog reads;

  SelectionExport(PeopleSearch people, StateReader states, Tags tags, ReadLog reads) {
    this.people = people;
    this.states = states;
    this.tags = tags;
    this.reads = reads;
  }

  /**
   * Returns the answer that downloads the participants in the order of the ids; phone numbers are
   * whole only for those who may see them. Those who were erased meanwhile are left out.
   *
   * @throws ApiProblem 400 if nobody is chosen, or too many
   */
  HttpResponse<?> file(Authentication by, List<String> ids) {
    var wanted = new LinkedHashSet<>(ids).stream().filter(it -> it.indexOf('\0') < 0).toList();
    if (wanted.isEmpty()) {
      throw ApiProblem.bad("participants: none selected; select at least one participant.");
    }
    if (wanted.size() > BulkDesk.MOST) {
      throw ApiProblem.bad("participants: too many; at most 10,000 are accepted at once.");
    }
    var lines =
        wanted.stream()
            .gather(Gatherers.windowFixed(AT_ONCE))
            .flatMap(some -> lines(by, some).stream())
            .toList();
    reads.exported(by, lines.size());
    return Csv.file("participants.csv", COLUMNS, lines);
  }

  private List<List<@Nullable Object>> lines(Authentication by, List<String> ids) {
    var found = people.these(ids);
    var standings = states.standings(found.participants());
    var tagged = tags.of(ids);
    return found.participants().stream()
        .map(participant ->
            line(
                by,
                participant,
                found.participation().get(participant.id()),
                standings.get(participant.id()),
                String.join("; ", tagged.getOrDefault(participant.id(), List.of()))))
        .toList();
  }

  private static List<@Nullable Object> line(
      Authentication by,
      Participant participant,
      @Nullable Participation participation,
      StateReader.@Nullable Standing standing,
      String tagged) {
    var line = new ArrayList<@Nullable Object>();
    line.add(participant.id());
    line.add(participant.name());
    line.add(participant.studyId());
    line.add(Actor.seesNumbers(by) ? participant.phone().e164() : participant.phone().masked());
    line.add(participation == null ? "" : participation.word());
    line.add(participant.status().word());
    line.add(participant.optedOut());
    line.add(participant.consent().state().word());
    line.add(participant.flow());
    line.add(standing == null ? "" : standing.subState());
    line.add(tagged);
    line.add(participant.channel().word());
    line.add(participant.zone());
    line.add(participant.enrolledAt());
    line.add(standing == null ? null : standing.lastMessageAt());
    return line;
  }
}
