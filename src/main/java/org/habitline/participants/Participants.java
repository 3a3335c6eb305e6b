package org.habitline.participants;

import io.micronaut.context.BeanProvider;
import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who takes part. Every change is one transaction with whatever the other rooms keep about the
 * participant (or joins the one that is running); safe for any number of threads.
 */
@Singleton
public final class Participants {

  private final JdbcParticipants rows;
  private final BeanProvider<ParticipantListener> listeners;
  private final TransactionOperations<Connection> transactions;
  private final Clock clock;

  Participants(
      JdbcParticipants rows,
      BeanProvider<ParticipantListener> listeners,
      TransactionOperations<Connection> transactions,
      Clock clock) {
    this.rows = rows;
    this.listeners = listeners;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Enrols someone.
   *
   * @throws AlreadyEnrolled if the number belongs to a participant; also when two requests race
   */
  public Participant enrol(Enrolment enrolment) {
    return transactions.executeWrite(status -> {
      rows.insertAddress(enrolment.phone().e164());
      var id = Ids.next("conv");
      if (insert(id, enrolment) == 0) {
        throw alreadyEnrolled(enrolment.phone());
      }
      var participant = find(id).orElseThrow();
      tell(listener -> listener.enrolled(participant));
      return participant;
    });
  }

  private int insert(String id, Enrolment enrolment) {
    return rows.insert(
        id,
        enrolment.phone().e164(),
        enrolment.name(),
        enrolment.gender(),
        enrolment.ethnicity(),
        enrolment.background(),
        enrolment.zone().getId(),
        enrolment.zoneAssumed(),
        enrolment.flow(),
        enrolment.channel().word(),
        clock.instant());
  }

  private AlreadyEnrolled alreadyEnrolled(PhoneNumber phone) {
    var leaving =
        rows.findByPhone(phone.e164()).map(row -> !row.erasing().equals("no")).orElse(false);
    return new AlreadyEnrolled(
        leaving
            ? "The data of the participant with this phone number is being erased; enrol the number again in a moment."
            : "A participant with this phone number is enrolled already; look them up with GET /conversation/participants.");
  }

  /** Returns the participant, or empty if there is none of this id or they are leaving. */
  public Optional<Participant> find(String id) {
    return transactions.executeRead(
        status -> rows.find(id).filter(row -> row.erasing().equals("no")).map(Participants::read));
  }

  /** Returns the participant also while they wait for their last text. */
  public Optional<Participant> findWithLeaving(String id) {
    return transactions.executeRead(status -> rows.find(id).map(Participants::read));
  }

  /** Returns the participant with this number, or empty if there is none or they are leaving. */
  public Optional<Participant> findByPhone(PhoneNumber phone) {
    return transactions.executeRead(status ->
        rows.findByPhone(phone.e164())
            .filter(row -> row.erasing().equals("no"))
            .map(Participants::read));
  }

  /**
   * One page of participants, newest first.
   *
   * @param next where the next page starts, or {@code null} after the last
   */
  public record Page(List<Participant> participants, @Nullable Long next) {}

  /** Which participants are wanted; {@code null} does not narrow. */
  public record Filter(@Nullable ParticipantStatus status, @Nullable String flow) {}

  /**
   * Returns a page of at most this many participants before a place ({@link Long#MAX_VALUE} at
   * first).
   */
  public Page list(Filter filter, long before, int most) {
    return transactions.executeRead(status -> {
      var found =
          rows.newest(
              before,
              filter.status() == null ? "" : filter.status().word(),
              filter.flow() == null ? "" : filter.flow(),
              most + 1);
      var page = found.subList(0, Math.min(most, found.size()));
      return new Page(
          page.stream().map(Participants::read).toList(),
          found.size() > most ? page.getLast().seq() : null);
    });
  }

  /** Returns how many are active, in the whole study. */
  public int active() {
    return transactions.executeRead(status -> rows.active());
  }

  /** What an update did. */
  public record Updated(Participant before, Participant after) {}

  /** Changes what is given; empty if there is no such participant or they are leaving. */
  public Optional<Updated> update(String id, ParticipantChange change) {
    return transactions.executeWrite(
        status -> find(id).map(before -> new Updated(before, update(before, change))));
  }

  private Participant update(Participant before, ParticipantChange change) {
    var zone = change.zone() == null ? before.zone() : change.zone();
    var wanted = change.status() == null ? before.status() : change.status();
    rows.update(
        before.id(),
        changed(before.name(), change.name()),
        changed(before.gender(), change.gender()),
        changed(before.ethnicity(), change.ethnicity()),
        changed(before.background(), change.background()),
        zone.getId(),
        before.zoneAssumed() && change.zone() == null,
        wanted.word(),
        clock.instant());
    var after = find(before.id()).orElseThrow();
    tell(listener -> listener.updated(before, after));
    return after;
  }

  private static @Nullable String changed(
      @Nullable String before, ParticipantChange.@Nullable NewText change) {
    return change == null ? before : change.text();
  }

  /**
   * Lets a participant go: nothing more happens for them but their last text, and {@link #erase}
   * follows it. Returns false if there is no such participant or they are leaving already.
   */
  public boolean leave(String id, boolean keepTranscript) {
    return transactions.executeWrite(status -> {
      var participant = find(id);
      if (participant.isEmpty()
          || rows.leave(id, keepTranscript ? "keep_transcript" : "all", clock.instant()) == 0) {
        return false;
      }
      tell(listener -> listener.leaving(participant.get()));
      return true;
    });
  }

  /**
   * Erases a participant who is leaving. The address goes too, unless it is opted out: that
   * outlives its owner.
   */
  public void erase(String id) {
    transactions.executeWrite(status -> {
      rows.find(id)
          .filter(row -> !row.erasing().equals("no"))
          .ifPresent(row -> {
            var keepTranscript = row.erasing().equals("keep_transcript");
            tell(listener -> listener.erased(id, keepTranscript));
            rows.delete(id);
            rows.deleteAddress(row.phone());
          });
      return true;
    });
  }

  /** Marks the participant's address as opted out; returns whether it was not before. */
  public boolean optOut(String id, String how) {
    return transactions.executeWrite(status -> rows.optOut(id, true, clock.instant(), how) > 0);
  }

  /** Takes the opt-out of the participant's address back; returns whether there was one. */
  public boolean optIn(String id) {
    return transactions.executeWrite(status -> rows.optOut(id, false, null, null) > 0);
  }

  private void tell(Consumer<ParticipantListener> news) {
    listeners.stream().forEach(news);
  }

  private static Participant read(JdbcParticipants.Row row) {
    return new Participant(
        row.id(),
        new PhoneNumber(row.phone()),
        row.name(),
        row.gender(),
        row.ethnicity(),
        row.background(),
        ZoneId.of(row.timezone()),
        row.zoneAssumed(),
        row.flow(),
        ChannelKind.valueOf(row.channel().toUpperCase(Locale.ROOT)),
        ParticipantStatus.valueOf(row.status().toUpperCase(Locale.ROOT)),
        row.optedOut(),
        row.enrolledAt(),
        row.createdAt(),
        row.updatedAt());
  }
}
