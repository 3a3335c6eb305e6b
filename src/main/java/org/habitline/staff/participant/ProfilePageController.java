package org.habitline.staff.participant;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.habitline.conversation.stored.StateReader;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.FieldType;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.ProfileField;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Times;
import org.habitline.tools.Profile;

/** Serves the page on which staff change a participant's profile. */
@Hidden
@Controller("/participants/{id}/profile")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
final class ProfilePageController {

  private static final int HISTORY = 50;

  /** Texts that may be longer than this get several lines. */
  private static final int ONE_LINE = 100;

  private final ProfileDesk desk;
  private final EnrolmentDesk people;
  private final StateReader states;
  private final FlowCatalog flows;
  private final PageFrames frames;
  private final ReadLog reads;

  ProfilePageController(
      ProfileDesk desk,
      EnrolmentDesk people,
      StateReader states,
      FlowCatalog flows,
      PageFrames frames,
      ReadLog reads) {
    this.desk = desk;
    this.people = people;
    this.states = states;
    this.flows = flows;
    this.frames = frames;
    this.reads = reads;
  }

  @Get
  HttpResponse<?> page(Authentication by, String id) {
    return HttpResponse.ok(page(by, people.participant(id), Map.of(), List.of(), ""));
  }

  @Post
  HttpResponse<?> change(Authentication by, String id, @Body Map<String, String> form) {
    var participant = people.participant(id);
    try {
      return done(by, id, form, desk.change(Actor.of(by), id, desk.wanted(participant, form)));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(page(by, participant, form, List.of(), problem.onPage()));
    }
  }

  /** Gives a field the value back that it had before a change. */
  @Post("/restore")
  HttpResponse<?> restore(Authentication by, String id, @Body Map<String, String> form) {
    var participant = people.participant(id);
    try {
      return done(
          by,
          id,
          Map.of(),
          desk.restore(Actor.of(by), id, change(form.getOrDefault("change", "")), null));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(page(by, participant, Map.of(), List.of(), problem.onPage()));
    }
  }

