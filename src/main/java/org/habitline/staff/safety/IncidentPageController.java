package org.habitline.staff.safety;

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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Idempotency;
import org.jspecify.annotations.Nullable;

/** Serves the pages about safety incidents and handles their forms. */
@Hidden
@Controller("/safety")
@Secured("safety")
@Produces(MediaType.TEXT_HTML)
final class IncidentPageController {

  private final IncidentPages pages;
  private final IncidentReader reader;
  private final IncidentDesk desk;
  private final AlertTestDesk tests;
  private final Idempotency idempotency;

  IncidentPageController(
      IncidentPages pages,
      IncidentReader reader,
      IncidentDesk desk,
      AlertTestDesk tests,
      Idempotency idempotency) {
    this.pages = pages;
    this.reader = reader;
    this.desk = desk;
    this.tests = tests;
    this.idempotency = idempotency;
  }

  @Get
  ModelAndView<Map<String, Object>> list(Authentication by) {
    return new ModelAndView<>("incidents", Map.of("page", pages.list(by, "")));
  }

  /** Sends a test alert, and returns to the list. */
  @Post("/tests")
  @Consumes(MediaType.ALL)
  HttpResponse<?> test(Authentication by) {
    return tested(by, () -> tests.start(Actor.of(by)));
  }

  @Post("/tests/{id}/acknowledge")
  @Consumes(MediaType.ALL)
  HttpResponse<?> acknowledgeTest(Authentication by, String id) {
    return tested(by, () -> tests.acknowledge(Actor.of(by), id));
  }

  private HttpResponse<?> tested(Authentication by, Runnable act) {
    try {
      act.run();
      return HttpResponse.seeOther(URI.create("/safety"));
    } catch (ApiProblem problem) {
      if (problem.status() == HttpStatus.NOT_FOUND) {
        throw problem;
      }
      return HttpResponse.status(problem.status())
          .body(
              new ModelAndView<>("incidents", Map.of("page", pages.list(by, problem.sentence()))));
    }
  }

  @Get("/{id}")
  ModelAndView<Map<String, Object>> incident(Authentication by, String id) {
    return view(by, id, null);
  }

  @Post("/{id}/acknowledge")
  @Consumes(MediaType.ALL)
  HttpResponse<?> acknowledge(Authentication by, String id) {
    return done(by, id, "", Map.of(), () -> desk.acknowledge(Actor.of(by), id));
  }

  /** Adds what staff did, once even if the form is submitted several times. */
  @Post("/{id}/entries")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> add(Authentication by, String id, @Body Map<String, String> form) {
    var kind = form.getOrDefault("kind", "");
    var note = form.getOrDefault("note", "");
    return done(
        by,
        id,
        IncidentPages.ENTRY,
        form,
        () ->
            idempotency.once(
                new Idempotency.Key(
                    by.getName(),
                    "form " + form.getOrDefault("id", UUID.randomUUID().toString()),
                    List.of(id, kind, note).toString()),
                () -> {
                  desk.add(Actor.of(by), id, kind, note);
                  return new Idempotency.Answer(
                      Objects.requireNonNullElse(reader.incident(id).participantId(), id),
                      HttpStatus.CREATED.getCode(),
                      "",
                      false);
                }));
  }

  @Post("/{id}/release")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> release(Authentication by, String id, @Body Map<String, String> form) {
    return done(
        by,
        id,
        IncidentPages.RELEASE,
        form,
        () ->
            desk.release(
                Actor.of(by),
                id,
                new IncidentDesk.Release(
                    form.get("outcome"), form.get("note"), form.get("message"))));
  }

  /**
   * Carries out the change and returns to the page of the incident, with the error message beside
   * its field if the change was refused.
   *
   * @param named the name of the form, with which the ids of its fields begin
   */
  private HttpResponse<?> done(
      Authentication by, String id, String named, Map<String, String> form, Runnable act) {
    try {
      act.run();
      return HttpResponse.seeOther(URI.create("/safety/" + id));
    } catch (ApiProblem problem) {
      if (problem.status() == HttpStatus.NOT_FOUND) {
        throw problem;
      }
      return HttpResponse.status(problem.status())
          .body(view(by, id, new IncidentPages.Refused(named, form, problem)));
    }
  }

  private ModelAndView<Map<String, Object>> view(
      Authentication by, String id, IncidentPages.@Nullable Refused refused) {
    return new ModelAndView<>("incident", Map.of("page", pages.page(by, id, refused)));
  }
}
