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
import java.net.URI;
import java.util.Map;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.jspecify.annotations.Nullable;

/** Serves the sign-in page, and signs staff in and out. */
@Hidden
@Controller
@Secured(SecurityRule.IS_ANONYMOUS)
final class LoginController {

  private static final String TOO_MANY =
      "Too many attempts. Wait 15 minutes, then try again, or ask an admin for a new link.";

  /** More characters than a password may have: longer ones are wrong anyway. */
  private static final int LONGEST = 2 * Passwords.LONGEST + 1;

  private final Access access;
  private final Accounts accounts;
  private final SessionCookie cookie;
  private final LoginBrake brake;
  private final RefusedEntries refused;
  private final PageFrames frames;

  LoginController(
      Access access,
      Accounts accounts,
      SessionCookie cookie,
      LoginBrake brake,
      RefusedEntries refused,
      PageFrames frames) {
    this.refused = refused;
    this.frames = frames;
    this.access = access;
    this.accounts = accounts;
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
    return page(complaint, "", "", "");
  }

  /**
   * Returns the sign-in page.
   *
   * @param complaint what is wrong with the key or link, or with nothing in particular
   * @param email the address to enter again
   */
  private ModelAndView<Map<String, Object>> page(
      String complaint, String email, String emailError, String passwordError) {
    return new ModelAndView<>(
        "login",
        Map.of(
            "frame",
            frames.frame("Sign in", null, null),
            "complaint",
            complaint,
            "accounts",
            accounts.any(),
            "email",
            email,
            "emailError",
            emailError,
            "passwordError",
            passwordError));
  }

  /** The first step of signing in to an account: its address and password. */
  @Post("/login/account")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  @Produces(MediaType.TEXT_HTML)
  HttpResponse<?> password(HttpRequest<?> request, @Body Map<String, String> form) {
    var email = form.getOrDefault("email", "").strip();
    var password = form.getOrDefault("password", "");
    if (email.isEmpty() || password.isEmpty()) {
      return HttpResponse.badRequest(
          page(
              "",
              email,
              email.isEmpty() ? "Enter your e-mail address." : "",
              password.isEmpty() ? "Enter your password." : ""));
    }
    var source = brake.source(request);
    if (!brake.mayTry(source) || !brake.mayTryAccount(email, source)) {
      refused.refused(RefusedEntries.Door.PAGE, source);
      return HttpResponse.status(HttpStatus.TOO_MANY_REQUESTS).body(page("", email, "", TOO_MANY));
    }
    return accounts
        .password(email, bounded(password))
        .<HttpResponse<?>>map(token -> {
          brake.wasGood(source);
          return HttpResponse.ok(codePage(token, ""));
        })
        .orElseGet(() -> {
          refused.refused(RefusedEntries.Door.PAGE, source);
          return HttpResponse.status(HttpStatus.UNAUTHORIZED)
              .body(page("", email, "", "The e-mail address or the password is wrong."));
        });
  }

  /** Cuts what no password can be, so that nobody makes the service hash a megabyte. */
  private static String bounded(String password) {
    return password.substring(0, Math.min(LONGEST, password.length()));
  }

  private ModelAndView<Map<String, Object>> codePage(String token, String error) {
    return new ModelAndView<>(
        "login-code",
        Map.of("frame", frames.frame("Enter code", null, null), "token", token, "error", error));
  }

  /** The second step: the code of the authenticator app, or a recovery code. */
  @Post("/login/code")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  @Produces(MediaType.TEXT_HTML)
  HttpResponse<?> code(HttpRequest<?> request, @Body Map<String, String> form) {
    var token = form.getOrDefault("token", "");
    var code = form.getOrDefault("code", "").strip();
    if (token.isEmpty() || code.isEmpty()) {
      return HttpResponse.badRequest(
          token.isEmpty()
              ? page("", "", "Enter your e-mail address and password first.", "")
              : codePage(token, "Enter the code."));
    }
    var source = brake.source(request);
    var email = accounts.halfway(token).orElse("");
    if (!brake.mayTry(source) || (!email.isEmpty() && !brake.mayTryAccount(email, source))) {
      refused.refused(RefusedEntries.Door.PAGE, source);
      return HttpResponse.status(HttpStatus.TOO_MANY_REQUESTS).body(codePage(token, TOO_MANY));
    }
    return switch (accounts.code(token, code, source, cookie.value(request).orElse(null))) {
      case Accounts.Second.In(var signedIn) -> {
        brake.wasGood(source);
        brake.accountWasGood(email, source);
        yield HttpResponse.seeOther(URI.create(Landing.of(signedIn.role())))
            .cookie(cookie.with(signedIn.session()));
      }
      case Accounts.Second.Wrong() -> {
        refused.refused(RefusedEntries.Door.PAGE, source);
        yield HttpResponse.status(HttpStatus.UNAUTHORIZED)
            .body(
                codePage(
                    token,
                    "This code is wrong or was used before. Enter the code that the app shows now,"
                        + " or a recovery code."));
      }
      case Accounts.Second.TooLate() -> {
        refused.refused(RefusedEntries.Door.PAGE, source);
        yield HttpResponse.status(HttpStatus.UNAUTHORIZED)
            .body(
                page(
                    "",
                    "",
                    "That took too long. Enter your e-mail address and password again.",
                    ""));
      }
    };
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
    try {
      return access
          .signIn(visit)
          .<HttpResponse<?>>map(session -> {
            brake.wasGood(source);
            return HttpResponse.seeOther(URI.create("/")).cookie(cookie.with(session));
          })
          .orElseGet(() ->
              refusal(
                  source,
                  "This link was used or has expired, or the key is not a staff key. Enter a key with the"
                      + " role staff or admin, or restart the service to get a new link."));
    } catch (ApiProblem expired) {
      return refusal(source, expired.sentence());
    }
  }

  private HttpResponse<?> refusal(String source, String sentence) {
    refused.refused(RefusedEntries.Door.PAGE, source);
    return HttpResponse.status(HttpStatus.UNAUTHORIZED).body(page(sentence));
  }

  @Post("/logout")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> signOut(HttpRequest<?> request) {
    cookie.value(request).ifPresent(access::signOut);
    return HttpResponse.seeOther(URI.create("/login")).cookie(cookie.gone());
  }
}
