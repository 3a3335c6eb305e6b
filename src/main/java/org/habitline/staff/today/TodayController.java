package org.habitline.staff.today;

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
import jakarta.inject.Named;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.Incidents;
import org.habitline.staff.safety.IncidentRows;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Times;

/** Serves Today, the first page: what needs attention now, and unmatched texts. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class TodayController {

  /** How many unmatched texts the page shows; the REST API lists older ones. */
  private static final int STRANGERS = 20;

  /** How many entries of a list Today shows; the list's own page shows {@code MANY}. */
  private static final int FEW = 20;

  /** How many of the next daily prompts Today shows. */
  private static final int NEXT = 5;

  private static final int MANY = 500;

  private final Worklist desk;
  private final ServiceHealth health;
  private final UnclaimedDesk unclaimed;
  private final Incidents incidents;
  private final IncidentRows rows;
  private final FlowCatalog flows;
  private final PageFrames frames;
  private final ReadLog reads;
  private final Clock clock;
  private final Clock systemClock;

  TodayController(
      Worklist desk,
      ServiceHealth health,
      UnclaimedDesk unclaimed,
      Incidents incidents,
      IncidentRows rows,
      FlowCatalog flows,
      PageFrames frames,
      ReadLog reads,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.clock = clock;
    this.systemClock = systemClock;
    this.reads = reads;
    this.desk = desk;
    this.health = health;
    this.unclaimed = unclaimed;
    this.incidents = incidents;
    this.rows = rows;
    this.flows = flows;
    this.frames = frames;
  }

  @Get("/")
  @Secured("viewer")
  ModelAndView<Map<String, Object>> today(Authentication by) {
    return view(by, "");
  }

  /** Shows one list on its own page. */
  @Get("/today/{section}")
  @Secured("viewer")
  ModelAndView<Map<String, Object>> list(Authentication by, String section) {
    var wanted =
        TodayPage.Section.of(section)
            .orElseThrow(
                () -> new ApiProblem(HttpStatus.NOT_FOUND, "There is no such list on Today."));
    return new ModelAndView<>(
        "today-list",
        Map.of(
            "page",
            new TodayListPage(
                frames.frame(wanted.title(), by, "/events"), desk.list(wanted, MANY), MANY)));
  }

  private ModelAndView<Map<String, Object>> view(Authentication by, String complaint) {
    return new ModelAndView<>("today", Map.of("page", page(by, complaint)));
  }

  private TodayPage page(Authentication by, String complaint) {
    var strangers = unclaimed.texts(null, Long.MAX_VALUE, STRANGERS + 1, Actor.seesIncidents(by));
    if (!strangers.isEmpty()) {
      reads.unclaimed(by);
    }
    var signs = health.signs();
    return new TodayPage(
        frames.frame("Today", by, "/events"),
        Times.day(clock.instant(), ZoneOffset.UTC),
        signs.stream().filter(ServiceHealth.Sign::urgent).toList(),
        safety(by),
        TodayPage.WORK.stream()
            .map(section -> desk.list(section, FEW))
            .filter(list -> !list.entries().isEmpty())
            .toList(),
        desk.list(TodayPage.Section.DUE, NEXT),
        desk.counts().stream()
            .filter(count -> flows.sendDailyPrompts() || !count.ofPrompts() || !count.isZero())
            .toList(),
        signs.stream().filter(sign -> !sign.urgent()).toList(),
        strangers.stream()
            .limit(STRANGERS)
            .map(text -> stranger(text, Actor.seesNumbers(by)))
            .toList(),
        strangers.size() > STRANGERS,
        complaint);
  }

  private TodayPage.Safety safety(Authentication by) {
    var open = incidents.unreleased(MANY);
    var crises = (int) open.stream().filter(Incident::isDanger).count();
    var flags = (int) open.stream().filter(Incident::alertsStaff).count() - crises;
    var ages = (int) open.stream().filter(it -> it.isAboutAge() && !it.alertsStaff()).count();
    return new TodayPage.Safety(
        crises,
        flags,
        open.size() - crises - flags - ages,
        ages,
        Actor.seesIncidents(by) ? rows.of(open) : List.of());
  }

  private TodayPage.Stranger stranger(Unclaimed.Text text, boolean wholeNumber) {
    return new TodayPage.Stranger(
        text.seq(),
        text.number()
            .map(number -> wholeNumber ? number.e164() : number.masked())
            .orElseGet(text::sender),
        text.channel().title(),
        text.body(),
        Times.minutes(text.receivedAt(), ZoneOffset.UTC),
        Times.inOneUnit(Duration.between(text.receivedAt(), systemClock.instant())),
        text.number().isPresent());
  }

  /** Matches a text to the participant named, or enrols its sender. */
  @Post("/unclaimed/{seq}/claim/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> claim(Authentication by, long seq, @Body Map<String, String> form) {
    var named = form.getOrDefault("participant_id", "").strip();
    return decided(
        by,
        () -> {
          var participant =
              unclaimed.claim(
                  Actor.of(by),
                  seq,
                  new UnclaimedDesk.Claim(
                      named.isEmpty() ? null : named, form.containsKey("enrol"), null, null, null));
          return "/participants/" + participant.id();
        });
  }

  @Post("/unclaimed/{seq}/dismiss/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> dismiss(Authentication by, long seq, @Body Map<String, String> form) {
    return decided(
        by,
        () -> {
          unclaimed.dismiss(Actor.of(by), seq, form.get("reason"));
          return "/";
        });
  }

  private HttpResponse<?> decided(Authentication by, Supplier<String> next) {
    try {
      return HttpResponse.seeOther(URI.create(next.get()));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(view(by, problem.onPage()));
    }
  }
}
