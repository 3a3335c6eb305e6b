package org.habitline.staff.participant;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.DebugMode;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.safety.incidents.Incidents;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Times;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Carries out takeovers, staff messages, module changes and debug switches for the page and the
 * REST API. Each method checks its input, and makes the change and its audit entry in one
 * transaction.
 */
@Singleton
public final class TakeoverDesk {

  /** How many minutes a debug switch lasts unless staff give another time. */
  static final int USUAL_MINUTES = 60;

  private static final int MINUTES_AT_MOST = 24 * 60;

  /** The audit log's value when no takeover is in force. */
  private static final String AUTOMATIC = "automatic replies on";

  private final EnrolmentDesk desk;
  private final Takeover steppingIn;
  private final Incidents incidents;
  private final DebugMode debug;
  private final Clock clock;
  private final AuditLog audit;
  private final Transactions transactions;

  TakeoverDesk(
      EnrolmentDesk desk,
      Takeover steppingIn,
      Incidents incidents,
      DebugMode debug,
      Clock clock,
      AuditLog audit,
      Transactions transactions) {
    this.desk = desk;
    this.steppingIn = steppingIn;
    this.incidents = incidents;
    this.debug = debug;
    this.clock = clock;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * A message written by a staff member.
   *
   * @param mute the takeover in force after it, if any
   */
  record Written(String messageId, Optional<Takeover.Mute> mute) {}

  /**
   * Sends a message from a staff member to a participant.
   *
   * @param muteMinutes for how many minutes at least automatic replies pause from now on, or {@code
   *     null} to leave that unchanged
   * @throws ApiProblem 400 for input that is not accepted, 404 if there is no such participant, 409
   *     if nothing may be sent to them now
   */
  Written write(Actor actor, String id, @Nullable String text, @Nullable Integer muteMinutes) {
    var said = text(text);
    var mute = muteMinutes == null ? null : minutes("mute_minutes", muteMinutes);
    return transactions.write(() -> {
      var participant = desk.participant(id);
      refuseSilent(participant);
      var message = steppingIn.write(participant, said, actor.name(), OutboundKind.STAFF);
      written(actor, id, message, said);
      if (mute != null && !mutedFor(id, mute)) {
        mute(actor, id, mute, null);
      }
      return new Written(message, steppingIn.muted(id));
    });
  }

  /**
   * Sends a message that a staff member writes to many participants to one of them, after the
   * replies that wait. Returns the message's id.
   *
   * @throws ApiProblem as {@link #write} does
   */
  public String writeToOneOfMany(Actor actor, String id, String text) {
    var said = text(text);
    return transactions.write(() -> {
      var participant = desk.participant(id);
      refuseSilent(participant);
      var message = steppingIn.writeToOneOfMany(participant, said, actor.name());
      written(actor, id, message, said);
      return message;
    });
  }

  private void written(Actor actor, String id, String message, String said) {
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), AuditAction.MESSAGE_WRITTEN)
            .to(id)
            .about(message)
            .changed(null, said.length() + " characters"));
  }

  /** Returns whether a takeover already lasts at least this long. A message never shortens one. */
  private boolean mutedFor(String id, Duration time) {
    return steppingIn
        .muted(id)
        .filter(mute -> mute.until().isAfter(clock.instant().plus(time)))
        .isPresent();
  }

  /**
   * Returns the words of a message as they are stored and sent.
   *
   * @throws ApiProblem 400 if they are blank or too long
   */
  public static String text(@Nullable String text) {
    var said = text == null ? "" : PlainText.storable(text).strip().replace("\r\n", "\n");
    if (said.isBlank()) {
      throw ApiProblem.bad("text: blank; write a message for the participant.");
    }
    if (said.length() > Inbox.LONGEST_TEXT) {
      throw ApiProblem.bad(
          "text: too long; at most " + Inbox.LONGEST_TEXT + " characters are accepted.");
    }
    return said;
  }

  /**
   * Refuses a participant who gets no messages.
   *
   * @throws ApiProblem 409 with the reason
   */
  public static void refuseSilent(Participant participant) {
    if (participant.optedOut()) {
      throw ApiProblem.conflict(
          "The participant opted out with STOP; nothing is sent to them until they text START.");
    }
    if (participant.status() != ParticipantStatus.ACTIVE) {
      throw ApiProblem.conflict(
          "The participant's status is "
              + participant.status().word()
              + "; only active participants get messages. Make them active first.");
    }
  }

  /**
   * Pauses automatic replies, or resumes them with 0 minutes.
   *
   * @throws ApiProblem 400 for input that is not accepted, 404 if there is no such participant, 409
   *     if automatic replies are already on
   */
  Optional<Takeover.Mute> mute(
      Actor actor, String id, @Nullable Integer minutes, @Nullable String reason) {
    if (minutes == null) {
      throw ApiProblem.bad(
          "minutes: missing; expected how long automatic replies pause, or 0 to hand back.");
    }
    var why = EnrolmentDesk.reason(reason);
    var time = minutes == 0 ? null : minutes("minutes", minutes);
    return transactions.write(() -> {
      desk.participant(id);
      if (time == null) {
        handBack(actor, id, why);
        return Optional.empty();
      }
      return Optional.of(mute(actor, id, time, why));
    });
  }

  private Takeover.Mute mute(Actor actor, String id, Duration time, @Nullable String why) {
    var before = shown(steppingIn.muted(id));
    var mute = steppingIn.mute(id, time, actor.name());
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), AuditAction.COACH_MUTED)
            .to(id)
            .changed(before, shown(Optional.of(mute)))
            .because(why));
    return mute;
  }

  private void handBack(Actor actor, String id, @Nullable String why) {
    var before = shown(steppingIn.muted(id));
    if (!steppingIn.handBack(id)) {
      throw ApiProblem.conflict(
          "Automatic replies are on already; no staff member has taken over this conversation.");
    }
    audit.record(
        AuditEntry.of(actor.name(), actor.role(), AuditAction.CONVERSATION_HANDED_BACK)
            .to(id)
            .changed(before, AUTOMATIC)
            .because(why));
  }

  private static String shown(Optional<Takeover.Mute> mute) {
    return mute.map(it -> "paused by " + it.by() + " until " + it.until()).orElse(AUTOMATIC);
  }

  /** Returns the takeover in force, if any. */
  Optional<Takeover.Mute> muted(String id) {
    return steppingIn.muted(desk.participant(id).id());
  }

  /** Returns whether a takeover or a safety incident pauses automatic replies. */
  boolean paused(String id) {
    return muted(id).isPresent() || incidents.crisis(id).isPresent();
  }

  /**
   * Moves a participant to the module that replies next.
   *
   * @throws ApiProblem 400 for a module that the flow does not have or without a reason, 404 if
   *     there is no such participant, 409 if that module already replies
   */
  void force(Actor actor, String id, @Nullable String subState, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    if (subState == null || subState.isBlank()) {
      throw ApiProblem.bad("state: missing; expected the module that replies next.");
    }
    if (why == null) {
      throw ApiProblem.bad("reason: missing; write why you move the participant.");
    }
    transactions.write(() -> {
      switch (steppingIn.force(desk.participant(id), subState.strip(), actor.name())) {
        case Takeover.Forced.Done done ->
            audit.record(
                AuditEntry.of(actor.name(), actor.role(), AuditAction.SUB_STATE_FORCED)
                    .to(id)
                    .changed(done.before(), subState.strip())
                    .because(why));
        case Takeover.Forced.WasSo wasSo ->
            throw ApiProblem.conflict(
                "The participant is already in this module; nothing was changed.");
        case Takeover.Forced.Unknown unknown ->
            throw ApiProblem.bad(
                unknown.modules().isEmpty()
                    ? "state: the flow of this participant no longer exists, so it has no modules."
                    : "state: unknown; the flow has " + String.join(", ", unknown.modules()) + ".");
      }
    });
  }

  /**
   * Switches debug messages on for one participant, or for all.
   *
   * @param id {@code null} for all
   * @throws ApiProblem 400 for input that is not accepted, 404 if there is no such participant
   */
  DebugMode.Interval debug(
      Actor actor, @Nullable String id, @Nullable Integer minutes, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    var time = minutes("minutes", minutes == null ? USUAL_MINUTES : minutes);
    return transactions.write(() -> {
      var scope = scope(id);
      var before = debug.inForce(scope);
      var interval = debug.on(scope, time, actor.name(), why);
      audit(
          actor,
          id,
          AuditAction.DEBUG_SWITCHED_ON,
          shownDebug(before),
          "on until " + interval.until(),
          why);
      return interval;
    });
  }

  /**
   * Switches debug messages off.
   *
   * @param id {@code null} to end the interval for all; the intervals of single participants
   *     continue
   * @throws ApiProblem 404 if there is no such participant, 409 if debug messages are already off
   */
  void endDebug(Actor actor, @Nullable String id, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    transactions.write(() -> {
      var scope = scope(id);
      var before = debug.inForce(scope);
      if (!debug.off(scope, actor.name())) {
        throw ApiProblem.conflict("Debug messages are off already; nothing was changed.");
      }
      audit(actor, id, AuditAction.DEBUG_SWITCHED_OFF, shownDebug(before), "off", why);
    });
  }

  private void audit(
      Actor actor,
      @Nullable String id,
      AuditAction act,
      String before,
      String after,
      @Nullable String why) {
    var entry = AuditEntry.of(actor.name(), actor.role(), act).changed(before, after).because(why);
    audit.record(id == null ? entry.about("all participants") : entry.to(id));
    steppingIn.changed(id, act.word());
  }

  private static String shownDebug(Optional<DebugMode.Interval> interval) {
    return interval.map(it -> "on until " + it.until()).orElse("off");
  }

  /**
   * Returns the interval in force for exactly this participant, or with {@code null} the one for
   * all.
   */
  Optional<DebugMode.Interval> debugging(@Nullable String id) {
    return debug.inForce(scope(id));
  }

  /**
   * Returns the debug intervals of one participant, or with {@code null} those for all, newest
   * first.
   */
  List<DebugMode.Interval> debugIntervals(@Nullable String id, long before, int most) {
    return debug.intervals(scope(id), before, most);
  }

  private String scope(@Nullable String id) {
    return id == null ? DebugMode.ALL : desk.participant(id).id();
  }

  private static Duration minutes(String field, int minutes) {
    if (minutes < 1 || minutes > MINUTES_AT_MOST) {
      throw ApiProblem.bad(field + ": expected a whole number from 1 to " + MINUTES_AT_MOST + ".");
    }
    return Duration.ofMinutes(minutes);
  }

  /** Returns an end time as local time to the minute. */
  static String until(Instant until, Participant participant) {
    return Times.minutes(until, participant.zone());
  }
}
