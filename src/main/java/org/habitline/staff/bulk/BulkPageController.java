package org.habitline.staff.bulk;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
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
import java.net.URI;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.participants.Participant;
import org.habitline.staff.people.PeopleSearch;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Times;

/** Serves the pages on which staff preview, confirm, follow and undo a bulk action. */
@Hidden
@Controller
@Secured("researcher")
@Produces(MediaType.TEXT_HTML)
final class BulkPageController {

  private static final String PAGE = "/bulk";
  private static final String EXPORT = "export";
  private static final int SHOWN = 200;
  private static final int LISTED = 50;

  private static final Set<Outbox.Stage> FAILED =
      EnumSet.of(Outbox.Stage.FAILED, Outbox.Stage.CANCELLED);

  private final BulkDesk desk;
  private final BulkEstimates estimates;
  private final Outbox outbox;
  private final SelectionExport export;
  private final PeopleSearch search;
  private final PageFrames frames;
  private final ReadLog reads;

  BulkPageController(
      BulkDesk desk,
      BulkEstimates estimates,
      Outbox outbox,
      SelectionExport export,
      PeopleSearch search,
      PageFrames frames,
      ReadLog reads) {
    this.desk = desk;
    this.estimates = estimates;
    this.outbox = outbox;
    this.export = export;
    this.search = search;
    this.frames = frames;
    this.reads = reads;
  }

  /** Previews an action on the chosen participants, or downloads them as a table. */
  @Post("/participants/selected")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> selected(Authentication by, @Body byte @Nullable [] body) {
    var selection = Selection.read(body);
    var action = selection.fields().getOrDefault("action", "");
    if (action.equals(EXPORT)) {
      return export.file(by, ids(by, selection));
    }
    var kind =
        BulkKind.of(action)
            .orElseThrow(() ->
                ApiProblem.bad(
                    "action: unknown; expected pause, resume, message, tag, untag or export."));
    return toPage(desk.preview(Actor.of(by), kind, ids(by, selection), BulkDesk.What.LATER));
  }

  private List<String> ids(Authentication by, Selection selection) {
    if (!selection.all()) {
      return selection.ids();
    }
    var wanted = PeopleSearch.Wanted.of(selection.fields());
    if (search.asksForNumber(by, wanted.q())) {
      reads.numberLookedUp(by);
    }
    return search.ids(wanted, BulkDesk.MOST + 1);
  }

  private static HttpResponse<?> toPage(String id) {
    return HttpResponse.seeOther(URI.create(PAGE + "/" + id));
  }

  /** Lists the last actions. */
  @Get(PAGE)
  HttpResponse<?> list(Authentication by) {
    var rows =
        desk.newest(LISTED).stream()
            .map(it ->
                new BulkListPage.Row(
                    it.id(),
                    Times.minutes(it.beginsAt(), ZoneOffset.UTC),
                    it.kind().title(),
                    it.by(),
                    switch (it.status()) {
                      case WAITING -> "running";
                      case UNDONE -> "stopped";
                      case DONE, PREVIEWED, FORGOTTEN -> "done";
                    },
                    it.count(BulkTargetStatus.DONE),
                    it.all()))
            .toList();
    return HttpResponse.ok(
        new ModelAndView<>(
            "bulks",
            Map.of("page", new BulkListPage(frames.frame("Bulk actions", by, null), rows))));
  }

  @Get(PAGE + "/{id}")
  HttpResponse<?> one(Authentication by, String id, @QueryValue @Nullable String cursor) {
    var after = cursor == null || cursor.isBlank() ? -1 : Paging.before(cursor);
    return HttpResponse.ok(view(by, desk.get(id), after, null, null, ""));
  }

  /** Stores the message or the tag and shows the preview. */
  @Post(PAGE + "/{id}/words")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> say(Authentication by, String id, @Body Map<String, String> form) {
    return done(
        by,
        id,
        form,
        () ->
            desk.complete(Actor.of(by), id, new BulkDesk.What(form.get("text"), form.get("tag"))));
  }

  /** Confirms the action; a second click on the button shows what the first one began. */
  @Post(PAGE + "/{id}/confirm")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> confirm(Authentication by, String id, @Body @Nullable Map<String, String> body) {
    // A form without fields has no body.
    var form = body == null ? Map.<String, String>of() : body;
    return done(
        by, id, form, () -> desk.confirm(Actor.of(by), id, form.get("count"), version(form)));
  }

  /** Returns the version that the form showed, or {@code null} if it names none. */
  private static @Nullable Integer version(Map<String, String> form) {
    var version = form.get("version");
    try {
      return version == null ? null : Integer.valueOf(version);
    } catch (NumberFormatException e) {
      throw ApiProblem.bad("The form is not readable; load the page again.");
    }
  }

  @Post(PAGE + "/{id}/undo")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> undo(Authentication by, String id) {
    return done(by, id, Map.of(), () -> desk.undo(Actor.of(by), id));
  }

  @Post(PAGE + "/{id}/discard")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> discard(Authentication by, String id) {
    desk.discard(Actor.of(by), id);
    return HttpResponse.seeOther(URI.create("/participants"));
  }

