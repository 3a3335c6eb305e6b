package org.habitline.staff.imports;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.Channels;
import org.habitline.messaging.ConsentGate;
import org.habitline.participants.ChannelKind;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.StaffSettings;
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

  /** What the form says of a column that is left out. */
  private static final String LEFT_OUT = "out";

  /** How many rows can be corrected at once; the server reads forms of a limited size. */
  private static final int CORRECTED = 20;

  private static final Pattern CELL = Pattern.compile("cell\\.(\\d{1,6})\\.(.+)");
  private static final Pattern SEEN = Pattern.compile("seen\\.(\\d{1,6})");
  private static final Pattern OUT = Pattern.compile("out\\.(\\d{1,6})");

  private static final ImportPage.Corrections NONE = new ImportPage.Corrections(List.of(), "", "");
  private static final ImportReader.Person NOBODY = new ImportReader.Person("", "", "");

  private final ImportDesk desk;
  private final ImportReader reader;
  private final Channels channels;
  private final FlowCatalog flows;
  private final ConsentGate consents;
  private final StaffSettings settings;
  private final PageFrames frames;

  ImportPageController(
      ImportDesk desk,
      ImportReader reader,
      Channels channels,
      FlowCatalog flows,
      ConsentGate consents,
      StaffSettings settings,
      PageFrames frames) {
    this.desk = desk;
    this.reader = reader;
    this.channels = channels;
    this.flows = flows;
    this.consents = consents;
    this.settings = settings;
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
                reader.list(Long.MAX_VALUE, EARLIER).imports().stream()
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
  HttpResponse<?> one(
      Authentication by,
      String id,
      @QueryValue @Nullable String cursor,
      @QueryValue @Nullable String fix) {
    try {
      return HttpResponse.ok(
          one(by, reader.get(id), new Shown(after(cursor), after(fix), Map.of(), null)));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(page(by, problem.sentence()));
    }
  }

  private static long after(@Nullable String cursor) {
    return cursor == null || cursor.isBlank() ? 0 : Paging.before(cursor);
  }

  /**
   * What of a list is shown.
   *
   * @param after where the page of rows starts
   * @param fix where the page of rows to correct starts
   * @param said what the last form said, if it was refused
   * @param problem why it was refused, or {@code null}
   */
  private record Shown(
      long after, long fix, Map<String, String> said, @Nullable ApiProblem problem) {}

  private ModelAndView<Map<String, Object>> one(
      Authentication by, ImportReader.Import list, Shown shown) {
    var previewed = list.status() == ImportStatus.PREVIEWED;
    var unmapped = list.status() == ImportStatus.UNMAPPED;
    var problem = shown.problem();
    var results =
        unmapped
            ? new ImportReader.Results(List.of(), null)
            : reader.results(list.id(), shown.after(), SHOWN);
    var people =
        previewed
            ? reader.people(list.id(), shown.after(), SHOWN)
            : Map.<Integer, ImportReader.Person>of();
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
                previewed ? reader.taken(list.id()) : 0,
                list.duplicates(),
                list.errors(),
                list.leftOut(),
                results.results().stream()
                    .map(row -> row(row, people.getOrDefault(row.row(), NOBODY), previewed))
                    .toList(),
                results.next() == null ? "" : String.valueOf(results.next()),
                unmapped ? columns(list.id(), shown.said()) : List.of(),
                previewed ? corrections(list.id(), shown.fix()) : NONE,
                defaults(list, shown),
                consents.version().isPresent(),
                problem == null || problem.field().filter(ImportDesk.DEFAULTS::contains).isPresent()
                    ? ""
                    : problem.onPage())));
  }

  private List<ImportPage.Column> columns(String id, Map<String, String> said) {
    var choices = desk.columns().stream().map(it -> new ImportPage.Choice(it, label(it))).toList();
    var columns = new ArrayList<ImportPage.Column>();
    for (var column : desk.unknown(id)) {
      var index = columns.size();
      columns.add(
          new ImportPage.Column(
              index,
              column.key(),
              String.join(", ", column.samples()),
              choices,
              said.getOrDefault("column." + index, suggested(column)),
              column.near().isEmpty() ? "" : label(column.near())));
    }
    return List.copyOf(columns);
  }

  /** Returns what a column most likely is, or empty if staff must choose. */
  private static String suggested(ImportDesk.Unknown column) {
    return column.key().isBlank() ? LEFT_OUT : column.guess();
  }

  private ImportPage.Corrections corrections(String id, long after) {
    var found = desk.toCorrect(id, after, CORRECTED);
    var people =
        found.rows().isEmpty()
            ? Map.<Integer, ImportReader.Person>of()
            : reader.people(id, found.rows().stream().map(ImportDesk.ToCorrect::row).toList());
    return new ImportPage.Corrections(
        found.rows().stream().map(row -> fix(row, people.getOrDefault(row.row(), NOBODY))).toList(),
        after == 0 ? "" : String.valueOf(after),
        found.next() == null ? "" : String.valueOf(found.next()));
  }

  /** Returns what pages call a column, such as "Phone number". */
  private static String label(String column) {
    return ApiProblem.bad(column + ":").onPage().replaceFirst(":$", "");
  }

  private static ImportPage.Fix fix(ImportDesk.ToCorrect row, ImportReader.Person person) {
    return new ImportPage.Fix(
        row.row(),
        person.name(),
        person.number(),
        row.leftOut(),
        row.problem(),
        row.cells().stream()
            .map(cell ->
                new ImportPage.Cell(
                    cell.column(),
                    cell.column().equals(ImportFile.EXTRA)
                        ? "Cells without a column"
                        : label(cell.column()),
                    cell.value(),
                    cell.problem()))
            .toList());
  }

  private ImportPage.Defaults defaults(ImportReader.Import list, Shown shown) {
    var problem = shown.problem();
    return new ImportPage.Defaults(
        shown.said().isEmpty() ? desk.defaults(list.id()) : shown.said(),
        settings.defaultTimezone(),
        list.status() == ImportStatus.PREVIEWED ? desk.withoutZone(list.id()) : 0,
        List.copyOf(channels.kinds()),
        flows.all().stream().map(Flow::id).toList(),
        flows.defaultFlow().id(),
        flows.all().stream()
            .flatMap(flow -> flow.languages().all().stream())
            .distinct()
            .sorted()
            .toList(),
        problem == null ? "" : problem.field().orElse(""),
        problem == null ? "" : problem.besideField());
  }

  /** Says what the unknown columns of a file are. */
  @Post("/{id}/columns")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> columns(Authentication by, String id, @Body Map<String, String> form) {
    return changed(
        by,
        id,
        form,
        () -> {
          var unknown = desk.unknown(id);
          var targets = new HashMap<String, String>();
          for (int i = 0; i < unknown.size(); i++) {
            var chosen = form.getOrDefault("column." + i, LEFT_OUT);
            if (chosen.isEmpty()) {
              throw ApiProblem.bad(
                  "Choose what the column '"
                      + unknown.get(i).key()
                      + "' becomes, or leave it out.");
            }
            targets.put(unknown.get(i).key(), chosen.equals(LEFT_OUT) ? "" : chosen);
          }
          desk.map(Actor.of(by), id, targets);
        });
  }

  /** Sets what counts where a cell is blank. */
  @Post("/{id}/defaults")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> defaults(Authentication by, String id, @Body Map<String, String> form) {
    return changed(by, id, form, () -> desk.setDefaults(id, form));
  }

  /** Corrects rows, or leaves them out. */
  @Post("/{id}/rows")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> rows(Authentication by, String id, @Body Map<String, String> form) {
    return changed(by, id, form, () -> desk.correct(id, correction(form)));
  }

  private static ImportDesk.Correction correction(Map<String, String> form) {
    var cells = new HashMap<Integer, Map<String, String>>();
    var seen = new HashSet<Integer>();
    var out = new HashSet<Integer>();
    form.forEach((name, value) -> {
      var cell = CELL.matcher(name);
      if (cell.matches()) {
        cells
            .computeIfAbsent(Integer.valueOf(cell.group(1)), row -> new HashMap<>())
            .put(cell.group(2), value);
      }
      numbered(SEEN, name).ifPresent(seen::add);
      numbered(OUT, name).ifPresent(out::add);
    });
    return new ImportDesk.Correction(cells, seen, out);
  }

  private static Optional<Integer> numbered(Pattern pattern, String name) {
    var found = pattern.matcher(name);
    return found.matches() ? Optional.of(Integer.valueOf(found.group(1))) : Optional.empty();
  }

  private HttpResponse<?> changed(
      Authentication by, String id, Map<String, String> form, Runnable change) {
    try {
      change.run();
      var fix = form.getOrDefault("fix", "");
      return HttpResponse.seeOther(
          URI.create(PAGE + "/" + id + (fix.matches("\\d{1,6}") ? "?fix=" + fix : "")));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(
              reader
                  .find(id)
                  .filter(list -> list.status().isOpen())
                  .map(list -> one(by, list, new Shown(0, 0, form, problem)))
                  .orElseGet(() -> page(by, problem.sentence())));
    }
  }

  /**
   * Returns a row for the page. Whether its number or study id is taken is certain only once the
   * row is carried out.
   */
  private static ImportPage.Row row(
      ImportReader.Result row, ImportReader.Person person, boolean previewed) {
    var waits = row.status() == ImportRowStatus.WAITING;
    var status =
        !waits || !previewed
            ? row.status().word().replace('_', ' ')
            : row.message() == null ? "will be enrolled" : ImportRowStatus.DUPLICATE.word();
    return new ImportPage.Row(
        row.row(),
        person.name(),
        person.number(),
        person.studyId(),
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
