package org.habitline.ops.health;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.authentication.Authentication;
import io.micronaut.views.ModelAndView;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.habitline.messaging.Channels;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.Waiting;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.ops.access.Access;
import org.habitline.ops.access.KeyKind;
import org.habitline.ops.access.LoginBrake;
import org.habitline.ops.database.Backups;
import org.habitline.ops.database.ErasedSpace;
import org.habitline.ops.start.Configuration;
import org.habitline.protocol.RetentionPlan;
import org.habitline.staff.people.CustomFields;
import org.habitline.staff.today.ServiceHealth;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.PageFrames;
import org.habitline.staff.web.Times;
import org.habitline.study.Retention;
import reactor.core.publisher.Mono;

/** Serves the page that shows staff the service's status, and on which admins make backups. */
@Hidden
@Controller("/system")
@Secured("staff")
@Produces(MediaType.TEXT_HTML)
final class SystemPageController {

  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final int COPIES = 10;

  private final Configuration configuration;
  private final Backlog backlog;
  private final ServiceHealth health;
  private final RefusedCalls refusedCalls;
  private final Channels channels;
  private final Backups backups;
  private final ErasedSpace erasedSpace;
  private final List<HealthIndicator> indicators;
  private final CustomFields fields;
  private final Retention retention;
  private final LoginBrake brake;
  private final PageFrames frames;

  SystemPageController(
      Configuration configuration,
      Backlog backlog,
      ServiceHealth health,
      RefusedCalls refusedCalls,
      Channels channels,
      Backups backups,
      ErasedSpace erasedSpace,
      List<HealthIndicator> indicators,
      CustomFields fields,
      Retention retention,
      LoginBrake brake,
      PageFrames frames) {
    this.configuration = configuration;
    this.backlog = backlog;
    this.health = health;
    this.refusedCalls = refusedCalls;
    this.channels = channels;
    this.backups = backups;
    this.erasedSpace = erasedSpace;
    this.indicators = indicators;
    this.fields = fields;
    this.retention = retention;
    this.brake = brake;
    this.frames = frames;
  }

  @Get
  @Secured("viewer")
  ModelAndView<Map<String, Object>> page(Authentication by) {
    return page(by, "");
  }

  private ModelAndView<Map<String, Object>> page(Authentication by, String complaint) {
    var frame = frames.frame("System", by, null);
    return new ModelAndView<>(
        "system",
        Map.of(
            "page",
            new SystemPage(
                frame,
                complaint,
                parts(),
                wrong(),
                backlog.seen().map(this::queues).orElse(List.of()),
                backups.possible(),
                frame.admin() ? copies() : List.of(),
                fields.added(),
                kept(),
                configuration.values().stream()
                    .map(it ->
                        new SystemPage.Configured(
                            it.variable(), it.value().replace("`", ""), it.source(), it.meaning()))
                    .toList())));
  }

  /** Returns the problems shown on Today, what is missing, and the missed daily prompts. */
  private List<ServiceHealth.Sign> wrong() {
    var signs = health.signs().stream().filter(sign -> !sign.fine());
    var missed =
        backlog.seen().map(Backlog.Seen::missed).filter(count -> count > 0).stream()
            .map(count ->
                new ServiceHealth.Sign(
                    "Prompts",
                    true,
                    count
                        + (count == 1 ? " daily prompt was" : " daily prompts were")
                        + " not sent on time in the last 24 hours. Today shows which, and why."));
    var proxy =
        brake.warning().stream()
            .map(warning -> new ServiceHealth.Sign("Proxy", ServiceHealth.Level.MISSING, warning));
    return Stream.of(signs, missed, proxy)
        .flatMap(Function.identity())
        .filter(sign -> !sign.what().equals(StatusSummary.SENDING))
        .toList();
  }

  private List<SystemPage.Part> parts() {
    return indicators.stream()
        .map(SystemPageController::asked)
        .flatMap(Optional::stream)
        .map(result -> new SystemPage.Part(result.getName(), word(result)))
        .sorted(Comparator.comparing(SystemPage.Part::name))
        .toList();
  }

