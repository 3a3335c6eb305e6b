package org.habitline.staff;

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
import java.util.Map;
import java.util.UUID;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;

/** The phone of a participant that is only drawn: to text from, as them. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class SimulatorPageController {

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

  @Get("/participants/{id}/simulator")
  HttpResponse<?> simulator(Authentication by, String id) {
    return HttpResponse.ok(view(by, desk.participant(id), ""));
  }

  /** What is new on the phone since the message at a place. */
  @Get("/participants/{id}/simulator/news")
  HttpResponse<?> news(String id, @QueryValue(defaultValue = "0") long after) {
    var participant = desk.participant(id);
    return HttpResponse.ok(
        new ModelAndView<>(
            "screen",
            Map.of(
                "phone",
                pages.phone(participant, after),
                "fates",
                pages.fates(participant, after),
                "id",
                id)));
  }

  /** Texts from the phone; what is new is fetched with {@link #news} by whoever sent it. */
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
          ? sent(problem.sentence()).header("HX-Trigger", "refused")
          : HttpResponse.status(problem.status()).body(view(by, participant, problem.sentence()));
    }
    return live
        ? sent("").header("HX-Trigger", "live")
        : HttpResponse.seeOther(URI.create(address(id)));
  }

  private static MutableHttpResponse<?> sent(String complaint) {
    return HttpResponse.ok(
        new ModelAndView<>("sent", Map.of("textId", newTextId(), "complaint", complaint)));
  }

  private ModelAndView<Map<String, Object>> view(
      Authentication by, Participant participant, String complaint) {
    var id = participant.id();
    var name = ParticipantPages.name(participant);
    var page =
        new SimulatorPage(
            frames.frame("Phone of " + name, by, "/events?participant=" + id, address(id)),
            id,
            name,
            participant.phone().toString(),
            ParticipantPages.channel(participant),
            participant.channel() == ChannelKind.SIMULATOR,
            participant.zone().getId(),
            participant.zoneAssumed(),
            pages.phone(participant, 0),
            newTextId(),
            complaint);
    return new ModelAndView<>("simulator", Map.of("page", page));
  }

  private static String address(String id) {
    return "/participants/" + id + "/simulator";
  }

  /** A new id for the next text. */
  private static String newTextId() {
    return UUID.randomUUID().toString();
  }
}
