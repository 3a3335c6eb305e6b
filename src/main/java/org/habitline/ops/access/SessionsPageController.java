package org.habitline.ops.access;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
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
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page of signed-in sessions; admins can end any session, others those of their own key
 * or account.
 */
@Hidden
@Controller("/access/sessions")
@Secured({"deidentified", "viewer"})
@Produces(MediaType.TEXT_HTML)
public final class SessionsPageController {

  private static final int SHOWN = 50;

  private final SessionsController sessions;
  private final PageFrames frames;

  SessionsPageController(SessionsController sessions, PageFrames frames) {
    this.sessions = sessions;
    this.frames = frames;
  }

  /** A session as the page shows it. */
  public record Row(
      long seq,
      String name,
      String role,
      String address,
      String since,
      String lastUsed,
      boolean current) {}

  @Get
  ModelAndView<Map<String, Object>> page(Authentication by, @QueryValue @Nullable String cursor) {
    var page = sessions.page(by, cursor, SHOWN);
    return new ModelAndView<>(
        "sessions",
        Map.of(
            "frame",
            frames.frame("Sessions", by, null),
            "sessions",
            page.sessions().stream().map(SessionsPageController::row).toList(),
            "older",
            page.next() == null ? "" : String.valueOf(page.next())));
  }

  static Row row(SessionsController.SessionView session) {
    return new Row(
        session.seq(),
        session.name(),
        session.role(),
        session.address() == null ? "an unknown address" : session.address(),
        at(session.createdAt()),
        at(session.lastUsedAt()),
        session.current());
  }

  private static String at(Instant moment) {
    return Times.minutes(moment, ZoneOffset.UTC);
  }

  @Post("/{seq}/end")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> end(Authentication by, long seq) {
    sessions.end(by, seq);
    return HttpResponse.seeOther(URI.create("/access/sessions"));
  }
}
