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
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.jspecify.annotations.Nullable;

/** Serves the page on which admins create and revoke keys. */
@Hidden
@Controller("/access")
@Secured("admin")
@Produces(MediaType.TEXT_HTML)
public final class KeysPageController {

  private static final int SHOWN = 50;

  private final KeysController keys;
  private final Access access;
  private final PageFrames frames;

  KeysPageController(KeysController keys, Access access, PageFrames frames) {
    this.keys = keys;
    this.access = access;
    this.frames = frames;
  }

  @Get
  HttpResponse<?> page(Authentication by, @QueryValue @Nullable String cursor) {
    try {
      return HttpResponse.ok(page(by, cursor, "", empty()));
    } catch (ApiProblem problem) {
      var form = new Form(Map.of("expires_on", lastDay()), "", problem.onPage());
      return HttpResponse.status(problem.status()).body(page(by, null, "", form));
    }
  }

  /**
   * A new key as it was filled in.
   *
   * @param said the values of the fields
   * @param field the field that the error is about, or empty if it is about none
   */
  public record Form(Map<String, String> said, String field, String error) {

    public String said(String which) {
      return said.getOrDefault(which, "");
    }

    public boolean isTicked(String which) {
      return said.containsKey(which);
    }

    public boolean isWrong(String which) {
      return !error.isEmpty() && field.equals(which);
    }
  }

  private Form empty() {
    return new Form(Map.of("expires_on", lastDay()), "", "");
  }

  private String lastDay() {
    return keys.usualLastDay().toString();
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by, @Nullable String cursor, String newKey, Form form) {
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
            "aboutGrants",
            access.aboutGrants(),
            "newKey",
            newKey,
            "form",
            form));
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
            form.containsKey("never") ? KeysController.NEVER : form.get("expires_on"));
    try {
      return HttpResponse.ok(page(by, null, keys.created(by, request).key(), empty()));
    } catch (ApiProblem problem) {
      var said = new Form(form, problem.field().orElse(""), problem.besideField());
      return HttpResponse.status(problem.status()).body(page(by, null, "", said));
    }
  }

  @Post("/{id}/revoke")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> revoke(Authentication by, String id) {
    keys.revoke(by, id);
    return HttpResponse.seeOther(URI.create("/access"));
  }
}
