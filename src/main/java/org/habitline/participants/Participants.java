package org.habitline.participants;

import io.micronaut.context.BeanProvider;
import io.micronaut.data.exceptions.DataAccessException;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.habitline.participants.JdbcParticipants.Erasing;
import org.habitline.storage.Database;
import org.habitline.storage.Ids;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Enrols, finds, changes and erases participants. Every change is one transaction together with the
 * data that {@link ParticipantListener}s keep about the participant; it joins the transaction that
 * is running. Changes of one participant wait for each other, across threads and nodes.
 */
@Singleton
public final class Participants {

  private static final int ADDRESS_ATTEMPTS = 5;

  /** How long before a refusal by the provider a request for messages can have been in vain. */
  private static final Duration LATELY = Duration.ofDays(2);

  private final JdbcParticipants rows;
  private final JdbcConsents consents;
  private final JdbcZoneChanges zoneChanges;
  private final JdbcFlowChanges flowChanges;
  private final JdbcFields fields;
  private final Erasures erasures;
  private final Suppressed suppressed;
  private final ErasedSenders erasedSenders;

  /**
   * A provider, because listeners are constructed with this class: they change participants, too,
   * in the same transaction.
   */
  private final BeanProvider<ParticipantListener> listeners;

  private final Transactions transactions;
  private final Clock clock;

  Participants(
      JdbcParticipants rows,
      JdbcConsents consents,
      JdbcZoneChanges zoneChanges,
      JdbcFlowChanges flowChanges,
      JdbcFields fields,
      Erasures erasures,
      Suppressed suppressed,
      ErasedSenders erasedSenders,
      BeanProvider<ParticipantListener> listeners,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.consents = consents;
    this.zoneChanges = zoneChanges;
    this.flowChanges = flowChanges;
    this.fields = fields;
    this.erasures = erasures;
    this.suppressed = suppressed;
    this.erasedSenders = erasedSenders;
    this.listeners = listeners;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * Enrols a person with the status active. An earlier opt-out of the number is kept.
   *
   * @throws AlreadyEnrolled if the number belongs to a participant, also one whose erasure is
   *     pending; of several requests at once exactly one succeeds
   * @throws StudyIdTaken if another participant has the study id; the same holds for it
   */
  public Participant enrol(Enrolment enrolment) {
    return enrol(Ids.next("conv"), enrolment);
  }

  /**
   * Enrols a person under an unused id: a rehearsal derives its random times from the id.
   *
   * @throws AlreadyEnrolled as {@link #enrol(Enrolment)} does
   * @throws StudyIdTaken as {@link #enrol(Enrolment)} does
   */
  public Participant enrol(String id, Enrolment enrolment) {
    return transactions.write(() -> {
      var address = lockedAddress(enrolment.phone());
      if (insert(id, address, enrolment, false) == 0 && enrolContact(address, enrolment) == 0) {
        throw notEnrolled(enrolment);
      }
      var version = enrolment.consentVersion();
      if (version != null) {
        elsewhere(findByPhone(enrolment.phone()).orElseThrow(), version);
      }
      var participant = findByPhone(enrolment.phone()).orElseThrow();
      enrolment.fields().forEach((name, value) -> fields.insert(participant.id(), name, value));
      tell(listener -> listener.enrolled(participant, enrolment.byText()));
      return participant;
    });
  }

  /**
   * Returns the participant or contact with the number; a number that is new becomes a contact,
   * with the enrolment's zone, flow and channel. They are locked against changes and erasure until
   * the running transaction ends.
   *
   * @throws AlreadyEnrolled if they are being erased
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

  /**
   * Retries, because an erasure that commits meanwhile may delete the address between the two
   * steps.
   */
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

  /** Inserts the address; a suppressed number is opted out from the start. */
  private void insertAddress(PhoneNumber phone) {
    if (rows.insertAddress(phone.e164()) > 0) {
      suppressed
          .take(phone)
          .ifPresent(optOut -> rows.optOutNumber(phone.e164(), optOut.since(), optOut.source()));
    }
  }

  private int insert(String id, long address, Enrolment enrolment, boolean contact) {
    var now = clock.instant();
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
        now,
        contact,
        enrolment.language(),
        enrolment.studyId(),
        LocalDate.ofInstant(now, enrolment.zone()).toString());
  }

