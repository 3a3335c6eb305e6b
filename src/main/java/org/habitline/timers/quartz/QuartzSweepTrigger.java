package org.habitline.timers.quartz;

import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.habitline.storage.Database;
import org.habitline.timers.SweepTrigger;
import org.jspecify.annotations.Nullable;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobKey;
import org.quartz.ObjectAlreadyExistsException;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.DirectSchedulerFactory;
import org.quartz.impl.jdbcjobstore.InvalidConfigurationException;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.spi.ThreadExecutor;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts sweeps with Quartz. Triggers are stored in Habitline's own database, so that any node can
 * fire them; on PostgreSQL the nodes are one cluster. A trigger only starts a sweep: the wake-up
 * rows say what is due. There is one job; runs that overlap, here or on another node, share the due
 * wake-ups between them.
 *
 * <p>Misfires: a trigger that is late fires at once (one sweep however many were missed).
 */
@Singleton
final class QuartzSweepTrigger implements SweepTrigger {

  private static final Logger log = LoggerFactory.getLogger(QuartzSweepTrigger.class);

  static final String GROUP = "habitline";
  private static final int SWEEP_SECONDS = 30;
  private static final int WORKERS = 2;

  /**
   * Added to each trigger: Quartz may fire some milliseconds early, when wake-ups of that second
   * are not due yet.
   */
  private static final Duration NOT_EARLY = Duration.ofMillis(10);

  private static final Duration IDLE_WAIT = Duration.ofSeconds(30);
  private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(5);

  /** A sweep takes milliseconds, and seconds when much is due. */
  private static final Duration AT_MOST_FOR_JOBS = Duration.ofSeconds(20);

  private static final Duration AT_THE_END = Duration.ofSeconds(3);
  private static final JobKey JOB = JobKey.jobKey("look", GROUP);

  private final DataSource dataSource;
  private final NavigableSet<Instant> set = new ConcurrentSkipListSet<>();
  private final Shielded threads = new Shielded();
  private final BlockingQueue<Instant> toSet = new LinkedBlockingQueue<>();
  private volatile @Nullable Scheduler scheduler;

  QuartzSweepTrigger(DataSource dataSource) {
    this.dataSource = DelegatingDataSource.unwrapDataSource(dataSource);
  }

  @Override
  public void start(Runnable sweep) {
    try {
      var started = scheduler();
      started.setJobFactory((bundle, of) -> new QuartzBells.Look(sweep));
      started.addJob(job(), true);
      sweepNowAndThen(started);
      started.start();
      scheduler = started;
      threads.start(Thread.ofPlatform().daemon().name("bells-setting"), () -> setBells(started));
    } catch (SchedulerException e) {
      throw new IllegalStateException("Quartz could not be started.", e);
    }
  }

  private Scheduler scheduler() throws SchedulerException {
    var name = GROUP + "-" + UUID.randomUUID();
    DBConnectionManager.getInstance().addConnectionProvider(name, new Pool(dataSource));
    var factory = DirectSchedulerFactory.getInstance();
    factory.createScheduler(
        name,
        name,
        workers(),
        threads,
        store(name),
        Map.of(),
        null,
        0,
        IDLE_WAIT.toMillis(),
        AFTER_A_FAILURE.toMillis(),
        false,
        null,
        WORKERS,
        0);
    return factory.getScheduler(name);
  }

  private static SimpleThreadPool workers() {
    var workers = new SimpleThreadPool(WORKERS, Thread.NORM_PRIORITY);
    workers.setMakeThreadsDaemons(true);
    workers.setThreadNamePrefix("bell");
    return workers;
  }

  private JobStoreTX store(String name) {
    var store = new OneStore();
    store.setDataSource(name);
    store.setIsClustered(isShared());
    store.setUseProperties("true");
    // Without this, two nodes could acquire the same batch of triggers.
    store.setAcquireTriggersWithinLock(true);
    store.setThreadExecutor(threads);
    try {
      store.setDriverDelegateClass(PostgreSQLDelegate.class.getName());
    } catch (InvalidConfigurationException e) {
      throw new IllegalStateException("Quartz did not accept its PostgreSQL delegate.", e);
    }
    return store;
  }

  /**
   * Returns whether several nodes share the database; on H2 no other process can have the file
   * open.
   */
  private boolean isShared() {
    try (var connection = dataSource.getConnection()) {
      return !Database.isFile(connection);
    } catch (SQLException e) {
      throw new IllegalStateException("The database cannot be reached.", e);
    }
  }

  private static JobDetail job() {
    return JobBuilder.newJob(QuartzBells.Look.class)
        .withIdentity(JOB)
        .withDescription("looks for wake-ups that are due")
        .storeDurably()
        .requestRecovery()
        .build();
  }