  private static long change(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw ApiProblem.bad("change: expected the number of a change.");
    }
  }

  private HttpResponse<?> done(
      Authentication by, String id, Map<String, String> form, ProfileDesk.Outcome outcome) {
    return switch (outcome) {
      case ProfileDesk.Outcome.Saved(var _, var notes) when notes.isEmpty() ->
          HttpResponse.seeOther(URI.create("/participants/" + id + "/profile"));
      case ProfileDesk.Outcome.Saved(var _, var notes) ->
          HttpResponse.ok(
              page(
                  by,
                  people.participant(id),
                  Map.of(),
                  List.of(),
                  "",
                  "Saved. " + String.join(" ", notes).replace('_', ' ')));
      case ProfileDesk.Outcome.Refused(var problems) ->
          HttpResponse.status(HttpStatus.BAD_REQUEST)
              .body(
                  page(
                      by,
                      people.participant(id),
                      form,
                      problems,
                      form.isEmpty()
                          ? problems.stream()
                              .map(ApiProblem::onPage)
                              .collect(Collectors.joining(" "))
                          : "Nothing was saved. Correct the fields that are marked."));
    };
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by,
      Participant participant,
      Map<String, String> form,
      List<ApiProblem> problems,
      String complaint) {
    return page(by, participant, form, problems, complaint, "");
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by,
      Participant participant,
      Map<String, String> form,
      List<ApiProblem> problems,
      String complaint,
      String notes) {
    reads.conversation(by, participant.id());
    var flow = flows.flow(participant.flow());
    var stored = states.storedProfile(participant);
    var fields = desk.fields(participant);
    var page =
        new ProfilePage(
            frames.frame("Profile", by, null),
            participant.id(),
            ParticipantPages.name(participant),
            participant.zone().getId(),
            none(flow, stored),
            flow.map(Flow::dailyPrompt)
                .map(DailyPrompt::time)
                .map(ProfileField::name)
                .map(ParticipantPages::label)
                .orElse(""),
            states.preparedPrompt(participant.id()).isPresent(),
            stored.stream()
                .flatMap(profile ->
                    fields.stream()
                        .map(field -> input(flow.orElseThrow(), field, profile, form, problems)))
                .toList(),
            stored.stream().flatMap(profile -> unused(fields, profile).stream()).toList(),
            history(participant, fields),
            form.getOrDefault("reason", ""),
            complaint,
            notes);
    return new ModelAndView<>("profile-change", Map.of("page", page));
  }

  private static String none(Optional<Flow> flow, Optional<Profile> stored) {
    if (flow.isEmpty()) {
      return "The flow of this participant no longer exists, so the profile cannot be changed.";
    }
    if (stored.isEmpty()) {
      return "What is stored about the participant cannot be read.";
    }
    return flow.get().profile().isEmpty() ? "The flow of this participant keeps no profile." : "";
  }

  private static List<ParticipantPage.Field> unused(List<ProfileField> fields, Profile profile) {
    var known = fields.stream().map(ProfileField::name).toList();
    return profile.fields().entrySet().stream()
        .filter(it -> !known.contains(it.getKey()))
        .map(it ->
            new ParticipantPage.Field(
                ParticipantPages.label(it.getKey()), ParticipantPages.shown(it.getValue()), false))
        .toList();
  }

  private static ProfilePage.Input input(
      Flow flow,
      ProfileField field,
      Profile profile,
      Map<String, String> form,
      List<ApiProblem> problems) {
    var now = ProfileDesk.stored(profile, field.name());
    var seen = ProfileTexts.tidy(form.getOrDefault(ProfileDesk.SEEN + field.name(), now));
    var entered = form.getOrDefault(ProfileDesk.FIELD + field.name(), now);
    var problem = ProfileDesk.beside(problems, field.name());
    // What was not touched shows what is stored now; a problem was shown with the value of now.
    var touched = !ProfileTexts.tidy(entered).equals(seen);
    return new ProfilePage.Input(
        field.name(),
        ParticipantPages.label(field.name()),
        hint(flow, field),
        control(field.type()),
        touched ? entered : now,
        touched && problem.isEmpty() ? seen : now,
        choices(field.type()),
        problem);
  }

  private static ProfilePage.Control control(FieldType type) {
    return switch (type) {
      case FieldType.Text(var _, var longest) ->
          longest > ONE_LINE ? ProfilePage.Control.AREA : ProfilePage.Control.LINE;
      case FieldType.Choice _, FieldType.Truth _ -> ProfilePage.Control.CHOICE;
      case FieldType.WholeNumber _, FieldType.Decimal _ -> ProfilePage.Control.NUMBER;
      case FieldType.Date _ -> ProfilePage.Control.DATE;
      case FieldType.Texts _, FieldType.Entries _ -> ProfilePage.Control.AREA;
    };
  }

  private static List<String> choices(FieldType type) {
    return switch (type) {
      case FieldType.Choice(var values) -> values;
      case FieldType.Truth _ -> List.of("true", "false");
      default -> List.of();
    };
  }

  /** Returns what the field means, what is accepted, and whether the coach needs it. */
  private static String hint(Flow flow, ProfileField field) {
    var parts = new ArrayList<String>();
    if (!field.description().isBlank()) {
      parts.add(field.description().strip());
    }
    switch (field.type()) {
      case FieldType.Text(var _, var longest) ->
          parts.add("At most %d characters.".formatted(longest));
      case FieldType.WholeNumber(var least, var most) ->
          parts.add("A whole number from %d to %d.".formatted(least, most));
      case FieldType.Decimal(var least, var most) ->
          parts.add(
              "A number from %s to %s.".formatted(least.toPlainString(), most.toPlainString()));
      case FieldType.Texts(var most, var longest) ->
          parts.add(
              "One on each line, at most %d, each of at most %d characters."
                  .formatted(most, longest));
      case FieldType.Entries(var most, var _, var longest) ->
          parts.add(
              "One on each line with its date, such as 2026-11-21: tried it before lunch. At most %d, each of at most %d characters."
                  .formatted(most, longest));
      case FieldType.Choice _, FieldType.Truth _, FieldType.Date _ -> {}
    }
    if (field.requiredForPrompt() && flow.promptGenerator() != null) {
      parts.add("Needed for a daily prompt.");
    } else if (field.required() || field.requiredForPrompt()) {
      parts.add("Required.");
    }
    var usual = field.defaultValue();
    if (usual != null) {
      parts.add("If empty: " + ProfileTexts.shown(usual) + ".");
    }
    if (!field.archives().isEmpty()) {
      parts.add(
          "If you change it, these fields are emptied: "
              + String.join(", ", field.archives()).replace('_', ' ')
              + ".");
    }
    if (field.flag() != null) {
      parts.add("Once this is true, it stays true.");
    }
    return String.join(" ", parts);
  }

  /** The tone, and the stamps of completed parts, are no values that staff enter. */
  private static boolean isOfField(StateReader.ProfileChange change) {
    return !change.field().equals("tone") && !change.field().startsWith("completed_at.");
  }

  private List<ProfilePage.Past> history(Participant participant, List<ProfileField> fields) {
    var known = fields.stream().map(ProfileField::name).toList();
    return states.profileChanges(participant.id()).reversed().stream()
        .filter(ProfilePageController::isOfField)
        .limit(HISTORY)
        .map(change ->
            new ProfilePage.Past(
                change.seq(),
                ParticipantPages.label(change.field()),
                ParticipantPages.shown(change.before()),
                ParticipantPages.shown(change.after()),
                Times.minutes(change.changedAt(), participant.zone()),
                Objects.requireNonNullElse(change.changedBy(), ""),
                Objects.requireNonNullElse(change.turn(), 0),
                known.contains(change.field())))
        .toList();
  }
}
