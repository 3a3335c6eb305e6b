package org.habitline.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.messaging.KeyedSerialExecutor.Next;
import org.junit.jupiter.api.Test;

final class KeyedSerialExecutorTest {

  @Test
  void aSignalDuringAStepRunsItAgainAfterwardsAndNeverBeside() {
    var running = new AtomicInteger();
    var most = new AtomicInteger();
    var steps = new AtomicInteger();
    var work =
        work(id -> {
          most.accumulateAndGet(running.incrementAndGet(), Math::max);
          steps.incrementAndGet();
          running.decrementAndGet();
          return new Next.Rest();
        });
    var threads =
        java.util.stream.IntStream.range(0, 50)
            .mapToObj(i ->
                Thread.ofVirtual()
                    .start(() -> {
                      for (int n = 0; n < 200; n++) {
                        work.signal("someone", Duration.ZERO);
                      }
                    }))
            .toList();
    threads.forEach(KeyedSerialExecutorTest::join);
    var before = steps.get();
    work.signal("someone", Duration.ZERO);
    await().until(() -> steps.get() > before);
    assertThat(most).hasValue(1);
  }

  @Test
  void differentPeopleDoNotWaitForEachOther() throws InterruptedException {
    var release = new CountDownLatch(1);
    var done = new ConcurrentLinkedQueue<String>();
    var work =
        work(id -> {
          if (id.equals("slow")) {
            awaitQuietly(release);
          }
          done.add(id);
          return new Next.Rest();
        });
    work.signal("slow", Duration.ZERO);
    work.signal("quick", Duration.ZERO);
    await().until(() -> done.contains("quick"));
    assertThat(done).containsExactly("quick");
    release.countDown();
    await().until(() -> done.size() == 2);
  }

  @Test
  void aStepThatFailsIsTriedAgainAndASignalIsNotLost() {
    var steps = new AtomicInteger();
    var work =
        work(id -> {
          if (steps.incrementAndGet() == 1) {
            throw new IllegalStateException("once");
          }
          return new Next.Rest();
        });
    work.signal("someone", Duration.ZERO);
    await().until(() -> steps.get() == 2);
  }

  @Test
  void aStepThatFailsIsTriedAgainOnceAfterAPauseHoweverOftenItIsSignalled() {
    var fails = new AtomicBoolean(true);
    var run = new ConcurrentLinkedQueue<String>();
    var done = new ConcurrentLinkedQueue<String>();
    var work =
        work(id -> {
          run.add(id);
          if (fails.get()) {
            throw new IllegalStateException();
          }
          done.add(id);
          return new Next.Rest();
        });
    for (int i = 0; i < 20; i++) {
      work.signal("someone", Duration.ZERO);
      await().pollInterval(Duration.ofMillis(1)).until(() -> !work.isBusy("someone"));
    }
    work.signal("last", Duration.ZERO);
    await().until(() -> run.contains("last"));
    fails.set(false);
    // What failed last is tried again last.
    await().until(() -> done.contains("last"));
    assertThat(run.stream().filter("someone"::equals)).hasSizeLessThan(20);
  }

  @Test
  void stoppingWaitsForWhatRunsAndTakesNothingNew() throws InterruptedException {
    var release = new CountDownLatch(1);
    var entered = new CountDownLatch(1);
    var done = new ConcurrentLinkedQueue<String>();
    var work =
        work(id -> {
          entered.countDown();
          awaitQuietly(release);
          done.add(id);
          return new Next.Rest();
        });
    work.signal("running", Duration.ZERO);
    entered.await();
    var stopping = Thread.ofVirtual().start(() -> work.stop(Duration.ofSeconds(30)));
    release.countDown();
    stopping.join();
    work.signal("late", Duration.ZERO);
    assertThat(List.copyOf(done)).containsExactly("running");
  }

  @Test
  void aStepThatWasSignalledJustBeforeTheStopStillRuns() {
    for (int round = 0; round < 200; round++) {
      var done = new ConcurrentLinkedQueue<String>();
      var work =
          work(id -> {
            done.add(id);
            return new Next.Rest();
          });
      work.signal("a", Duration.ZERO);
      work.signal("b", Duration.ZERO);
      work.stop(Duration.ofSeconds(30));
      assertThat(done).containsExactlyInAnyOrder("a", "b");
    }
  }

  private static KeyedSerialExecutor work(KeyedSerialExecutor.Step step) {
    var work = new KeyedSerialExecutor("test", step);
    work.open();
    return work;
  }

  @Test
  void aSignalBeforeTheOpeningIsNotHeeded() {
    var done = new ConcurrentLinkedQueue<String>();
    var work =
        new KeyedSerialExecutor(
            "test",
            id -> {
              done.add(id);
              return new Next.Rest();
            });
    work.signal("early", Duration.ZERO);
    work.open();
    work.signal("later", Duration.ZERO);
    await().until(() -> !done.isEmpty());
    assertThat(done).containsExactly("later");
  }

  @Test
  void lookingForWorkGoesOnAfterAFailureOfAnyKind() {
    var looks = new AtomicInteger();
    var work = work(id -> new Next.Rest());
    work.every(
        Duration.ofMillis(1),
        () -> {
          switch (looks.incrementAndGet()) {
            case 1 -> throw new IllegalStateException("once");
            case 2 -> throw new StackOverflowError("once");
            default -> {}
          }
        });
    await().until(() -> looks.get() > 5);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
