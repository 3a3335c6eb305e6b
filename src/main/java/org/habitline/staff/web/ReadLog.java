package org.habitline.staff.web;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.audit.AuditTally;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the audit log who read whose conversation, once per visit, because live pages and
 * scripts read again every few seconds. A visit ends after half an hour without a read, and after
 * twelve hours a new entry is written. If the entry cannot be written, nothing is shown. Each
 * process remembers only its own visits.
 */
@Singleton
public final class ReadLog {

  private static final Duration PAUSE = Duration.ofMinutes(30);
  private static final Duration LONGEST_VISIT = Duration.ofHours(12);
  private static final int REMEMBERED = 10_000;

  private final AuditLog audit;
  private final AuditTally tally;
  private final Clock clock;

  /**
   * When the latest entry of each visit was written; a visit ends when nothing is read for a while.
   */
  private final Cache<Reading, Instant> visits;

  ReadLog(AuditLog audit, AuditTally tally, @Named("system") Clock systemClock) {
    this.audit = audit;
    this.tally = tally;
    this.clock = systemClock;
    this.visits =
        Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterAccess(PAUSE)
            .ticker(() -> Duration.between(Instant.EPOCH, systemClock.instant()).toNanos())
            .build();
  }

  private record Reading(String pass, AuditEntry what) {}

  /** Records that a participant's conversation, or what led to it, was read. */
  public void conversation(Authentication by, String participantId) {
    once(by, entry(by, AuditAction.CONVERSATION_READ).to(participantId));
  }

  /**
   * Records that a safety incident was read.
   *
   * @param participantId whom it is about, or {@code null} if nobody is known
   */
  public void incident(Authentication by, String incidentId, @Nullable String participantId) {
    var read = entry(by, AuditAction.INCIDENT_READ).about(incidentId);
    once(by, participantId == null ? read : read.to(participantId));
  }

  /** Records that texts from senders who are not enrolled were listed. */
  public void unclaimed(Authentication by) {
    once(by, entry(by, AuditAction.UNCLAIMED_TEXTS_READ));
  }

  /** Records that the responses of many participants were listed. */
  public void responses(Authentication by) {
    once(by, entry(by, AuditAction.RESPONSES_READ));
  }

  /** Records that a list of participants was downloaded, each time. */
  public void exported(Authentication by, int participants) {
    audit.record(
        entry(by, AuditAction.PARTICIPANTS_EXPORTED)
            .about(participants + (participants == 1 ? " participant" : " participants")));
  }

  /**
   * Records that a phone number was looked up and belonged to this participant. The number itself
   * is stored nowhere.
   */
  public void numberLookedUp(Authentication by, String participantId) {
    tally.count(entry(by, AuditAction.NUMBER_LOOKED_UP).to(participantId));
  }

  /**
   * Records that a phone number was looked up and belonged to no one, or that participants were
   * searched by a part of one.
   */
  public void numberLookedUp(Authentication by) {
    tally.count(entry(by, AuditAction.NUMBER_LOOKED_UP));
  }

  private static AuditEntry entry(Authentication by, AuditAction action) {
    var actor = Actor.of(by);
    return AuditEntry.of(actor.name(), actor.role(), action);
  }

  private void once(Authentication by, AuditEntry entry) {
    var reading =
        new Reading(Objects.toString(by.getAttributes().get(Passes.PASS), by.getName()), entry);
    var now = clock.instant();
    var begun = visits.getIfPresent(reading);
    if (begun == null || !begun.plus(LONGEST_VISIT).isAfter(now)) {
      audit.record(entry);
      visits.put(reading, now);
    }
  }
}
