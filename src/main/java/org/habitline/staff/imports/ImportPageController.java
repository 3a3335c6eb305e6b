package org.habitline.staff.imports;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Part;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.http.multipart.CompletedFileUpload;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.io.IOException;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.habitline.messaging.Channels;
import org.habitline.participants.ChannelKind;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.Times;

/** Serves the pages on which staff preview, confirm and follow an import. */
@Hidden
@Controller("/participants/import")
@Secured("researcher")
@Produces(MediaType.TEXT_HTML)
final class ImportPageController {

  private static final String PAGE = "/participants/import";
  private static final int SHOWN = 200;
  private static final int EARLIER = 20;
  private static final ImportDesk.Person NOBODY = new ImportDesk.Person("", "");

  private final ImportDesk desk;
  private final Channels channels;
  private final PageFrames frames;

  ImportPageController(ImportDesk desk, Channels channels, PageFrames frames) {
    this.desk = desk;
    this.channels = channels;
    this.frames = frames;
  }

  @Get
  HttpResponse<?> page(Authentication by) {
    return HttpResponse.ok(page(by, ""));
  }

  private ModelAndView<Map<String, Object>> page(Authentication by, String complaint) {
    return new ModelAndView<>(
        "imports",
        Map.of(
            "page",
            new ImportsPage(
                frames.frame("Import participants", by, null),
                complaint,
                desk.columns(),
                channels.kinds().stream().map(ChannelKind::word).toList(),
                desk.list(Long.MAX_VALUE, EARLIER).imports().stream()
                    .map(it ->
                        new ImportsPage.Earlier(
                            it.id(),
                            it.status().word(),
                            it.by(),
                            it.done(),
                            it.rows(),
                            Times.minutes(it.createdAt(), ZoneOffset.UTC)))
                    .toList())));
  }

  /** Stores the file and shows its preview; no one is enrolled yet. */
  @Post
  @Consumes(MediaType.MULTIPART_FORM_DATA)
  HttpResponse<?> upload(Authentication by, @Part("file") @Nullable CompletedFileUpload file) {
    try {
      return HttpResponse.seeOther(
          URI.create(PAGE + "/" + desk.prepare(Actor.of(by), bytes(file))));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(page(by, problem.sentence()));
    }
  }

  private static byte[] bytes(@Nullable CompletedFileUpload file) {
    if (file == null) {
      throw ApiProblem.bad("Choose a file first.");
    }
    try {
      return file.getBytes();
    } catch (IOException e) {
      throw ApiProblem.bad("The file did not arrive completely; choose it again.");
    }
  }

  @Get("/{id}")
  HttpResponse<?> one(Authentication by, String id, @QueryValue @Nullable String cursor) {
    try {
      var after = cursor == null || cursor.isBlank() ? 0 : Paging.before(cursor);
      return HttpResponse.ok(one(by, desk.get(id), after));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(page(by, problem.sentence()));
    }
  }

  private ModelAndView<Map<String, Object>> one(
      Authentication by, ImportDesk.Import list, long after) {
    var previewed = list.status() == ImportStatus.PREVIEWED;
    var results = desk.results(list.id(), after, SHOWN);
    var people =
        previewed ? desk.people(list.id(), after, SHOWN) : Map.<Integer, ImportDesk.Person>of();
    return new ModelAndView<>(
        "import",
        Map.of(
            "page",
            new ImportPage(
                frames.frame("Import", by, null),
                list.id(),
                list.status(),
                list.rows(),
                list.done(),
                list.enrolled(),
                previewed ? desk.taken(list.id()) : 0,
                list.duplicates(),
                list.errors(),
                results.results().stream()
                    .map(row -> row(row, people.getOrDefault(row.row(), NOBODY), previewed))
                    .toList(),
                results.next() == null ? "" : String.valueOf(results.next()))));
  }

  /**
   * Returns a row for the page. Whether its number or study id is taken is certain only once the
   * row is carried out.
   */
  private static ImportPage.Row row(
      ImportDesk.Result row, ImportDesk.Person person, boolean previewed) {
    var waits = row.status() == ImportRowStatus.WAITING;
    var status =
        !waits || !previewed
            ? row.status().word()
            : row.message() == null ? "will be enrolled" : ImportRowStatus.DUPLICATE.word();
    return new ImportPage.Row(
        row.row(),
        person.name(),
        person.number(),
        status,
        row.participantId() == null ? "" : row.participantId(),
        row.message() == null || (waits && !previewed) ? "" : row.message(),
        row.warnings() == null ? List.of() : row.warnings());
  }

  @Post("/{id}/confirm")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> confirm(Authentication by, String id) {
    try {
      desk.confirm(Actor.of(by), id);
      return HttpResponse.seeOther(URI.create(PAGE + "/" + id));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(page(by, problem.sentence()));
    }
  }

  @Post("/{id}/discard")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> discard(String id) {
    desk.discard(id);
    return HttpResponse.seeOther(URI.create(PAGE));
  }
}
