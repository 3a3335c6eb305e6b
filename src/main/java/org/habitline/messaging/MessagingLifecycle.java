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

/** The line as a whole: opened and closed with the program, and for one participant at a time. */
@Singleton
public final class MessagingLifecycle {

  private static final Logger log = LoggerFactory.getLogger(MessagingLifecycle.class);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Inbox inbox;
  private final Outbox outbox;
  private final DeliveryReports reports;
  private final Senders senders;
  private final Unclaimed unclaimed;
  private final ProviderLists lists;
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
      ProviderLists lists,
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
    this.lists = lists;
    this.rawPosts = rawPosts;
    this.sendingStop = sendingStop;
    this.leases = leases;
    this.dispatcher = dispatcher;
    this.outboxLoop = outboxLoop;
    this.transactions = transactions;
  }

  /**
   * Starts answering and sending. On H2 no other process can have the file open, so whatever a
   * process before this one held is taken over at once; elsewhere its leases run out.
   */
  public void start() {
    transactions.writeWith(connection -> {
      if (Database.isFile(connection)) {
        leases.takeAll();
        senders.releaseAll();
        lists.releaseAll();
        var interrupted = outbox.interrupted();
        if (interrupted > 0) {
          log.info(
              "{} texts were being sent when the line stopped; they are looked up", interrupted);
        }
      }
      return true;
    });
    dispatcher.start();
    outboxLoop.start();
  }

  /**
   * Finishes the turns and sends that are running, at most 20 s, and takes no new ones. A turn that
   * is not done by then loses its lease and is resumed by whoever starts next.
   */
  public void stop() {
    dispatcher.stop(PATIENCE);
    outboxLoop.stop(Duration.ofSeconds(5));
    transactions.write(() -> {
      leases.releaseOwn();
    });
  }

  /**
   * Whether nothing waits to be answered or sent at this moment, on whatever node. While all
   * sending is stopped nothing in the outbox counts: it will wait.
   */
  public boolean settled() {
    return transactions.read(
        () -> !inbox.isUnfinished() && (sendingStop.inForce().isPresent() || !outbox.hasUnsent()));
  }

  /**
   * Opens the line to a new participant and, if wanted, lets them be greeted; joins the running
   * transaction.
   */
  public void open(Participant participant, boolean greet) {
    leases.opened(participant.id());
    if (greet) {
      inbox.enrolled(participant);
    }
  }

  /**
   * Nothing that waits or runs for the participant happens any more: a turn that is running cannot
   * commit, texts in and out are closed but the one that is just being sent. Joins the running
   * transaction.
   */
  public void silence(String participantId) {
    leases.revoke(participantId);
    inbox.close(participantId);
    outbox.giveUp(participantId, "the participant is leaving");
  }

  /** Everything about the participant goes; joins the running transaction. */
  public void erase(String participantId) {
    eraseButTheirNumber(participantId);
    rawPosts.eraseThese(unclaimed.eraseNobodysButTheirs(participantId));
  }

  /** Erases what a node of an earlier version left of people whom it erased. */
  public void eraseLeftOvers() {
    transactions.write(() -> unclaimed.eraseLeftOvers() + outbox.eraseLeftOvers());
  }

  /** The same, but for texts from their number, or under a name of theirs, that nobody claimed. */
  public void eraseButTheirNumber(String participantId) {
    leases.erase(participantId);
    unclaimed.keepIds(participantId);
    inbox.erase(participantId);
    unclaimed.erase(participantId);
    // Behind the texts: whoever brings what was posted over holds the text, and is waited for.
    rawPosts.erase(participantId);
    // Before the texts, which say whose reports they are.
    reports.erase(participantId);
    outbox.erase(participantId);
  }
}
