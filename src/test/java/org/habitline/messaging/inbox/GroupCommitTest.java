package org.habitline.messaging.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.data.connection.jdbc.exceptions.CannotGetJdbcConnectionException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.habitline.RunningLine;
import org.habitline.messaging.AtOnce;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class GroupCommitTest {

  private static final String HOLDING = "holding";
  private static final String BROKEN = "broken";
  private static final String AWAY = "away";
  private static final String HELD_AWAY = "held, then away";

  private static RunningLine line;

  private final CountDownLatch release = new CountDownLatch(1);
  private final ConcurrentLinkedQueue<List<String>> groups = new ConcurrentLinkedQueue<>();
  private final GroupCommit<String, String> commit =
      new GroupCommit<>(transactions(), this::shouted);
  private final AtOnce<String> callers = new AtOnce<>();

  @BeforeAll
  static void build() {
    line = RunningLine.in(GroupCommitTest.class).build();
  }

  @AfterAll
  static void close() {
    line.close();
  }

  private static Transactions transactions() {
    return line.bean(Transactions.class);
  }

  private List<String> shouted(List<String> parts) {
    groups.add(parts);
    if (parts.contains(HOLDING) || parts.contains(HELD_AWAY)) {
      awaitRelease();
    }
    if (parts.contains(BROKEN)) {
      throw new IllegalArgumentException(BROKEN);
    }
    if (parts.contains(AWAY) || parts.contains(HELD_AWAY)) {
      throw new CannotGetJdbcConnectionException(AWAY);
    }
    return parts.stream().map(part -> part + "!").toList();
  }

  private void awaitRelease() {
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void come(String... parts) {
    for (var part : parts) {
      callers.waiting(() -> commit.carryOut(part));
    }
  }

  @Test
  void whoeverWaitsIsCarriedOutTogetherAndGetsTheirOwnOutcome() throws Exception {
    come(HOLDING, "a", "b", "c");
    release.countDown();
    assertThat(callers.outcomes()).containsExactly("holding!", "a!", "b!", "c!");
    assertThat(groups).containsExactly(List.of(HOLDING), List.of("a", "b", "c"));
  }

  @Test
  void aPartThatFailsDoesNotFailTheOthers() throws Exception {
    come(HOLDING, "a");
    var broken = new AtOnce<String>().waiting(() -> commit.carryOut(BROKEN));
    come("b");
    release.countDown();
    assertThat(callers.outcomes()).containsExactly("holding!", "a!", "b!");
    assertThatThrownBy(broken::outcomes).hasRootCauseMessage(BROKEN);
    assertThat(groups)
        .containsExactly(
            List.of(HOLDING),
            List.of("a", BROKEN, "b"),
            List.of("a"),
            List.of(BROKEN),
            List.of("b"));
  }

  @Test
  void aGroupIsToldAtOnceThatThereIsNoConnection() {
    come(HOLDING);
    var waiting = Stream.of("a", AWAY, "b").map(this::alone).toList();
    release.countDown();
    waiting.forEach(one -> assertThatThrownBy(one::outcomes).hasRootCauseMessage(AWAY));
    assertThat(groups).containsExactly(List.of(HOLDING), List.of("a", AWAY, "b"));
  }

  @Test
  void whoeverWaitsBehindAGroupIsToldAtOnceThatThereIsNoConnection() {
    var waiting = Stream.of(HELD_AWAY, "a", "b").map(this::alone).toList();
    release.countDown();
    waiting.forEach(one -> assertThatThrownBy(one::outcomes).hasRootCauseMessage(AWAY));
    assertThat(groups).containsExactly(List.of(HELD_AWAY));
  }

  private AtOnce<String> alone(String part) {
    return new AtOnce<String>().waiting(() -> commit.carryOut(part));
  }
}
