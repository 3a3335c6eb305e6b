package org.habitline.messaging.inbox;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.habitline.messaging.Waiting;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Keeps texts from senders who are not enrolled. Staff claim each one for a participant or dismiss
 * it, once.
 */
@Singleton
public final class Unclaimed {

  private final JdbcUnclaimed rows;
  private final Inbox inbox;
  private final Participants participants;
  private final Transactions transactions;
  private final Clock systemClock;

  Unclaimed(
      JdbcUnclaimed rows,
      Inbox inbox,
      Participants participants,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.rows = rows;
    this.inbox = inbox;
    this.participants = participants;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** Whether, and how, staff decided about an unclaimed text. */
  public enum Status {
    WAITING,
    /** The text was claimed for a participant. */
    CLAIMED,
    DISMISSED,
    /** Only the id is left, so that a provider's list cannot bring the text back. */
    ERASED;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * An unclaimed text.
   *
   * @param seq its place in the order of arrival
   * @param providerId the provider's id, which the API does not show
   * @param participantId the participant it was claimed for
   * @param reason why it was dismissed
   */
  public record Text(
      long seq,
      @JsonIgnore String providerId,
      ChannelKind channel,
      String sender,
      String body,
      Instant receivedAt,
      Status status,
      @Nullable String participantId,
      @Nullable Instant decidedAt,
      @Nullable String reason) {

    /** Returns a copy that says something else. */
    public Text saying(String words) {
      return new Text(
          seq,
          providerId,
          channel,
          sender,
          words,
          receivedAt,
          status,
          participantId,
          decidedAt,
          reason);
    }

    /** Returns the sender's number, or empty if the provider gives another name. */
    public Optional<PhoneNumber> number() {
      return PhoneNumber.of(sender.substring(sender.indexOf(':') + 1));
    }
  }

  /**
   * Returns the newest texts before a place ({@link Long#MAX_VALUE} for the newest of all).
   *
   * @param statuses the statuses to include
   */
  public List<Text> texts(Set<Status> statuses, long before, int most) {
    return transactions.read(() -> rows.newest(List.copyOf(statuses), before, most)).stream()
        .map(Unclaimed::text)
        .toList();
  }

  /** Returns how many texts from this number are still undecided. */
  public int waitingFrom(PhoneNumber number) {
    return transactions.read(() -> rows.waitingFrom(number.e164()));
  }

  /** Returns how many texts are still undecided, {@link Waiting#COUNTED} at most. */
  public int waiting() {
    return transactions.read(() -> rows.waiting(Waiting.COUNTED));
  }

  public Optional<Text> find(long seq) {
    return transactions.read(() -> rows.find(seq)).map(Unclaimed::text);
  }

  /** The outcome of claiming a text. Anything but {@code CLAIMED} must be rolled back. */
  public enum Claim {
    /** The text waits in the participant's inbox, under the provider's id that it came with. */
    CLAIMED,
    /** The text was claimed or dismissed before. */
    DECIDED,
    /** The sender's name was claimed for another participant. */
    SOMEBODY_ELSES,
    /** The provider repeated the text in the meantime, and it is in a conversation. */
    ANSWERED
  }

  /**
   * Moves a text to the participant's inbox. If its sender has no number, later texts under the
   * same name go to the participant too. Joins the running transaction, which must be rolled back
   * unless the text was claimed.
   */
  public Claim claim(long seq, Participant participant) {
    participants.hold(participant.id());
    var row = rows.find(seq).filter(it -> it.status() == Status.WAITING);
    if (row.isEmpty() || rows.claim(seq, participant.id(), systemClock.instant()) == 0) {
      return Claim.DECIDED;
    }
    var channel = row.get().channel();
    var number = text(row.get()).number().orElse(null);
    if (number == null
        && !row.get().sender().isBlank()
        && !participants.claimSender(row.get().sender(), channel, participant.id())) {
      return Claim.SOMEBODY_ELSES;
    }
    var text =
        new IncomingText(
            row.get().providerId(),
            row.get().sender(),
            number,
            channel,
            row.get().body(),
            row.get().told(),
            // What the provider posted stays with the unclaimed text until its own time is over.
            null,
            new IncomingText.More(row.get().userId(), row.get().cameTo(), row.get().data()));
    var name = number == null ? row.get().sender() : null;
    return inbox.claimed(participant, text, row.get().receivedAt(), name)
            instanceof Acceptance.Stored
        ? Claim.CLAIMED
        : Claim.ANSWERED;
  }

  /** Dismisses a text for good; returns false if it was decided. Joins the running transaction. */
  public boolean dismiss(long seq, String reason) {
    return rows.dismiss(seq, reason, systemClock.instant()) == 1;
  }

  private static Text text(JdbcUnclaimed.Row row) {
    return new Text(
        row.seq(),
        row.providerId(),
        row.channel(),
        row.sender(),
        row.body(),
        row.receivedAt(),
        row.status(),
        row.participantId(),
        row.decidedAt(),
        row.reason());
  }

  /**
   * Keeps the ids of a participant's texts that a provider's list may bring again; joins the
   * running transaction.
   */
  public void keepIds(String participantId) {
    rows.keepIds(participantId, systemClock.instant().minus(Inbox.LISTED_FOR));
  }

  /** Erases the texts claimed for a participant; joins the running transaction. */
  public void erase(String participantId) {
    rows.erase(participantId);
  }

  /**
   * Erases unclaimed texts that came from a participant's number or under one of their names; joins
   * the running transaction. Returns the provider's ids of them.
   */
  public List<String> eraseNobodysButTheirs(String participantId) {
    var nobodys = rows.nobodysButTheirs(participantId);
    rows.eraseNobodysButTheirs(participantId);
    return nobodys;
  }
}