  private static void sweepNowAndThen(Scheduler scheduler) throws SchedulerException {
    var key = TriggerKey.triggerKey("sweep", GROUP);
    var trigger =
        TriggerBuilder.newTrigger()
            .withIdentity(key)
            .forJob(JOB)
            .withSchedule(
                SimpleScheduleBuilder.repeatSecondlyForever(SWEEP_SECONDS)
                    .withMisfireHandlingInstructionNowWithRemainingCount())
            .build();
    try {
      if (!scheduler.checkExists(key)) {
        scheduler.scheduleJob(trigger);
      } else if (scheduler.getTriggerState(key) == Trigger.TriggerState.ERROR) {
        scheduler.resetTriggerFromErrorState(key);
      }
    } catch (ObjectAlreadyExistsException e) {
      // Another node created it first.
    }
  }

  @Override
  public void ringAt(Instant systemInstant) {
    var running = scheduler;
    var second = systemInstant.plusMillis(999).truncatedTo(ChronoUnit.SECONDS);
    if (running == null || !set.add(second)) {
      return;
    }
    set.headSet(second.minus(Duration.ofHours(1))).clear();
    toSet.add(second);
  }

  /**
   * Stores triggers on a thread of its own: Quartz does that under a lock of the whole cluster,
   * which another node may hold for long, and callers must not wait for it.
   */
  private void setBells(Scheduler running) {
    try {
      while (Objects.equals(scheduler, running)) {
        var second = toSet.poll(1, TimeUnit.SECONDS);
        if (second != null) {
          setBell(running, second);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void setBell(Scheduler running, Instant second) {
    try {
      running.scheduleJob(
          TriggerBuilder.newTrigger()
              .withIdentity("bell-" + second.getEpochSecond(), GROUP)
              .forJob(JOB)
              .startAt(Date.from(second.plus(NOT_EARLY)))
              .withSchedule(
                  SimpleScheduleBuilder.simpleSchedule().withMisfireHandlingInstructionFireNow())
              .build());
    } catch (ObjectAlreadyExistsException e) {
      // It was set before; one is enough.
    } catch (SchedulerException e) {
      if (!Objects.equals(scheduler, running)) {
        return;
      }
      set.remove(second);
      // Discarded so that they do not each wait as long; the next sweep asks for them again.
      for (var next = toSet.poll(); next != null; next = toSet.poll()) {
        set.remove(next);
      }
      log.warn(
          "A Quartz job could not be stored; the sweep finds what is due some seconds later:"
              + " {}",
          e.getClass().getName());
    }
  }

  @Override
  public void stop() {
    var running = scheduler;
    scheduler = null;
    if (running == null) {
      return;
    }
    // While the database is unavailable, Quartz retries its last writes without end.
    var stopping = Thread.ofPlatform().daemon().name("bells-stopping").start(() -> end(running));
    try {
      if (!stopping.join(AT_MOST_FOR_JOBS)) {
        log.warn("Quartz cannot save its state and is skipped; the sweep finds what is due");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    threads.join(AT_THE_END);
  }

  private static void end(Scheduler running) {
    try {
      running.shutdown(true);
    } catch (SchedulerException e) {
      log.warn("Quartz did not shut down normally: {}", e.getClass().getName());
    }
  }

  /**
   * Runs Quartz's tasks on threads that it cannot interrupt. Quartz interrupts its threads when it
   * stops, and an interrupt during a write makes H2 close the file for all connections.
   */
  private static final class Shielded implements ThreadExecutor {

    private final Queue<Thread> running = new ConcurrentLinkedQueue<>();

    @Override
    public void execute(Thread quartz) {
      start(Thread.ofPlatform().daemon().name(quartz.getName()), quartz);
    }

    void start(Thread.Builder builder, Runnable task) {
      var thread = builder.unstarted(task);
      running.add(thread);
      thread.start();
    }

    @Override
    public void initialize() {}

    /**
     * Waits up to this long for the threads to end, except those that are only sleeping and will
     * notice the end themselves.
     */
    void join(Duration patience) {
      var deadline = System.nanoTime() + patience.toNanos();
      for (var thread : running) {
        awaitEnd(thread, deadline);
      }
      running.clear();
    }

    private static void awaitEnd(Thread thread, long deadline) {
      while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
        var left = deadline - System.nanoTime();
        if (left <= 0) {
          return;
        }
        LockSupport.parkNanos(Math.min(left, Duration.ofMillis(5).toNanos()));
      }
    }
  }

  /** Gives Quartz connections from Habitline's own pool. */
  private record Pool(DataSource dataSource) implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return dataSource.getConnection();
    }

    @Override
    public void shutdown() {}

    @Override
    public void initialize() {}
  }
}
