package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowModule;
import org.habitline.flows.FlowPart;
import org.habitline.llm.ToolSpec;
import org.habitline.participants.ParticipantChange;
import org.habitline.participants.TimeZones;
import org.habitline.participants.UnknownZone;
import org.habitline.participants.ZoneMove;
import org.habitline.participants.Zones;
import org.habitline.timers.Agenda;
import org.habitline.timers.DailyTime;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Recurrence;
import org.habitline.timers.Schedule;

/**
 * Creates, lists and deletes daily prompts. All of a participant's schedules use the participant's
 * own time zone; scheduling in another zone changes the participant's zone, now or from a later
 * date on. The same call in the same turn gives the same id and the same times, also when the turn
 * is resumed after a crash.
 */
@Singleton
final class Scheduler implements Tool {

  private static final String ACTION = "action";
  private static final String TIMEZONE = "timezone";
  private static final String TIMEZONE_FROM = "timezone_from";
  private static final String SCHEDULE_ID = "schedule_id";
  private static final String MESSAGE = "message";

  private static final String CREATE = "create";
  private static final String LIST = "list";
  private static final String DELETE = "delete";
  private static final List<String> ACTIONS = List.of(CREATE, LIST, DELETE);

  private static final List<String> ARGUMENTS =
      List.of(
          ACTION,
          WantedTime.TYPE,
          WantedTime.FIXED_TIME,
          WantedTime.RANDOM_START_TIME,
          WantedTime.RANDOM_END_TIME,
          TIMEZONE,
          TIMEZONE_FROM,
          SCHEDULE_ID);

  private static final int LONGEST_ZONE = 64;
  private static final int LONGEST_DATE = 40;
  private static final int LONGEST_ID = 64;

  /** How far ahead a move to another zone may be planned. */
  private static final int MONTHS_AHEAD = 12;

  private static final int ID_DIGITS = 24;

  private final PromptTimes times;

  Scheduler(PromptTimes times) {
    this.times = times;
  }

  @Override
  public String name() {
    return "scheduler";
  }

  @Override
  public Set<FlowPart> needs() {
    return Set.of(FlowPart.PROMPT_GENERATOR, FlowPart.DAILY_PROMPT);
  }

  @Override
  public ToolSpec spec(Flow flow, FlowModule module) {
    var schema =
        new StrictSchema()
            .choice(ACTION, creating(flow), ACTIONS)
            .optionalChoice(
                WantedTime.TYPE, "random: a new time in the window every day.", WantedTime.TYPES)
            .optionalText(
                WantedTime.FIXED_TIME,
                "Local H:mm, 24 h; a moment is no time: do not invent one. Null: the usual.")
            .optionalText(WantedTime.RANDOM_START_TIME, "H:mm.")
            .optionalText(WantedTime.RANDOM_END_TIME, "H:mm, same day.")
            .optionalText(
                TIMEZONE,
                "IANA name, only if they name another place; becomes theirs. The present one cancels a move.")
            .optionalText(TIMEZONE_FROM, "First date there, yyyy-MM-dd; null: already there.");
    if (!hasOne(flow)) {
      schema.optionalText(SCHEDULE_ID, "Which to delete; null if only one is active.");
    }
    return new ToolSpec(
        name(),
        "Sets up daily prompts. Nothing is scheduled unless the result says success.",
        schema.done());
  }

  /** Returns whether there is at most one schedule, so that none needs to be named. */
  private static boolean hasOne(Flow flow) {
    return flow.dailyPrompt() == null || flow.dailyPrompt().most() == 1;
  }

  private static String creating(Flow flow) {
    return hasOne(flow)
        ? "create replaces the one before."
        : "create adds one, at most %d."
            .formatted(Objects.requireNonNull(flow.dailyPrompt()).most());
  }

  @Override
  public ToolOutcome call(ToolRun run, ObjectNode given) {
    var arguments = new Arguments(given, ARGUMENTS, List.of());
    var action = arguments.requiredChoice(ACTION, ACTIONS);
    var daily = run.flow().dailyPrompt();
    if (daily == null) {
      return ToolOutcome.error("This flow has no daily prompts.");
    }
    return switch (action.orElse("")) {
      case CREATE -> create(run, daily, arguments);
      case LIST -> list(run, arguments);
      case DELETE -> delete(run.copy().agenda(), arguments);
      default -> arguments.refusal().orElseThrow();
    };
  }

