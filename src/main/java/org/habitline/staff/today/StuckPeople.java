package org.habitline.staff.today;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowCatalog;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.protocol.MonitoringPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Transactions;

/**
 * Finds stuck participants: too long in the first module, silent for several daily prompts, or
 * without a schedule. The result is {@link Kept} for a while, because finding it reads every active
 * participant. Who is erased is forgotten at once, on the node that erased them.
 */
@Singleton
final class StuckPeople implements ParticipantListener {

  /** How many of each kind are found. */
  private static final int MOST = 500;

  /** A participant who just changed modules may get a schedule any moment. */
  private static final Duration SOON = Duration.ofDays(1);

  private final JdbcStuck rows;
  private final FlowCatalog flows;
  private final MonitoringPlan plan;
  private final Transactions transactions;
  private final Clock clock;
  private final Kept<List<Stuck>> found;

  StuckPeople(
      JdbcStuck rows,
      FlowCatalog flows,
      StudyFile study,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.flows = flows;
    this.plan = study.monitoring();
    this.transactions = transactions;
    this.clock = clock;
    this.found = new Kept<>(systemClock, clock);
  }

  /** Why a participant is stuck. */
  enum Kind {
    FIRST_MODULE,
    SILENT,
    NO_SCHEDULE
  }

  /**
   * A stuck participant.
   *
   * @param module the first module of their flow, or empty
   * @param prompts how many daily prompts they got since their last text
   * @param since study time
   */
  record Stuck(String participantId, Kind kind, String module, long prompts, Instant since) {}

  /** Returns all stuck participants, the longest stuck first; up to a minute old. */
  List<Stuck> all() {
    return found.get(() -> transactions.read(() -> find()));
  }

  @Override
  public void leaving(Participant participant) {
    forget(participant.id());
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    forget(participantId);
  }

  private void forget(String participantId) {
    transactions.afterCommit(() ->
        found.change(people ->
            people.stream().filter(it -> !it.participantId().equals(participantId)).toList()));
  }

  private List<Stuck> find() {
    var people = new ArrayList<Stuck>();
    for (var flow : flows.all()) {
      if (flow.modules().size() > 1) {
        inFirstModule(flow, people);
        if (flow.dailyPrompt() != null) {
          withoutSchedule(flow, people);
        }
      }
    }
    if (flows.sendDailyPrompts()) {
      var first =
          LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC)
              .minusDays(2L * plan.silentAfterPrompts() + 1);
      rows.silent(first.toString(), plan.silentAfterPrompts(), MOST)
          .forEach(row ->
              people.add(
                  new Stuck(row.participantId(), Kind.SILENT, "", row.prompts(), row.since())));
    }
    return people.stream()
        .sorted(Comparator.comparing(Stuck::since).thenComparing(Stuck::participantId))
        .toList();
  }

  private void inFirstModule(Flow flow, List<Stuck> people) {
    var first = flow.initialState();
    var before = clock.instant().minus(Duration.ofDays(plan.stuckAfterDays()));
    rows.inFirstModule(flow.id(), first, before, MOST)
        .forEach(row ->
            people.add(new Stuck(row.participantId(), Kind.FIRST_MODULE, first, 0, row.since())));
  }

  private void withoutSchedule(Flow flow, List<Stuck> people) {
    rows.withoutSchedule(flow.id(), flow.initialState(), clock.instant().minus(SOON), MOST)
        .forEach(row ->
            people.add(new Stuck(row.participantId(), Kind.NO_SCHEDULE, "", 0, row.since())));
  }
}
