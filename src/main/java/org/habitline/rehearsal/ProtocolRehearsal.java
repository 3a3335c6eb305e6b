package org.habitline.rehearsal;

import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.ConsentPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Transactions;
import org.habitline.study.Rehearsal;
import org.habitline.study.StudyWalk;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Schedules;
import org.habitline.timers.StudyTime;
import org.habitline.timers.Timers;
import org.jspecify.annotations.Nullable;

/**
 * Plays a study protocol: simulated participants act through their days, Habitline treats them like
 * real ones, and study time jumps from one event to the next. Runs only in a separate instance
 * whose study time does not advance between events.
 */
@Singleton
final class ProtocolRehearsal {

  /** The longest time after the last day in which something may still be planned. */
  private static final Duration AFTERMATH = Duration.ofDays(10);

  /** How long the turns of one instant may take: the script's, and those of a model. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Duration PATIENCE_WITH_MODEL = Duration.ofHours(1);

  private static final int ID_DIGITS = 24;

  private final Rehearsal rehearsal;
  private final LanguageModel model;
  private final StudyFile study;
  private final FlowCatalog flows;
  private final PromptTimes times;
  private final Participants participants;
  private final Inbox inbox;
  private final Schedules schedules;
  private final StudyTime time;
  private final StudyWalk walk;
  private final Timers timers;
  private final StudyStaff staff;
  private final JdbcEvidence rows;
  private final Transactions transactions;

  ProtocolRehearsal(
      Rehearsal rehearsal,
      LanguageModel model,
      StudyFile study,
      FlowCatalog flows,
      PromptTimes times,
      Participants participants,
      Inbox inbox,
      Schedules schedules,
      StudyTime time,
      StudyWalk walk,
      Timers timers,
      StudyStaff staff,
      JdbcEvidence rows,
      Transactions transactions) {
    this.rehearsal = rehearsal;
    this.model = model;
    this.study = study;
    this.flows = flows;
    this.times = times;
    this.participants = participants;
    this.inbox = inbox;
    this.schedules = schedules;
    this.time = time;
    this.walk = walk;
    this.timers = timers;
    this.staff = staff;
    this.rows = rows;
    this.transactions = transactions;
  }

  /**
   * A finished rehearsal.
   *
   * @param episodes which participants lived through which episode, by their ids
   */
  record Played(
      Plan plan,
      Flow flow,
      FlowWords words,
      Map<String, Diary> diaries,
      Map<String, Episode> episodes,
      Optional<AlertPlan> alerts,
      Evidence evidence,
      double seconds) {

    ProtocolReport report() {
      return ProtocolReport.of(
          plan,
          words,
          evidence,
          Doings.in(flow, evidence),
          episodes(evidence),
          anomalies(evidence),
          seconds);
    }

    private List<EpisodeReport> episodes(Evidence seen) {
      return episodes.entrySet().stream()
          .map(it ->
              EpisodeReport.of(
                  it.getValue(),
                  it.getKey(),
                  Objects.requireNonNull(diaries.get(it.getKey())),
                  plan,
                  seen,
                  alerts))
          .toList();
    }

    /** Returns the anomalies in this evidence. */
    List<String> anomalies(Evidence seen) {
      var found =
          Stream.concat(
                  Anomalies.in(plan, words, diaries, seen).stream(),
                  episodes(seen).stream().flatMap(EpisodeReport::found))
              .toList();
      if (words.prompted()) {
        // A time that the scheduler refuses is part of that conversation, and no field is required.
        return found;
      }
      var phones = new TreeMap<String, String>();
      diaries.forEach((id, diary) -> phones.put(id, diary.phone().e164()));
      return Stream.concat(found.stream(), Doings.anomalies(flow, phones, seen).stream()).toList();
    }
  }