  private ToolOutcome create(ToolRun run, DailyPrompt daily, Arguments arguments) {
    var wanted = WantedTime.read(arguments, daily.at());
    var zone = zone(arguments);
    var from = from(arguments, run, zone);
    arguments.only(
        ARGUMENTS.subList(0, ARGUMENTS.indexOf(SCHEDULE_ID)),
        "A new daily prompt gets an id of its own; leave schedule_id null.");
    if (run.participant().channel().needsHours()) {
      wanted.ifPresent(time -> refuseOutsideAllowedHours(arguments, time));
    }
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var before = run.copy().agenda();
    var move =
        zone.map(there -> zones(before, there, from))
            .filter(zones -> !zones.equals(before.zones()))
            .map(zones -> moving(run, zones));
    var untimed = WantedTime.isMissing(arguments);
    if (untimed && zone.isPresent() && !before.planned().isEmpty()) {
      var after = move.map(Effect.MoveZone::agenda).orElse(before);
      return withMove(run, after, kept(after, move));
    }
    var outcome = create(run, daily.most(), wanted.orElseThrow(), move);
    if (untimed && !outcome.failed()) {
      outcome
          .result()
          .put(
              "note", "No time was given, so this is the usual time. Say so, and ask if it suits.");
    }
    return outcome;
  }

  /** Returns where the participant is and will be, once they have said so. */
  private static Zones zones(Agenda before, ZoneId there, Optional<LocalDate> from) {
    return from.filter(_ -> !there.equals(before.zone()))
        .map(date -> new Zones(before.zone(), new ZoneMove(there, date)))
        .orElseGet(() -> new Zones(there, null));
  }

  private Effect.MoveZone moving(ToolRun run, Zones zones) {
    return new Effect.MoveZone(
        zones.move() == null
            ? ParticipantChange.ofZone(zones.now())
            : ParticipantChange.ofMove(zones.move()),
        moved(run, zones));
  }

  private ToolOutcome create(
      ToolRun run, int most, DailyTime time, Optional<Effect.MoveZone> move) {
    var before = run.copy().agenda();
    var agenda = move.map(Effect.MoveZone::agenda).orElse(before);
    var same =
        agenda.planned().stream().filter(it -> it.schedule().time().equals(time)).findFirst();
    if (same.isPresent()) {
      return withMove(run, agenda, asBefore(same.get(), move));
    }
    if (most > 1 && agenda.planned().size() >= most) {
      return full(agenda);
    }
    var planned = planned(run, agenda, time, most);
    var replaced = most == 1 ? agenda.planned() : List.<Agenda.Planned>of();
    var effects = new ArrayList<Effect>(move.stream().toList());
    // If only one schedule is allowed, all others end; one in the same slot ends by being replaced.
    replaced.stream()
        .filter(it -> it.schedule().slot() != planned.schedule().slot())
        .forEach(it -> effects.add(new Effect.Unplan(it.schedule().id())));
    effects.add(new Effect.Plan(planned));
    return withMove(run, agenda.with(planned), created(planned, replaced, effects));
  }

  /**
   * Adds the zone before a move and the move that is planned, so that the model knows that all
   * schedules move.
   */
  private ToolOutcome withMove(ToolRun run, Agenda after, ToolOutcome outcome) {
    var before = run.copy().agenda();
    var result = outcome.result();
    if (!before.zone().equals(after.zone())) {
      result.put("timezone_before", before.zone().getId());
    }
    var planned = after.move();
    if (planned != null) {
      result.put("timezone_next", planned.to().getId());
      result.put(TIMEZONE_FROM, planned.from().toString());
      addTo(
          result,
          "Prompts keep to %s until %s has begun there and in %s%s."
              .formatted(after.zone(), planned.from(), planned.to(), firstThere(run, after)));
    }
    if (before.move() != null && !before.move().equals(planned)) {
      addTo(
          result,
          "The move to %s on %s, planned before, no longer holds."
              .formatted(before.move().to(), before.move().from()));
    }
    return outcome;
  }

  /** Returns words for the date of the first prompt after the move; empty if none is scheduled. */
  private String firstThere(ToolRun run, Agenda agenda) {
    return agenda.planned().stream()
        .map(it -> firstThere(run, agenda, it.schedule()))
        .min(Comparator.naturalOrder())
        .map(date -> "; the first one there comes on " + date)
        .orElse("");
  }

  /** Follows a schedule, whose dates are taken one after the other, up to the move. */
  private LocalDate firstThere(ToolRun run, Agenda agenda, Schedule schedule) {
    var coming = next(run, agenda, schedule, agenda.zones()).next();
    while (coming.zone().equals(agenda.zone())) {
      var date = coming.date();
      coming =
          Recurrence.next(
              schedule, agenda.zones(), coming.at(), day -> !day.isAfter(date), times.early());
    }
    return coming.date();
  }

  private static void addTo(ObjectNode result, String sentence) {
    result.put(MESSAGE, (result.path(MESSAGE).asText("") + " " + sentence).strip());
  }

