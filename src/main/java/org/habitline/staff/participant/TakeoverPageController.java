package org.habitline.staff.participant;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
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
import java.util.UUID;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Flag;
import org.habitline.staff.web.Idempotency;
import org.habitline.staff.web.PageFrames;
import org.jspecify.annotations.Nullable;

/** Handles the forms with which staff take over a conversation or send a message again. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class TakeoverPageController {

  /** The choice that leaves replies paused. */
  private static final String KEEP = "keep";

  private static final int USUAL_PAUSE_MINUTES = 60;

  private final TakeoverDesk stepIn;
  private final ResendDesk resends;
  private final OutcomeDesk outcomes;
  private final EnrolmentDesk desk;
  private final ParticipantPages pages;
  private final Idempotency idempotency;

  TakeoverPageController(
      TakeoverDesk stepIn,
      ResendDesk resends,
      OutcomeDesk outcomes,
      EnrolmentDesk desk,
      ParticipantPages pages,
      Idempotency idempotency) {
    this.stepIn = stepIn;
    this.resends = resends;
    this.outcomes = outcomes;
    this.desk = desk;
    this.pages = pages;
    this.idempotency = idempotency;
  }

  /** Sends a message to the participant, once even if the form is submitted several times. */
  @Post("/participants/{id}/messages")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> write(Authentication by, String id, @Body Map<String, String> form) {
    return done(
        by,
        id,
        "#staff-form",
        form.getOrDefault("text", ""),
        () ->
            idempotency.once(
                new Idempotency.Key(
                    by.getName(),
                    "form " + form.getOrDefault("id", UUID.randomUUID().toString()),
                    List.of(id, form.getOrDefault("text", "")).toString()),
                () -> {
                  var written = stepIn.write(Actor.of(by), id, form.get("text"), pause(id, form));
                  return new Idempotency.Answer(
                      id, HttpStatus.CREATED.getCode(), written.messageId(), false);
                }));
  }

  /** Sends a message again that did not arrive. */
  @Post("/participants/{id}/deliveries/{delivery}/resend")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> resend(
      Authentication by,
      String id,
      String delivery,
      @QueryValue("even_if_arrived") @Nullable String evenIfArrived) {
    return done(
        by,
        id,
        () -> {
          var _ =
              resends.resend(Actor.of(by), id, delivery, Flag.of("even_if_arrived", evenIfArrived));
        });
  }

  @Post("/participants/{id}/mute")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> mute(Authentication by, String id, @Body Map<String, String> form) {
    return done(
        by, id, () -> stepIn.mute(Actor.of(by), id, minutes(form, "minutes"), form.get("reason")));
  }

  @Post("/participants/{id}/state")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> force(Authentication by, String id, @Body Map<String, String> form) {
    return done(
        by, id, () -> stepIn.force(Actor.of(by), id, form.get("state"), form.get("reason")));
  }

  @Post("/participants/{id}/outcome")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> outcome(Authentication by, String id, @Body Map<String, String> form) {
    return done(
        by,
        id,
        () -> {
          var _ =
              outcomes.record(
                  Actor.of(by), id, form.get("date"), null, form.get("outcome"), form.get("note"));
        });
  }

  @Post("/participants/{id}/debug")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> debug(Authentication by, String id, @Body Map<String, String> form) {
    return done(by, id, () -> change(by, id, form));
  }

  /** Switches debug messages for all participants, then returns to the page with the form. */
  @Post("/debug/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> debugAll(Authentication by, @Body Map<String, String> form) {
    change(by, null, form);
    return HttpResponse.seeOther(PageFrames.back(form));
  }

  private void change(Authentication by, @Nullable String id, Map<String, String> form) {
    if (Flag.of("enabled", form.get("enabled"))) {
      stepIn.debug(Actor.of(by), id, minutes(form, "minutes"), form.get("reason"));
    } else {
      stepIn.endDebug(Actor.of(by), id, form.get("reason"));
    }
  }

  /**
   * Returns for how many minutes automatic replies pause, or {@code null} to leave that unchanged.
   * If neither a takeover nor an incident pauses replies any more, although they were to stay
   * paused, a takeover of 60 minutes begins, so that they do not resume unnoticed.
   */
  private @Nullable Integer pause(String id, Map<String, String> form) {
    if (!KEEP.equals(form.get("mute_minutes"))) {
      return minutes(form, "mute_minutes");
    }
    return stepIn.paused(id) ? null : USUAL_PAUSE_MINUTES;
  }

  private static @Nullable Integer minutes(Map<String, String> form, String field) {
    var said = form.getOrDefault(field, "").strip();
    if (said.isEmpty()) {
      return null;
    }
    try {
      return Integer.valueOf(said);
    } catch (NumberFormatException e) {
      throw ApiProblem.bad(field + ": expected a whole number.");
    }
  }

  /**
   * Carries out the change and returns to the participant's page, with the error message if it was
   * refused.
   */
  private HttpResponse<?> done(Authentication by, String id, Runnable act) {
    return done(by, id, "", "", act);
  }

  /**
   * Carries out the change and returns to a place on the participant's page.
   *
   * @param draft the message staff wrote, kept in the form if it was refused
   */
  private HttpResponse<?> done(
      Authentication by, String id, String place, String draft, Runnable act) {
    try {
      act.run();
      return HttpResponse.seeOther(URI.create("/participants/" + id + place));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(
              new ModelAndView<>(
                  "participant",
                  Map.of("page", pages.page(by, desk.participant(id), problem.onPage(), draft))));
    }
  }
}
