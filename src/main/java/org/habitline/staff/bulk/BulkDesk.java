package org.habitline.staff.bulk;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;

import io.micronaut.http.HttpStatus;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Gatherers;
import java.util.stream.IntStream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantListener;
import org.habitline.participants.Participants;
import org.habitline.participants.Tags;
import org.habitline.staff.participant.TakeoverDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Ids;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Previews, confirms and undoes bulk actions, for the pages and the REST API, and reports their
 * progress. {@link BulkRun} carries them out.
 */
@Singleton
final class BulkDesk implements ParticipantListener {

  /** The most participants of one action. */
  static final int MOST = 10_000;

  /** How long an action can be undone before it begins. */
  static final Duration UNDONE_WITHIN = Duration.ofSeconds(10);

  /** How many participants are paused without typing their number. */
  private static final int PAUSED_UNTYPED = 20;

  private final BulkChecks checks;
  private final BulkEstimates estimates;
  private final JdbcBulk rows;
  private final Participants participants;
  private final Tags tags;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock systemClock;

  BulkDesk(
      BulkChecks checks,
      BulkEstimates estimates,
      JdbcBulk rows,
      Participants participants,
      Tags tags,
      AuditLog audit,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.checks = checks;
    this.estimates = estimates;
    this.rows = rows;
    this.participants = participants;
    this.tags = tags;
    this.audit = audit;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /**
   * A bulk action.
   *
   * @param words the message, until a day after the end
   * @param tag the tag to add or remove
   * @param version how often the words or the tag were chosen
   * @param by who confirmed it, or who previewed it
   * @param beginsAt system time, or {@code null} before it is confirmed
   * @param endedBy who stopped it, if somebody did
   * @param counts how many participants have each status; absent statuses count none
   */
  record Action(
      String id,
      BulkKind kind,
      BulkStatus status,
      @Nullable String words,
      @Nullable String tag,
      int version,
      String by,
      Instant createdAt,
      @Nullable Instant beginsAt,
      @Nullable Instant endedAt,
      @Nullable String endedBy,
      Map<BulkTargetStatus, Integer> counts) {

    int count(BulkTargetStatus status) {
      return counts.getOrDefault(status, 0);
    }

    int all() {
      return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns whether it says what to do: a message has words, a tagging its tag. */
    boolean isComplete() {
      return switch (kind) {
        case MESSAGE -> words != null;
        case TAG, UNTAG -> tag != null;
        case PAUSE, RESUME -> true;
      };
    }

    /** Returns whether the number of participants must be typed to confirm. */
    boolean needsTyping() {
      return switch (kind) {
        case MESSAGE -> true;
        case PAUSE -> count(BulkTargetStatus.WAITING) > PAUSED_UNTYPED;
        case RESUME, TAG, UNTAG -> false;
      };
    }
  }

  /** What came of an action for one participant, who is {@code null} if they are being erased. */
  record Target(JdbcBulk.Target row, @Nullable Participant participant) {}

  /** A page of the participants of an action, in their order. */
  record Targets(List<Target> targets, @Nullable Integer next) {}

  /**
   * Stores a preview and returns its id. Nothing is done before it is confirmed.
   *
   * @param what the message or the tag, or nothing if that follows later
   * @throws ApiProblem 400 for participants, words or a tag that are not accepted, 403 if the
   *     caller may not do this
   */
  String preview(Actor actor, BulkKind kind, List<String> ids, What what) {
    refuseOthers(actor, kind);
    var said = read(kind, what);
    // JSON may hold null where a text is expected.
    if (ids.stream().anyMatch(Objects::isNull)) {
      throw ApiProblem.bad("participants: expected ids, found null.");
    }
    var wanted = List.copyOf(new LinkedHashSet<>(ids));
    if (wanted.isEmpty()) {
      throw ApiProblem.bad("participants: none selected; select at least one participant.");
    }
    if (wanted.size() > MOST) {
      throw ApiProblem.bad("participants: too many; at most 10,000 are accepted at once.");
    }
    // PostgreSQL refuses a NUL character in a query.
    var standings =
        checks.of(
            kind,
            said.tag(),
            actor.name(),
            wanted.stream().filter(it -> it.indexOf('\0') < 0).toList());
    if (standings.size() < wanted.size()) {
      throw ApiProblem.bad(
          "participants: "
              + (wanted.size() - standings.size())
              + " of those selected do not exist or were erased; select them again.");
    }
    var id = Ids.next("bulk");
    transactions.write(() -> {
      rows.insert(
          id, kind, said.words(), said.tag(), actor.name(), actor.role(), systemClock.instant());
      insert(id, standings);
    });
    return id;
  }

  /** What a message says, or the tag to add or remove. */
  record What(@Nullable String words, @Nullable String tag) {

    static final What LATER = new What(null, null);
  }

  private What read(BulkKind kind, What what) {
    if (what.words() != null && kind != BulkKind.MESSAGE) {
      throw ApiProblem.bad("text: only a message has a text.");
    }
    if (what.tag() != null && !kind.isTagging()) {
      throw ApiProblem.bad("tag: only the actions tag and untag have a tag.");
    }
    return new What(
        what.words() == null ? null : TakeoverDesk.text(what.words()),
        what.tag() == null ? null : tag(kind, what.tag()));
  }

  private String tag(BulkKind kind, String said) {
    var tag =
        Tags.read(said).orElseThrow(() -> ApiProblem.bad("tag: expected " + Tags.ACCEPTED + "."));
    var used = tags.all();
    if (kind == BulkKind.TAG && used.size() >= Tags.MOST_OF_STUDY && !used.contains(tag)) {
      throw ApiProblem.bad(
          "tag: participants have "
              + Tags.MOST_OF_STUDY
              + " different tags already; use one of these.");
    }
    return tag;
  }

  private void insert(String id, List<BulkChecks.Standing> standings) {
    var numbers = IntStream.range(0, standings.size()).boxed().toList();
    numbers.stream()
        .gather(Gatherers.windowFixed(InBatches.ROWS))
        .forEach(some -> {
          var these = some.stream().map(standings::get).toList();
          var _ =
              rows.insertTargets(
                  id,
                  some.stream().map(String::valueOf).toArray(String[]::new),
                  these.stream().map(it -> it.participant().id()).toArray(String[]::new),
                  these.stream()
                      .map(it ->
                          it.why().isEmpty()
                              ? BulkTargetStatus.WAITING.word()
                              : BulkTargetStatus.EXCLUDED.word())
                      .toArray(String[]::new),
                  these.stream()
                      .map(it -> it.why().map(BulkReason::word).orElse(null))
                      .toArray(String[]::new));
        });
  }

  /** Refuses those who may not do this to one participant either. */
  private static void refuseOthers(Actor actor, BulkKind kind) {
    if (!mayChange(actor, kind)) {
      throw new ApiProblem(
          HttpStatus.FORBIDDEN,
          "Messages to participants need the role staff; the key or session has researcher.");
    }
  }

  static boolean mayChange(Actor actor, BulkKind kind) {
    return kind != BulkKind.MESSAGE || !actor.isResearcher();
  }

  /**
   * Returns an action.
   *
   * @throws ApiProblem 404 if there is none with this id
   */
  Action get(String id) {
    return transactions.read(() -> action(row(id)));
  }

  private JdbcBulk.Row row(String id) {
    // PostgreSQL refuses a NUL character in a query.
    return (id.indexOf('\0') < 0 ? rows.find(id) : Optional.<JdbcBulk.Row>empty())
        .orElseThrow(() -> ApiProblem.notFound("There is no bulk action with this id."));
  }

  private Action action(JdbcBulk.Row row) {
    return actions(List.of(row)).getFirst();
  }

  private List<Action> actions(List<JdbcBulk.Row> found) {
    if (found.isEmpty()) {
      return List.of();
    }
    var tallies =
        rows.tallies(found.stream().map(JdbcBulk.Row::id).toList()).stream()
            .collect(
                groupingBy(
                    JdbcBulk.Tally::bulkId,
                    toMap(
                        JdbcBulk.Tally::status,
                        JdbcBulk.Tally::count,
                        Integer::sum,
                        () -> new EnumMap<>(BulkTargetStatus.class))));
    return found.stream()
        .map(row ->
            new Action(
                row.id(),
                row.kind(),
                row.status(),
                row.words(),
                row.tag(),
                row.version(),
                row.actor(),
                row.createdAt(),
                row.beginsAt(),
                row.endedAt(),
                row.endedBy(),
                Map.copyOf(tallies.getOrDefault(row.id(), new EnumMap<>(BulkTargetStatus.class)))))
        .toList();
  }

  /** Returns the newest confirmed actions, newest first. */
  List<Action> newest(int most) {
    return transactions.read(() -> actions(rows.newest(Long.MAX_VALUE, most)));
  }

  /** Returns the tags that participants have, in alphabetical order. */
  List<String> tags() {
    return tags.all();
  }

  /** Returns how many participants of an action have each reason, the most frequent first. */
  Map<BulkReason, Integer> reasons(String id) {
    return transactions.read(() -> rows.reasons(id)).stream()
        .filter(it -> it.reason() != null)
        .collect(
            toMap(
                JdbcBulk.ReasonTally::reason,
                JdbcBulk.ReasonTally::count,
                Integer::sum,
                () -> new EnumMap<>(BulkReason.class)));
  }

  /** Returns a page of the participants of an action after a place, in their order. */
  Targets targets(String id, long after, int most) {
    return transactions.read(() -> {
      var found = rows.targets(id, after, most + 1);
      var page = found.subList(0, Math.min(most, found.size()));
      var people =
          participants.these(page.stream().map(JdbcBulk.Target::participantId).toList()).stream()
              .collect(toMap(Participant::id, it -> it));
      return new Targets(
          page.stream().map(it -> new Target(it, people.get(it.participantId()))).toList(),
          found.size() > most ? page.getLast().number() : null);
    });
  }

  /**
   * Completes a previewed action with its message or its tag, and looks again for whom it may be
   * done.
   *
   * @throws ApiProblem 400 for words or a tag that are not accepted, 403 if the caller may not do
   *     this, 404 if there is no such action, 409 if it was confirmed
   */
  void complete(Actor actor, String id, What what) {
    var kind = get(id).kind();
    refuseOthers(actor, kind);
    var said =
        read(
            kind,
            switch (kind) {
              case MESSAGE -> new What(what.words() == null ? "" : what.words(), what.tag());
              case TAG, UNTAG -> new What(what.words(), what.tag() == null ? "" : what.tag());
              case PAUSE, RESUME -> what;
            });
    // Each participant is looked at again when their turn comes, so this need not be one
    // transaction.
    var all = transactions.read(() -> rows.targets(id, -1, MOST));
    var standings =
        checks.of(
            kind,
            said.tag(),
            actor.name(),
            all.stream().map(JdbcBulk.Target::participantId).toList());
    transactions.write(() -> {
      if (rows.complete(id, said.words(), said.tag()) == 0) {
        throw begun();
      }
      var _ = rows.includeAll(id);
      leaveOut(id, standings);
    });
  }

  private void leaveOut(String id, List<BulkChecks.Standing> standings) {
    for (var reason : BulkReason.values()) {
      standings.stream()
          .filter(it -> it.why().filter(reason::equals).isPresent())
          .map(it -> it.participant().id())
          .gather(Gatherers.windowFixed(InBatches.ROWS))
          .forEach(some -> {
            var _ = rows.leaveOut(id, some, reason);
          });
    }
  }

  /** Returns a number of participants in words. */
  static String people(int count) {
    return count == 1 ? "1 participant" : count + " participants";
  }

  private static ApiProblem changed() {
    return ApiProblem.conflict(
        "The message or tag has changed since you opened it. Read it again, then confirm.");
  }

  private static ApiProblem begun() {
    return ApiProblem.conflict("This bulk action was confirmed already; nothing was changed.");
  }

  /**
   * Confirms a previewed action, which begins 10 seconds later.
   *
   * @param typed the number of participants, as the caller typed it
   * @param version the version that the caller read, or {@code null} for any
   * @throws ApiProblem 400 if the number or the words are missing or wrong, 403 if the caller may
   *     not do this, 404 if there is no such action, 409 if it was confirmed or changed, nobody is
   *     left, or the budgets of today do not allow it
   */
  void confirm(Actor actor, String id, @Nullable String typed, @Nullable Integer version) {
    var seen = get(id);
    refuseOthers(actor, seen.kind());
    var tooMuch =
        seen.status() == BulkStatus.PREVIEWED
            ? estimates.of(seen, actor.name()).map(BulkEstimates.Estimate::tooMuch).orElse("")
            : "";
    transactions.write(() -> {
      var action = action(row(id));
      if (action.status() != BulkStatus.PREVIEWED) {
        throw begun();
      }
      if (action.version() != (version == null ? seen.version() : version)) {
        throw changed();
      }
      var count = action.count(BulkTargetStatus.WAITING);
      if (count == 0) {
        throw ApiProblem.conflict("All participants are left out, so there is nothing to do.");
      }
      if (!action.isComplete()) {
        throw ApiProblem.bad(
            action.kind() == BulkKind.MESSAGE
                ? "text: blank; write a message for the participants."
                : "tag: missing; choose a tag.");
      }
      if (action.needsTyping()
          && !String.valueOf(count).equals(typed == null ? "" : typed.strip())) {
        throw ApiProblem.bad("count: type " + count + ", the number of participants, to confirm.");
      }
      if (!tooMuch.isEmpty()) {
        throw ApiProblem.conflict("count: " + tooMuch);
      }
      var begins = systemClock.instant().plus(UNDONE_WITHIN);
      if (rows.confirm(id, action.version(), actor.name(), actor.role(), begins) == 0) {
        throw row(id).status() == BulkStatus.PREVIEWED ? changed() : begun();
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.BULK_ACTION_CONFIRMED)
              .about(id)
              .changed(null, action.kind().title() + ", " + people(count)));
    });
  }

  /**
   * Stops an action: before it begins, nothing is done; later, nothing more is.
   *
   * @throws ApiProblem 403 if the caller may not do this, 404 if there is no such action, 409 if it
   *     has ended or was never confirmed
   */
  void undo(Actor actor, String id) {
    transactions.write(() -> {
      var kind = row(id).kind();
      refuseOthers(actor, kind);
      var now = systemClock.instant();
      if (rows.undo(id, actor.name(), now) == 0) {
        throw ApiProblem.conflict(
            row(id).status() == BulkStatus.PREVIEWED
                ? "This bulk action was not confirmed, so there is nothing to undo."
                : "This bulk action has ended already; nothing was changed.");
      }
      var left = rows.undoTargets(id, now);
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.BULK_ACTION_STOPPED)
              .about(id)
              .changed(null, "not done for " + people(left)));
    });
  }

  /**
   * Discards a preview; does nothing to any other action.
   *
   * @throws ApiProblem 403 if the role may not confirm it, 404 if there is none with this id
   */
  void discard(Actor actor, String id) {
    transactions.write(() -> {
      refuseOthers(actor, row(id).kind());
      rows.discard(id);
    });
  }

  /** Returns how long an action can be undone before it begins, or zero. */
  Duration left(Action action) {
    var begins = action.beginsAt();
    var left =
        action.status() != BulkStatus.WAITING || begins == null
            ? Duration.ZERO
            : Duration.between(systemClock.instant(), begins);
    return left.isNegative() ? Duration.ZERO : left;
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    if (rows.erase(participantId) > 0) {
      var _ = rows.clearWordsOfNobody();
    }
  }
}
