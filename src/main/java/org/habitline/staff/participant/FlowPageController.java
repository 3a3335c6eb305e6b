package org.habitline.staff.participant;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.habitline.conversation.stored.StateReader;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.timers.Schedule;
import org.habitline.timers.WakeupKind;
import org.jspecify.annotations.Nullable;

/** Serves the page on which staff move a participant to another flow. */
@Hidden
@Controller("/participants/{id}/flow")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
final class FlowPageController {

  private final FlowDesk moves;
  private final EnrolmentDesk desk;
  private final StateReader states;
  private final FlowCatalog flows;
  private final PageFrames frames;

  FlowPageController(
      FlowDesk moves,
      EnrolmentDesk desk,
      StateReader states,
      FlowCatalog flows,
      PageFrames frames) {
    this.moves = moves;
    this.desk = desk;
    this.states = states;
    this.flows = flows;
    this.frames = frames;
  }

  /** Shows the flows to choose from, and with a chosen one what a move to it does. */
  @Get
  HttpResponse<?> page(Authentication by, String id, @QueryValue @Nullable String flow) {
    var participant = desk.participant(id);
    try {
      return HttpResponse.ok(
          page(by, participant, Objects.requireNonNullElse(flow, ""), "", "", ""));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status())
          .body(page(by, participant, "", "", "", problem.onPage()));
    }
  }

  @Post
  HttpResponse<?> move(Authentication by, String id, @Body Map<String, String> form) {
    var flow = form.getOrDefault("flow", "");
    try {
      var _ = moves.move(Actor.of(by), id, flow, form.get("reason"));
      return HttpResponse.seeOther(URI.create("/participants/" + id));
    } catch (ApiProblem problem) {
      var participant = desk.participant(id);
      var beside = problem.field().equals(Optional.of("reason"));
      var known = flows.flow(flow).isPresent() && !flow.equals(participant.flow());
      return HttpResponse.status(problem.status())
          .body(
              page(
                  by,
                  participant,
                  known ? flow : "",
                  form.getOrDefault("reason", ""),
                  beside ? problem.besideField() : "",
                  beside ? "" : problem.onPage()));
    }
  }

  private ModelAndView<Map<String, Object>> page(
      Authentication by,
      Participant participant,
      String chosen,
      String reason,
      String problem,
      String complaint) {
    return new ModelAndView<>(
        "flow",
        Map.of(
            "page",
            new FlowPage(
                frames.frame("Flow", by, null),
                participant.id(),
                ParticipantPages.name(participant),
                participant.flow(),
                flows.all().stream()
                    .map(Flow::id)
                    .filter(it -> !it.equals(participant.flow()))
                    .sorted()
                    .toList(),
                chosen,
                chosen.isEmpty()
                    ? List.of()
                    : effects(moves.preview(participant, chosen), participant),
                reason,
                problem,
                complaint)));
  }

  private List<String> effects(FlowDesk.Move move, Participant participant) {
    var does = move.consequences();
    var says = new ArrayList<String>();
    var standing = states.standings(List.of(participant)).get(participant.id());
    if (standing != null && standing.answering()) {
      says.add(
          "The coach is writing to the participant now. The move waits until it has finished.");
    }
    says.add(
        "Module %s replies to the participant's next text. They are not told about the move."
            .formatted(flows.moduleTitle(move.flow().id(), does.module())));
    if (!does.ending().isEmpty()) {
      says.add(
          (move.flow().dailyPrompt() == null
                  ? "The new flow has no daily prompts, so these end: "
                  : "The new flow allows fewer daily prompts, so these end: ")
              + times(does.ending())
              + ".");
    }
    if (!does.staying().isEmpty()) {
      says.add("Daily prompts continue at the same time: " + times(does.staying()) + ".");
    }
    if (does.prepared()) {
      says.add("The prompt that the coach has already written is dropped and written anew.");
    }
    if (!does.planned().isEmpty()) {
      says.add(
          "These are cancelled: "
              + does.planned().stream()
                  .map(FlowPageController::planned)
                  .distinct()
                  .collect(Collectors.joining(", "))
              + ".");
    }
    if (does.language() != null) {
      says.add(
          "The new flow has no texts in the participant's language (%s). They are written to in %s."
              .formatted(does.language(), move.language()));
    }
    if (!does.unused().isEmpty()) {
      says.add(
          "The new flow does not use these fields of the profile. They are kept: "
              + does.unused().stream()
                  .map(ParticipantPages::label)
                  .collect(Collectors.joining(", "))
              + ".");
    }
    says.add(
        "The conversation and its history stay. Messages that are waiting to be sent are still sent.");
    return says;
  }

  private static String planned(WakeupKind kind) {
    return switch (kind) {
      case TRANSITION, AUTO_FEEDBACK -> "the planned move to another module";
      case REMINDER -> "the reminder of the last daily prompt";
      case CHECK_IN, FOLLOW_UP -> "the planned check-in";
      case NUDGE -> "the nudge if they stay silent";
      default -> "other jobs";
    };
  }

  private static String times(List<Schedule> schedules) {
    return schedules.stream()
        .map(schedule -> schedule.time().text())
        .collect(Collectors.joining(", "));
  }
}
