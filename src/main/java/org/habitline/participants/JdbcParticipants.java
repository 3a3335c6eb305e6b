package org.habitline.participants;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.annotation.TypeDef;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.DataType;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.habitline.storage.StoredAsWord;
import org.jspecify.annotations.Nullable;

/** Queries of participants and their addresses. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface JdbcParticipants extends GenericRepository<JdbcParticipants.Row, String> {

  String JOINED =
      "SELECT p.*, a.phone AS phone, a.opted_out AS opted_out FROM participant p"
          + " JOIN address a ON a.id = p.address_id ";

  String ADDRESSES =
      "FROM UNNEST(CAST(:phones AS varchar ARRAY)) AS t (phone) JOIN address a ON a.phone = t.phone ";

  @Query("INSERT INTO address (phone) VALUES (:phone) ON CONFLICT DO NOTHING")
  int insertAddress(String phone);

  /**
   * Locks the number's address until the transaction ends; every change and enrolment takes this
   * lock.
   */
  @Query("SELECT id FROM address WHERE phone = :phone FOR UPDATE")
  Optional<Long> lockAddress(String phone);

  /**
   * Locks several addresses, always in the order of their ids, so that transactions cannot
   * deadlock.
   */
  @Query("SELECT a.id " + ADDRESSES + "ORDER BY a.id FOR UPDATE")
  List<Long> lockAddresses(@TypeDef(type = DataType.STRING_ARRAY) String[] phones);

  /** Returns these numbers in the order in which several of them must be locked. */
  @Query("SELECT a.phone " + ADDRESSES + "ORDER BY a.id")
  List<String> inLockOrder(@TypeDef(type = DataType.STRING_ARRAY) String[] phones);

  /** Locks the address of a participant. */
  @Query(
      """
      SELECT id FROM address
      WHERE id = (SELECT address_id FROM participant WHERE id = :participantId) FOR UPDATE\
      """)
  Optional<Long> lock(String participantId);

  @Query(
      """
      INSERT INTO participant (id, address_id, name, gender, ethnicity, background, timezone, zone_assumed, flow,
                               channel, status, enrolled_at, created_at, updated_at, contact, consent, language,
                               study_id, enrolled_on)
      VALUES (:id, :addressId, :name, :gender, :ethnicity, :background, :timezone, :zoneAssumed, :flow, :channel,
              'active', :now, :now, :now, :contact, 'not_asked', :language, :studyId, :enrolledOn)
      ON CONFLICT DO NOTHING\
      """)
  int insert(
      String id,
      long addressId,
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      String timezone,
      boolean zoneAssumed,
      String flow,
      @StoredAsWord ChannelKind channel,
      Instant now,
      boolean contact,
      @Nullable String language,
      @Nullable String studyId,
      String enrolledOn);

  @Query(JOINED + "WHERE p.id = :id")
  Optional<Row> find(String id);

  /** Returns who has one of these study ids, also while they are being erased. */
  @Query("SELECT study_id, id FROM participant WHERE study_id IN (:studyIds)")
  List<WithStudyId> withStudyIds(Collection<String> studyIds);

  @Query(JOINED + "WHERE a.phone = :phone")
  Optional<Row> findByPhone(String phone);

  @Query(
      "SELECT p.id AS id, a.phone AS phone, a.opted_out AS opted_out "
          + ADDRESSES
          + "JOIN participant p ON p.address_id = a.id WHERE p.erasing = 'no'"
          + " AND p.contact = FALSE")
  List<Sender> senders(@TypeDef(type = DataType.STRING_ARRAY) String[] phones);

  /** Returns which of these numbers have an address, and their participants. */
  @Query(
      "SELECT a.phone AS phone, a.opted_out AS opted_out, p.id AS participant_id "
          + ADDRESSES
          + "LEFT JOIN participant p ON p.address_id = a.id AND p.contact = FALSE")
  List<Known> known(@TypeDef(type = DataType.STRING_ARRAY) String[] phones);

  @Query(
      JOINED
          + """
          WHERE p.erasing = 'no' AND p.contact = FALSE AND p.seq < :before
            AND (:status = '' OR p.status = :status) AND (:flow = '' OR p.flow = :flow)
          ORDER BY p.seq DESC LIMIT :most\
          """)
  List<Row> newest(long before, String status, String flow, int most);

  @Query(
      JOINED
          + """
          WHERE p.erasing = 'no' AND p.contact = FALSE AND p.seq < :before AND p.channel = :channel
          ORDER BY p.seq DESC LIMIT :most\
          """)
  List<Row> newestOn(@StoredAsWord ChannelKind channel, long before, int most);

  @Query(
      """
      UPDATE participant SET name = :name, gender = :gender, ethnicity = :ethnicity, background = :background,
             timezone = :timezone, zone_assumed = :zoneAssumed, next_timezone = :nextTimezone,
             next_timezone_from = :nextTimezoneFrom, status = :status, language = :language,
             study_id = :studyId, enrolled_on = :enrolledOn, updated_at = :now,
             ended_at = CASE WHEN CAST(:status AS varchar(16)) IN ('completed', 'withdrawn')
                             THEN COALESCE(ended_at, CAST(:now AS timestamp(6) with time zone)) END
      WHERE id = :id AND erasing = 'no'\
      """)
  int update(
      String id,
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      String timezone,
      boolean zoneAssumed,
      @Nullable String nextTimezone,
      @Nullable String nextTimezoneFrom,
      @StoredAsWord ParticipantStatus status,
      @Nullable String language,
      @Nullable String studyId,
      String enrolledOn,
      Instant now);

  @Query(
      """
      UPDATE participant SET consent = :state, consent_version = :ofVersion, consent_at = :reachedAt,
             consent_min_age = :years, consent_unclear = :unclear, updated_at = :now
      WHERE id = :id AND erasing = 'no'\
      """)
  int consent(
      String id,
      @StoredAsWord ConsentState state,
      @Nullable String ofVersion,
      @Nullable Instant reachedAt,
      int years,
      int unclear,
      Instant now);

  @Query(
      """
      UPDATE participant SET flow = :flow, language = :language, updated_at = :now
      WHERE id = :id AND erasing = 'no'\
      """)
  int changeFlow(String id, String flow, @Nullable String language, Instant now);

  @Query(
      "UPDATE participant SET erasing = :how, updated_at = :now WHERE id = :id AND erasing = 'no'")
  int leave(String id, @StoredAsWord Erasing how, Instant now);

  @Query(
      """
      UPDATE address SET opted_out = :out, opted_out_at = :at, opted_out_by = :source, provider_blocks = FALSE
      WHERE opted_out <> :out AND id = (SELECT address_id FROM participant WHERE id = :participantId)\
      """)
  int optOut(
      String participantId,
      boolean out,
      @Nullable Instant at,
      @StoredAsWord @Nullable OptOutSource source);

  @Query(
      """
      UPDATE address SET opted_out = TRUE, opted_out_at = :at, opted_out_by = :source
      WHERE opted_out = FALSE AND phone = :phone\
      """)
  int optOutNumber(String phone, Instant at, @StoredAsWord OptOutSource source);

  /** Moves an opt-out to a later STOP; keeps the source of the first one. */
  @Query(
      """
      UPDATE address SET opted_out_at = :at
      WHERE opted_out = TRUE AND opted_out_at < :at AND phone = :phone\
      """)
  int optOutNumberAgain(String phone, Instant at);

  /**
   * Moves the opt-out of a participant's number to a later STOP; keeps the source of the first one.
   */
  @Query(
      """
      UPDATE address SET opted_out_at = :at
      WHERE opted_out = TRUE AND opted_out_at < :at
        AND id = (SELECT address_id FROM participant WHERE id = :participantId)\
      """)
  int optOutAgain(String participantId, Instant at);

  String OPT_OUT =
      "SELECT opted_out_at, opted_out_by, CASE WHEN provider_blocks THEN asked_back_at END AS asked_back_at"
          + " FROM address WHERE opted_out = TRUE ";

  @Query(OPT_OUT + "AND phone = :phone")
  Optional<OptedOut> optedOutNumber(String phone);

  /**
   * Records that the provider blocks an opted-out number. That they asked for messages before is
   * only kept if it was lately; else they opted out again since, where no text told of it.
   */
  @Query(
      """
      UPDATE address SET provider_blocks = TRUE,
             asked_back_at = CASE WHEN asked_back_at >= :lately THEN asked_back_at END
      WHERE opted_out = TRUE AND id = (SELECT address_id FROM participant WHERE id = :participantId)\
      """)
  int blockedByProvider(String participantId, Instant lately);

  @Query(
      """
      SELECT COUNT(*) FROM address
      WHERE opted_out = TRUE AND provider_blocks = TRUE
        AND id = (SELECT address_id FROM participant WHERE id = :participantId)\
      """)
  int isBlockedByProvider(String participantId);

  @Query(
      """
      UPDATE address SET asked_back_at = :at
      WHERE opted_out = TRUE AND id = (SELECT address_id FROM participant WHERE id = :participantId)\
      """)
  int askedBack(String participantId, Instant at);

  /** Forgets that a participant asked for messages, unless they did so after this time. */
  @Query(
      """
      UPDATE address SET asked_back_at = NULL
      WHERE asked_back_at <= :at AND id = (SELECT address_id FROM participant WHERE id = :participantId)\
      """)
  int askedBackNoMore(String participantId, Instant at);

  /**
   * Returns participants who asked for messages although the provider blocks them, newest first.
   */
  @Query(
      """
      SELECT p.id AS participant_id, a.asked_back_at FROM address a JOIN participant p ON p.address_id = a.id
      WHERE a.asked_back_at > :after AND a.opted_out = TRUE AND a.provider_blocks = TRUE
        AND p.erasing = 'no' AND p.contact = FALSE AND p.status <> 'withdrawn'
      ORDER BY a.asked_back_at DESC LIMIT :most\
      """)
  List<AskedBack> askedBack(Instant after, int most);

  /** Returns opted-out numbers that belong to no participant or contact. */
  @Query(
      """
      SELECT a.phone FROM address a
      WHERE a.opted_out = TRUE AND NOT EXISTS (SELECT 1 AS found FROM participant p WHERE p.address_id = a.id)
      ORDER BY a.id LIMIT :most\
      """)
  List<String> optedOutOfNobody(int most);

  /**
   * Moves a participant to another address. The caller has locked both and checked that the new one
   * is free.
   */
  @Query(
      """
      UPDATE participant SET address_id = :addressId, updated_at = :now WHERE id = :id AND erasing = 'no'\
      """)
  int move(String id, long addressId, Instant now);

  @Query(OPT_OUT + "AND id = (SELECT address_id FROM participant WHERE id = :participantId)")
  Optional<OptedOut> optedOut(String participantId);

  @Query(
      """
      UPDATE address SET opted_out = FALSE, opted_out_at = NULL, opted_out_by = NULL
      WHERE opted_out = TRUE AND phone = :phone\
      """)
  int optInNumber(String phone);

  @Query(
      """
      INSERT INTO sender_alias (sender, channel, participant_id, created_at, used_at)
      VALUES (:sender, :channel, :participantId, :now, :now)
      ON CONFLICT DO NOTHING\
      """)
  int insertAlias(
      String sender, @StoredAsWord ChannelKind channel, String participantId, Instant now);

  /**
   * Stores a name that a provider sent together with a number; no text has come under it alone yet.
   */
  @Query(
      """
      INSERT INTO sender_alias (sender, channel, participant_id, created_at, used_at, learnt)
      VALUES (:sender, :channel, :participantId, :now, :now, TRUE)
      ON CONFLICT DO NOTHING\
      """)
  int insertLearnt(
      String sender, @StoredAsWord ChannelKind channel, String participantId, Instant now);

  /** Assigns a stored name to the participant with whose number it came again. */
  @Query(
      """
      UPDATE sender_alias SET learnt = TRUE, participant_id = :participantId
      WHERE sender = :sender AND (learnt = FALSE OR participant_id <> :participantId)\
      """)
  int learn(String sender, String participantId);

  @Query(
      "SELECT sender, participant_id FROM sender_alias WHERE learnt = TRUE AND sender IN (:senders)")
  List<Learnt> learnt(Collection<String> senders);

  @Query("SELECT participant_id FROM sender_alias WHERE sender = :sender")
  Optional<String> findAlias(String sender);

  @Query(
      """
      UPDATE sender_alias SET used_at = :now, learnt = FALSE WHERE sender = :sender AND participant_id = :participantId\
      """)
  int useAlias(String sender, String participantId, Instant now);

  @Query(
      """
      SELECT sender FROM sender_alias
      WHERE participant_id = :participantId AND channel = :channel AND learnt = FALSE
      ORDER BY used_at DESC, sender LIMIT 1\
      """)
  Optional<String> alias(String participantId, @StoredAsWord ChannelKind channel);

  /** Returns the names that providers use for a participant. */
  @Query("SELECT sender FROM sender_alias WHERE participant_id = :participantId ORDER BY sender")
  List<String> aliases(String participantId);

  @Query("DELETE FROM sender_alias WHERE participant_id = :participantId")
  int deleteAliases(String participantId);

  @Query("DELETE FROM participant WHERE id = :id")
  int delete(String id);

  /** Deletes an address, even an opted-out one: the caller keeps the opt-out as a hash. */
  @Query("DELETE FROM address WHERE phone = :phone")
  int deleteAddress(String phone);

  @Query(
      "SELECT COUNT(*) FROM participant WHERE status = :status AND erasing = 'no' AND contact = FALSE")
  int count(@StoredAsWord ParticipantStatus status);

  @Query(JOINED + "WHERE p.erasing = 'no' AND p.id IN (:ids) ORDER BY p.seq DESC")
  List<Row> these(Collection<String> ids);

  /** Whether a participant is being erased, and what is kept of them. */
  enum Erasing {
    NO,
    ALL,
    KEEP_TRANSCRIPT;

    static Erasing of(boolean keepTranscript) {
      return keepTranscript ? KEEP_TRANSCRIPT : ALL;
    }
  }

  /** A row of {@code participant}, with its address. */
  @MappedEntity("participant")
  record Row(
      @Id String id,
      long seq,
      String phone,
      boolean optedOut,
      @Nullable String name,
      @Nullable String gender,
      @Nullable String ethnicity,
      @Nullable String background,
      String timezone,
      boolean zoneAssumed,
      String flow,
      @StoredAsWord ChannelKind channel,
      @StoredAsWord ParticipantStatus status,
      @StoredAsWord Erasing erasing,
      Instant enrolledAt,
      Instant createdAt,
      Instant updatedAt,
      boolean contact,
      @StoredAsWord ConsentState consent,
      @Nullable String consentVersion,
      @Nullable Instant consentAt,
      int consentMinAge,
      int consentUnclear,
      @Nullable String language,
      @Nullable String nextTimezone,
      @Nullable String nextTimezoneFrom,
      @Nullable String studyId) {

    /** Returns whether this is an enrolled participant whose erasure was not requested. */
    boolean takesPart() {
      return !contact && !isLeaving();
    }

    boolean isLeaving() {
      return erasing != Erasing.NO;
    }
  }

  /** When a number opted out, how, and when its owner asked for messages again in vain. */
  @MappedEntity
  record OptedOut(
      Instant optedOutAt, @StoredAsWord OptOutSource optedOutBy, @Nullable Instant askedBackAt) {

    Participants.OptOut optOut() {
      return new Participants.OptOut(optedOutAt, optedOutBy, askedBackAt);
    }
  }

  /** A participant who asked for messages again. */
  @Introspected
  record AskedBack(String participantId, Instant askedBackAt) {}

  /** What is stored about a number. */
  @Introspected
  record Known(String phone, boolean optedOut, @Nullable String participantId) {}

  /** A study id and its participant. */
  @Introspected
  record WithStudyId(String studyId, String id) {}

  /** A stored name and its participant. */
  @Introspected
  record Learnt(String sender, String participantId) {}

  /** What is stored about the sender of a text. Micronaut reads mapped entities with less work. */
  @MappedEntity
  record Sender(String id, String phone, boolean optedOut) {}
}