  /** Enrols a contact under its id, and as the newest participant of all. */
  private int enrolContact(long address, Enrolment enrolment) {
    return findWithContacts(enrolment.phone())
        .filter(Participant::contact)
        .filter(contact -> rows.delete(contact.id()) > 0)
        .map(contact -> insert(contact.id(), address, enrolment, false))
        .orElse(0);
  }

  /** Returns why an insert that both unique columns could refuse was refused. */
  private RuntimeException notEnrolled(Enrolment enrolment) {
    var studyId = enrolment.studyId();
    return studyId == null || isTaken(enrolment.phone()) || withStudyIds(List.of(studyId)).isEmpty()
        ? alreadyEnrolled(enrolment.phone())
        : studyIdTaken(studyId);
  }

  private StudyIdTaken studyIdTaken(String studyId) {
    return new StudyIdTaken(
        Optional.ofNullable(withStudyIds(List.of(studyId)).get(studyId))
            .flatMap(this::find)
            .map(participant ->
                "study_id: already the study id of "
                    + participant.id()
                    + "; expected one that no other participant has.")
            .orElse(
                "study_id: the participant with this study id is being erased; try again in a"
                    + " moment."));
  }

  private AlreadyEnrolled alreadyEnrolled(PhoneNumber phone) {
    return findByPhone(phone)
        .map(participant ->
            new AlreadyEnrolled(
                "phone_number: already enrolled as "
                    + participant.id()
                    + "; change that participant instead."))
        .orElseGet(Participants::beingErased);
  }

  private static AlreadyEnrolled beingErased() {
    return new AlreadyEnrolled(
        "phone_number: the participant with this number is being erased; try again in a moment.");
  }

  /** Returns the participant, or empty if there is none with this id or they are being erased. */
  public Optional<Participant> find(String id) {
    return transactions.read(
        () -> rows.find(id).filter(JdbcParticipants.Row::takesPart).map(Participants::read));
  }

  /**
   * Returns the participant or contact, or empty if there is none with this id or they are being
   * erased.
   */
  public Optional<Participant> findWithContacts(String id) {
    return transactions.read(
        () -> rows.find(id).filter(row -> !row.isLeaving()).map(Participants::read));
  }

  /**
   * Returns the participant or contact with this number, or empty if there is none or they are
   * being erased.
   */
  public Optional<Participant> findWithContacts(PhoneNumber phone) {
    return transactions.read(() ->
        rows.findByPhone(phone.e164()).filter(row -> !row.isLeaving()).map(Participants::read));
  }

  /** Returns the participant or contact, also while their erasure waits for their last message. */
  public Optional<Participant> findWithLeaving(String id) {
    return transactions.read(() -> rows.find(id).map(Participants::read));
  }

  /**
   * Returns the participant with this number, or empty if there is none or they are being erased.
   */
  public Optional<Participant> findByPhone(PhoneNumber phone) {
    return transactions.read(() ->
        rows.findByPhone(phone.e164())
            .filter(JdbcParticipants.Row::takesPart)
            .map(Participants::read));
  }

  /**
   * What is stored about a number.
   *
   * @param participantId the participant with the number, also while their erasure waits for their
   *     last message; empty if there is none or it is a contact's
   */
  public record Known(boolean optedOut, Optional<String> participantId) {}

  /** Returns what is stored about these numbers; unknown numbers are left out. */
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
   * Returns who has these study ids, by study id, also while they are being erased; ids that no one
   * has are left out.
   *
   * @param studyIds a thousand at most
   */
  public Map<String, String> withStudyIds(Collection<String> studyIds) {
    return studyIds.isEmpty()
        ? Map.of()
        : transactions.read(() -> rows.withStudyIds(studyIds)).stream()
            .collect(
                Collectors.toMap(
                    JdbcParticipants.WithStudyId::studyId, JdbcParticipants.WithStudyId::id));
  }

