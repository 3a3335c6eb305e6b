package org.habitline.ops.access;

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
import java.util.Map;
import java.util.function.Supplier;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.jspecify.annotations.Nullable;

/** Serves the page on which admins create and revoke keys. */
@Hidden
@Controller("/access")
@Secured("admin")
@Produces(MediaType.TEXT_HTML)
final class KeysPageController {

  private static final int SHOWN = 50;

  private final KeysController keys;
  private final PageFrames frames;

  KeysPageController(KeysController keys, PageFrames frames) {
    this.keys = keys;
    this.frames = frames;
  }

  @Get
  HttpResponse<?> page(Authentication by, @QueryValue @Nullable String cursor) {
    return shown(() -> page(by, cursor, "", ""), by);
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by, @Nullable String cursor, String newKey, String complaint) {
    var page = keys.page(cursor, SHOWN);
    return new ModelAndView<>(
        "keys",
        Map.of(
            "frame",
            frames.frame("Keys", by, null),
            "keys",
            page.keys(),
            "older",
            page.next() == null ? "" : String.valueOf(page.next()),
            "newKey",
            newKey,
            "complaint",
            complaint));
  }

  private HttpResponse<?> shown(Supplier<ModelAndView<?>> page, Authentication by) {
    try {
      return HttpResponse.ok(page.get());
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(page(by, null, "", problem.onPage()));
    }
  }

  /** Creates a key and shows it in the response, the only time it can be seen. */
  @Post
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> create(Authentication by, @Body Map<String, String> form) {
    var request =
        new KeysController.NewKeyRequest(
            form.get("name"),
            form.get("role"),
            form.containsKey("deidentified"),
            form.get("owner"),
            form.get("expires_on"));
    return shown(() -> page(by, null, keys.created(by, request).key(), ""), by);
  }

  @Post("/{id}/revoke")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> revoke(Authentication by, String id) {
    keys.revoke(by, id);
    return HttpResponse.seeOther(URI.create("/access"));
  }
}
