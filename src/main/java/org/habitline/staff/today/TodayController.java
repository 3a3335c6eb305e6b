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
import io.micronaut.http.annotation.QueryValue;
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
import java.util.stream.Stream;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.safety.incidents.Incident;
import org.habitline.safety.incidents.Incidents;
import org.habitline.staff.participant.ResendDesk;
import org.habitline.staff.safety.IncidentRows;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Flag;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

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
  private final SendingDesk sending;
  private final DayStrip strip;
  private final ServiceHealth health;
  private final UnclaimedDesk unclaimed;
  private final OwnerDesk owners;
  private final RetryDesk retries;
  private final ResendDesk resends;
  private final Incidents incidents;
  private final IncidentRows rows;
  private final FlowCatalog flows;
  private final PageFrames frames;
  private final ReadLog reads;
  private final Clock clock;
  private final Clock systemClock;

  TodayController(
      Worklist desk,
      SendingDesk sending,
      DayStrip strip,
      ServiceHealth health,
      UnclaimedDesk unclaimed,
      OwnerDesk owners,
      RetryDesk retries,
      ResendDesk resends,
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
    this.sending = sending;
    this.strip = strip;
    this.health = health;
    this.unclaimed = unclaimed;
    this.owners = owners;
    this.retries = retries;
    this.resends = resends;
    this.incidents = incidents;
    this.rows = rows;
    this.flows = flows;
    this.frames = frames;
  }

  @Get("/")
  @Secured("viewer")
  ModelAndView<Map<String, Object>> today(Authentication by, @QueryValue @Nullable String owner) {
    return view(by, "", TodayPage.Place.of(null, owner));
  }

  /** Shows one list on its own page. */
  @Get("/today/{section}")
  @Secured("viewer")
  ModelAndView<Map<String, Object>> list(
      Authentication by, String section, @QueryValue @Nullable String owner) {
    var wanted =
        TodayPage.Section.of(section)
            .orElseThrow(
                () -> new ApiProblem(HttpStatus.NOT_FOUND, "There is no such list on Today."));
    return view(by, "", new TodayPage.Place(wanted, TodayPage.Whose.of(owner)));
  }

  private ModelAndView<Map<String, Object>> view(
      Authentication by, String complaint, TodayPage.Place place) {
    var wanted = place.list();
    if (wanted == null) {
      return new ModelAndView<>("today", Map.of("page", page(by, complaint, place.whose())));
    }
    return new ModelAndView<>(
        "today-list",
        Map.of(
            "page",
            new TodayListPage(
                frames.frame(wanted.title(), by, "/events"),
                listed(by, wanted, MANY, place.whose()),
                MANY,
                complaint)));
  }

  /** Returns a list and records whose messages it quotes. */
  private TodayPage.Listed listed(
      Authentication by, TodayPage.Section section, int most, TodayPage.Whose whose) {
    var list = desk.list(section, most, whose, by.getName());
    list.entries().stream()
        .filter(entry -> !entry.quote().isEmpty())
        .forEach(entry -> reads.conversation(by, entry.participantId()));
    return list;
  }

  private TodayPage page(Authentication by, String complaint, TodayPage.Whose whose) {
    var looked = whose == TodayPage.Whose.ALL ? STRANGERS + 1 : Worklist.LOOKED_THROUGH;
    var found = unclaimed.texts(null, Long.MAX_VALUE, looked, Actor.seesIncidents(by));
    var on = owners.ofTexts(found);
    var strangers =
        found.stream()
            .filter(text -> whose.shows(on.get(OwnerDesk.key(text)), by.getName()))
            .limit(STRANGERS + 1)
            .toList();
    if (!strangers.isEmpty()) {
      reads.unclaimed(by);
    }
    var shown = strangers.subList(0, Math.min(STRANGERS, strangers.size()));
    var signs = health.signs();
    return new TodayPage(
        frames.frame("Today", by, "/events"),
        Times.day(clock.instant(), ZoneOffset.UTC),
        whose,
        signs.stream().filter(ServiceHealth.Sign::urgent).toList(),
        safety(by),
        TodayPage.WORK.stream()
            .map(section -> listed(by, section, FEW, whose))
            .filter(list -> !list.entries().isEmpty())
            .toList(),
        desk.list(TodayPage.Section.DUE, NEXT, TodayPage.Whose.ALL, by.getName()),
        Stream.concat(desk.counts().stream(), strip.counts().stream())
            .filter(count -> flows.sendDailyPrompts() || !count.ofPrompts() || !count.isZero())
            .toList(),
        signs.stream().filter(sign -> !sign.urgent()).toList(),
        shown.stream().map(text -> stranger(text, by, on)).toList(),
        strangers.size() > STRANGERS,
        sending
            .backup()
            .map(it ->
                new TodayPage.Restored(
                    Times.minutes(it.madeAt(), ZoneOffset.UTC),
                    it.texts(),
                    it.messages(),
                    it.wakeups())),
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

  private TodayPage.Stranger stranger(
      Unclaimed.Text text, Authentication by, Map<String, WorkOwners.Owner> on) {
    var wholeNumber = Actor.seesNumbers(by);
    var row = OwnerDesk.key(text);
    return new TodayPage.Stranger(
        text.seq(),
        text.number()
            .map(number -> wholeNumber ? number.e164() : number.masked())
            .orElseGet(text::sender),
        text.channel().title(),
        text.body(),
        Times.minutes(text.receivedAt(), ZoneOffset.UTC),
        Times.inOneUnit(Duration.between(text.receivedAt(), systemClock.instant())),
        text.number().isPresent(),
        row,
        TodayPage.Owner.of(on.get(row), by.getName(), systemClock.instant()));
  }

  /** Records that the reader is on a row, which they may take from a colleague. */
  @Post("/today/rows/{row}/take/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> take(
      Authentication by,
      String row,
      @QueryValue @Nullable String owner,
      @QueryValue @Nullable String list,
      @Body Map<String, String> form) {
    var place = TodayPage.Place.of(list, owner);
    return decided(
        by,
        place,
        () -> {
          owners.take(Actor.of(by), row, form.get("from"));
          return place.address();
        });
  }

  /** Records that the reader is not on a row any more. */
  @Post("/today/rows/{row}/give-back/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> giveBack(
      Authentication by,
      String row,
      @QueryValue @Nullable String owner,
      @QueryValue @Nullable String list) {
    var place = TodayPage.Place.of(list, owner);
    return decided(
        by,
        place,
        () -> {
          owners.giveBack(Actor.of(by), row);
          return place.address();
        });
  }

  /** Lets the coach reply to a text whose turn failed. */
  @Post("/participants/{id}/turns/{number}/retry/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> retry(
      Authentication by,
      String id,
      int number,
      @QueryValue @Nullable String owner,
      @QueryValue @Nullable String list) {
    var place = TodayPage.Place.of(list, owner);
    return decided(
        by,
        place,
        () -> {
          retries.retry(Actor.of(by), id, number);
          return place.address();
        });
  }

  /** Sends a message again that did not arrive, and returns to these rows. */
  @Post("/participants/{id}/deliveries/{delivery}/resend/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> resend(
      Authentication by,
      String id,
      String delivery,
      @QueryValue("even_if_arrived") @Nullable String evenIfArrived,
      @QueryValue @Nullable String owner,
      @QueryValue @Nullable String list) {
    var place = TodayPage.Place.of(list, owner);
    return decided(
        by,
        place,
        () -> {
          var _ =
              resends.resend(Actor.of(by), id, delivery, Flag.of("even_if_arrived", evenIfArrived));
          return place.address();
        });
  }

  /** Matches a text to the participant named, or enrols its sender. */
  @Post("/unclaimed/{seq}/claim/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> claim(
      Authentication by,
      long seq,
      @QueryValue @Nullable String owner,
      @Body Map<String, String> form) {
    var named = form.getOrDefault("participant_id", "").strip();
    return decided(
        by,
        TodayPage.Place.of(null, owner),
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
  HttpResponse<?> dismiss(
      Authentication by,
      long seq,
      @QueryValue @Nullable String owner,
      @Body Map<String, String> form) {
    var place = TodayPage.Place.of(null, owner);
    return decided(
        by,
        place,
        () -> {
          unclaimed.dismiss(Actor.of(by), seq, form.get("reason"));
          return place.address();
        });
  }

  /** Redirects to what follows, or shows these rows again with what was wrong. */
  private HttpResponse<?> decided(Authentication by, TodayPage.Place place, Supplier<String> next) {
    try {
      return HttpResponse.seeOther(URI.create(next.get()));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(view(by, problem.onPage(), place));
    }
  }
}
