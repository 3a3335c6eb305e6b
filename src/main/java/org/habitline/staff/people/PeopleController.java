package org.habitline.staff.people;

import io.micronaut.context.annotation.Value;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.cookie.Cookie;
import io.micronaut.http.cookie.SameSite;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.conversation.stored.StateReader;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.Channels;
import org.habitline.messaging.ConsentGate;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.Tags;
import org.habitline.participants.TimeZones;
import org.habitline.staff.web.AcceptsQuery;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Choice;
import org.habitline.staff.web.HabitLine;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.StaffSettings;
import org.habitline.staff.web.Times;
import org.habitline.study.figures.Participation;

/** Serves the page that lists and enrols participants. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class PeopleController {

  private static final EnrolmentDesk.Wanted NOTHING =
      new EnrolmentDesk.Wanted(null, null, null, null, null, null, null, null);

  /** The cookie with the columns that somebody chose, which only this page needs. */
  private static final String COLUMNS_COOKIE = "habitline_columns";

  private static final Duration COLUMNS_KEPT = Duration.ofDays(365);

  /** Between the columns in the cookie, where a comma is not allowed. */
  private static final String BETWEEN = "~";

  /** Before the names of columns in the form that chooses them. */
  private static final String COLUMN = "column.";

  /** The orders that the list offers besides those of its columns, by their parameter. */
  private static final Map<String, String> SORTS = new LinkedHashMap<>();

  static {
    SORTS.put("", "Last enrolled first");
    SORTS.put("enrolled", "First enrolled first");
    SORTS.put("name", "Name");
    SORTS.put("study_id", "Study id");
    SORTS.put("status", "Status");
    SORTS.put("-last_heard", "Last heard from, newest first");
    SORTS.put("last_heard", "Last heard from, oldest first");
    SORTS.put("-last_prompt", "Last prompt, newest first");
    SORTS.put("next_prompt", "Next prompt, soonest first");
    SORTS.put("-answer_rate", "Answered, most first");
    SORTS.put("answer_rate", "Answered, fewest first");
  }

  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);
  private static final DateTimeFormatter DAY_OF_YEAR =
      DateTimeFormatter.ofPattern("d MMM uuuu", Locale.ENGLISH);

  private final EnrolmentDesk desk;
  private final CustomFields fields;
  private final PeopleSearch search;
  private final Participants participants;
  private final Tags tags;
  private final SavedViews views;
  private final StateReader states;
  private final FlowCatalog flows;
  private final Channels channels;
  private final ConsentGate consents;
  private final PageFrames frames;
  private final StaffSettings settings;
  private final ReadLog reads;
  private final Clock clock;
  private final boolean secure;

  PeopleController(
      EnrolmentDesk desk,
      CustomFields fields,
      PeopleSearch search,
      Participants participants,
      Tags tags,
      SavedViews views,
      StateReader states,
      FlowCatalog flows,
      Channels channels,
      ConsentGate consents,
      PageFrames frames,
      StaffSettings settings,
      ReadLog reads,
      Clock clock,
      @Value("${habitline.public-url:}") String publicUrl) {
    this.desk = desk;
    this.fields = fields;
    this.search = search;
    this.participants = participants;
    this.tags = tags;
    this.views = views;
    this.states = states;
    this.flows = flows;
    this.channels = channels;
    this.consents = consents;
    this.frames = frames;
    this.settings = settings;
    this.reads = reads;
    this.clock = clock;
    this.secure = publicUrl.startsWith("https://");
  }

  /** What a request asks to be listed. */
  private record Asked(PeopleSearch.Wanted wanted, PeoplePage.Listed listed) {

    static final Asked ALL = new Asked(PeopleSearch.Wanted.ANYBODY, PeoplePage.Listed.ALL);

    static Asked of(Map<String, String> parameters) {
      var wanted = PeopleSearch.Wanted.of(parameters);
      return new Asked(
          wanted,
          new PeoplePage.Listed(
              wanted.parameters(),
              text(parameters.get("sort")),
              text(parameters.get("columns")),
              text(parameters.get("cursor"))));
    }
  }

  @Get("/participants")
  @Secured("viewer")
  @AcceptsQuery({
    "q",
    "participation",
    "status",
    "flow",
    "sub_state",
    "opted_out",
    "consent",
    "study_id",
    "language",
    "channel",
    "tag",
    "silent_days",
    "field.*",
    "sort",
    "columns",
    "cursor"
  })
  HttpResponse<?> list(Authentication by, HttpRequest<?> request) {
    var asked = Asked.of(request.getParameters().asMap(String.class, String.class));
    try {
      return HttpResponse.ok(view(page(by, request, asked, "", form(List.of(), NOTHING))));
    } catch (ApiProblem problem) {
      return refused(by, request, Asked.ALL, problem);
    }
  }

  /** Remembers which columns the reader wants to see, in their browser. */
  @Post("/participants/columns")
  @Secured("viewer")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> columns(@Body Map<String, String> form) {
    var wanted = new HashSet<String>();
    form.keySet().stream()
        .filter(name -> name.startsWith(COLUMN))
        .forEach(name -> wanted.add(name.substring(COLUMN.length())));
    var chosen = PeopleColumn.chosen(fields.all(), wanted);
    var standard = form.containsKey("standard") || chosen.isEmpty();
    var listed = Asked.of(form).listed();
    return HttpResponse.seeOther(
            URI.create(new PeoplePage.Listed(listed.filters(), listed.sort(), "", "").address()))
        .cookie(
            Cookie.of(COLUMNS_COOKIE, standard ? "" : words(chosen, BETWEEN))
                .path("/participants")
                .httpOnly(true)
                .secure(secure)
                .sameSite(SameSite.Strict)
                .maxAge(standard ? Duration.ZERO : COLUMNS_KEPT));
  }

  /** Saves the filters, the order and the columns of the list under a name, for the whole team. */
  @Post("/participants/views")
  @Secured("researcher")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> save(Authentication by, HttpRequest<?> request, @Body Map<String, String> form) {
    var asked = Asked.of(form);
    try {
      search.check(asked.wanted(), asked.listed().sort());
      var saved = asked.listed().saved(words(shown(request, asked.listed()), ","), fields.all());
      views.save(Actor.of(by), form.get("name"), saved);
      return HttpResponse.seeOther(URI.create(PeoplePage.Listed.address(saved)));
    } catch (ApiProblem problem) {
      return refused(by, request, Asked.ALL, problem);
    }
  }

  @Post("/participants/views/{id}/delete")
  @Secured("researcher")
  @Consumes(MediaType.ALL)
  HttpResponse<?> delete(Authentication by, String id) {
    views.delete(Actor.of(by), id);
    return HttpResponse.seeOther(URI.create(PeoplePage.ADDRESS));
  }

  private HttpResponse<?> refused(
      Authentication by, HttpRequest<?> request, Asked instead, ApiProblem problem) {
    return HttpResponse.status(problem.status())
        .body(view(page(by, request, instead, problem.onPage(), form(List.of(), NOTHING))));
  }

  @Post("/participants")
  @Secured("researcher")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> enrol(Authentication by, HttpRequest<?> request, @Body Map<String, String> form) {
    var said =
        new EnrolmentDesk.Wanted(
            form.get("phone_number"),
            form.get("name"),
            form.get("gender"),
            form.get("ethnicity"),
            form.get("background"),
            form.get("timezone"),
            form.get("flow"),
            form.get("channel"),
            form.get("consent_version"),
            form.get("language"),
            form.get("study_id"),
            CustomFields.in(form));
    try {
      var enrolled = desk.enrol(Actor.of(by), said);
      return HttpResponse.seeOther(URI.create("/participants/" + enrolled.participant().id()));
    } catch (ApiProblem problem) {
      var all = desk.problems(said);
      return HttpResponse.status(problem.status())
          .body(
              view(
                  page(
                      by,
                      request,
                      Asked.ALL,
                      "",
                      form(all.isEmpty() ? List.of(problem) : all, said))));
    }
  }

  private static ModelAndView<Map<String, Object>> view(PeoplePage page) {
    return new ModelAndView<>("people", Map.of("page", page));
  }

  private PeoplePage page(
      Authentication by,
      HttpRequest<?> request,
      Asked asked,
      String complaint,
      PeoplePage.Form form) {
    var wanted = asked.wanted();
    var listed = asked.listed();
    if (search.asksForNumber(by, wanted.q())) {
      reads.numberLookedUp(by);
    }
    var found = search.find(wanted, listed.sort(), listed.cursor(), Paging.USUAL);
    var counts = search.counts(wanted);
    var columns = shown(request, listed);
    return new PeoplePage(
        frames.frame(
            form.problems().isEmpty() ? "Participants" : "Error: Participants", by, "/events"),
        heads(columns, listed),
        PeopleColumn.all(fields.all()).stream()
            .map(column -> new PeoplePage.ColumnChoice(column, columns.contains(column)))
            .toList(),
        rows(found, columns),
        filter(listed),
        listed,
        tabs(listed, counts),
        views(listed),
        PeopleSearch.total(wanted, counts),
        complaint,
        found.next() == null ? "" : listed.at(found.next()).address(),
        form,
        acts(by));
  }

  /** Returns the columns in the address, or those in the reader's cookie, or the standard ones. */
  private List<PeopleColumn> shown(HttpRequest<?> request, PeoplePage.Listed listed) {
    var words =
        listed.columns().isEmpty()
            ? request
                .getCookies()
                .findCookie(COLUMNS_COOKIE)
                .map(cookie -> List.of(cookie.getValue().split(BETWEEN, -1)))
                .orElse(List.of())
            : List.of(listed.columns().split(",", -1));
    var chosen = PeopleColumn.chosen(fields.all(), words);
    return chosen.isEmpty() ? PeopleColumn.standard() : chosen;
  }

  private static String words(List<PeopleColumn> columns, String between) {
    return columns.stream().map(PeopleColumn::word).collect(Collectors.joining(between));
  }

  private static List<PeoplePage.Head> heads(List<PeopleColumn> columns, PeoplePage.Listed listed) {
    return Stream.concat(
            Stream.of(head(null, "Name", "name", listed)),
            columns.stream().map(column -> head(column, column.title(), column.sort(), listed)))
        .toList();
  }

  private static PeoplePage.Head head(
      @Nullable PeopleColumn column, String title, String sort, PeoplePage.Listed listed) {
    var sorted = listed.sort().isEmpty() ? "-enrolled" : listed.sort();
    if (sort.isEmpty()) {
      return new PeoplePage.Head(column, title, "", null);
    }
    var ascending = sorted.equals(sort);
    var descending = sorted.equals("-" + sort);
    var next =
        ascending || (!descending && column != null && column.newestFirst()) ? "-" + sort : sort;
    return new PeoplePage.Head(
        column,
        title,
        listed.sortedBy(next).address(),
        ascending ? "ascending" : descending ? "descending" : null);
  }

  private static List<PeoplePage.Tab> tabs(
      PeoplePage.Listed listed, Map<Participation, Long> counts) {
    var chosen = listed.filters().getOrDefault("participation", "");
    var all =
        new PeoplePage.Tab(
            "All",
            counts.values().stream().mapToLong(Long::longValue).sum(),
            listed.of("").address(),
            chosen.isEmpty() && !listed.filters().containsKey("status"));
    return Stream.concat(
            Stream.of(all),
            Arrays.stream(Participation.values())
                .map(way ->
                    new PeoplePage.Tab(
                        way.title(),
                        counts.getOrDefault(way, 0L),
                        listed.of(way.word()).address(),
                        chosen.equalsIgnoreCase(way.word())))
                .filter(tab -> tab.count() > 0 || tab.current()))
        .toList();
  }

  private List<PeoplePage.View> views(PeoplePage.Listed listed) {
    var here = listed.address();
    return views.all().stream()
        .map(view -> {
          var address = PeoplePage.Listed.address(view.parameters());
          return new PeoplePage.View(view.id(), view.name(), address, address.equals(here));
        })
        .toList();
  }

  private static List<PeoplePage.Act> acts(Authentication by) {
    var acts = new ArrayList<PeoplePage.Act>();
    if (by.getRoles().contains("researcher")) {
      acts.add(new PeoplePage.Act("pause", "Pause…"));
      acts.add(new PeoplePage.Act("resume", "Resume…"));
      acts.add(new PeoplePage.Act("tag", "Tag…"));
      acts.add(new PeoplePage.Act("untag", "Remove tag…"));
      acts.add(new PeoplePage.Act("export", "Export…"));
    }
    if (by.getRoles().contains("staff")) {
      acts.addFirst(new PeoplePage.Act("message", "Message…"));
    }
    return acts;
  }

  private PeoplePage.Filter filter(PeoplePage.Listed listed) {
    return new PeoplePage.Filter(
        listed.filters(),
        SORTS,
        flows.all().stream().map(Flow::id).toList(),
        search.subStates().stream()
            .map(module -> new Choice(module, flows.moduleTitle(module)))
            .toList(),
        search.languages(),
        List.copyOf(channels.kinds()),
        tags.all(),
        fields.inputs(CustomFields.in(listed.filters()), List.of()));
  }

  private static String text(@Nullable String said) {
    return said == null ? "" : said.strip();
  }

  /** Reads what all rows need at once: the number of statements does not depend on their number. */
  private List<PeoplePage.Row> rows(PeopleSearch.Found found, List<PeopleColumn> columns) {
    var people = found.participants();
    var ids = people.stream().map(Participant::id).toList();
    var standings = states.standings(people);
    var figures = search.figures(people);
    var tagged = tags.of(ids);
    var values = participants.fields(ids);
    var now = clock.instant();
    var shown = columns.stream().anyMatch(it -> it.kind() == PeopleColumn.Kind.LAST_14_DAYS);
    var lines = shown ? search.habitLines(people, now) : Map.<String, HabitLine>of();
    return people.stream()
        .map(one ->
            row(
                new Known(
                    one,
                    Objects.requireNonNull(found.participation().get(one.id())),
                    standings.get(one.id()),
                    figures.getOrDefault(one.id(), JdbcPeople.Figures.NONE),
                    tagged.getOrDefault(one.id(), List.of()),
                    values.getOrDefault(one.id(), Map.of()),
                    lines.get(one.id())),
                columns,
                now))
        .toList();
  }

  /** What a row shows. */
  private record Known(
      Participant participant,
      Participation participation,
      StateReader.@Nullable Standing standing,
      JdbcPeople.Figures figures,
      List<String> tags,
      Map<String, String> fields,
      @Nullable HabitLine line) {}

  private PeoplePage.Row row(Known known, List<PeopleColumn> columns, Instant now) {
    var participant = known.participant();
    var standing = known.standing();
    var figures = known.figures();
    return new PeoplePage.Row(
        participant.id(),
        participant.shownName(),
        participant.name() != null,
        text(participant.studyId()),
        participant.phone().toString(),
        known.participation(),
        participant.optedOut(),
        PeoplePage.consent(participant.consent().state()),
        module(known),
        figures.lastHeardAt() == null
            ? "never heard from"
            : "heard " + ago(figures.lastHeardAt(), now) + " ago",
        figures.nextPromptAt() == null ? "" : near(figures.nextPromptAt(), participant.zone(), now),
        standing != null && standing.answering(),
        standing == null || standing.failure() == null ? "" : standing.failure(),
        standing == null || standing.brake() == null ? "" : standing.brake(),
        figures.mutedUntil() == null || !figures.mutedUntil().isAfter(now)
            ? ""
            : soon(figures.mutedUntil(), participant.zone(), now)
                + " "
                + Times.place(participant.zone()),
        flags(figures.flags()),
        known.tags(),
        known.line(),
        columns.stream().map(column -> cell(column, known, now)).toList());
  }

  private String module(Known known) {
    var standing = known.standing();
    return standing == null
        ? ""
        : flows.moduleTitle(known.participant().flow(), standing.subState());
  }

  private PeoplePage.Cell cell(PeopleColumn column, Known known, Instant now) {
    var participant = known.participant();
    var figures = known.figures();
    var zone = participant.zone();
    return switch (column.kind()) {
      case STUDY_ID -> PeoplePage.Cell.of(column, text(participant.studyId()));
      case NUMBER -> PeoplePage.Cell.of(column, participant.phone().toString());
      case FLOW -> PeoplePage.Cell.of(column, participant.flow());
      case MODULE -> PeoplePage.Cell.of(column, module(known));
      case STATUS, TAGS, LAST_14_DAYS -> PeoplePage.Cell.of(column, "");
      case LAST_HEARD ->
          figures.lastHeardAt() == null
              ? PeoplePage.Cell.of(column, "")
              : time(column, ago(figures.lastHeardAt(), now), figures.lastHeardAt(), zone);
      case LAST_PROMPT -> time(column, figures.lastPromptAt(), zone, now);
      case NEXT_PROMPT -> time(column, figures.nextPromptAt(), zone, now);
      case ANSWER_RATE ->
          figures.sent() == 0
              ? PeoplePage.Cell.of(column, "")
              : new PeoplePage.Cell(
                  column,
                  Math.round(100.0 * figures.answered() / figures.sent()) + "%",
                  figures.answered() + " of " + figures.sent(),
                  "",
                  "");
      case FLAGS -> PeoplePage.Cell.of(column, flags(figures.flags()));
      case LANGUAGE -> language(column, participant);
      case CHANNEL -> PeoplePage.Cell.of(column, participant.channel().title());
      case ZONE -> PeoplePage.Cell.of(column, zone.getId());
      case ENROLLED -> time(column, participant.enrolledAt(), zone, now);
      case FIELD -> PeoplePage.Cell.of(column, known.fields().getOrDefault(column.field(), ""));
    };
  }

  private static String flags(long open) {
    return open == 0 ? "" : open + (open == 1 ? " open flag" : " open flags");
  }

  private PeoplePage.Cell language(PeopleColumn column, Participant participant) {
    return participant.language() == null
        ? new PeoplePage.Cell(
            column,
            flows.flow(participant.flow()).map(flow -> flow.languages().standard()).orElse(""),
            "",
            "The default of the flow",
            "")
        : PeoplePage.Cell.of(column, participant.language());
  }

  private static PeoplePage.Cell time(
      PeopleColumn column, @Nullable Instant at, ZoneId zone, Instant now) {
    return at == null
        ? PeoplePage.Cell.of(column, "")
        : time(column, near(at, zone, now), at, zone);
  }

  private static PeoplePage.Cell time(PeopleColumn column, String words, Instant at, ZoneId zone) {
    return new PeoplePage.Cell(
        column,
        words,
        "",
        Times.minutes(at, zone)
            + " in "
            + zone.getId()
            + ", "
            + Times.minutes(at, ZoneOffset.UTC)
            + " UTC",
        at.toString());
  }

  private static String ago(Instant at, Instant now) {
    return Times.inOneUnit(Duration.between(at, now));
  }

  /** Returns a participant's local time as "Tomorrow 08:10" or "24 Nov 08:10". */
  private static String near(Instant at, ZoneId zone, Instant now) {
    var day = at.atZone(zone).toLocalDate();
    var today = now.atZone(zone).toLocalDate();
    var date =
        switch ((int) Math.clamp(ChronoUnit.DAYS.between(today, day), -2, 2)) {
          case -1 -> "Yesterday";
          case 0 -> "Today";
          case 1 -> "Tomorrow";
          default -> (day.getYear() == today.getYear() ? DAY : DAY_OF_YEAR).format(day);
        };
    return date + " " + Times.time(at, zone);
  }

  /** Returns a time of the coming 24 hours without its day. */
  private static String soon(Instant at, ZoneId zone, Instant now) {
    return at.isBefore(now.plus(Duration.ofDays(1))) ? Times.time(at, zone) : near(at, zone, now);
  }

  private PeoplePage.Form form(List<ApiProblem> problems, EnrolmentDesk.Wanted said) {
    return new PeoplePage.Form(
        problems.stream().map(PeoplePage.Problem::of).toList(),
        said,
        List.copyOf(channels.kinds()),
        flows.all().stream().map(Flow::id).toList(),
        flows.defaultFlow().id(),
        flows.all().stream()
            .flatMap(flow -> flow.languages().all().stream())
            .distinct()
            .sorted()
            .toList(),
        Stream.concat(Stream.of("UTC"), TimeZones.ofPlaces().stream()).toList(),
        settings.defaultTimezone(),
        consents.version().orElse(""),
        fields.inputs(said.fields(), problems));
  }
}
