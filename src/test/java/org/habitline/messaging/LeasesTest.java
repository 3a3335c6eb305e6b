package org.habitline.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.RunningLine;
import org.habitline.participants.Participant;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lease that was seen free is had only by whoever takes it as it was seen. */
@Tag("database")
final class LeasesTest {

  private static final Duration OVER = Leases.LASTS.plusSeconds(1);

  private static RunningLine line;
  private static RunningLine other;

  private Participant robin;

  @BeforeAll
  static void build() {
    line = RunningLine.in(LeasesTest.class).build();
    other = line.second().build();
  }

  @AfterAll
  static void close() {
    other.stop();
    line.close();
  }

  @BeforeEach
  void enrol() {
    robin = line.enrol();
  }

  private static Leases leases(RunningLine node) {
    return node.bean(Leases.class);
  }

  /** What the table holds now; that it is held is said with a time that is over. */
  private Leases.Seen seen() {
    return seen(robin);
  }

  private static Leases.Seen seen(Participant participant) {
    var row =
        line.rows(
                "SELECT owner, token, handed_over FROM lease WHERE participant_id = ?",
                participant.id())
            .getFirst();
    return new Leases.Seen(
        participant.id(),
        (String) row.get("owner"),
        token(row.get("token")).orElseThrow(),
        Instant.EPOCH,
        token(row.get("handed_over")).orElse(null));
  }

  private static Optional<Long> token(@Nullable Object value) {
    return Optional.ofNullable((Number) value).map(Number::longValue);
  }

  private static Lease taken(RunningLine node, Leases.Seen seen) {
    return leases(node).take(seen).orElseThrow();
  }

  private static void later() {
    line.system().advance(OVER);
  }

  @Test
  void itIsFreeIfNobodyHoldsItOrTheTimeIsOver() {
    var now = line.system().instant();
    assertThat(leases(line).free(held(null, null))).isTrue();
    assertThat(leases(line).free(held("node", now.minusMillis(1)))).isTrue();
    assertThat(leases(line).free(held("node", now.plus(OVER)))).isFalse();
  }

  private Leases.Seen held(@Nullable String owner, @Nullable Instant until) {
    return new Leases.Seen(robin.id(), owner, 1, until, null);
  }

  @Test
  void ofTwoWhoSawItFreeOneHasIt() {
    var seen = seen();
    assertThat(Stream.of(line, other).flatMap(node -> leases(node).take(seen).stream()))
        .singleElement()
        .isEqualTo(new Lease(robin.id(), seen.token() + 1, false));
  }

  @Test
  void whoeverHadItMeanwhileIsSeen() {
    var seen = seen();
    leases(other).release(taken(other, seen));
    assertThat(leases(line).take(seen)).as("others read before that turn ended").isEmpty();
    assertThat(leases(line).take(seen())).isPresent();
  }

  @Test
  void aHolderWhoseTimeIsOverAndWhoStillCommitsIsSeen() {
    var lease = taken(other, seen());
    var whileHeld = seen();
    leases(other).release(lease);
    later();
    assertThat(leases(line).take(whileHeld)).isEmpty();
  }

  @Test
  void aHolderWhoseTimeIsOverIsOvertakenAndCannotCommit() {
    var lease = taken(other, seen());
    later();
    assertThat(leases(line).take(seen())).isPresent();
    assertThatThrownBy(() -> leases(other).release(lease)).isInstanceOf(LeaseLost.class);
  }

  /** Of four that are worked under one was revoked, and one ran out. */
  @Test
  void allThatAreWorkedUnderAreLengthenedTogether() {
    var others = Stream.generate(line::enrol).limit(3).toList();
    var leases =
        Stream.concat(Stream.of(robin), others.stream())
            .map(participant -> taken(line, seen(participant)))
            .toList();
    holding(leases, () -> lengthened(leases, others));
  }

  private static void holding(List<Lease> leases, Runnable work) {
    if (leases.isEmpty()) {
      work.run();
    } else {
      leases(line)
          .holding(leases.getFirst(), () -> holding(leases.subList(1, leases.size()), work));
    }
  }

  private static void lengthened(List<Lease> leases, List<Participant> others) {
    var lateForAll = line.system().instant().plus(Leases.LASTS);
    leases(line).revoke(others.getFirst().id());
    line.write(
        "UPDATE lease SET held_until = '2020-01-01 00:00:00+00' WHERE participant_id = ?",
        others.getLast().id());
    line.system().advance(Leases.RENEWED);
    var transactions = line.bean(Transactions.class);
    transactions.writeWith(connection -> {
      leases(line).renewAll(Database.isFile(connection));
      return true;
    });
    assertThat(
            leases.stream()
                .map(lease ->
                    line.rows(
                            "SELECT owner FROM lease WHERE participant_id = ? AND held_until > ?",
                            lease.participantId(),
                            Timestamp.from(lateForAll))
                        .size()))
        .containsExactly(1, 0, 1, 0);
  }

  @Test
  void oneThatStillHoldsIsNotTaken() {
    taken(other, seen());
    assertThat(leases(line).take(seen())).isEmpty();
  }

  @Test
  void nobodyTakesWhatWasRevoked() {
    var seen = seen();
    leases(line).revoke(robin.id());
    assertThat(leases(line).take(seen)).isEmpty();
  }

  @Test
  void whatWasHandedOverInOrderIsToldOnce() {
    taken(other, seen());
    leases(other).releaseOwn();
    var second = taken(line, seen());
    assertThat(second.handedOver()).isTrue();
    leases(line).release(second);
    assertThat(taken(line, seen()).handedOver()).isFalse();
  }
}
