package org.habitline.staff.people;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
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
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.habitline.conversation.stored.StateReader;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.Channels;
import org.habitline.participants.Participant;
import org.habitline.participants.TimeZones;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Choice;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.StaffSettings;
import org.habitline.staff.web.Times;
import org.habitline.study.figures.Participation;

/** Serves the page that lists and enrols participants. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class PeopleController {

  private static final EnrolmentDesk.Wanted NOTHING =
      new EnrolmentDesk.Wanted(null, null, null, null, null, null, null, null);

  private final EnrolmentDesk desk;
  private final CustomFields fields;
  private final PeopleSearch search;
  private final StateReader states;
  private final FlowCatalog flows;
  private final Channels channels;
  private final PageFrames frames;
  private final StaffSettings settings;
  private final ReadLog reads;

  PeopleController(
      EnrolmentDesk desk,
      CustomFields fields,
      PeopleSearch search,
      StateReader states,
      FlowCatalog flows,
      Channels channels,
      PageFrames frames,
      StaffSettings settings,
      ReadLog reads) {
    this.desk = desk;
    this.fields = fields;
    this.search = search;
    this.states = states;
    this.flows = flows;
    this.channels = channels;
    this.frames = frames;
    this.settings = settings;
    this.reads = reads;
  }

  @Get("/participants")
  @Secured("viewer")
  HttpResponse<?> list(Authentication by, HttpRequest<?> request) {
    var parameters = request.getParameters().asMap(String.class, String.class);
    var wanted = PeopleSearch.Wanted.of(parameters);
    var cursor = parameters.get("cursor");
    try {
      return HttpResponse.ok(view(page(by, wanted, cursor, "", form(List.of(), NOTHING))));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(
              view(
                  page(
                      by,
                      PeopleSearch.Wanted.ANYBODY,
                      null,
                      problem.onPage(),
                      form(List.of(), NOTHING))));
    }
  }

  @Post("/participants")
  @Secured("researcher")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> enrol(Authentication by, @Body Map<String, String> form) {
    var said =
        new EnrolmentDesk.Wanted(
            form.get("phone_number"),
            form.get("name"),
            form.get("gender"),
            form.get("ethnicity"),
            form.get("background"),
            form.get("timezone"),
            form.get("flow"),
            form.get("channel"),
            form.get("consent_version"),
            form.get("language"),
            form.get("study_id"),
            CustomFields.in(form));
    try {
      var enrolled = desk.enrol(Actor.of(by), said);
      return HttpResponse.seeOther(URI.create("/participants/" + enrolled.participant().id()));
    } catch (ApiProblem problem) {
      var all = desk.problems(said);
      return HttpResponse.status(problem.status())
          .body(
              view(
                  page(
                      by,
                      PeopleSearch.Wanted.ANYBODY,
                      null,
                      "",
                      form(all.isEmpty() ? List.of(problem) : all, said))));
    }
  }

  private static ModelAndView<Map<String, Object>> view(PeoplePage page) {
    return new ModelAndView<>("people", Map.of("page", page));
  }

  private PeoplePage page(
      Authentication by,
      PeopleSearch.Wanted wanted,
      @Nullable String cursor,
      String complaint,
      PeoplePage.Form form) {
    if (search.asksForNumber(by, wanted.q())) {
      reads.numberLookedUp(by);
    }
    var found = search.find(wanted, null, cursor, Paging.USUAL);
    var standings = states.standings(found.participants());
    return new PeoplePage(
        frames.frame(
            form.problems().isEmpty() ? "Participants" : "Error: Participants", by, "/events"),
        found.participants().stream()
            .map(one ->
                row(
                    one,
                    Objects.requireNonNull(found.participation().get(one.id())),
                    standings.get(one.id())))
            .toList(),
        filter(wanted),
        complaint,
        cursor,
        found.next() == null ? null : String.valueOf(found.next()),
        form);
  }

  private PeoplePage.Filter filter(PeopleSearch.Wanted wanted) {
    return new PeoplePage.Filter(
        text(wanted.q()),
        text(wanted.participation()),
        text(wanted.status()),
        text(wanted.flow()),
        text(wanted.subState()),
        text(wanted.optedOut()),
        text(wanted.consent()),
        flows.all().stream().map(Flow::id).toList(),
        search.subStates().stream()
            .map(module -> new Choice(module, flows.moduleTitle(module)))
            .toList());
  }

  private static String text(@Nullable String said) {
    return said == null ? "" : said.strip();
  }

  private PeoplePage.Row row(
      Participant participant,
      Participation participation,
      StateReader.@Nullable Standing standing) {
    var at = standing == null ? null : standing.lastMessageAt();
    return new PeoplePage.Row(
        participant.id(),
        participant.name() == null ? "no name" : participant.name(),
        text(participant.studyId()),
        participant.phone().toString(),
        participation,
        participant.optedOut(),
        PeoplePage.consent(participant.consent().state()),
        standing == null ? "" : flows.moduleTitle(participant.flow(), standing.subState()),
        participant.flow(),
        at == null ? "" : at.toString(),
        Times.minutes(at, ZoneOffset.UTC),
        standing != null && standing.answering(),
        standing == null || standing.failure() == null ? "" : standing.failure(),
        standing == null || standing.brake() == null ? "" : standing.brake());
  }

  private PeoplePage.Form form(List<ApiProblem> problems, EnrolmentDesk.Wanted said) {
    return new PeoplePage.Form(
        problems.stream().map(PeoplePage.Problem::of).toList(),
        said,
        List.copyOf(channels.kinds()),
        flows.all().stream().map(Flow::id).toList(),
        flows.defaultFlow().id(),
        flows.all().stream()
            .flatMap(flow -> flow.languages().all().stream())
            .distinct()
            .sorted()
            .toList(),
        Stream.concat(Stream.of("UTC"), TimeZones.ofPlaces().stream()).toList(),
        settings.defaultTimezone(),
        fields.inputs(said.fields(), problems));
  }
}