  /** Returns what is stored in the study's own fields of a participant, by name in order. */
  public Map<String, String> fields(String id) {
    return fields(List.of(id)).getOrDefault(id, Map.of());
  }

  /**
   * Returns what is stored in the study's own fields of these participants, by id. A participant
   * without any is left out.
   *
   * @param ids a few hundred at most
   */
  public Map<String, Map<String, String>> fields(Collection<String> ids) {
    var found = new HashMap<String, Map<String, String>>();
    if (!ids.isEmpty()) {
      transactions
          .read(() -> fields.of(ids))
          .forEach(row ->
              found
                  .computeIfAbsent(row.participantId(), id -> new TreeMap<>())
                  .put(row.name(), row.fieldValue()));
    }
    return found;
  }

  /**
   * One page of participants, newest first.
   *
   * @param next where the next page starts, or {@code null} on the last page
   */
  public record Page(List<Participant> participants, @Nullable Long next) {}

  /** Which participants to list; a {@code null} component does not filter. */
  public record Filter(@Nullable ParticipantStatus status, @Nullable String flow) {}

  /**
   * Returns a page of at most {@code most} participants before a position ({@link Long#MAX_VALUE}
   * for the first page).
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

  /** Returns a page of the participants on this channel, like {@link #list}. */
  public Page on(ChannelKind channel, long before, int most) {
    return transactions.read(() -> page(rows.newestOn(channel, before, most + 1), most));
  }

  private static Page page(List<JdbcParticipants.Row> found, int most) {
    var page = found.subList(0, Math.min(most, found.size()));
    return new Page(
        page.stream().map(Participants::read).toList(),
        found.size() > most ? page.getLast().seq() : null);
  }

  /** Returns the number of active participants in the whole study. */
  public int active() {
    return count(ParticipantStatus.ACTIVE);
  }

  /** Returns the number of participants with this status in the whole study. */
  public int count(ParticipantStatus wanted) {
    return transactions.read(() -> rows.count(wanted));
  }

  /**
   * Returns the participants with these ids, newest first, without those being erased.
   *
   * @param ids a few hundred at most
   */
  public List<Participant> these(Collection<String> ids) {
    return theseWithContacts(ids).stream().filter(it -> !it.contact()).toList();
  }

  /**
   * Returns the participants and contacts with these ids, newest first, without those being erased.
   *
   * @param ids a few hundred at most
   */
  public List<Participant> theseWithContacts(Collection<String> ids) {
    return ids.isEmpty()
        ? List.of()
        : transactions.read(() -> rows.these(ids)).stream().map(Participants::read).toList();
  }

  /** The participant before and after an update; both are equal if nothing changed. */
  public record Updated(Participant before, Participant after) {}

  /**
   * Changes the given fields; returns empty if there is no such participant or they are being
   * erased. If nothing changes, nothing is written and no listener is called. Active, paused and
   * completed may follow each other in any order; after withdrawn only active is allowed, so that a
   * person who left the study is not moved on by mistake.
   *
   * @throws StatusRefused if the new status cannot follow the present one
   * @throws StudyIdTaken if another participant has the new study id; of several changes at once
   *     exactly one succeeds
   */
  public Optional<Updated> update(String id, ParticipantChange change) {
    return transactions.write(() -> {
      hold(id);
      return find(id).map(before -> new Updated(before, update(before, change)));
    });
  }

  /**
   * Gives a participant another flow; returns empty if there is no such participant or they are
   * being erased. What the old flow left behind is the caller's concern.
   *
   * @param language the language that they are written to in from now on, or {@code null} for the
   *     default of the flow
   * @param by the staff member
   */
  public Optional<Updated> changeFlow(
      String id, String flow, @Nullable String language, String by) {
    return transactions.write(() -> {
      hold(id);
      return find(id)
          .map(before -> {
            var now = clock.instant();
            rows.changeFlow(id, flow, language, now);
            var _ =
                flowChanges.save(new JdbcFlowChanges.Row(null, id, before.flow(), flow, now, by));
            var after = find(id).orElseThrow();
            tell(listener -> listener.updated(before, after));
            return new Updated(before, after);
          });
    });
  }

