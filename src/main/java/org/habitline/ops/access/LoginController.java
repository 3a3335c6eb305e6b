package org.habitline.ops.access;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.util.Map;
import org.habitline.staff.web.PageFrames;
import org.jspecify.annotations.Nullable;

/** Serves the sign-in page, and signs staff in and out. */
@Hidden
@Controller
@Secured(SecurityRule.IS_ANONYMOUS)
final class LoginController {

  private final Access access;
  private final SessionCookie cookie;
  private final LoginBrake brake;
  private final RefusedEntries refused;
  private final PageFrames frames;

  LoginController(
      Access access,
      SessionCookie cookie,
      LoginBrake brake,
      RefusedEntries refused,
      PageFrames frames) {
    this.refused = refused;
    this.frames = frames;
    this.access = access;
    this.cookie = cookie;
    this.brake = brake;
  }

  /**
   * Shows the sign-in page. The token of a login link is in the fragment of the address, which
   * browsers do not send: the page's script posts it, so opening the link does not use it up.
   */
  @Get("/login")
  @Produces(MediaType.TEXT_HTML)
  ModelAndView<Map<String, Object>> page() {
    return page("");
  }

  private ModelAndView<Map<String, Object>> page(String complaint) {
    return new ModelAndView<>(
        "login", Map.of("frame", frames.frame("Sign in", null, null), "complaint", complaint));
  }

  @Post("/login")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  @Produces(MediaType.TEXT_HTML)
  HttpResponse<?> signIn(HttpRequest<?> request, String secret, @Nullable String name) {
    var source = brake.source(request);
    if (!brake.mayTry(source)) {
      refused.refused(RefusedEntries.Door.PAGE, source);
      return HttpResponse.status(HttpStatus.TOO_MANY_REQUESTS)
          .body(page("Too many attempts. Wait a minute and try again."));
    }
    var visit =
        new Access.Visit(
            secret.strip(), name == null ? "" : name, source, cookie.value(request).orElse(null));
    return access
        .signIn(visit)
        .<HttpResponse<?>>map(session -> {
          brake.wasGood(source);
          return HttpResponse.seeOther(URI.create("/")).cookie(cookie.with(session));
        })
        .orElseGet(() -> refusal(source));
  }

  private HttpResponse<?> refusal(String source) {
    refused.refused(RefusedEntries.Door.PAGE, source);
    return HttpResponse.status(HttpStatus.UNAUTHORIZED)
        .body(
            page(
                "This link was used or has expired, or the key is not a staff key. Enter a key with the"
                    + " role staff or admin, or restart the service to get a new link."));
  }

  @Post("/logout")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> signOut(HttpRequest<?> request) {
    cookie.value(request).ifPresent(access::signOut);
    return HttpResponse.seeOther(URI.create("/login")).cookie(cookie.gone());
  }
}
