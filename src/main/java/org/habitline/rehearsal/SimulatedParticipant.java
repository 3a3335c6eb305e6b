package org.habitline.rehearsal;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * A simulated participant, who is enrolled on the first day, answers the intake, and then replies
 * to each prompt in a random way or not at all. In a flow without daily prompts they answer what
 * they are asked, write the examples of the flow's phrases, and stop when there is nothing more.
 * Their behaviour depends only on the seed and on the messages on their phone. They never send two
 * texts at once.
 */
final class SimulatedParticipant {

  /** Most texts come at minutes divisible by this, so that many participants act at once. */
  private static final int GRID = 5;

  private static final int QUARTER = 15;
  private static final int LONGEST_WINDOW = 4;

  /**
   * Participants with a prompt at or after this time are enrolled in the morning, all others in the
   * evening.
   */
  private static final LocalTime LATE = LocalTime.of(14, 0);

  private static final LocalTime MORNING = LocalTime.of(9, 0);
  private static final LocalTime EVENING = LocalTime.of(17, 0);

  /**
   * Participants with a later prompt do not ask for another time, because they might do so on the
   * day after the prompt.
   */
  private static final LocalTime TOO_LATE_FOR_ANOTHER_TIME = LocalTime.of(23, 0);

  /** What they text when nothing was asked, in a flow without daily prompts. */
  private static final String GO_ON = "ok";

  private static final List<String> PERSONAL =
      List.of("make it personal", "personal please", "personal first please");
  private static final List<String> MOMENTS =
      List.of(
          "after lunch",
          "while the coffee brews",
          "with my morning coffee",
          "before my first meeting");
  private static final List<String> REASONS =
      List.of("more energy", "a small win", "it clears my head", "to sleep better");
  private static final List<String> ALL = List.of("no, that's all", "that's all", "nothing");
  private static final List<String> NOT_NOW = List.of("no thanks", "rather not", "nope");
  private static final List<String> HELPED = List.of("it was short", "the moment was right");
  private static final List<String> HINDERED =
      List.of("I was in a meeting", "I forgot", "too busy");

  /** Minutes until an immediate reply, short enough that Habitline does nothing else in between. */
  private static final int AT_ONCE = 3;

  private static final int[] DELAYS = {5, 10, 15, 30, 45, 60, 90, 120, 180, 240};

  private final Plan plan;
  private final FlowWords words;
  private final FlowTalk answers;
  private final SplittableRandom random;
  private final Diary diary;
  private final Instant enrolsAt;
  private final PromptTime firstTime;
  private final Optional<LocalDate> movesOn;
  private final boolean movesBeforeThePrompt;
  private final Optional<Episode> episode;

  /** The texts still to be sent, one after each message that arrives. */
  private final Deque<Saying> toSay = new ArrayDeque<>();

  /** The texts of their episode that are still to be sent. */
  private final Deque<Intention> scenes = new ArrayDeque<>();

  private @Nullable Intention talk;
  private @Nullable Intention errand;

  /** Whether they have texted only to go on since they were last asked something. */
  private boolean nudged;

  SimulatedParticipant(
      int number, Plan plan, FlowWords words, FlowTalk answers, Optional<Episode> episode) {
    this.episode = episode;
    this.plan = plan;
    this.answers = answers;
    this.words = words;
    this.random = new SplittableRandom(plan.seed() * 1_000_003 + number);
    this.firstTime = newTime();
    this.enrolsAt = enrolment();
    this.diary =
        new Diary(new PhoneNumber("+1212555%04d".formatted(number)), enrolsAt, plan.zone());
    this.movesBeforeThePrompt = random.nextBoolean();
    this.movesOn =
        plan.movesTo() == null || plan.days() < 6
            ? Optional.empty()
            : Optional.of(plan.from().plusDays(random.nextInt(2, plan.days() - 3)));
    episode.stream()
        .flatMap(it -> it.scenes().stream())
        .filter(scene -> !scene.does().byStaff())
        .forEach(scene -> scenes.add(new Intention(scene.instant(plan), saying(scene))));
  }

  private static Saying saying(Episode.Scene scene) {
    return switch (scene.does()) {
      case STOPS -> Saying.deed(scene.words(), Deed.STOPS);
      case IS_IN_DANGER -> Saying.deed(scene.words(), Deed.IS_IN_DANGER);
      case TEXTS, DECLINES, IS_TAKEN_OVER, IS_LOOKED_AFTER, IS_RELEASED -> Saying.of(scene.words());
    };
  }

  /** What a text changes for the participant. */
  private enum Deed {
    NONE,
    ASKS,
    MOVES,
    STOPS,
    STARTS,
    IS_IN_DANGER
  }

  private record Saying(String body, Deed deed, @Nullable PromptTime time) {
    static Saying of(String body) {
      return new Saying(body, Deed.NONE, null);
    }

    static Saying deed(String body, Deed deed) {
      return new Saying(body, deed, null);
    }
  }

  private record Intention(Instant at, Saying saying) {}

  Diary diary() {
    return diary;
  }