  /** Returns the part's status; a stopped or failing part may be up, because nothing is lost. */
  private static String word(HealthResult result) {
    if ("DOWN".equals(String.valueOf(result.getStatus()))) {
      return "down";
    }
    if (!(result.getDetails() instanceof Map<?, ?> details)) {
      return "up";
    }
    return Boolean.TRUE.equals(details.get("stopped"))
        ? "stopped"
        : Optional.ofNullable(details.get("trouble")).map(String::valueOf).orElse("up");
  }

  private static Optional<HealthResult> asked(HealthIndicator indicator) {
    return Mono.from(indicator.getResult())
        .timeout(PATIENCE)
        .onErrorResume(unknown -> Mono.empty())
        .blockOptional();
  }

  private List<SystemPage.Queue> queues(Backlog.Seen seen) {
    var queues = new ArrayList<SystemPage.Queue>();
    seen.inbox().forEach(queue -> queues.add(queue(inbox(queue.what()), queue, seen)));
    queues.add(queue("Running turns", seen.running(), ""));
    var erasures = erasedSpace.unfinished();
    if (erasures > 0) {
      queues.add(queue("Erasures in progress", erasures, erasedSpace.told()));
    }
    seen.outbox()
        .forEach(
            queue -> queues.add(queue("Messages to send by " + queue.what().word(), queue, seen)));
    queues.add(
        queue(
            "Delayed jobs",
            seen.wakeups().count(),
            seen.wakeups().count() == 0 ? "" : Times.inTwoUnits(seen.wakeups().by())));
    queues.add(queue("Daily prompts missed in the last 24 hours", seen.missed(), ""));
    queues.add(queue("Unmatched texts", seen.unclaimed(), ""));
    queues.add(queue("Webhook calls refused in the last hour", refusedCalls.lately(), ""));
    seen.stopped()
        .forEach(sender ->
            queues.add(
                new SystemPage.Queue(
                    "Sender stopped: " + sender.channel().title(),
                    channels.explained(sender.channel(), sender.code()),
                    Times.inTwoUnits(seen.since(sender.since())))));
    return List.copyOf(queues);
  }

  private static String inbox(InputKind kind) {
    return switch (kind) {
      case SAID -> "Texts waiting for a reply";
      case WOKE -> "Jobs to run";
      case ENROLLED -> "Participants to greet";
      case ASKED -> "Requests by staff";
    };
  }

  private static SystemPage.Queue queue(String what, Waiting<?> queue, Backlog.Seen seen) {
    return queue(what, queue.count(), Times.inTwoUnits(seen.age(queue)));
  }

  private static SystemPage.Queue queue(String what, long count, String since) {
    return new SystemPage.Queue(
        what, count >= Waiting.COUNTED ? Waiting.COUNTED + " or more" : count + "", since);
  }

  private List<SystemPage.Copy> copies() {
    return backups.list().stream()
        .limit(COPIES)
        .map(copy ->
            new SystemPage.Copy(
                copy.file(),
                (copy.bytes() + 1023) / 1024 + " KB",
                Times.minutes(copy.createdAt(), ZoneOffset.UTC)))
        .toList();
  }

  private List<SystemPage.Kept> kept() {
    var runs = retention.runs();
    return Arrays.stream(RetentionPlan.Kind.values())
        .flatMap(kind ->
            retention
                .says(kind)
                .map(time -> new SystemPage.Kept(kind.title(), time, last(kind, runs)))
                .stream())
        .toList();
  }

  private static String last(RetentionPlan.Kind kind, List<Retention.Ran> runs) {
    return runs.stream()
        .filter(run -> run.kind() == kind)
        .map(run ->
            Times.minutes(run.at(), ZoneOffset.UTC)
                + " UTC, "
                + run.changed()
                + " removed or cleared")
        .findFirst()
        .orElse("");
  }

  @Post("/backup")
  @Secured("admin")
  @Consumes(MediaType.APPLICATION_FORM_URLENCODED)
  HttpResponse<?> backup(Authentication by) {
    try {
      backups.make(new Access.Who(by.getName(), KeyKind.ADMIN));
      return HttpResponse.seeOther(URI.create("/system"));
    } catch (ApiProblem problem) {
      return HttpResponse.status(problem.status()).body(page(by, problem.onPage()));
    }
  }
}
