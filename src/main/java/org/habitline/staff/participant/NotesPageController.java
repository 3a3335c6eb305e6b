package org.habitline.staff.participant;

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
import java.net.URI;
import java.util.Map;
import java.util.function.Supplier;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Paging;
import org.habitline.staff.web.ReadLog;
import org.habitline.staff.web.Times;
import org.jspecify.annotations.Nullable;

/** Serves the page of what staff note about a participant. */
@Hidden
@Controller("/participants/{id}/notes")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
final class NotesPageController {

  private final Notes notes;
  private final EnrolmentDesk desk;
  private final PageFrames frames;
  private final ReadLog reads;

  NotesPageController(Notes notes, EnrolmentDesk desk, PageFrames frames, ReadLog reads) {
    this.notes = notes;
    this.desk = desk;
    this.frames = frames;
    this.reads = reads;
  }

  @Get
  @Secured("researcher")
  HttpResponse<?> page(Authentication by, String id, @QueryValue @Nullable String cursor) {
    return HttpResponse.ok(page(by, id, Paging.before(cursor), "", "", "", ""));
  }

  @Post
  HttpResponse<?> add(Authentication by, String id, @Body Map<String, String> form) {
    return done(by, id, NotesPage.NEW, form, () -> notes.add(Actor.of(by), id, form.get("text")));
  }

  @Post("/{noteId}")
  HttpResponse<?> edit(
      Authentication by, String id, String noteId, @Body Map<String, String> form) {
    return done(by, id, noteId, form, () -> notes.edit(Actor.of(by), id, noteId, form.get("text")));
  }

  @Post("/{noteId}/remove")
  @Consumes(MediaType.ALL)
  HttpResponse<?> remove(Authentication by, String id, String noteId) {
    return done(by, id, "", Map.of(), () -> notes.remove(Actor.of(by), id, noteId));
  }

  private HttpResponse<?> done(
      Authentication by,
      String id,
      String which,
      Map<String, String> form,
      Supplier<Notes.Note> act) {
    try {
      var _ = act.get();
      return HttpResponse.seeOther(URI.create("/participants/" + id + "/notes"));
    } catch (ApiProblem problem) {
      if (problem.status() == HttpStatus.NOT_FOUND) {
        throw problem;
      }
      var beside = !which.isEmpty() && problem.field().isPresent();
      return HttpResponse.status(problem.status())
          .body(
              page(
                  by,
                  id,
                  Long.MAX_VALUE,
                  which,
                  form.getOrDefault("text", ""),
                  beside ? problem.besideField() : "",
                  beside ? "" : problem.onPage()));
    }
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by,
      String id,
      long before,
      String refused,
      String entered,
      String problem,
      String complaint) {
    var participant = desk.participant(id);
    reads.conversation(by, participant.id());
    var found = notes.newest(id, before, Paging.USUAL + 1);
    var shown = found.subList(0, Math.min(Paging.USUAL, found.size()));
    var actor = Actor.of(by);
    return new ModelAndView<>(
        "notes",
        Map.of(
            "page",
            new NotesPage(
                frames.frame("Notes", by, null),
                id,
                ParticipantPages.name(participant),
                participant.zone().getId(),
                shown.stream().map(note -> note(note, participant, actor)).toList(),
                found.size() > shown.size()
                    ? "/participants/%s/notes?cursor=%d".formatted(id, shown.getLast().seq())
                    : "",
                refused,
                entered,
                problem,
                complaint)));
  }

  /** Returns a note as pages show it. */
  static NotesPage.Note note(Notes.Note note, Participant participant, Actor actor) {
    return new NotesPage.Note(
        note.id(),
        note.text(),
        note.author(),
        Times.minutes(note.writtenAt(), participant.zone()),
        note.editedBy() == null
            ? ""
            : "edited %s by %s"
                .formatted(Times.minutes(note.editedAt(), participant.zone()), note.editedBy()),
        note.isOpenTo(actor));
  }
}