  /** Returns when a participant was moved to another flow last, or empty if never. */
  public Optional<Instant> flowChangedAt(String id) {
    return transactions.read(() -> flowChanges.last(id)).map(JdbcFlowChanges.Row::changedAt);
  }

  private Participant update(Participant before, ParticipantChange change) {
    var wanted = applied(before, change);
    var version = change.consentVersion();
    var newFields = newFields(before.id(), change);
    if (wanted.equals(before)
        && newFields.isEmpty()
        && (version == null || before.consent().covers(version))) {
      return before;
    }
    if (before.status() == ParticipantStatus.WITHDRAWN
        && wanted.status() != ParticipantStatus.WITHDRAWN
        && wanted.status() != ParticipantStatus.ACTIVE) {
      throw new StatusRefused(before.id(), wanted.status());
    }
    var studyId = wanted.studyId();
    if (studyId != null
        && !studyId.equals(before.studyId())
        && !withStudyIds(List.of(studyId)).isEmpty()) {
      throw studyIdTaken(studyId);
    }
    store(wanted);
    if (!wanted.zone().equals(before.zone())) {
      var _ =
          zoneChanges.save(
              new JdbcZoneChanges.Row(
                  null,
                  before.id(),
                  before.zone().getId(),
                  wanted.zone().getId(),
                  clock.instant()));
    }
    newFields.forEach((name, value) -> {
      fields.delete(before.id(), name);
      if (value.text() != null) {
        fields.insert(before.id(), name, value.text());
      }
    });
    if (version != null && !before.consent().covers(version)) {
      elsewhere(before, version);
    }
    var after = find(before.id()).orElseThrow();
    tell(listener -> listener.updated(before, after));
    return after;
  }

