package org.habitline.staff.web;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.uri.UriBuilder;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.time.ZoneOffset;
import java.util.Map;

/** Serves the page of the audit log. */
@Hidden
@Controller("/system/audit")
@Secured("admin")
@Produces(MediaType.TEXT_HTML)
final class AuditPageController {

  private final AuditDesk desk;
  private final PageFrames frames;

  AuditPageController(AuditDesk desk, PageFrames frames) {
    this.desk = desk;
    this.frames = frames;
  }

  @Get
  HttpResponse<?> page(
      Authentication by,
      @QueryValue @Nullable String participant,
      @QueryValue @Nullable String actor,
      @QueryValue @Nullable String action,
      @QueryValue @Nullable String cursor) {
    var wanted = new AuditDesk.Wanted(participant, actor, action);
    try {
      return HttpResponse.ok(page(by, wanted, Paging.before(cursor), ""));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(page(by, wanted, Long.MAX_VALUE, problem.onPage()));
    }
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by, AuditDesk.Wanted wanted, long before, String complaint) {
    var found = desk.entries(wanted, before, Paging.USUAL);
    return new ModelAndView<>(
        "audit",
        Map.of(
            "page",
            new AuditPage(
                frames.frame("Audit log", by, null),
                found.entries().stream().map(AuditPageController::row).toList(),
                desk.actions(),
                said(wanted.participant()),
                said(wanted.actor()),
                said(wanted.action()),
                older(wanted, found.next()),
                complaint)));
  }

  private static String older(AuditDesk.Wanted wanted, @Nullable Long next) {
    return next == null
        ? ""
        : UriBuilder.of("/system/audit")
            .queryParam("participant", said(wanted.participant()))
            .queryParam("actor", said(wanted.actor()))
            .queryParam("action", said(wanted.action()))
            .queryParam("cursor", next)
            .build()
            .toString();
  }

  private static AuditPage.Row row(AuditDesk.Entry entry) {
    return new AuditPage.Row(
        entry.at().toString(),
        Times.minutes(entry.at(), ZoneOffset.UTC),
        entry.actor(),
        entry.role(),
        entry.action(),
        said(entry.participantId()),
        said(entry.subject()),
        said(entry.oldValue()),
        said(entry.newValue()),
        said(entry.reason()));
  }

  private static String said(@Nullable String word) {
    return word == null ? "" : word;
  }
}