  /**
   * Carries out a form and shows the action: with what was typed and why it was refused, or as it
   * is if somebody was faster.
   */
  private HttpResponse<?> done(
      Authentication by, String id, Map<String, String> form, Runnable act) {
    try {
      act.run();
      return toPage(id);
    } catch (ApiProblem problem) {
      var action = desk.get(id);
      if (action.status() != BulkStatus.PREVIEWED) {
        return toPage(id);
      }
      return HttpResponse.status(problem.status())
          .body(
              view(
                  by,
                  action,
                  -1,
                  new BulkPage.Problem(problem.field().orElse(""), problem.besideField()),
                  action.kind().isTagging() ? form.get("tag") : form.get("text"),
                  form.getOrDefault("count", "")));
    }
  }

  private ModelAndView<Map<String, Object>> view(
      Authentication by,
      BulkDesk.Action action,
      long after,
      BulkPage.@Nullable Problem problem,
      @Nullable String draft,
      String typed) {
    var targets = desk.targets(action.id(), after, SHOWN);
    var words = action.kind().isTagging() ? action.tag() : action.words();
    var previewed = action.status() == BulkStatus.PREVIEWED;
    var progress =
        outbox.progress(
            targets.targets().stream()
                .flatMap(it -> Stream.ofNullable(it.row().messageId()))
                .toList());
    return new ModelAndView<>(
        "bulk",
        Map.of(
            "page",
            new BulkPage(
                frames.frame(problem == null ? "Bulk action" : "Error: Bulk action", by, null),
                action,
                draft != null ? draft : words == null ? "" : words,
                typed,
                problem,
                BulkDesk.mayChange(Actor.of(by), action.kind()),
                (desk.left(action).toMillis() + 999) / 1000,
                previewed && action.kind().isTagging() ? desk.tags() : List.of(),
                leftOut(action),
                previewed && after < 0
                    ? estimates
                        .of(action, by.getName())
                        .map(BulkPageController::sentences)
                        .orElse(List.of())
                    : List.of(),
                Times.seconds(action.beginsAt(), ZoneOffset.UTC),
                targets.targets().stream().map(it -> row(action, it, progress)).toList(),
                targets.next() == null ? "" : String.valueOf(targets.next()))));
  }

  private List<String> leftOut(BulkDesk.Action action) {
    return desk.reasons(action.id()).entrySet().stream()
        .map(it -> it.getValue() + " " + it.getKey().title(action.kind()))
        .toList();
  }

  private static List<String> sentences(BulkEstimates.Estimate estimate) {
    var sentences = new ArrayList<String>();
    sentences.add(
        (estimate.segments() == 1 ? "1 segment" : estimate.segments() + " segments")
            + " in total"
            + (estimate.longest() > 1
                ? ", up to " + estimate.longest() + " for each participant"
                : "")
            + estimate
                .cost()
                .map(cost ->
                    estimate.currency().isEmpty()
                        ? ""
                        : "; about "
                            + cost.stripTrailingZeros().toPlainString()
                            + " "
                            + estimate.currency()
                            + " at today's prices")
                .orElse("")
            + ".");
    if (estimate.outsideHours() > 0) {
      sentences.add(
          estimate.outsideHours()
              + (estimate.outsideHours() == 1 ? " of them is" : " of them are")
              + " outside their allowed hours now and will get the message when those begin.");
    }
    if (!estimate.tooMuch().isEmpty()) {
      sentences.add(estimate.tooMuch());
    }
    if (estimate.stopped()) {
      sentences.add("All sending is stopped. The messages wait until an admin resumes it.");
    }
    if (estimate.beforeLaunch()) {
      sentences.add(
          "Real channels are off until a test alert is acknowledged. The messages wait until"
              + " then.");
    }
    return List.copyOf(sentences);
  }

  private static BulkPage.Row row(
      BulkDesk.Action action, BulkDesk.Target target, Map<String, Outbox.Progress> progress) {
    var row = target.row();
    var sent = Optional.ofNullable(row.messageId()).map(progress::get);
    var message = sent.map(Outbox.Progress::stage);
    var result =
        row.status() == BulkTargetStatus.WAITING && action.status() == BulkStatus.PREVIEWED
            ? "included"
            : row.status().title();
    return new BulkPage.Row(
        target.participant() == null ? "" : row.participantId(),
        name(target.participant()),
        message.map(BulkPageController::words).orElse(result),
        target.participant() == null
            ? ""
            : Times.minutes(
                sent.map(Outbox.Progress::sentAt).orElse(null), target.participant().zone()),
        row.status() == BulkTargetStatus.DONE || row.status() == BulkTargetStatus.WAITING,
        message.filter(FAILED::contains).isPresent(),
        row.reason() == null ? "" : row.reason().title(action.kind()));
  }

  /** Returns how far a message has come, in words. */
  private static String words(Outbox.Stage stage) {
    return switch (stage) {
      case SENT -> "planned or on its way";
      case DELIVERED -> "delivered";
      case READ -> "read";
      case FAILED -> "not delivered";
      case CANCELLED -> "not sent";
    };
  }

  private static String name(@Nullable Participant participant) {
    if (participant == null) {
      return "being erased";
    }
    return participant.shownName();
  }
}
