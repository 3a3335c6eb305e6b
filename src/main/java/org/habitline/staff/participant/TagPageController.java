package org.habitline.staff.participant;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.util.Map;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.people.TagDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;

/** Lets people tag a participant on the participant's page. */
@Hidden
@Controller("/participants/{id}/tags")
@Secured("researcher")
@Produces(MediaType.TEXT_HTML)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
final class TagPageController {

  private final TagDesk tags;
  private final EnrolmentDesk desk;
  private final ParticipantPages pages;

  TagPageController(TagDesk tags, EnrolmentDesk desk, ParticipantPages pages) {
    this.tags = tags;
    this.desk = desk;
    this.pages = pages;
  }

  @Post
  HttpResponse<?> add(Authentication by, String id, @Body Map<String, String> form) {
    return done(by, id, () -> tags.add(Actor.of(by), id, form.get("tag")));
  }

  @Post("/remove")
  HttpResponse<?> remove(Authentication by, String id, @Body Map<String, String> form) {
    return done(by, id, () -> tags.remove(Actor.of(by), id, form.get("tag")));
  }

  private HttpResponse<?> done(Authentication by, String id, Runnable change) {
    try {
      change.run();
      return HttpResponse.seeOther(URI.create("/participants/" + id + "#tags"));
    } catch (ApiProblem problem) {
      var page = pages.page(by, desk.participant(id), problem.onPage());
      return HttpResponse.status(problem.status())
          .body(new ModelAndView<>("participant", Map.of("page", page)));
    }
  }
}