  /**
   * Plays a plan from its first day until everything that it started has ended.
   *
   * @throws NothingToRehearse if there is no flow of the plan's id, or no model for a plan that
   *     asks for one
   * @throws IllegalStateException if a real phone could be reached, or a model that the plan does
   *     not ask for, or if Habitline does not come to rest within 10 days after the last day
   */
  Played play(Plan plan) {
    if (!rehearsal.on() || !(plan.withModel() || model.rehearsal())) {
      throw new IllegalStateException(
          "A rehearsal must not reach real phones, nor a model without %s."
              .formatted(RehearseCommand.WITH_MODEL));
    }
    if (plan.withModel() && model.rehearsal()) {
      throw new NothingToRehearse(
          "No model is configured; set OPENAI_API_KEY or OPENAI_BASE_URL, or leave out %s."
              .formatted(RehearseCommand.WITH_MODEL));
    }
    var began = System.nanoTime();
    var flow = flow(plan);
    var words = FlowWords.of(flow, times);
    var asksForConsent = study.consent().flatMap(ConsentPlan::version).isPresent();
    var episodes = plan.safety() ? Episode.all(asksForConsent) : List.<Episode>of();
    var people =
        IntStream.rangeClosed(1, plan.participants() + episodes.size())
            .mapToObj(number ->
                new Person(
                    flow.id(),
                    new SimulatedParticipant(
                        number,
                        plan,
                        words,
                        new FlowTalk(flow, flows.phrases(flow.id())),
                        number > plan.participants()
                            ? Optional.of(episodes.get(number - plan.participants() - 1))
                            : Optional.empty()),
                    plan))
            .toList();
    new Days(plan, people).pass();
    var diaries = new LinkedHashMap<String, Diary>();
    var lived = new LinkedHashMap<String, Episode>();
    people.forEach(person -> {
      diaries.put(person.participant().id(), person.simulated.diary());
      person.simulated.episode().ifPresent(it -> lived.put(person.participant().id(), it));
    });
    var evidence = transactions.read(() -> Evidence.read(rows));
    var seconds = Duration.ofNanos(System.nanoTime() - began).toMillis() / 1000.0;
    return new Played(plan, flow, words, diaries, lived, study.safety(), evidence, seconds);
  }

  private Flow flow(Plan plan) {
    return plan.flow() == null
        ? flows.defaultFlow()
        : flows
            .flow(plan.flow())
            .orElseThrow(() ->
                new NothingToRehearse(
                    "There is no flow '%s'; expected one of %s."
                        .formatted(plan.flow(), flows.ids())));
  }

  /**
   * Returns the URL of the database as the connection reports it, which is independent of the
   * settings.
   */
  String database() {
    return transactions.readWith(connection -> {
      try {
        return connection.getMetaData().getURL();
      } catch (SQLException e) {
        throw new IllegalStateException("The database's URL cannot be read.", e);
      }
    });
  }

  /** A simulated participant, with their enrolment. */
  private final class Person {
    private final String flow;
    private final SimulatedParticipant simulated;
    private Optional<Participant> enrolled = Optional.empty();
    private boolean ended;
    private int texts;

    /** What staff will do for them. */
    private final Deque<Episode.Scene> scenes = new ArrayDeque<>();

    private final Plan plan;

    Person(String flow, SimulatedParticipant simulated, Plan plan) {
      this.flow = flow;
      this.simulated = simulated;
      this.plan = plan;
      simulated.episode().stream()
          .flatMap(it -> it.scenes().stream())
          .filter(scene -> scene.does().byStaff())
          .forEach(scenes::add);
    }

    Participant participant() {
      return enrolled.orElseThrow();
    }

    /** Returns when they act next: enrolment, a text, or the end of their study. */
    Optional<Instant> next() {
      if (enrolled.isEmpty()) {
        return Optional.of(simulated.enrolsAt());
      }
      return Stream.of(
              simulated.next().stream(),
              scenes.stream().limit(1).map(scene -> scene.instant(plan)),
              ended ? Stream.<Instant>empty() : Stream.of(simulated.endsAt()))
          .flatMap(it -> it)
          .min(Instant::compareTo);
    }

    boolean acts(Instant now) {
      return next().filter(it -> !it.isAfter(now)).isPresent();
    }

    void act(Instant now) {
      if (enrolled.isEmpty()) {
        enrol();
      } else if (simulated.next().filter(it -> !it.isAfter(now)).isPresent()) {
        text(simulated.speak());
      } else if (!scenes.isEmpty() && !scenes.getFirst().instant(plan).isAfter(now)) {
        haveDone(scenes.removeFirst().does(), now);
      } else {
        end(now);
      }
    }