  Instant enrolsAt() {
    return enrolsAt;
  }

  /** Returns midnight after their last day, in their current time zone. */
  Instant endsAt() {
    return plan.after().atStartOfDay(diary.zone()).toInstant();
  }

  /** Ends their study. A conversation that is under way continues. */
  void ends(Instant at) {
    errand = null;
    if (diary.wants() == Diary.Wants.ALL) {
      diary.wants(at, Diary.Wants.NO_PROMPTS);
    }
  }

  /** Returns when they will send their next text, as planned now. */
  Optional<Instant> next() {
    return nextIntention().map(Intention::at);
  }

  private Optional<Intention> nextIntention() {
    return Stream.of(talk, errand, scenes.peek())
        .filter(Objects::nonNull)
        .min(Comparator.comparing(Intention::at));
  }

  /** Returns the text that is due and applies what it changes. */
  String speak() {
    var due = nextIntention().orElseThrow();
    if (due.equals(talk)) {
      talk = null;
    } else if (due.equals(errand)) {
      errand = null;
    } else {
      scenes.remove();
    }
    act(due);
    return due.saying().body();
  }

  private void act(Intention due) {
    var at = due.at();
    switch (due.saying().deed()) {
      case NONE -> {}
      case ASKS -> {
        if (due.saying().time() != null) {
          diary.asks(at, due.saying().time());
          planMove(at);
        }
      }
      case MOVES -> {
        if (plan.movesTo() != null) {
          diary.moves(at, plan.movesTo());
        }
      }
      case STOPS -> {
        diary.wants(at, Diary.Wants.NOTHING);
        toSay.clear();
        talk = null;
        errand = episode.isEmpty() && random.nextInt(10) < 7 ? comeBack(at) : null;
      }
      case IS_IN_DANGER -> leftToPeople(at);
      case STARTS -> diary.wants(at, Diary.Wants.ALL);
    }
  }

  /** The coach is silent from now on, and so are they. */
  void leftToPeople(Instant at) {
    diary.wants(at, Diary.Wants.PEOPLE_ONLY);
    toSay.clear();
    talk = null;
    errand = null;
  }

  /** Staff released them; the coach goes on, unless they opted out before. */
  void released(Instant at) {
    if (diary.wants() == Diary.Wants.PEOPLE_ONLY) {
      diary.wants(at, Diary.Wants.ALL);
    }
  }

  Optional<Episode> episode() {
    return episode;
  }

  /**
   * Returns a START a few days later, well before or well after that day's prompt, or {@code null}
   * if the study is over by then.
   */
  private @Nullable Intention comeBack(Instant stoppedAt) {
    var day = stoppedAt.atZone(diary.zone()).toLocalDate().plusDays(random.nextInt(2, 5));
    var time = diary.time().start().isBefore(LATE) ? EVENING : MORNING;
    var at = offTheGrid(day.atTime(time).atZone(diary.zone()).toInstant());
    return day.isBefore(plan.after()) ? new Intention(at, Saying.deed("START", Deed.STARTS)) : null;
  }

  private static Instant offTheGrid(Instant instant) {
    return instant.plus(Duration.ofMinutes(2));
  }

  // --- arriving messages ---

  void enrolled() {
    if (!words.prompted()) {
      answers.examples().stream().map(Saying::of).forEach(toSay::add);
      return;
    }
    toSay.add(Saying.of(one(PERSONAL)));
    if (random.nextInt(5) == 0) {
      toSay.add(Saying.of("dunno"));
    }
    toSay.add(Saying.of(one(MOMENTS)));
    toSay.add(Saying.of(one(REASONS)));
    toSay.add(new Saying(asked(firstTime), Deed.ASKS, firstTime));
    toSay.add(Saying.of(one(ALL)));
    if (random.nextInt(3) == 0) {
      toSay.add(Saying.of("yes please"));
      if (random.nextBoolean()) {
        toSay.add(Saying.of("I did it"));
        toSay.add(Saying.of(one(HELPED)));
        toSay.add(Saying.of("nothing"));
      }
    } else {
      toSay.add(Saying.of(one(NOT_NOW)));
    }
  }

  void hears(String body, @Nullable OutboundKind kind, Instant at) {
    if (diary.wants() == Diary.Wants.NOTHING
        || diary.wants() == Diary.Wants.PEOPLE_ONLY
        || episode.filter(Episode.CONSENT_DECLINED::equals).isPresent()
        || words.intensities().contains(body)) {
      return;
    }
    if (words.prompt(body, kind)) {
      toSay.clear();
      talk = null;
      prompted(at);
    } else if (body.equals(words.reminder())) {
      if (random.nextInt(3) == 0) {
        say(Saying.of(words.done()), at, delay(60));
      }
    } else if (talk == null) {
      var answer = answers.answer(body, at.atZone(diary.zone()).toLocalDate(), random);
      if (answer.isPresent()) {
        nudged = false;
        say(Saying.of(answer.get()), at, GRID * random.nextInt(1, 4));
      } else if (!toSay.isEmpty()) {
        say(toSay.removeFirst(), at, GRID * random.nextInt(1, 4));
      } else if (!words.prompted() && !nudged) {
        nudged = true;
        say(Saying.of(GO_ON), at, GRID);
      }
    }
  }

