package org.habitline.rehearsal;

import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.flows.FlowCatalog;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.storage.Transactions;
import org.habitline.study.Rehearsal;
import org.habitline.study.StudyWalk;
import org.habitline.timers.PromptTimes;
import org.habitline.timers.Schedules;
import org.habitline.timers.StudyTime;
import org.habitline.timers.Timers;

/**
 * Plays a protocol: simulated participants live through their days, the line does for them what it
 * does for anybody, and study time goes from one event to the next. Only on a line of its own,
 * whose study time stands still between events.
 */
@Singleton
final class ProtocolRehearsal {

  /** Nothing that a study starts goes on for longer than this after its last day. */
  private static final Duration AFTERMATH = Duration.ofDays(10);

  private static final int ID_DIGITS = 24;

  private final Rehearsal rehearsal;
  private final FlowCatalog flows;
  private final PromptTimes times;
  private final Participants participants;
  private final Inbox inbox;
  private final Schedules schedules;
  private final StudyTime time;
  private final StudyWalk walk;
  private final Timers timers;
  private final JdbcEvidence rows;
  private final Transactions transactions;

  ProtocolRehearsal(
      Rehearsal rehearsal,
      FlowCatalog flows,
      PromptTimes times,
      Participants participants,
      Inbox inbox,
      Schedules schedules,
      StudyTime time,
      StudyWalk walk,
      Timers timers,
      JdbcEvidence rows,
      Transactions transactions) {
    this.rehearsal = rehearsal;
    this.flows = flows;
    this.times = times;
    this.participants = participants;
    this.inbox = inbox;
    this.schedules = schedules;
    this.time = time;
    this.walk = walk;
    this.timers = timers;
    this.rows = rows;
    this.transactions = transactions;
  }

  /** Everything about a rehearsal that was played. */
  record Played(
      Plan plan, FlowWords words, Map<String, Diary> diaries, Evidence evidence, double seconds) {

    ProtocolReport report() {
      return ProtocolReport.of(plan, words, evidence, anomalies(evidence), seconds);
    }

    /** What is wrong with this evidence. */
    List<String> anomalies(Evidence seen) {
      return Anomalies.in(plan, words, diaries, seen);
    }
  }

  /**
   * Plays a plan from its first day to the last, and on until everything it started has ended.
   *
   * @throws IllegalStateException if a real model or a real phone could be reached, or if the line
   *     does not come to rest
   */
  Played play(Plan plan) {
    if (!rehearsal.on()) {
      throw new IllegalStateException("A protocol is rehearsed without real models and phones.");
    }
    var began = System.nanoTime();
    var words = FlowWords.of(flows.defaultFlow(), times);
    var people =
        IntStream.rangeClosed(1, plan.participants())
            .mapToObj(number -> new Person(new SimulatedParticipant(number, plan, words)))
            .toList();
    new Days(plan, people).pass();
    var diaries = new LinkedHashMap<String, Diary>();
    people.forEach(person -> diaries.put(person.participant().id(), person.simulated.diary()));
    var evidence = transactions.read(() -> Evidence.read(rows));
    var seconds = Duration.ofNanos(System.nanoTime() - began).toMillis() / 1000.0;
    return new Played(plan, words, diaries, evidence, seconds);
  }

  /** Returns the address of the database, as the connection says it, whatever the settings say. */
  String database() {
    return transactions.readWith(connection -> {
      try {
        return connection.getMetaData().getURL();
      } catch (SQLException e) {
        throw new IllegalStateException("The database does not say where it is.", e);
      }
    });
  }

  /** A simulated participant, and who they are to the line. */
  private final class Person {
    private final SimulatedParticipant simulated;
    private Optional<Participant> enrolled = Optional.empty();
    private boolean ended;
    private int texts;

    Person(SimulatedParticipant simulated) {
      this.simulated = simulated;
    }

    Participant participant() {
      return enrolled.orElseThrow();
    }

    /** When they do something next. */
    Optional<Instant> next() {
      if (enrolled.isEmpty()) {
        return Optional.of(simulated.enrolsAt());
      }
      return Stream.concat(
              simulated.next().stream(), ended ? Stream.empty() : Stream.of(simulated.endsAt()))
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
                  new Enrolment(
                      diary.phone(),
                      null,
                      null,
                      null,
                      null,
                      diary.zone(),
                      false,
                      flows.defaultFlow().id(),
                      ChannelKind.SIMULATOR,
                      false)));
      simulated.enrolled();
    }

    /** Not drawn, so that the same seed gives the same times. */
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

  /** Study time, from one event to the next. */
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
          throw new IllegalStateException("Something is planned for " + next.get() + ".");
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

    /** Everybody who is due acts at once, as people do. */
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

    /** Waits until the line has said all it has to say, and lets people read it. */
    private void listen() {
      walk.settle();
      for (var text : transactions.read(() -> rows.arrivedAfter(heard))) {
        heard = text.seq();
        people.stream()
            .filter(it -> it.enrolled.filter(p -> p.id().equals(text.participantId())).isPresent())
            .findFirst()
            .ifPresent(it -> it.simulated.hears(text.body(), text.arrivedAt()));
      }
    }
  }
}
