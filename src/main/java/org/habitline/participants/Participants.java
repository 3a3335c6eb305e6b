package org.habitline.participants;

import io.micronaut.context.BeanProvider;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.habitline.participants.JdbcParticipants.Erasing;
import org.habitline.storage.Ids;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Who takes part. Every change is one transaction with whatever the other rooms keep about the
 * participant (or joins the one that is running). Changes of one person wait for each other, on any
 * number of threads and nodes.
 */
@Singleton
public final class Participants {

  private static final int ADDRESS_ATTEMPTS = 5;

  private final JdbcParticipants rows;
  private final Erasures erasures;
  private final Suppressed suppressed;
  private final ErasedSenders erasedSenders;

  /**
   * Asked for when there is something to tell: listeners change participants, too, in the same
   * transaction, and are made with this.
   */
  private final BeanProvider<ParticipantListener> listeners;

  private final Transactions transactions;
  private final Clock clock;

  Participants(
      JdbcParticipants rows,
      Erasures erasures,
      Suppressed suppressed,
      ErasedSenders erasedSenders,
      BeanProvider<ParticipantListener> listeners,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.erasures = erasures;
    this.suppressed = suppressed;
    this.erasedSenders = erasedSenders;
    this.listeners = listeners;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Enrols someone, active. That their number said STOP before stays so.
   *
   * @throws AlreadyEnrolled if the number belongs to a participant, also one whose erasure still
   *     waits; of several requests at once exactly one succeeds
   */
  public Participant enrol(Enrolment enrolment) {
    return enrol(Ids.next("conv"), enrolment);
  }

  /** The same, with an id that nobody has: in a rehearsal times that are drawn follow from it. */
  public Participant enrol(String id, Enrolment enrolment) {
    return transactions.write(() -> {
      var address = lockedAddress(enrolment.phone());
      if (insert(id, address, enrolment, false) == 0 && enrolContact(address, enrolment) == 0) {
        throw alreadyEnrolled(enrolment.phone());
      }
      var participant = findByPhone(enrolment.phone()).orElseThrow();
      tell(listener -> listener.enrolled(participant, enrolment.byText()));
      return participant;
    });
  }

  /**
   * Returns whoever has the number, enrolled or not; a number that nobody has becomes a contact,
   * with what the enrolment says of zone, flow and channel. Nobody changes or erases them until the
   * running transaction ends.
   *
   * @throws AlreadyEnrolled if they are leaving
   */
  public Participant meet(Enrolment enrolment) {
    return transactions.write(() -> {
      var address = lockedAddress(enrolment.phone());
      if (insert(Ids.next("conv"), address, enrolment, true) == 0) {
        return findWithContacts(enrolment.phone()).orElseThrow(Participants::beingErased);
      }
      var contact = findWithContacts(enrolment.phone()).orElseThrow();
      tell(listener -> listener.met(contact));
      return contact;
    });
  }

  /** An erasure that commits at this moment may take the address away between two steps. */
  private long lockedAddress(PhoneNumber phone) {
    for (int attempt = 0; attempt < ADDRESS_ATTEMPTS; attempt++) {
      insertAddress(phone);
      var address = rows.lockAddress(phone.e164());
      if (address.isPresent()) {
        return address.get();
      }
    }
    throw beingErased();
  }

  /** Whoever gets a number that is suppressed has it opted out. */
  private void insertAddress(PhoneNumber phone) {
    if (rows.insertAddress(phone.e164()) > 0) {
      suppressed
          .take(phone)
          .ifPresent(optOut -> rows.optOutNumber(phone.e164(), optOut.since(), optOut.source()));
    }
  }

  private int insert(String id, long address, Enrolment enrolment, boolean contact) {
    return rows.insert(
        id,
        address,
        enrolment.name(),
        enrolment.gender(),
        enrolment.ethnicity(),
        enrolment.background(),
        enrolment.zone().getId(),
        enrolment.zoneAssumed(),
        enrolment.flow(),
        enrolment.channel(),
        clock.instant(),
        contact);
  }

  /** Under the id that they have, and as the newest of all. */
  private int enrolContact(long address, Enrolment enrolment) {
    return findWithContacts(enrolment.phone())
        .filter(Participant::contact)
        .filter(contact -> rows.delete(contact.id()) > 0)
        .map(contact -> insert(contact.id(), address, enrolment, false))
        .orElse(0);
  }

  private AlreadyEnrolled alreadyEnrolled(PhoneNumber phone) {
    return findByPhone(phone)
        .map(participant ->
            new AlreadyEnrolled(
                "phone_number: enrolled already, as "
                    + participant.id()
                    + "; change that participant instead."))
        .orElseGet(Participants::beingErased);
  }

  private static AlreadyEnrolled beingErased() {
    return new AlreadyEnrolled(
        "phone_number: the participant with this number is being erased; enrol it again in a moment.");
  }

  /** Returns the participant, or empty if there is none of this id or they are leaving. */
  public Optional<Participant> find(String id) {
    return transactions.read(
        () -> rows.find(id).filter(JdbcParticipants.Row::takesPart).map(Participants::read));
  }

  /** Returns the participant or contact, or empty if there is none of this id or they leave. */
  public Optional<Participant> findWithContacts(String id) {
    return transactions.read(
        () -> rows.find(id).filter(row -> !row.isLeaving()).map(Participants::read));
  }

  /** The same by number. */
  public Optional<Participant> findWithContacts(PhoneNumber phone) {
    return transactions.read(() ->
        rows.findByPhone(phone.e164()).filter(row -> !row.isLeaving()).map(Participants::read));
  }

  /** Returns the participant or contact also while they wait for their last text. */
  public Optional<Participant> findWithLeaving(String id) {
    return transactions.read(() -> rows.find(id).map(Participants::read));
  }

  /** Returns the participant with this number, or empty if there is none or they are leaving. */
  public Optional<Participant> findByPhone(PhoneNumber phone) {
    return transactions.read(() ->
        rows.findByPhone(phone.e164())
            .filter(JdbcParticipants.Row::takesPart)
            .map(Participants::read));
  }

  /**
   * What is known of a number.
   *
   * @param participantId whose it is, also while they wait for their last text; empty if nobody's
   *     or a contact's
   */
  public record Known(boolean optedOut, Optional<String> participantId) {}

  /** Returns what is known of these numbers; those of which nothing is known are not there. */
  public Map<PhoneNumber, Known> known(Collection<PhoneNumber> phones) {
    var known = new HashMap<PhoneNumber, Known>();
    transactions
        .read(() ->
            rows.known(phones.stream().map(PhoneNumber::e164).distinct().toArray(String[]::new)))
        .forEach(row ->
            known.put(
                new PhoneNumber(row.phone()),
                new Known(row.optedOut(), Optional.ofNullable(row.participantId()))));
    transactions
        .read(() ->
            suppressed.these(phones.stream().filter(phone -> !known.containsKey(phone)).toList()))
        .forEach(phone -> known.put(phone, new Known(true, Optional.empty())));
    return Map.copyOf(known);
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
    return transactions.read(() -> {
      var found =
          rows.newest(
              before,
              filter.status() == null ? "" : filter.status().word(),
              filter.flow() == null ? "" : filter.flow(),
              most + 1);
      return page(found, most);
    });
  }

  /** Returns a page of those who are reached by this channel, like {@link #list}. */
  public Page on(ChannelKind channel, long before, int most) {
    return transactions.read(() -> page(rows.newestOn(channel, before, most + 1), most));
  }

  private static Page page(List<JdbcParticipants.Row> found, int most) {
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(
        page.stream().map(Participants::read).toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  /** Returns how many are active, in the whole study. */
  public int active() {
    return count(ParticipantStatus.ACTIVE);
  }

  /** Returns how many have this status, in the whole study. */
  public int count(ParticipantStatus wanted) {
    return transactions.read(() -> rows.count(wanted));
  }

  /**
   * Returns those of these participants who are there and not leaving, newest first.
   *
   * @param ids some hundreds at the most
   */
  public List<Participant> these(Collection<String> ids) {
    return theseWithContacts(ids).stream().filter(it -> !it.contact()).toList();
  }

  /** The same, and contacts. */
  public List<Participant> theseWithContacts(Collection<String> ids) {
    return ids.isEmpty()
        ? List.of()
        : transactions.read(() -> rows.these(ids)).stream().map(Participants::read).toList();
  }

  /** What an update did; both are equal when it changed nothing. */
  public record Updated(Participant before, Participant after) {}

  /**
   * Changes what is given; empty if there is no such participant or they are leaving. A change that
   * changes nothing writes nothing and tells nobody. Active, paused and completed follow each other
   * freely; after withdrawn comes only active, so that nobody who left the study is moved on by
   * mistake.
   *
   * @throws StatusRefused if the status wanted cannot follow the present one
   */
  public Optional<Updated> update(String id, ParticipantChange change) {
    return transactions.write(() -> {
      hold(id);
      return find(id).map(before -> new Updated(before, update(before, change)));
    });
  }

  private Participant update(Participant before, ParticipantChange change) {
    var wanted = applied(before, change);
    if (wanted.equals(before)) {
      return before;
    }
    if (before.status() == ParticipantStatus.WITHDRAWN
        && wanted.status() != ParticipantStatus.WITHDRAWN
        && wanted.status() != ParticipantStatus.ACTIVE) {
      throw new StatusRefused(before.id(), wanted.status());
    }
    rows.update(
        wanted.id(),
        wanted.name(),
        wanted.gender(),
        wanted.ethnicity(),
        wanted.background(),
        wanted.zone().getId(),
        wanted.zoneAssumed(),
        wanted.status(),
        clock.instant());
    var after = find(before.id()).orElseThrow();
    tell(listener -> listener.updated(before, after));
    return after;
  }

  private static Participant applied(Participant before, ParticipantChange change) {
    var zone = change.zone();
    var status = change.status();
    return new Participant(
        before.id(),
        before.phone(),
        changed(before.name(), change.name()),
        changed(before.gender(), change.gender()),
        changed(before.ethnicity(), change.ethnicity()),
        changed(before.background(), change.background()),
        zone == null ? before.zone() : zone,
        before.zoneAssumed() && zone == null,
        before.flow(),
        before.channel(),
        status == null ? before.status() : status,
        before.optedOut(),
        before.enrolledAt(),
        before.createdAt(),
        before.updatedAt());
  }

  private static @Nullable String changed(
      @Nullable String before, ParticipantChange.@Nullable NewText change) {
    return change == null ? before : change.text();
  }

  /**
   * Lets a participant go: nothing more happens for them but their last text, and {@link #erase}
   * follows it. A contact goes in the same way. Returns false if there is nobody of this id or they
   * are leaving already.
   */
  public boolean leave(String id, boolean keepTranscript) {
    return transactions.write(() -> {
      hold(id);
      var participant = findWithContacts(id);
      if (participant.isEmpty()
          || rows.leave(id, Erasing.of(keepTranscript), clock.instant()) == 0) {
        return false;
      }
      erasures.asked(id, keepTranscript, hashes(id, participant.get().phone()));
      tell(listener -> listener.leaving(participant.get()));
      return true;
    });
  }

  /**
   * Erases a participant whose erasure was carried out before, and whom a backup brought back: at
   * once, without the last text, which they got then. Returns false if there is nobody of this id,
   * or they are leaving in any case.
   *
   * @param at when it was carried out before: what came from their number since is not theirs
   */
  public boolean eraseAgain(String id, boolean keepTranscript, Instant at) {
    return transactions.write(() -> {
      hold(id);
      if (rows.find(id).filter(row -> !row.isLeaving()).isEmpty()) {
        return false;
      }
      rows.leave(id, Erasing.of(keepTranscript), clock.instant());
      erasures.askedBefore(id, keepTranscript);
      erase(id, at);
      return true;
    });
  }

  /**
   * Erases a participant who is leaving; does nothing to anyone else, so that it may be repeated.
   * The address goes too; an opt-out outlives its owner, as a hash of the number.
   */
  public void erase(String id) {
    erase(id, erasures.now());
  }

  private List<String> hashes(String id, PhoneNumber phone) {
    return erasedSenders.hashes(phone, rows.aliases(id));
  }

  private void erase(String id, Instant at) {
    transactions.write(() -> {
      rows.find(id)
          .filter(JdbcParticipants.Row::isLeaving)
          .ifPresent(row -> {
            var keepTranscript = row.erasing() == Erasing.KEEP_TRANSCRIPT;
            tell(listener -> listener.erased(id, keepTranscript));
            // Only now: whoever sent the last text holds its outbox row already, and comes here
            // with it.
            hold(id);
            var phone = new PhoneNumber(row.phone());
            var hashes = hashes(id, phone);
            rows.deleteAliases(id);
            rows.delete(id);
            forget(phone);
            erasures.erased(id, keepTranscript, hashes, at);
          });
    });
  }

  /** The address of a number that nobody has any more goes; an opt-out stays as a hash. */
  private void forget(PhoneNumber phone) {
    rows.optedOutNumber(phone.e164())
        .ifPresent(
            optOut -> suppressed.add(phone, new OptOut(optOut.optedOutAt(), optOut.optedOutBy())));
    rows.deleteAddress(phone.e164());
  }

  /**
   * Replaces opted-out numbers that nobody has by hashes: those of strangers, and those that an
   * earlier version kept when their owner was erased or got another number.
   */
  public void forgetNumbersOfNobody() {
    InBatches.of(transactions)
        .delete(
            rows::optedOutOfNobody,
            phones -> phones.stream().map(PhoneNumber::new).forEach(this::forgetIfNobodys));
  }

  private void forgetIfNobodys(PhoneNumber phone) {
    if (rows.lockAddress(phone.e164()).isPresent() && rows.findByPhone(phone.e164()).isEmpty()) {
      forget(phone);
    }
  }

  /**
   * Gives a participant another number; empty if there is no such participant or they are leaving.
   * An opt-out stays with the number that it came from, and the new one has its own. What a
   * provider called the old phone is forgotten. The old number is not kept; if it is opted out, a
   * hash of it is. A contact with the new number goes, with all that scripts asked for them; what
   * was said from it stays.
   *
   * @throws AlreadyEnrolled if somebody else has the new number
   */
  public Optional<Updated> changeNumber(String id, PhoneNumber phone) {
    return transactions.write(() -> {
      for (int attempt = 0; attempt < ADDRESS_ATTEMPTS; attempt++) {
        var before = find(id);
        if (before.isEmpty() || before.get().phone().equals(phone)) {
          return before.map(same -> new Updated(same, same));
        }
        insertAddress(phone);
        // One by one: H2 locks in the order in which it finds rows, not in the one asked for.
        var held =
            rows.inLockOrder(new String[] {before.get().phone().e164(), phone.e164()}).stream()
                .filter(number -> rows.lockAddress(number).isPresent())
                .count();
        var now = find(id);
        if (held == 2 && now.filter(before.get()::equals).isPresent()) {
          return Optional.of(new Updated(before.get(), moved(before.get(), phone)));
        }
      }
      throw beingErased();
    });
  }

  private Participant moved(Participant before, PhoneNumber phone) {
    if (isTaken(phone)) {
      throw alreadyEnrolled(phone);
    }
    findWithContacts(phone).ifPresent(contact -> absorb(contact, before));
    rows.move(before.id(), rows.lockAddress(phone.e164()).orElseThrow(), clock.instant());
    rows.deleteAliases(before.id());
    forget(before.phone());
    var after = find(before.id()).orElseThrow();
    tell(listener -> listener.updated(before, after));
    return after;
  }

  /** A contact gives their number to somebody who takes part; the caller holds the address. */
  private void absorb(Participant contact, Participant by) {
    tell(listener -> listener.absorbed(contact.id(), by.id()));
    rows.delete(contact.id());
  }

  /**
   * From now on texts of a sender whom a provider names by something else than a number are this
   * participant's. Returns false if they are somebody else's; joins the running transaction.
   */
  public boolean claimSender(String sender, ChannelKind channel, String id) {
    return rows.insertAlias(sender, channel, id, clock.instant()) == 1
        || rows.findAlias(sender).filter(id::equals).isPresent();
  }

  /**
   * Notes what a provider calls a participant besides the number that it showed; joins the running
   * transaction. Texts under that name alone are theirs from now on. While the number is shown,
   * texts go to the number. Returns whether the name was nobody's before.
   */
  public boolean learnSender(String sender, ChannelKind channel, String id) {
    if (rows.insertLearnt(sender, channel, id, clock.instant()) > 0) {
      return true;
    }
    rows.learn(sender, id);
    return false;
  }

  /** Returns whose these names are that were learnt and not used alone since, by name. */
  public Map<String, String> learntSenders(Set<String> names) {
    if (names.isEmpty()) {
      return Map.of();
    }
    return transactions.read(() -> rows.learnt(names)).stream()
        .collect(
            Collectors.toMap(
                JdbcParticipants.Learnt::sender, JdbcParticipants.Learnt::participantId));
  }

  /**
   * Returns the participant who texts under this name of a provider's, held like {@link
   * #sender(PhoneNumber)}; empty if nobody claimed it or they are leaving. Notes that it was used.
   */
  public Optional<Participant> sender(String name) {
    return transactions.write(() ->
        rows.findAlias(name)
            .flatMap(id -> {
              hold(id);
              rows.useAlias(name, id, clock.instant());
              return find(id);
            }));
  }

  /**
   * Marks the address of whoever texts under this name as opted out, also while they are leaving.
   */
  public void optOutSender(String name, OptOutSource source, Instant at) {
    transactions.write(() -> rows.findAlias(name).map(id -> optOut(id, source, at)).isPresent());
  }

  /**
   * Returns what a channel's provider calls this participant instead of their number, the one used
   * last if there are several; empty if it calls them by their number.
   */
  public Optional<String> senderName(String id, ChannelKind channel) {
    return transactions.read(() -> rows.alias(id, channel));
  }

  /** Forgets what providers call this participant; returns how many names there were. */
  public int forgetSenders(String id) {
    return transactions.write(() -> {
      hold(id);
      return rows.deleteAliases(id);
    });
  }

  /** Since when a number is opted out, and how that came. */
  public record OptOut(@Nullable Instant since, @Nullable OptOutSource source) {}

  /** Returns the opt-out of the participant's number, or empty if there is none. */
  public Optional<OptOut> optOutOf(String id) {
    return transactions
        .read(() -> rows.optedOut(id))
        .map(row -> new OptOut(row.optedOutAt(), row.optedOutBy()));
  }

  /** The same of a number, whoever has it. */
  public Optional<OptOut> optOutOf(PhoneNumber phone) {
    return transactions.read(() ->
        rows.optedOutNumber(phone.e164())
            .map(row -> new OptOut(row.optedOutAt(), row.optedOutBy()))
            .or(() -> suppressed.find(phone)));
  }

  /**
   * Returns the participant who texts from this number, like {@link #findByPhone}; until the
   * running transaction ends nobody changes, erases or enrols them.
   */
  public Optional<Participant> sender(PhoneNumber phone) {
    return transactions.write(() -> {
      var _ = rows.lockAddress(phone.e164());
      return findByPhone(phone);
    });
  }

  /**
   * Nobody else changes, erases or texts as this participant until the running transaction ends.
   * Whoever holds several things of a participant takes this first, so that nobody waits for each
   * other in a ring.
   */
  public void hold(String id) {
    for (int attempt = 0; attempt < ADDRESS_ATTEMPTS; attempt++) {
      // A number that is changed at this moment may be gone between two steps.
      if (rows.lock(id).isPresent() || rows.find(id).isEmpty()) {
        return;
      }
    }
  }

  /** A participant as whoever takes their text in needs to know them. */
  public record Sender(String id, boolean optedOut) {}

  /**
   * Returns the participants who text from these numbers, by number, each held like {@link
   * #sender(PhoneNumber)}. Numbers of nobody, or of someone who is leaving, are left out.
   */
  public Map<PhoneNumber, Sender> senders(Set<PhoneNumber> phones) {
    var numbers = phones.stream().map(PhoneNumber::e164).toArray(String[]::new);
    return transactions.write(() -> {
      var _ = rows.lockAddresses(numbers);
      return rows.senders(numbers).stream()
          .collect(
              Collectors.toMap(
                  row -> new PhoneNumber(row.phone()),
                  row -> new Sender(row.id(), row.optedOut())));
    });
  }

  /** Whether the number is a participant's, also of one who is leaving. */
  public boolean isTaken(PhoneNumber phone) {
    return transactions.read(
        () -> rows.findByPhone(phone.e164()).filter(row -> !row.contact()).isPresent());
  }

  /**
   * Marks a number as opted out, whoever it belongs to: that outlives an erasure. One that is opted
   * out already is from then on.
   */
  public void optOut(PhoneNumber phone, OptOutSource source, Instant at) {
    transactions.write(() -> {
      if (rows.lockAddress(phone.e164()).isEmpty() && suppressed.find(phone).isPresent()) {
        suppressed.add(phone, new OptOut(at, source));
        return true;
      }
      rows.insertAddress(phone.e164());
      optOutAddress(phone, source, at);
      return true;
    });
  }

  private void optOutAddress(PhoneNumber phone, OptOutSource source, Instant at) {
    if (rows.optOutNumber(phone.e164(), at, source) == 0) {
      rows.optOutNumberAgain(phone.e164(), at);
    }
  }

  /** The same, but nothing is kept of a number that is unknown except its hash. */
  public void suppress(PhoneNumber phone, OptOutSource source, Instant at) {
    transactions.write(() -> {
      // The row is needed for a moment only: inserting it waits for an enrolment of this number.
      rows.insertAddress(phone.e164());
      optOutAddress(phone, source, at);
      forgetIfNobodys(phone);
    });
  }

  /** Takes the opt-out of a number back that nobody has; returns whether there was one. */
  public boolean optIn(PhoneNumber phone) {
    return transactions.write(() -> {
      var hashed = suppressed.take(phone).isPresent();
      return rows.optInNumber(phone.e164()) > 0 || hashed;
    });
  }

  /** Marks the participant's address as opted out; returns whether it was not before. */
  public boolean optOut(String id, OptOutSource source) {
    return optedOut(id, source, clock.instant());
  }

  /** The same at that time; one that is opted out already is from then on. */
  public boolean optOut(String id, OptOutSource source, Instant at) {
    return transactions.write(() -> {
      rows.optOutAgain(id, at);
      return optedOut(id, source, at);
    });
  }

  private boolean optedOut(String id, OptOutSource source, Instant at) {
    return transactions.write(() -> {
      if (rows.optOut(id, true, at, source) == 0) {
        return false;
      }
      findWithContacts(id)
          .ifPresent(participant -> tell(listener -> listener.optedOut(participant)));
      return true;
    });
  }

  /** Takes the opt-out of the participant's address back; returns whether there was one. */
  public boolean optIn(String id) {
    return transactions.write(() -> {
      if (rows.optOut(id, false, null, null) == 0) {
        return false;
      }
      find(id).ifPresent(participant -> tell(listener -> listener.optedIn(participant)));
      return true;
    });
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
        row.channel(),
        row.status(),
        row.optedOut(),
        row.enrolledAt(),
        row.createdAt(),
        row.updatedAt(),
        row.contact());
  }
}
