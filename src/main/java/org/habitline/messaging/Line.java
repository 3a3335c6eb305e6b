package org.habitline.messaging;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import org.habitline.participants.Participant;
import org.habitline.storage.Database;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The line as a whole: opened and closed with the program, and for one participant at a time. */
@Singleton
public final class Line {

  private static final Logger log = LoggerFactory.getLogger(Line.class);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Inbox inbox;
  private final JdbcInbox inboxRows;
  private final JdbcOutbox outboxRows;
  private final JdbcDeliveryEvents reports;
  private final JdbcSenders senders;
  private final JdbcUnclaimed unclaimed;
  private final JdbcProviderLists lists;
  private final RawPosts rawPosts;
  private final SendingStop sendingStop;
  private final Leases leases;
  private final Dispatcher dispatcher;
  private final OutboxWorker outboxWorker;
  private final Transactions transactions;
  private final Clock systemClock;

  Line(
      Inbox inbox,
      JdbcInbox inboxRows,
      JdbcOutbox outboxRows,
      JdbcDeliveryEvents reports,
      JdbcSenders senders,
      JdbcUnclaimed unclaimed,
      JdbcProviderLists lists,
      RawPosts rawPosts,
      SendingStop sendingStop,
      Leases leases,
      Dispatcher dispatcher,
      OutboxWorker outboxWorker,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.inbox = inbox;
    this.inboxRows = inboxRows;
    this.outboxRows = outboxRows;
    this.reports = reports;
    this.senders = senders;
    this.unclaimed = unclaimed;
    this.lists = lists;
    this.rawPosts = rawPosts;
    this.sendingStop = sendingStop;
    this.leases = leases;
    this.dispatcher = dispatcher;
    this.outboxWorker = outboxWorker;
    this.transactions = transactions;
    this.systemClock = systemClock;
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
        var interrupted = outboxRows.interrupted(systemClock.instant());
        if (interrupted > 0) {
          log.info(
              "{} texts were being sent when the line stopped; they are looked up", interrupted);
        }
      }
      return true;
    });
    dispatcher.start();
    outboxWorker.start();
  }

  /**
   * Finishes the turns and sends that are running, at most 20 s, and takes no new ones. A turn that
   * is not done by then loses its lease and is resumed by whoever starts next.
   */
  public void stop() {
    dispatcher.stop(PATIENCE);
    outboxWorker.stop(Duration.ofSeconds(5));
    transactions.write(() -> {
      leases.releaseOwn();
    });
  }

  /**
   * Whether nothing waits to be answered or sent at this moment, on whatever node. While all
   * sending is stopped nothing in the outbox counts: it will wait.
   */
  public boolean settled() {
    return transactions.read(() ->
        inboxRows.unfinished() == 0
            && (sendingStop.inForce().isPresent()
                || outboxRows.unsent(systemClock.instant()) == 0));
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
    outboxWorker.giveUp(participantId, "the participant is leaving");
  }

  /** Everything about the participant goes; joins the running transaction. */
  public void erase(String participantId) {
    eraseButTheirNumber(participantId);
    var nobodys = unclaimed.nobodysButTheirs(participantId);
    unclaimed.eraseNobodysButTheirs(participantId);
    rawPosts.eraseThese(nobodys);
  }

  /** Erases what a node of an earlier version left of people whom it erased. */
  public void eraseLeftOvers() {
    transactions.write(() -> unclaimed.eraseLeftOvers() + outboxRows.eraseLeftOvers());
  }

  /** The same, but for texts from their number, or under a name of theirs, that nobody claimed. */
  public void eraseButTheirNumber(String participantId) {
    leases.erase(participantId);
    unclaimed.keepIds(participantId, systemClock.instant().minus(Inbox.LISTED_FOR));
    inboxRows.erase(participantId);
    unclaimed.erase(participantId);
    // Behind the texts: whoever brings what was posted over holds the text, and is waited for.
    rawPosts.erase(participantId);
    InBatches.deleteAll(reports.textsOf(participantId), reports::erase);
    outboxRows.eraseStrays(participantId);
    outboxRows.erase(participantId);
  }
}