  /** Returns the outcome of a call that names a zone and no time: the schedules stay. */
  private static ToolOutcome kept(Agenda agenda, Optional<Effect.MoveZone> move) {
    var outcome =
        move.map(ToolOutcome::success)
            .orElseGet(() ->
                ToolOutcome.noop(
                    "The daily prompts come in %s already.".formatted(agenda.zone().getId())));
    if (move.isPresent()) {
      outcome.result().put(MESSAGE, "The daily prompts keep their times.");
    }
    listed(outcome.result(), agenda);
    return outcome;
  }

  /** Returns the same schedules in other zones. */
  private Agenda moved(ToolRun run, Zones zones) {
    var agenda = run.copy().agenda();
    return agenda.in(
        zones,
        agenda.planned().stream().map(it -> next(run, agenda, it.schedule(), zones)).toList());
  }

  private Agenda.Planned next(ToolRun run, Agenda agenda, Schedule schedule, Zones zones) {
    var taken = agenda.taken(schedule.slot());
    return new Agenda.Planned(
        schedule, Recurrence.next(schedule, zones, run.now(), taken, times.early()));
  }

  private Agenda.Planned planned(ToolRun run, Agenda agenda, DailyTime time, int most) {
    var slots =
        agenda.planned().stream().map(it -> it.schedule().slot()).collect(Collectors.toSet());
    var slot =
        most == 1
            ? 1
            : IntStream.rangeClosed(1, most)
                .filter(it -> !slots.contains(it))
                .findFirst()
                .orElseThrow();
    var schedule = new Schedule(id(run, agenda), slot, time, run.now());
    return next(run, agenda, schedule, agenda.zones());
  }

  /**
   * Returns an id that is the same when the turn is resumed, and different for every schedule
   * created in one turn, because the agenda has one more by then.
   */
  private static String id(ToolRun run, Agenda agenda) {
    var name =
        String.join(
            " ",
            run.participant().id(),
            run.now().toString(),
            "" + (agenda.planned().size() + agenda.ended().size()));
    var digits =
        UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString().replace("-", "");
    return "sch_" + digits.substring(0, ID_DIGITS);
  }

  private static ToolOutcome created(
      Agenda.Planned planned, List<Agenda.Planned> replaced, List<Effect> effects) {
    var outcome = ToolOutcome.success(effects.toArray(Effect[]::new));
    var ids = replaced.stream().map(it -> it.schedule().id()).collect(Collectors.joining(", "));
    if (!ids.isEmpty()) {
      outcome.result().put("replaced", ids);
    }
    var instead =
        replaced.stream()
            .map(it -> it.schedule().time().text())
            .collect(Collectors.joining(" and "));
    describe(outcome.result(), planned)
        .put(
            MESSAGE,
            coming(planned, "first")
                + (instead.isEmpty()
                    ? "."
                    : ", in place of the one at "
                        + instead
                        + ". Ask whether the moment they chose still fits."));
    return outcome;
  }

  /** Describes a schedule, but not a randomly drawn minute, which should be a surprise. */
  private static String coming(Agenda.Planned planned, String which) {
    var when =
        switch (planned.schedule().time()) {
          case DailyTime.Fixed fixed -> "every day at " + fixed.text();
          case DailyTime.Random random ->
              "every day at some time between %s and %s".formatted(random.start(), random.end());
        };
    return "A prompt comes %s (%s), the %s on %s"
        .formatted(when, planned.next().zone().getId(), which, planned.next().date());
  }

  private static ToolOutcome asBefore(Agenda.Planned same, Optional<Effect.MoveZone> move) {
    var outcome =
        move.map(ToolOutcome::success)
            .orElseGet(() ->
                ToolOutcome.noop(
                    "%s is active at this time already.".formatted(same.schedule().id())));
    describe(outcome.result(), same);
    move.ifPresent(there -> outcome.result().put(MESSAGE, coming(same, "next") + "."));
    return outcome;
  }

  private static ToolOutcome full(Agenda agenda) {
    var outcome =
        ToolOutcome.error(
            "%d daily prompts are active, and no more are allowed; delete one of them first."
                .formatted(agenda.planned().size()));
    listed(outcome.result(), agenda);
    return outcome;
  }

  private static Optional<ZoneId> zone(Arguments arguments) {
    var name = arguments.text(TIMEZONE, LONGEST_ZONE);
    try {
      return name.map(TimeZones::read);
    } catch (UnknownZone e) {
      arguments.refuse(TIMEZONE, String.valueOf(e.getMessage()), List.of());
      return Optional.empty();
    }
  }

