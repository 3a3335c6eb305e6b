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
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.audit.AuditAction;
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
  private static final Pattern WORD = Pattern.compile("[a-z]+(_[a-z]+)+");

  private final AuditDesk desk;
  private final FlowCatalog flows;
  private final Participants participants;
  private final PageFrames frames;

  AuditPageController(
      AuditDesk desk, FlowCatalog flows, Participants participants, PageFrames frames) {
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
        Times.minutes(entry.at(), ZoneOffset.UTC),
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
        said(entry.reason()));
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
