package org.habitline.ops;

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
import java.util.Map;
import org.habitline.staff.ApiProblem;
import org.habitline.staff.PageFrames;

/** The page on which an admin makes keys for scripts, and takes them back. */
@Hidden
@Controller("/access")
@Secured("admin")
@Produces(MediaType.TEXT_HTML)
final class KeysPageController {

  private final KeysController keys;
  private final PageFrames frames;

  KeysPageController(KeysController keys, PageFrames frames) {
    this.keys = keys;
    this.frames = frames;
  }

  @Get
  ModelAndView<Map<String, Object>> page(Authentication by) {
    return page(by, "", "");
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by, String newKey, String complaint) {
    return new ModelAndView<>(
        "keys",
        Map.of(
            "frame",
            frames.frame("Keys", by, null),
            "keys",
            keys.views(),
            "newKey",
            newKey,
            "complaint",
            complaint));
  }

  /** The key is in the page that answers, and nowhere else afterwards. */
  @Post
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> create(Authentication by, @Body KeysController.NewKeyRequest request) {
    try {
      return HttpResponse.ok(page(by, keys.created(by, request).key(), ""));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(page(by, "", problem.sentence()));
    }
  }

  @Post("/{id}/revoke")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> revoke(Authentication by, String id) {
    keys.revoke(by, id);
    return HttpResponse.seeOther(URI.create("/access"));
  }
}
