package org.habitline.staff.participant;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
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
import java.util.List;
import java.util.Map;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.staff.people.CustomFields;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.ReadLog;

/** Serves the page of one participant: the conversation and the explanation of each reply. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class ParticipantPageController {

  /** The word that staff type to confirm an erasure. */
  private static final String ERASE = "erase";

  private final EnrolmentDesk desk;
  private final ParticipantPages pages;
  private final Explanations explanations;
  private final PromptTexts texts;
  private final PageFrames frames;
  private final ReadLog reads;

  ParticipantPageController(
      EnrolmentDesk desk,
      ParticipantPages pages,
      Explanations explanations,
      PromptTexts texts,
      PageFrames frames,
      ReadLog reads) {
    this.desk = desk;
    this.pages = pages;
    this.explanations = explanations;
    this.texts = texts;
    this.frames = frames;
    this.reads = reads;
  }

  @Get("/participants/{id}")
  @Secured("viewer")
  HttpResponse<?> participant(Authentication by, String id) {
    return HttpResponse.ok(view("participant", pages.page(by, desk.participant(id), "")));
  }

  /** Returns what is new on the page since the message with this sequence number. */
  @Get("/participants/{id}/news")
  @Secured("viewer")
  HttpResponse<?> news(Authentication by, String id, @QueryValue(defaultValue = "0") long after) {
    var participant = desk.participant(id);
    var phone = pages.phone(by, participant, after);
    return HttpResponse.ok(
        new ModelAndView<>(
            "news",
            Map.of("phone", phone, "about", pages.about(by, participant, after), "id", id)));
  }

  @Post("/participants/{id}/status")
  @Secured("researcher")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> status(Authentication by, String id, @Body Map<String, String> form) {
    desk.change(
        Actor.of(by),
        id,
        new EnrolmentDesk.WantedChange(
            null,
            null,
            null,
            null,
            null,
            form.get("status"),
            form.get("reason"),
            form.get("consent_version"),
            form.get("language"),
            null,
            Map.of()));
    return toPage(id);
  }

  /** Changes the study id and the study's own fields. */
  @Post("/participants/{id}/study")
  @Secured("researcher")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> study(Authentication by, String id, @Body Map<String, String> form) {
    var wanted =
        EnrolmentDesk.WantedChange.ofStudy(
            form.get("study_id"), CustomFields.in(form), form.get("reason"));
    try {
      desk.change(Actor.of(by), id, wanted);
      return toPage(id);
    } catch (ApiProblem problem) {
      var participant = desk.participant(id);
      var all = desk.problems(id, wanted);
      return HttpResponse.status(problem.status())
          .body(
              view(
                  "participant",
                  pages.page(by, participant, wanted, all.isEmpty() ? List.of(problem) : all)));
    }
  }

  @Post("/participants/{id}/number")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> number(Authentication by, String id, @Body Map<String, String> form) {
    try {
      var changed =
          desk.changeNumber(Actor.of(by), id, form.get("phone_number"), form.get("reason"));
      return changed.warnings().isEmpty()
          ? toPage(id)
          : HttpResponse.ok(
              view(
                  "participant",
                  pages.page(by, changed.participant(), String.join(" ", changed.warnings()))));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(view("participant", pages.page(by, desk.participant(id), problem.onPage())));
    }
  }

  /**
   * Shows the whole phone number. Not a GET, because each view is written to the audit log and
   * another site must not be able to trigger one.
   */
  @Post("/participants/{id}/number/show")
  @Consumes(MediaType.ALL)
  HttpResponse<?> showNumber(Authentication by, String id) {
    return HttpResponse.ok(
        view("participant", pages.withNumber(by, desk.showNumber(Actor.of(by), id))));
  }

  @Post("/participants/{id}/erase")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> erase(Authentication by, String id, @Body Map<String, String> form) {
    if (!form.getOrDefault("confirmation", "").strip().equalsIgnoreCase(ERASE)) {
      return HttpResponse.badRequest(
          view(
              "participant",
              pages.page(by, desk.participant(id), "Nothing was erased. Type erase to confirm.")));
    }
    desk.erase(Actor.of(by), id, form.containsKey("keep_transcript"), form.get("reason"));
    return HttpResponse.seeOther(URI.create("/participants"));
  }

  @Get("/participants/{id}/turns/{number}")
  @Secured("viewer")
  HttpResponse<?> why(Authentication by, HttpRequest<?> request, String id, int number) {
    var participant = desk.participant(id);
    reads.conversation(by, participant.id());
    var page =
        explanations.why(
            frames.frame("Why this reply?", by, null),
            participant,
            number,
            Actor.seesIncidents(by));
    return HttpResponse.ok(
        view(request.getHeaders().contains("HX-Request") ? "explanation" : "why", page));
  }

  @Get("/prompts/{sha256}/text")
  @Secured("viewer")
  HttpResponse<?> prompt(Authentication by, String sha256) {
    var text =
        texts
            .find(sha256)
            .orElseThrow(
                () -> ApiProblem.notFound("No turn used a prompt file with this SHA-256."));
    return HttpResponse.ok(
        new ModelAndView<>(
            "prompt", Map.of("frame", frames.frame(text.file(), by, null), "prompt", text)));
  }

  private static HttpResponse<?> toPage(String id) {
    return HttpResponse.seeOther(URI.create("/participants/" + id));
  }

  private static ModelAndView<Map<String, Object>> view(String template, Object page) {
    return new ModelAndView<>(template, Map.of("page", page));
  }
}
