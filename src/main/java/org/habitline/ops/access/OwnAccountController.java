package org.habitline.ops.access;

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
import java.util.function.Supplier;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.PageFrames;
import org.jspecify.annotations.Nullable;

/** Serves the page on which people change their own password and second factor. */
@Hidden
@Controller("/account")
@Secured({"deidentified", "viewer"})
@Produces(MediaType.TEXT_HTML)
public final class OwnAccountController {

  private static final int SESSIONS = 50;

  private final Accounts accounts;
  private final Access access;
  private final SessionsController sessions;
  private final LoginBrake brake;
  private final PageFrames frames;

  OwnAccountController(
      Accounts accounts,
      Access access,
      SessionsController sessions,
      LoginBrake brake,
      PageFrames frames) {
    this.accounts = accounts;
    this.access = access;
    this.sessions = sessions;
    this.brake = brake;
    this.frames = frames;
  }

  /**
   * The page.
   *
   * @param own the account, or {@code null} for a session of a key or a login link
   * @param byKey whether a session without an account was opened with a key
   * @param done what was just done, or empty
   * @param newCodes recovery codes that are shown only this once
   * @param factor a second factor that waits for its first code
   * @param problem what is wrong with a form
   */
  public record View(
      PageFrame frame,
      @Nullable Own own,
      boolean byKey,
      List<SessionsPageController.Row> sessions,
      String done,
      List<String> newCodes,
      @Nullable FactorView factor,
      Problem problem) {}

  /** The account as its owner sees it. */
  public record Own(
      String name, String email, String role, boolean safety, int recoveryCodesLeft) {}

  /**
   * What is wrong.
   *
   * @param form the form that was sent, or empty
   * @param field the field of it
   */
  public record Problem(String form, String field, String sentence) {
    private static final Problem NONE = new Problem("", "", "");

    public boolean isWith(String whichForm, String whichField) {
      return form.equals(whichForm) && field.equals(whichField);
    }
  }

  @Get
  ModelAndView<Map<String, Object>> page(Authentication by) {
    return page(by, "", List.of(), null, Problem.NONE);
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by,
      String done,
      List<String> newCodes,
      @Nullable FactorView factor,
      Problem problem) {
    var who = SessionTokens.who(by);
    var own =
        accounts
            .of(who)
            .map(account ->
                new Own(
                    account.name(),
                    account.email(),
                    account.role().title(),
                    account.safety(),
                    accounts.recoveryCodes(account.id())))
            .orElse(null);
    var view =
        new View(
            frames.frame("Your account", by, null),
            own,
            own == null && access.openedByKey(who),
            access.ownSessions(who, SESSIONS).stream()
                .map(session -> SessionsPageController.row(SessionsController.view(session, who)))
                .toList(),
            done,
            newCodes,
            factor,
            problem);
    return new ModelAndView<>("account", Map.of("page", view));
  }

  @Post("/password")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> password(Authentication by, @Body Map<String, String> form) {
    return changed(
        by,
        "password",
        () -> {
          accounts.changePassword(
              SessionTokens.who(by),
              form.getOrDefault("present_password", ""),
              form.getOrDefault("password", ""));
          return page(
              by,
              "Password changed. Your other sessions have ended.",
              List.of(),
              null,
              Problem.NONE);
        });
  }

  /** Shows the QR code of a new second factor. */
  @Post("/second-factor")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> factor(Authentication by, @Body Map<String, String> form) {
    return changed(
        by,
        "factor",
        () -> {
          var factor =
              accounts.newFactor(SessionTokens.who(by), form.getOrDefault("present_password", ""));
          return page(by, "", List.of(), FactorView.of(factor), Problem.NONE);
        });
  }

  @Post("/second-factor/code")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> confirm(Authentication by, @Body Map<String, String> form) {
    return changed(
        by,
        "confirm",
        () ->
            page(
                by,
                "Second factor changed. Your other sessions have ended.",
                accounts.confirmFactor(SessionTokens.who(by), form.getOrDefault("code", "")),
                null,
                Problem.NONE));
  }

  @Post("/recovery-codes")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> recoveryCodes(Authentication by, @Body Map<String, String> form) {
    return changed(
        by,
        "codes",
        () ->
            page(
                by,
                "Here are your new recovery codes. The previous ones no longer work.",
                accounts.newRecoveryCodes(SessionTokens.who(by), form.getOrDefault("code", "")),
                null,
                Problem.NONE));
  }

  /** Carries out a change, or shows the page with what is wrong beside its field. */
  private HttpResponse<?> changed(
      Authentication by, String form, Supplier<ModelAndView<Map<String, Object>>> change) {
    var who = SessionTokens.who(by);
    // By session: nobody who only knows the e-mail address keeps its owner from a change.
    var pass = who.holder() + " " + who.session();
    try {
      if (!brake.mayTryWith(pass)) {
        throw new ApiProblem(
            HttpStatus.TOO_MANY_REQUESTS, "Too many attempts. Wait 15 minutes and try again.");
      }
      var page = change.get();
      brake.wasGoodWith(pass);
      return HttpResponse.ok(page);
    } catch (ApiProblem problem) {
      // Only the form with the QR code needs it again.
      var factor =
          form.equals("confirm")
              ? accounts.waitingFactor(who).map(FactorView::of).orElse(null)
              : null;
      return HttpResponse.status(problem.status())
          .body(
              page(
                  by,
                  "",
                  List.of(),
                  factor,
                  new Problem(form, problem.field().orElse(""), problem.besideField())));
    }
  }

  @Post("/sessions/{seq}/end")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> end(Authentication by, long seq) {
    sessions.end(by, seq);
    return HttpResponse.seeOther(URI.create("/account"));
  }
}
