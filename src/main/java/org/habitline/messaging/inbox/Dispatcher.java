package org.habitline.messaging.inbox;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import org.habitline.messaging.Doorbell;
import org.habitline.messaging.KeyedSerialExecutor;
import org.habitline.messaging.Leases;
import org.habitline.storage.ConnectionLane;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;

/**
 * Passes waiting inbox rows to the {@link InboundHandler}: at once for a text that this process
 * stored, and by polling the table every second for everything else.
 */
@Singleton
public final class Dispatcher {

  private static final Duration POLL = Duration.ofSeconds(1);
  private static final int LOOKED_UP_AT_ONCE = 1000;

  private final JdbcInbox rows;
  private final Leases leases;
  private final Doorbell doorbell;
  private final InboundHandler handler;
  private final Transactions transactions;
  private final Clock systemClock;
  private final KeyedSerialExecutor work = new KeyedSerialExecutor("turn", this::step);

  Dispatcher(
      JdbcInbox rows,
      Leases leases,
      Doorbell doorbell,
      InboundHandler handler,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.leases = leases;
    this.doorbell = doorbell;
    this.handler = handler;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  public void start() {
    work.open();
    doorbell.tellOfInbox(this::signal);
    work.every(POLL, this::poll);
    work.every(
        Leases.RENEWED,
        () ->
            ConnectionLane.URGENT.run(() ->
                transactions.writeWith(connection -> {
                  leases.renewAll(Database.isFile(connection));
                  return true;
                })));
  }

  private void poll() {
    transactions
        .read(() -> rows.due(systemClock.instant(), LOOKED_UP_AT_ONCE))
        .forEach(participantId -> signal(participantId, Duration.ZERO));
  }

  /** Returns whether this process runs a turn of a participant or looks for their next input. */
  public boolean isBusy(String participantId) {
    return work.isBusy(participantId);
  }

  /** Looks for waiting input of a participant once the delay is over. */
  private void signal(String participantId, Duration delay) {
    work.signal(participantId, delay);
  }

  private KeyedSerialExecutor.Next step(String participantId) {
    return switch (handler.handle(participantId)) {
      case InboundHandler.Handled.Answered answered -> new KeyedSerialExecutor.Next.Again();
      case InboundHandler.Handled.NotYet notYet ->
          new KeyedSerialExecutor.Next.After(notYet.pause());
      case InboundHandler.Handled.Nothing nothing -> new KeyedSerialExecutor.Next.Rest();
    };
  }

  public void stop(Duration patience) {
    work.stop(patience);
  }
}