  private void prompted(Instant at) {
    var date = at.atZone(diary.zone()).toLocalDate();
    var chance = random.nextInt(100);
    if (episode.isPresent()) {
      // Always at once: neither a reminder nor another time gets in the way of the episode.
      talk = new Intention(at.plus(Duration.ofMinutes(AT_ONCE)), Saying.of(words.done()));
    } else if (movesOn.filter(date::equals).isPresent()
        && livesAtFirst()
        && plan.movesTo() != null) {
      say(move(plan.movesTo()), at, 10);
    } else if (chance < 40) {
      answer(Saying.of(one(List.of(words.done(), words.done() + "!"))), at);
      if (random.nextInt(3) == 0) {
        toSay.add(Saying.of(one(HELPED)));
        toSay.add(Saying.of("nothing"));
      }
    } else if (chance < 54) {
      answer(Saying.of(words.notDone()), at);
      if (random.nextInt(3) == 0) {
        toSay.add(Saying.of(one(HINDERED)));
        toSay.add(Saying.of("nothing"));
      }
    } else if (chance < 60) {
      say(Saying.of(one(List.of("low", "normal", "high"))), at, delay(120));
    } else if (chance < 66 && mayAskForAnother()) {
      var time = another();
      say(new Saying("make it " + time.text(), Deed.ASKS, time), at, GRID);
    } else if (chance < 68) {
      say(
          Saying.deed(random.nextInt(4) == 0 ? "please stop texting me" : "STOP", Deed.STOPS),
          at,
          delay(120));
    }
  }

  private boolean livesAtFirst() {
    return diary.zone().equals(plan.zone());
  }

  private boolean mayAskForAnother() {
    var time = diary.time();
    var last = time.end() == null ? time.start() : time.end();
    return !last.isAfter(TOO_LATE_FOR_ANOTHER_TIME);
  }

  private void say(Saying saying, Instant after, int minutes) {
    var grid = Duration.ofMinutes(GRID).toSeconds();
    var seconds = Math.ceilDiv(after.getEpochSecond(), grid) * grid;
    talk = new Intention(Instant.ofEpochSecond(seconds).plus(Duration.ofMinutes(minutes)), saying);
  }

  private void answer(Saying saying, Instant prompt) {
    if (random.nextBoolean()) {
      talk = new Intention(prompt.plus(Duration.ofMinutes(AT_ONCE)), saying);
    } else {
      say(saying, prompt, delay(240));
    }
  }

  private int delay(int most) {
    int minutes;
    do {
      minutes = DELAYS[random.nextInt(DELAYS.length)];
    } while (minutes > most);
    return minutes;
  }

  // --- times and places ---

  private Instant enrolment() {
    var hour = firstTime.start().isBefore(LATE) ? EVENING : MORNING;
    var minutes = GRID * random.nextInt(4);
    return plan.from()
        .atTime(hour)
        .atZone(plan.zone())
        .toInstant()
        .plus(Duration.ofMinutes(minutes));
  }

  /**
   * Plans the text about a move, in the hour before that day's prompt, for participants who move
   * before it.
   */
  private void planMove(Instant now) {
    var to = plan.movesTo();
    if (to == null || movesOn.isEmpty() || !movesBeforeThePrompt || !livesAtFirst()) {
      return;
    }
    var prompt = diary.time().on(movesOn.get(), diary.zone(), words.early()).first();
    var at = offTheGrid(prompt.minus(Duration.ofMinutes(45)));
    errand = at.isAfter(now) ? new Intention(at, move(to)) : null;
  }

  private static Saying move(ZoneId to) {
    var city = to.getId().substring(to.getId().lastIndexOf('/') + 1).replace('_', ' ');
    return Saying.deed("I'm in " + city + " now", Deed.MOVES);
  }

  private PromptTime another() {
    var time = newTime();
    return time.equals(diary.time()) ? another() : time;
  }

  private PromptTime newTime() {
    var first = Math.ceilDiv(plan.prompts().start(), QUARTER);
    var last = Math.min(plan.prompts().end() / QUARTER, 24 * 60 / QUARTER - 1);
    var start = first + random.nextInt(Math.max(1, last - first));
    var quarters = Math.min(last - start, random.nextInt(1, LONGEST_WINDOW + 1));
    return random.nextInt(3) == 0 && quarters > 0
        ? new PromptTime(quarter(start), quarter(start + quarters))
        : new PromptTime(quarter(start), null);
  }

  private static LocalTime quarter(int number) {
    return LocalTime.ofSecondOfDay(Duration.ofMinutes((long) number * QUARTER).toSeconds());
  }

  private String asked(PromptTime time) {
    return time.end() == null
        ? one(List.of(time.text(), "at " + time.text() + " please"))
        : one(List.of(time.text(), time.start() + "-" + time.end()));
  }

  private <T> T one(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