    private void enrol() {
      var diary = simulated.diary();
      enrolled =
          Optional.of(
              participants.enrol(
                  id(diary.phone()),
                  Enrolment.of(diary.phone(), diary.zone(), flow, ChannelKind.SIMULATOR)
                      .withConsent(consented())));
      simulated.enrolled();
    }

    /** What is rehearsed begins once people have consented, but for the one who declines. */
    private @Nullable String consented() {
      return simulated.episode().filter(Episode.CONSENT_DECLINED::equals).isPresent()
          ? null
          : study.consent().flatMap(ConsentPlan::version).orElse(null);
    }

    /**
     * Returns an id made from the phone number and not at random, so that the same seed gives the
     * same times.
     */
    private static String id(PhoneNumber phone) {
      var digits = phone.e164().substring(1);
      return "conv_" + "0".repeat(ID_DIGITS - digits.length()) + digits;
    }

    private void text(String body) {
      texts++;
      inbox.accept(
          new IncomingText(
              "sim_" + participant().phone().e164() + "_" + texts,
              participant().phone(),
              ChannelKind.SIMULATOR,
              body));
    }

    /** Lets staff act. */
    private void haveDone(Episode.Does does, Instant now) {
      switch (does) {
        case IS_TAKEN_OVER -> {
          simulated.leftToPeople(now);
          staff.takeOver(participant());
        }
        case IS_LOOKED_AFTER -> staff.lookAfter(participant());
        case IS_RELEASED -> {
          staff.release(participant());
          simulated.released(now);
        }
        case TEXTS, STOPS, DECLINES, IS_IN_DANGER -> {}
      }
    }

    private void end(Instant now) {
      ended = true;
      simulated.ends(now);
      transactions.write(() -> {
        schedules
            .standing(participant())
            .agenda()
            .planned()
            .forEach(it ->
                schedules.end(participant().id(), it.schedule().id(), "the rehearsal is over"));
      });
    }
  }

  /** Moves study time from one event to the next. */
  private final class Days {
    private final Plan plan;
    private final List<Person> people;
    private long heard;

    Days(Plan plan, List<Person> people) {
      this.plan = plan;
      this.people = people;
    }

    void pass() {
      var latest = plan.after().atStartOfDay(plan.zone()).toInstant().plus(AFTERMATH);
      for (var next = next(); next.isPresent(); next = next()) {
        if (next.get().isAfter(latest)) {
          throw new IllegalStateException("Something is still planned for " + next.get() + ".");
        }
        if (time.moveTo(next.get()) > 0) {
          listen();
        }
        act(next.get());
      }
    }

    private Optional<Instant> next() {
      return Stream.concat(
              timers.nextDue().stream(),
              people.stream().map(Person::next).flatMap(Optional::stream))
          .min(Instant::compareTo);
    }

    /** Lets all participants who are due act in parallel. */
    private void act(Instant now) {
      var due = people.stream().filter(person -> person.acts(now)).toList();
      if (!due.isEmpty()) {
        inParallel(due, now);
        listen();
      }
    }

    private void inParallel(Collection<Person> due, Instant now) {
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        var acts = new ArrayList<Future<?>>();
        due.forEach(person -> acts.add(threads.submit(() -> person.act(now))));
        for (var act : acts) {
          act.get();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("The rehearsal was interrupted.", e);
      } catch (ExecutionException e) {
        throw new IllegalStateException("A simulated participant could not act.", e);
      }
    }

    /** Waits until Habitline has no more work, and passes the new messages to the participants. */
    private void listen() {
      walk.settle(plan.withModel() ? PATIENCE_WITH_MODEL : PATIENCE);
      for (var text : transactions.read(() -> rows.arrivedAfter(heard))) {
        heard = text.seq();
        people.stream()
            .filter(it -> it.enrolled.filter(p -> p.id().equals(text.participantId())).isPresent())
            .findFirst()
            .ifPresent(it -> it.simulated.hears(text.body(), text.kind(), text.arrivedAt()));
      }
    }
  }
}
