package org.habitline.messaging;

import jakarta.inject.Singleton;
import java.time.Duration;
import org.habitline.messaging.inbox.Dispatcher;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.RawPosts;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.messaging.outbox.DeliveryReports;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.outbox.OutboxLoop;
import org.habitline.messaging.outbox.Senders;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.participants.Participant;
import org.habitline.storage.Database;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts and stops messaging with the program; opens, closes and erases it for a participant. */
@Singleton
public final class MessagingLifecycle {

  private static final Logger log = LoggerFactory.getLogger(MessagingLifecycle.class);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Inbox inbox;
  private final Outbox outbox;
  private final DeliveryReports reports;
  private final Senders senders;
  private final Unclaimed unclaimed;
  private final RawPosts rawPosts;
  private final SendingStop sendingStop;
  private final Leases leases;
  private final Dispatcher dispatcher;
  private final OutboxLoop outboxLoop;
  private final Transactions transactions;

  MessagingLifecycle(
      Inbox inbox,
      Outbox outbox,
      DeliveryReports reports,
      Senders senders,
      Unclaimed unclaimed,
      RawPosts rawPosts,
      SendingStop sendingStop,
      Leases leases,
      Dispatcher dispatcher,
      OutboxLoop outboxLoop,
      Transactions transactions) {
    this.inbox = inbox;
    this.outbox = outbox;
    this.reports = reports;
    this.senders = senders;
    this.unclaimed = unclaimed;
    this.rawPosts = rawPosts;
    this.sendingStop = sendingStop;
    this.leases = leases;
    this.dispatcher = dispatcher;
    this.outboxLoop = outboxLoop;
    this.transactions = transactions;
  }

  /**
   * Starts running turns and sending. On H2 no other process can have the file open, so whatever an
   * earlier process held is released at once; on PostgreSQL its leases expire.
   */
  public void start() {
    transactions.writeWith(connection -> {
      if (Database.isFile(connection)) {
        leases.takeAll();
        senders.releaseAll();
        var interrupted = outbox.interrupted();
        if (interrupted > 0) {
          log.info(
              "{} messages were being sent when the service stopped; they are looked up at the"
                  + " provider",
              interrupted);
        }
      }
      return true;
    });
    dispatcher.start();
    outboxLoop.start();
  }

  /**
   * Finishes the turns and sends that are running, and starts no new ones. Waits at most 20 s for
   * turns and 5 s for sends. A turn that is not done by then loses its lease and is resumed by
   * another node or the next start. Without the database this node's leases are not released but
   * expire.
   */
  public void stop() {
    dispatcher.stop(PATIENCE);
    outboxLoop.stop(Duration.ofSeconds(5));
    try {
      transactions.write(() -> {
        leases.releaseOwn();
      });
    } catch (RuntimeException e) {
      log.warn(
          "The leases of this node could not be released and expire within {} s: {}",
          Leases.LASTS.toSeconds(),
          e.getClass().getName());
    }
  }

  /**
   * Returns whether nothing is waiting to be handled or sent at this moment, on any node. While all
   * sending is stopped, the outbox does not count, because its messages keep waiting.
   */
  public boolean settled() {
    return transactions.read(
        () -> !inbox.isUnfinished() && (sendingStop.isHolding() || !outbox.hasUnsent()));
  }

  /**
   * Opens messaging for a new participant and, if {@code greet}, schedules the greeting; joins the
   * running transaction.
   */
  public void open(Participant participant, boolean greet) {
    leases.opened(participant.id());
    if (greet) {
      inbox.enrolled(participant);
    }
  }

  /**
   * Schedules the greeting of a participant whose consent staff recorded; joins the transaction.
   */
  public void consentRecorded(Participant participant) {
    inbox.consentRecorded(participant);
  }

  /**
   * Closes everything that waits or runs for the participant: a running turn cannot commit, and
   * waiting texts and messages are closed, except a message that is being sent. Joins the running
   * transaction.
   */
  public void silence(String participantId) {
    leases.revoke(participantId);
    inbox.close(participantId);
    outbox.giveUp(participantId, "the participant is leaving");
  }

  /** Erases all messaging data of the participant; joins the running transaction. */
  public void erase(String participantId) {
    eraseButTheirNumber(participantId);
    rawPosts.eraseThese(unclaimed.eraseNobodysButTheirs(participantId));
  }

  /**
   * Erases what {@link #erase} does, except unclaimed texts from the participant's number or under
   * one of their names.
   */
  public void eraseButTheirNumber(String participantId) {
    leases.erase(participantId);
    unclaimed.keepIds(participantId);
    inbox.erase(participantId);
    unclaimed.erase(participantId);
    rawPosts.erase(participantId);
    // Before the messages, which say whose reports they are.
    reports.erase(participantId);
    outbox.erase(participantId);
  }
}
