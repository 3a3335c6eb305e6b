package org.habitline.ops.access;

import io.micronaut.http.HttpRequest;
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
import io.micronaut.security.rules.SecurityRule;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.PageFrames;
import org.jspecify.annotations.Nullable;

/**
 * Serves the pages on which an invited person sets a password and a second factor. The token of the
 * link is in the fragment of the address, as for a login link: the page's script puts it into the
 * form.
 */
@Hidden
@Controller("/invitation")
@Secured(SecurityRule.IS_ANONYMOUS)
@Produces(MediaType.TEXT_HTML)
public final class InvitationController {

  private static final String TOO_MANY =
      "Too many attempts. Wait 15 minutes and open the link again.";

  private final Accounts accounts;
  private final SessionCookie cookie;
  private final LoginBrake brake;
  private final RefusedEntries refused;
  private final PageFrames frames;

  InvitationController(
      Accounts accounts,
      SessionCookie cookie,
      LoginBrake brake,
      RefusedEntries refused,
      PageFrames frames) {
    this.accounts = accounts;
    this.cookie = cookie;
    this.brake = brake;
    this.refused = refused;
    this.frames = frames;
  }

  /**
   * One of the pages.
   *
   * @param token of the link, or empty
   * @param error what is wrong with the field of the page, or empty
   * @param factor the second factor to scan, once the password is set
   * @param recoveryCodes the codes, once everything is set
   * @param next the page to go on to then
   */
  public record View(
      PageFrame frame,
      String token,
      String error,
      @Nullable FactorView factor,
      List<String> recoveryCodes,
      String next) {}

  private ModelAndView<Map<String, Object>> page(
      String token,
      String error,
      @Nullable FactorView factor,
      List<String> recoveryCodes,
      String next) {
    var frame = frames.frame("Your account", null, null);
    return new ModelAndView<>(
        "invitation", Map.of("page", new View(frame, token, error, factor, recoveryCodes, next)));
  }

  @Get
  ModelAndView<Map<String, Object>> page() {
    return page("", "", null, List.of(), "");
  }

  /** Sets the password and shows the QR code of the second factor. */
  @Post
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> password(HttpRequest<?> request, @Body Map<String, String> form) {
    var token = form.getOrDefault("token", "");
    return braked(
        request,
        token,
        () -> {
          try {
            return accounts
                .accept(token, form.getOrDefault("password", ""))
                .<HttpResponse<?>>map(factor ->
                    HttpResponse.ok(page(token, "", FactorView.of(factor), List.of(), "")))
                .orElseGet(() -> gone(request));
          } catch (ApiProblem problem) {
            return HttpResponse.status(problem.status())
                .body(page(token, problem.besideField(), null, List.of(), ""));
          }
        });
  }

  /** Confirms the second factor, opens a session and shows the recovery codes. */
  @Post("/code")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> code(HttpRequest<?> request, @Body Map<String, String> form) {
    var token = form.getOrDefault("token", "");
    var email = accounts.invited(token).map(JdbcAccounts.Row::email).orElse("");
    return braked(
        request,
        token,
        () -> {
          try {
            return accounts
                .confirmInvitation(
                    token,
                    form.getOrDefault("code", ""),
                    brake.source(request),
                    cookie.value(request).orElse(null))
                .<HttpResponse<?>>map(done -> {
                  brake.accountWasGood(email, brake.source(request));
                  return HttpResponse.ok(
                          page("", "", null, done.recoveryCodes(), Landing.of(done.role())))
                      .cookie(cookie.with(done.session()));
                })
                .orElseGet(() -> gone(request));
          } catch (ApiProblem problem) {
            var factor = accounts.invited(token).flatMap(accounts::shown).map(FactorView::of);
            return HttpResponse.status(problem.status())
                .body(page(token, problem.besideField(), factor.orElse(null), List.of(), ""));
          }
        });
  }

  private HttpResponse<?> braked(
      HttpRequest<?> request, String token, Supplier<HttpResponse<?>> work) {
    if (token.isEmpty()) {
      return gone(request);
    }
    var source = brake.source(request);
    if (!brake.mayTry(source)) {
      refused.refused(RefusedEntries.Door.PAGE, source);
      return HttpResponse.status(HttpStatus.TOO_MANY_REQUESTS)
          .body(page(token, TOO_MANY, null, List.of(), ""));
    }
    if (accounts.invited(token).isEmpty()) {
      return gone(request);
    }
    brake.wasGood(source);
    if (!brake.mayTryWith(token)) {
      return HttpResponse.status(HttpStatus.TOO_MANY_REQUESTS)
          .body(page(token, TOO_MANY, null, List.of(), ""));
    }
    return work.get();
  }

  private HttpResponse<?> gone(HttpRequest<?> request) {
    refused.refused(RefusedEntries.Door.PAGE, brake.source(request));
    return HttpResponse.status(HttpStatus.GONE)
        .body(
            page(
                "",
                "This link was used, has expired, or is incomplete. Ask an admin for a new link.",
                null,
                List.of(),
                ""));
  }
}