  /** Returns the changes of fields that differ from what is stored. */
  private Map<String, ParticipantChange.NewText> newFields(String id, ParticipantChange change) {
    if (change.fields().isEmpty()) {
      return Map.of();
    }
    var stored = fields(id);
    return change.fields().entrySet().stream()
        .filter(field -> !Objects.equals(stored.get(field.getKey()), field.getValue().text()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private void store(Participant wanted) {
    try {
      update(wanted);
    } catch (DataAccessException e) {
      if (Database.isDuplicate(e)) {
        // Another node committed the same study id meanwhile. The database's message has the value.
        throw new StudyIdTaken(
            "study_id: already the study id of another participant; expected one that no other"
                + " participant has.");
      }
      throw e;
    }
  }

  private void update(Participant wanted) {
    rows.update(
        wanted.id(),
        wanted.name(),
        wanted.gender(),
        wanted.ethnicity(),
        wanted.background(),
        wanted.zone().getId(),
        wanted.zoneAssumed(),
        wanted.move() == null ? null : wanted.move().to().getId(),
        wanted.move() == null ? null : wanted.move().from().toString(),
        wanted.status(),
        wanted.language(),
        wanted.studyId(),
        LocalDate.ofInstant(wanted.enrolledAt(), wanted.zone()).toString(),
        clock.instant());
  }

  private void elsewhere(Participant participant, String version) {
    consent(
        participant.id(),
        Consent.elsewhere(version, clock.instant()),
        List.of(new ConsentEntry(ConsentStep.ELSEWHERE, version, null, null)));
  }

  /**
   * Stores a participant's consent as it stands now, and the steps that led there; joins the
   * running transaction. The steps are kept until the participant is erased.
   */
  public void consent(String id, Consent now, List<ConsentEntry> steps) {
    transactions.write(() -> {
      rows.consent(
          id, now.state(), now.version(), now.at(), now.minAge(), now.unclear(), clock.instant());
      for (var step : steps) {
        var _ =
            consents.save(
                new JdbcConsents.Row(
                    null,
                    id,
                    step.step(),
                    step.version(),
                    step.words(),
                    step.messageId(),
                    clock.instant()));
      }
    });
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
        before.updatedAt(),
        before.contact(),
        before.consent(),
        changed(before.language(), change.language()),
        move(before, change),
        changed(before.studyId(), change.studyId()));
  }

  private static @Nullable ZoneMove move(Participant before, ParticipantChange change) {
    var zone = change.zone();
    if (change.move() != null) {
      return change.move().move();
    }
    return zone == null || zone.equals(before.zone()) ? before.move() : null;
  }

  private static @Nullable String changed(
      @Nullable String before, ParticipantChange.@Nullable NewText change) {
    return change == null ? before : change.text();
  }

  /**
   * Begins the erasure of a participant or contact: only their last message is still sent, and
   * {@link #erase} follows it, or at once if they get none. Returns false if there is none with
   * this id or they are being erased already.
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
      if (participant.get().optedOut() || participant.get().contact()) {
        // They get no last message to wait for.
        erase(id);
      }
      return true;
    });
  }

  /**
   * Erases a participant who was erased before and came back with a restored backup: at once and
   * without the last message, which they received then. Returns false if there is none with this id
   * or they are being erased anyway.
   *
   * @param at when they were erased before: texts from their number since then are not theirs
   */
  public boolean eraseAgain(String id, boolean keepTranscript, Instant at) {
    return transactions.write(() -> {
      hold(id);
      if (rows.find(id).filter(row -> !row.isLeaving()).isEmpty()) {
        return false;
      }
      var participant = findWithContacts(id);
      rows.leave(id, Erasing.of(keepTranscript), clock.instant());
      erasures.askedBefore(id, keepTranscript);
      participant.ifPresent(it -> tell(listener -> listener.leftBefore(it, at)));
      erase(id, at);
      return true;
    });
  }

  /**
   * Erases a participant whose erasure was begun, with the address; does nothing otherwise, so it
   * may be repeated. An opt-out is kept as a hash of the number.
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
            // Locked only now: the sender of the last message comes here holding its outbox row.
            hold(id);
            var phone = new PhoneNumber(row.phone());
            var hashes = hashes(id, phone);
            rows.deleteAliases(id);
            consents.erase(id);
            zoneChanges.erase(id);
            flowChanges.erase(id);
            fields.erase(id);
            rows.delete(id);
            forget(phone);
            erasures.erased(id, hashes, at);
          });
    });
  }

  /**
   * Deletes the address of a number that belongs to no one any more; keeps an opt-out as a hash.
   */
  private void forget(PhoneNumber phone) {
    rows.optedOutNumber(phone.e164()).ifPresent(optOut -> suppressed.add(phone, optOut.optOut()));
    rows.deleteAddress(phone.e164());
  }

  /** Replaces the opted-out numbers of unknown senders, which belong to no one, by hashes. */
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
   * Gives a participant another number; returns empty if there is no such participant or they are
   * being erased. Each number keeps its own opt-out. The names that providers used for the old
   * phone are deleted. The old number is not kept, except as a hash if it is opted out. A contact
   * with the new number is deleted, with everything that scripts requested for them; texts that
   * came from it are kept.
   *
   * @throws AlreadyEnrolled if another participant has the new number
   */
  public Optional<Updated> changeNumber(String id, PhoneNumber phone) {
    return transactions.write(() -> {
      for (int attempt = 0; attempt < ADDRESS_ATTEMPTS; attempt++) {
        var before = find(id);
        if (before.isEmpty() || before.get().phone().equals(phone)) {
          return before.map(same -> new Updated(same, same));
        }
        insertAddress(phone);
        // One by one: H2 locks rows in the order in which it finds them, not in the requested
        // order.
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

  /** Deletes a contact in favour of a participant; the caller has locked the address. */
  private void absorb(Participant contact, Participant by) {
    tell(listener -> listener.absorbed(contact.id(), by.id()));
    rows.delete(contact.id());
  }

  /**
   * Assigns to this participant all texts from a sender whom a provider identifies by a name
   * instead of a number. Returns false if the name is another participant's; joins the running
   * transaction.
   */
  public boolean claimSender(String sender, ChannelKind channel, String id) {
    return rows.insertAlias(sender, channel, id, clock.instant()) == 1
        || rows.findAlias(sender).filter(id::equals).isPresent();
  }

  /**
   * Stores the name that a provider sent together with a participant's number; joins the running
   * transaction. Texts that come under the name alone are theirs from now on. Messages go to the
   * number as long as the provider shows it. Returns whether the name was new.
   */
  public boolean learnSender(String sender, ChannelKind channel, String id) {
    if (rows.insertLearnt(sender, channel, id, clock.instant()) > 0) {
      return true;
    }
    rows.learn(sender, id);
    return false;
  }

  /**
   * Returns the participant ids of these names, by name: only names that came with a number and
   * have not been used alone since.
   */
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
   * Returns the participant who texts under this name, locked like {@link #sender(PhoneNumber)},
   * and records that the name was used; empty if the name is unclaimed or they are being erased.
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
   * Marks the number of the participant with this sender name as opted out, even while they are
   * being erased.
   */
  public void optOutSender(String name, OptOutSource source, Instant at) {
    transactions.write(() -> rows.findAlias(name).map(id -> optOut(id, source, at)).isPresent());
  }

  /**
   * Returns the name that the channel's provider uses for this participant instead of their number,
   * the last used one if there are several; empty if it uses the number.
   */
  public Optional<String> senderName(String id, ChannelKind channel) {
    return transactions.read(() -> rows.alias(id, channel));
  }

  /** Deletes the names that providers use for this participant; returns how many there were. */
  public int forgetSenders(String id) {
    return transactions.write(() -> {
      hold(id);
      return rows.deleteAliases(id);
    });
  }

  /**
   * When a number opted out, and how.
   *
   * @param askedBack when they asked for messages again in vain, because the provider blocks the
   *     number and does not know the word; {@code null} if they did not
   */
  public record OptOut(Instant since, OptOutSource source, @Nullable Instant askedBack) {}

  /** Returns the opt-out of the participant's number, or empty if there is none. */
  public Optional<OptOut> optOutOf(String id) {
    return transactions.read(() -> rows.optedOut(id)).map(JdbcParticipants.OptedOut::optOut);
  }

  /** Returns the opt-out of a number, enrolled or not, or empty if there is none. */
  public Optional<OptOut> optOutOf(PhoneNumber phone) {
    return transactions.read(() ->
        rows.optedOutNumber(phone.e164())
            .map(JdbcParticipants.OptedOut::optOut)
            .or(() -> suppressed.find(phone)));
  }

  /**
   * Returns the participant with this number, like {@link #findByPhone}, and locks the number until
   * the running transaction ends: no other one can change, erase or enrol them.
   */
  public Optional<Participant> sender(PhoneNumber phone) {
    return transactions.write(() -> {
      var _ = rows.lockAddress(phone.e164());
      return findByPhone(phone);
    });
  }

  /**
   * Locks a participant until the running transaction ends: no other one can change or erase them
   * or take in their texts. Take this lock before any other lock of the participant, so that
   * transactions cannot deadlock.
   */
  public void hold(String id) {
    for (int attempt = 0; attempt < ADDRESS_ATTEMPTS; attempt++) {
      // A number that is being changed may be gone between the two steps.
      if (rows.lock(id).isPresent() || rows.find(id).isEmpty()) {
        return;
      }
    }
  }

  /** The participant of an incoming text. */
  public record Sender(String id, boolean optedOut) {}

  /**
   * Returns the participants with these numbers, by number, each locked like {@link
   * #sender(PhoneNumber)}. Numbers without a participant, or of one being erased, are left out.
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

  /** Returns whether the number belongs to a participant, also one being erased. */
  public boolean isTaken(PhoneNumber phone) {
    return transactions.read(
        () -> rows.findByPhone(phone.e164()).filter(row -> !row.contact()).isPresent());
  }

  /**
   * Marks a number as opted out, enrolled or not; the opt-out outlives an erasure. An opt-out that
   * exists already is moved to that time if it is later.
   */
  public void optOut(PhoneNumber phone, OptOutSource source, Instant at) {
    transactions.write(() -> {
      if (rows.lockAddress(phone.e164()).isEmpty() && suppressed.find(phone).isPresent()) {
        suppressed.add(phone, new OptOut(at, source, null));
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

  /** Marks a number as opted out; of a number that belongs to no one only the hash is kept. */
  public void suppress(PhoneNumber phone, OptOutSource source, Instant at) {
    transactions.write(() -> {
      // The row is only needed for a moment: inserting it waits for a concurrent enrolment of the
      // number.
      rows.insertAddress(phone.e164());
      optOutAddress(phone, source, at);
      forgetIfNobodys(phone);
    });
  }

  /** Removes the opt-out of a number that belongs to no one; returns whether there was one. */
  public boolean optIn(PhoneNumber phone) {
    return transactions.write(() -> {
      var hashed = suppressed.take(phone).isPresent();
      return rows.optInNumber(phone.e164()) > 0 || hashed;
    });
  }

  /** Marks the participant's number as opted out; returns false if it was opted out already. */
  public boolean optOut(String id, OptOutSource source) {
    return optedOut(id, source, clock.instant());
  }

  /**
   * Marks the participant's number as opted out at that time; returns false if it was opted out
   * already, and then moves the opt-out to a later time.
   */
  public boolean optOut(String id, OptOutSource source, Instant at) {
    return transactions.write(() -> {
      rows.askedBackNoMore(id, at);
      rows.optOutAgain(id, at);
      return optedOut(id, source, at);
    });
  }

  /**
   * Records that the provider itself blocks the participant's number, which is opted out from then
   * on if it was not before. The block lasts until they text a START that the provider knows.
   */
  public void blockedByProvider(String id) {
    transactions.write(() -> {
      optedOut(id, OptOutSource.PROVIDER, clock.instant());
      rows.blockedByProvider(id, clock.instant().minus(LATELY));
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

  /**
   * Removes the opt-out of the participant's number, because they asked for messages in a word that
   * the provider does not take for a START. If the provider is known to block the number, the
   * opt-out stays, and when they asked is recorded.
   */
  public void askBack(String id, Instant at) {
    transactions.write(() -> {
      rows.askedBack(id, at);
      if (rows.isBlockedByProvider(id) == 0) {
        remove(id);
      }
    });
  }

  /** A participant who asked for messages again although the provider blocks their number. */
  public record AskedBack(String participantId, Instant at) {}

  /** Returns those who asked for messages although the provider blocks them, newest first. */
  public List<AskedBack> askedBackInVain(int most) {
    return transactions.read(() ->
        rows.askedBack(Instant.EPOCH, most).stream()
            .map(row -> new AskedBack(row.participantId(), row.askedBackAt()))
            .toList());
  }

  /**
   * Removes the opt-out of the participant's number, and a block of the provider's that went with
   * it; returns whether there was one.
   */
  public boolean optIn(String id) {
    return transactions.write(() -> {
      rows.askedBackNoMore(id, clock.instant());
      return remove(id);
    });
  }

  private boolean remove(String id) {
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
        row.contact(),
        new Consent(
            row.consent(),
            row.consentVersion(),
            row.consentAt(),
            row.consentMinAge(),
            row.consentUnclear()),
        row.language(),
        row.nextTimezone() == null || row.nextTimezoneFrom() == null
            ? null
            : new ZoneMove(ZoneId.of(row.nextTimezone()), LocalDate.parse(row.nextTimezoneFrom())),
        row.studyId());
  }
}
