package org.habitline.staff;

import io.micronaut.http.HttpResponse;
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
import java.net.URI;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.function.Supplier;
import org.habitline.messaging.Unclaimed;

/** The first page: what needs somebody's attention now, and texts from unknown senders. */
@Hidden
@Controller
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class TodayController {

  /** Older ones are read over REST. */
  private static final int STRANGERS = 20;

  private final UnclaimedDesk unclaimed;
  private final PageFrames frames;

  TodayController(UnclaimedDesk unclaimed, PageFrames frames) {
    this.unclaimed = unclaimed;
    this.frames = frames;
  }

  @Get("/")
  ModelAndView<Map<String, Object>> today(Authentication by) {
    return view(by, "");
  }

  private ModelAndView<Map<String, Object>> view(Authentication by, String complaint) {
    return new ModelAndView<>("today", Map.of("page", page(by, complaint)));
  }

  private TodayPage page(Authentication by, String complaint) {
    return new TodayPage(
        frames.frame("Today", by, "/events"),
        unclaimed.texts(null, Long.MAX_VALUE, STRANGERS).stream()
            .map(TodayController::stranger)
            .toList(),
        complaint);
  }

  private static TodayPage.Stranger stranger(Unclaimed.Text text) {
    return new TodayPage.Stranger(
        text.seq(),
        UnclaimedDesk.sender(text),
        text.channel(),
        text.body(),
        Times.minutes(text.receivedAt(), ZoneOffset.UTC),
        text.number().isPresent());
  }

  /** Claims a text for the participant named, or for its sender, who is enrolled. */
  @Post("/unclaimed/{seq}/claim/form")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> claim(Authentication by, long seq, @Body Map<String, String> form) {
    var named = form.getOrDefault("participant_id", "").strip();
    return decided(
        by,
        () -> {
          var participant =
              unclaimed.claim(
                  Actors.of(by),
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
          unclaimed.dismiss(Actors.of(by), seq, form.get("reason"));
          return "/";
        });
  }

  private HttpResponse<?> decided(Authentication by, Supplier<String> next) {
    try {
      return HttpResponse.seeOther(URI.create(next.get()));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(view(by, problem.sentence()));
    }
  }
}
