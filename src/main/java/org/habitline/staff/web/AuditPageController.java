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
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditLog;
import org.habitline.flows.FlowCatalog;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.storage.Ids;

/** Serves the page of the audit log. */
@Hidden
@Controller("/system/audit")
@Secured("admin")
@Produces(MediaType.TEXT_HTML)
final class AuditPageController {

  /** A word of the program, such as {@code not_asked}. */
  private static final Pattern WORD = Pattern.compile("^[a-z]++(?:_[a-z]++)++");

  /** How many participants a search by name, study id or number takes. */
  private static final int FOUND = 100;

  private final AuditDesk desk;
  private final FlowCatalog flows;

  private final Participants participants;
  private final ParticipantFinder finder;
  private final PageFrames frames;

  AuditPageController(
      AuditDesk desk,
      FlowCatalog flows,
      Participants participants,
      ParticipantFinder finder,
      PageFrames frames) {
    this.finder = finder;
    this.desk = desk;
    this.flows = flows;
    this.participants = participants;
    this.frames = frames;
  }

  @Get
  HttpResponse<?> page(
      Authentication by,
      @QueryValue @Nullable String participant,
      @QueryValue @Nullable String actor,
      @QueryValue @Nullable String action,
      @QueryValue @Nullable String from,
      @QueryValue @Nullable String to,
      @QueryValue @Nullable String cursor) {
    var wanted = new Wanted(new AuditDesk.Wanted(participant, actor, action), said(from), said(to));
    try {
      return HttpResponse.ok(page(by, wanted, filter(by, wanted), Paging.before(cursor), ""));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(page(by, wanted, wanted.of().filter(), Long.MAX_VALUE, problem.onPage()));
    }
  }

  /** The filters as given, with the first and the last day. */
  private record Wanted(AuditDesk.Wanted of, String from, String to) {}

  /** Returns the filter with the participants that the words find, and the times of the days. */
  private AuditLog.Filter filter(Authentication by, Wanted wanted) {
    var first = Days.of("from", wanted.from());
    var last = Days.of("to", wanted.to());
    if (first != null && last != null && last.isBefore(first)) {
      throw ApiProblem.bad("from: the first day must not be after the last day.");
    }
    var filter = wanted.of().filter();
    var ids = new LinkedHashSet<>(filter.participantIds());
    var exact = participants.withStudyIds(ids).values();
    if (!exact.isEmpty()) {
      ids.addAll(exact);
    } else if (!ids.isEmpty()) {
      var found = finder.ids(by, wanted.of().participant(), FOUND + 1);
      if (found.size() > FOUND) {
        throw ApiProblem.bad(
            "participant: more than "
                + FOUND
                + " participants match; enter more of the name or id.");
      }
      ids.addAll(found);
    }
    return new AuditLog.Filter(
            List.copyOf(ids), filter.actor(), filter.action(), filter.from(), filter.until())
        .within(
            first == null ? null : first.atStartOfDay(ZoneOffset.UTC).toInstant(),
            last == null ? null : last.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant());
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by, Wanted given, AuditLog.Filter filter, long before, String complaint) {
    var wanted = given.of();
    var found = desk.entries(filter, before, Paging.USUAL);
    var names = names(found.entries());
    return new ModelAndView<>(
        "audit",
        Map.of(
            "page",
            new AuditPage(
                frames.frame("Audit log", by, null),
                found.entries().stream().map(it -> row(it, names)).toList(),
                desk.actions().stream()
                    .map(it ->
                        new AuditPage.Act(
                            it, AuditAction.of(it).map(AuditAction::title).orElse(it)))
                    .sorted(Comparator.comparing(AuditPage.Act::says))
                    .toList(),
                said(wanted.participant()),
                said(wanted.actor()),
                said(wanted.action()),
                given.from(),
                given.to(),
                older(given, found.next()),
                complaint)));
  }

  private static String older(Wanted given, @Nullable Long next) {
    var wanted = given.of();
    return next == null
        ? ""
        : UriBuilder.of("/system/audit")
            .queryParam("participant", said(wanted.participant()))
            .queryParam("actor", said(wanted.actor()))
            .queryParam("action", said(wanted.action()))
            .queryParam("from", given.from())
            .queryParam("to", given.to())
            .queryParam("cursor", next)
            .build()
            .toString();
  }

  private Map<String, String> names(List<AuditDesk.Entry> entries) {
    var ids = new HashSet<String>();
    for (var entry : entries) {
      if (entry.participantId() != null) {
        ids.add(entry.participantId());
      }
    }
    return participants.theseWithContacts(ids).stream()
        .collect(Collectors.toMap(Participant::id, Participant::shownName));
  }

  private AuditPage.Row row(AuditDesk.Entry entry, Map<String, String> names) {
    var action = AuditAction.of(entry.action());
    var before = inWords(said(entry.oldValue()));
    var after = inWords(said(entry.newValue()));
    var participant = said(entry.participantId());
    return new AuditPage.Row(
        entry.at().toString(),
        Times.seconds(entry.at(), ZoneOffset.UTC),
        who(entry.actor()),
        action
            .map(it -> it.did(inWords(said(entry.subject())), before, after))
            .orElse("did this: " + entry.action()),
        Ids.isId(after) || action.filter(AuditAction::namesValues).isPresent(),
        entry.actor(),
        entry.role(),
        entry.action(),
        participant,
        names.getOrDefault(participant, ""),
        said(entry.subject()),
        before,
        after,
        action.filter(AuditAction.PARTICIPANT_CHANGED::equals).isPresent()
            ? changes(entry)
            : List.of(),
        said(entry.reason()));
  }

  /** Returns the details that differ. */
  private List<AuditPage.Change> changes(AuditDesk.Entry entry) {
    return AuditedDetails.read(entry.oldValue())
        .changesTo(AuditedDetails.read(entry.newValue()))
        .stream()
        .map(change ->
            new AuditPage.Change(
                change.what().substring(0, 1).toUpperCase(Locale.ROOT) + change.what().substring(1),
                value(change.before()),
                value(change.after())))
        .toList();
  }

  private static String value(String said) {
    return said.isEmpty() ? "empty" : said;
  }

  private static String who(String actor) {
    return switch (actor) {
      case "habitline" -> "Habitline";
      case "coach" -> "The coach";
      case "unknown" -> "Someone unknown";
      default -> actor;
    };
  }

  /** Returns a value as people read it: a module by its title, a time to the minute. */
  private String inWords(String value) {
    if (WORD.matcher(value).matches()) {
      return value.replace('_', ' ');
    }
    if (flows.all().stream().anyMatch(flow -> flow.module(value).isPresent())) {
      return flows.moduleTitle(value);
    }
    return Times.readable(value, ZoneOffset.UTC);
  }

  private static String said(@Nullable String word) {
    return word == null ? "" : word;
  }
}