  /** Returns the first date in another zone, or empty if the participant is there now. */
  private static Optional<LocalDate> from(Arguments arguments, ToolRun run, Optional<ZoneId> zone) {
    var text = arguments.text(TIMEZONE_FROM, LONGEST_DATE);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    if (zone.isEmpty()) {
      arguments.refuse(
          TIMEZONE_FROM,
          "It is the first date in another zone: name that zone in timezone, or leave it null.",
          List.of());
      return Optional.empty();
    }
    var today = run.now().atZone(run.copy().agenda().zone()).toLocalDate();
    var latest = today.plusMonths(MONTHS_AHEAD);
    try {
      var from = LocalDate.parse(text.get());
      if (from.isAfter(today) && zone.get().equals(run.copy().agenda().zone())) {
        arguments.refuse(
            TIMEZONE_FROM,
            "They are in %s now, and only one move can be planned: set up the way back when they are"
                    .formatted(zone.get())
                + " away. With null, this zone cancels a planned move. Nothing was changed.",
            List.of());
        return Optional.empty();
      }
      if (!from.isBefore(today) && !from.isAfter(latest)) {
        return Optional.of(from).filter(date -> date.isAfter(today));
      }
    } catch (DateTimeParseException e) {
      // Refused below with what is accepted, as a date that is out of reach is.
    }
    arguments.refuse(
        TIMEZONE_FROM,
        "'%s' is not accepted: give a date from today, %s, to %s as yyyy-MM-dd, or null if they are"
                .formatted(Arguments.shown(text.get()), today, latest)
            + " there now. Nothing was changed.",
        List.of());
    return Optional.empty();
  }

  private void refuseOutsideAllowedHours(Arguments arguments, DailyTime time) {
    switch (time) {
      case DailyTime.Fixed(var at) when !times.allow(at) ->
          arguments.refuse(WantedTime.FIXED_TIME, times.outside(time), List.of());
      case DailyTime.Random(var start, _) when !times.allow(start) ->
          arguments.refuse(WantedTime.RANDOM_START_TIME, times.outside(time), List.of());
      case DailyTime.Random(var start, var end) when !times.allow(start, end) ->
          arguments.refuse(WantedTime.RANDOM_END_TIME, times.outside(time), List.of());
      default -> {}
    }
  }

  private ToolOutcome list(ToolRun run, Arguments arguments) {
    var agenda = run.copy().agenda();
    arguments.only(List.of(ACTION), "action list takes nothing else; leave the rest null.");
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    var outcome = ToolOutcome.success();
    listed(outcome.result(), agenda);
    if (agenda.planned().isEmpty()) {
      outcome.result().put(MESSAGE, "No daily prompt is scheduled.");
    }
    return withMove(run, agenda, outcome);
  }

  private static void listed(ObjectNode result, Agenda agenda) {
    var schedules = result.putArray("schedules");
    agenda.planned().stream()
        .sorted(Comparator.comparing(it -> it.next().at()))
        .forEach(it -> describe(schedules.addObject(), it));
  }

  private static ObjectNode describe(ObjectNode node, Agenda.Planned planned) {
    return node.put(SCHEDULE_ID, planned.schedule().id())
        .put(WantedTime.TYPE, planned.schedule().time().type())
        .put("local_time", planned.schedule().time().text())
        .put(TIMEZONE, planned.next().zone().getId())
        .put("next_at_local", planned.nextText());
  }

  private static ToolOutcome delete(Agenda agenda, Arguments arguments) {
    arguments.only(
        List.of(ACTION, SCHEDULE_ID),
        "action delete takes a schedule_id only; leave the rest null.");
    var id = arguments.text(SCHEDULE_ID, LONGEST_ID);
    var active = agenda.planned().stream().map(it -> it.schedule().id()).toList();
    var meant =
        id.isEmpty() && active.size() == 1
            ? Optional.of(agenda.planned().getFirst())
            : id.flatMap(agenda::planned);
    if (arguments.refusal().isPresent()) {
      return arguments.refusal().get();
    }
    if (meant.isPresent()) {
      return deleted(meant.get());
    }
    if (id.filter(agenda.ended()::contains).isPresent()) {
      return ToolOutcome.noop("%s was ended in this turn already.".formatted(id.get()));
    }
    return ToolOutcome.error(SCHEDULE_ID, notFound(id, active), active);
  }

  private static String notFound(Optional<String> id, List<String> active) {
    if (active.isEmpty()) {
      return "No daily prompt is scheduled, so there is none to delete.";
    }
    return id.isEmpty()
        ? "%d daily prompts are scheduled; say which to delete.".formatted(active.size())
        : "The participant has no active schedule of this id.";
  }

  private static ToolOutcome deleted(Agenda.Planned planned) {
    var outcome = ToolOutcome.success(new Effect.Unplan(planned.schedule().id()));
    outcome
        .result()
        .put(SCHEDULE_ID, planned.schedule().id())
        .put(
            MESSAGE,
            "The daily prompt at %s is cancelled.".formatted(planned.schedule().time().text()));
    return outcome;
  }
}
