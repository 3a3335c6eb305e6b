package org.habitline.staff.participant;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Times;

/** Serves the pages of simulated phones, from which staff can text as the participant. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class SimulatorPageController {

  private static final String ALL = "/simulator";

  /** The notice for each result of repeating a text. */
  private static final Map<String, String> NOTICES =
      Map.of(
          "repeated",
          "The last text was sent again with the same id. The service recognised the"
              + " repetition and ignored it.",
          "stored",
          "The last text was sent again, and the service treats it as new.");

  private final EnrolmentDesk desk;
  private final PhoneDesk phone;
  private final ParticipantPages pages;
  private final PageFrames frames;

  SimulatorPageController(
      EnrolmentDesk desk, PhoneDesk phone, ParticipantPages pages, PageFrames frames) {
    this.desk = desk;
    this.phone = phone;
    this.pages = pages;
    this.frames = frames;
  }

  @Get(ALL)
  @Secured("viewer")
  HttpResponse<?> all(Authentication by, @QueryValue @Nullable String cursor) {
    var found = phone.phones(Paging.before(cursor), Paging.USUAL);
    var page =
        new SimulatorPage.All(
            frames.frame("Simulated phones", by, null, ALL),
            found.participants().stream().map(this::row).toList(),
            found.next() == null ? "" : String.valueOf(found.next()));
    return HttpResponse.ok(new ModelAndView<>("phones", Map.of("page", page)));
  }

  private SimulatorPage.Row row(Participant participant) {
    return new SimulatorPage.Row(
        participant.id(),
        ParticipantPages.name(participant),
        participant.phone().toString(),
        pages.participation(participant).title(),
        Times.minutes(participant.enrolledAt(), ZoneOffset.UTC));
  }

  @Get("/participants/{id}/simulator")
  @Secured("viewer")
  HttpResponse<?> simulator(Authentication by, String id, @QueryValue @Nullable String duplicate) {
    var notice = NOTICES.getOrDefault(Objects.requireNonNullElse(duplicate, ""), "");
    return HttpResponse.ok(view(by, desk.participant(id), notice, ""));
  }

  /** Returns what is new on the phone since the message with this sequence number. */
  @Get("/participants/{id}/simulator/news")
  @Secured("viewer")
  HttpResponse<?> news(Authentication by, String id, @QueryValue(defaultValue = "0") long after) {
    var participant = desk.participant(id);
    return HttpResponse.ok(
        new ModelAndView<>(
            "ringing",
            Map.of(
                "phone",
                pages.phone(by, participant, after),
                "about",
                pages.about(by, participant, after),
                "debug",
                phone.debugged(participant),
                "faults",
                phone.faults(participant),
                "id",
                id)));
  }

  /** Sends a text from the phone. The page then fetches what is new with {@link #news}. */
  @Post("/participants/{id}/simulator/texts")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> text(
      Authentication by, HttpRequest<?> request, String id, @Body Map<String, String> form) {
    var live = request.getHeaders().contains("HX-Request");
    var participant = desk.participant(id);
    try {
      phone.text(participant, form.get("text"), form.get("id"));
    } catch (ApiProblem problem) {
      return live
          ? sent(problem.onPage()).header("HX-Trigger", "refused")
          : complaint(by, participant, problem);
    }
    return live ? sent("").header("HX-Trigger", "live") : toPhone(id);
  }

  private static MutableHttpResponse<?> sent(String complaint) {
    return HttpResponse.ok(
        new ModelAndView<>("sent", Map.of("textId", newTextId(), "complaint", complaint)));
  }

  /** Delivers the last text again under the same id. */
  @Post("/participants/{id}/simulator/duplicate")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> duplicate(Authentication by, String id) {
    var participant = desk.participant(id);
    return orComplaint(
        by,
        participant,
        () ->
            HttpResponse.seeOther(
                URI.create(address(id) + "?duplicate=" + phone.duplicate(participant))));
  }

  /** Makes the next message to the phone fail or arrive late. */
  @Post("/participants/{id}/simulator/faults")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> fault(Authentication by, String id, @Body Map<String, String> form) {
    var participant = desk.participant(id);
    return orComplaint(
        by,
        participant,
        () -> {
          phone.breakNext(Actor.of(by), participant, form.get("what"));
          return HttpResponse.seeOther(URI.create(address(id) + "#faults-title"));
        });
  }

  private HttpResponse<?> orComplaint(
      Authentication by, Participant participant, Supplier<HttpResponse<?>> act) {
    try {
      return act.get();
    } catch (ApiProblem problem) {
      return complaint(by, participant, problem);
    }
  }

  private HttpResponse<?> complaint(
      Authentication by, Participant participant, ApiProblem problem) {
    return HttpResponse.status(problem.status()).body(view(by, participant, "", problem.onPage()));
  }

  private ModelAndView<Map<String, Object>> view(
      Authentication by, Participant participant, String notice, String complaint) {
    var id = participant.id();
    var name = ParticipantPages.name(participant);
    var page =
        new SimulatorPage(
            frames.frame("Phone of " + name, by, "/events?participant=" + id, address(id)),
            id,
            name,
            participant.phone().toString(),
            participant.channel().title(),
            PhoneDesk.isSimulated(participant),
            participant.zone().getId(),
            participant.zoneAssumed(),
            pages.phone(by, participant, 0),
            pages.about(by, participant, 0),
            phone.debugged(participant),
            phone.faults(participant),
            newTextId(),
            notice,
            complaint);
    return new ModelAndView<>("simulator", Map.of("page", page));
  }

  private static HttpResponse<?> toPhone(String id) {
    return HttpResponse.seeOther(URI.create(address(id)));
  }

  private static String address(String id) {
    return "/participants/" + id + "/simulator";
  }

  private static String newTextId() {
    return UUID.randomUUID().toString();
  }
}
