package org.habitline.staff.participant;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.DebugMode;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.messaging.simulator.SimulatedFault;
import org.habitline.messaging.simulator.SimulatedPhones;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Times;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Stores texts from simulated phones in the inbox, as a provider's webhook does for real ones, and
 * simulates delivery faults on request.
 */
@Singleton
public final class PhoneDesk {

  private static final int LONGEST_ID = 64;

  /** How long a message is delayed when staff ask for a delay. */
  private static final Duration DELAY = Duration.ofSeconds(30);

  private final Inbox inbox;

  /** How many of the newest messages are searched for debug messages. */
  private static final int DEBUG_AMONG = 40;

  private final SimulatedPhones phones;
  private final Participants participants;
  private final AuditLog audit;
  private final Transactions transactions;

  PhoneDesk(
      Inbox inbox,
      SimulatedPhones phones,
      Participants participants,
      AuditLog audit,
      Transactions transactions) {
    this.inbox = inbox;
    this.phones = phones;
    this.participants = participants;
    this.audit = audit;
    this.transactions = transactions;
  }

  /** Returns whether the participant's channel is the simulator. */
  static boolean isSimulated(Participant participant) {
    return participant.channel().isSimulated();
  }

  /** Returns the participants with a simulated phone, newest first. */
  Participants.Page phones(long before, int most) {
    return participants.on(ChannelKind.SIMULATOR, before, most);
  }

  /**
   * Stores a text from the simulated phone and returns {@code stored}, or {@code repeated} if the
   * same id came before.
   *
   * @throws ApiProblem 400 if the text or the id is not accepted
   */
  public String text(Participant participant, @Nullable String text, @Nullable String id) {
    check(participant);
    if (text == null || PlainText.storable(text).isBlank()) {
      throw ApiProblem.bad("text: blank; write the participant's text.");
    }
    if (text.length() > Inbox.LONGEST_TEXT) {
      throw ApiProblem.bad(
          "text: too long; at most " + Inbox.LONGEST_TEXT + " characters are accepted.");
    }
    if (id != null
        && (id.isBlank() || id.length() > LONGEST_ID || !PlainText.storable(id).equals(id))) {
      throw ApiProblem.bad(
          "id: expected 1 to " + LONGEST_ID + " characters of plain text, or none.");
    }
    var given = id == null ? Ids.next("sim") : "sim_" + participant.id() + "_" + id;
    return accepted(
        new IncomingText(
            PlainText.storable(given), participant.phone(), ChannelKind.SIMULATOR, text));
  }

  private String accepted(IncomingText text) {
    return switch (inbox.accept(text)) {
      case Acceptance.Stored stored -> "stored";
      case Acceptance.Repeated repeated -> "repeated";
      case Acceptance.UnknownSender unknown -> throw ApiProblem.noParticipant();
    };
  }

  /**
   * Delivers the newest text from the phone again under the same id, as providers sometimes do.
   *
   * @return the result: {@code repeated}
   * @throws ApiProblem 409 if the phone has sent no text yet
   */
  String duplicate(Participant participant) {
    check(participant);
    return inbox
        .newest(participant, ChannelKind.SIMULATOR)
        .map(this::accepted)
        .orElseThrow(() -> ApiProblem.conflict("No text has been sent from this phone yet."));
  }

  /**
   * Makes the next message to the phone fail or arrive late.
   *
   * @param what {@code delay} or {@code fail}
   * @throws ApiProblem 400 for anything else
   */
  void breakNext(Actor actor, Participant participant, @Nullable String what) {
    check(participant);
    var fault = fault(what);
    transactions.write(() -> {
      phones.breakNext(participant.id(), fault);
      audit.record(
          AuditEntry.of(
                  actor.name(), actor.role(), AuditAction.NEXT_TEXT_TO_THE_SIMULATED_PHONE_BROKEN)
              .to(participant.id())
              .changed(null, what));
    });
  }

  private static SimulatedFault fault(@Nullable String what) {
    return switch (what) {
      case "delay" -> new SimulatedFault.Delay(DELAY);
      case "fail" -> new SimulatedFault.Failure();
      case null, default -> throw ApiProblem.bad("what: expected delay or fail.");
    };
  }

  /** Returns the newest debug messages on the phone, which the transcript leaves out. */
  List<SimulatorPage.Debug> debugged(Participant participant) {
    return phones.texts(participant.id(), DEBUG_AMONG).stream()
        .filter(text -> text.body().startsWith(DebugMode.MARK))
        .map(text ->
            new SimulatorPage.Debug(
                text.body(), Times.minutes(text.arrivedAt(), participant.zone())))
        .toList();
  }

  /** Returns the faults that the next messages to the phone will meet, in order and in words. */
  List<String> faults(Participant participant) {
    return phones.pending(participant.id()).stream().map(PhoneDesk::words).toList();
  }

  private static String words(SimulatedFault fault) {
    return switch (fault) {
      case SimulatedFault.Delay delay -> "delayed by " + delay.time().toSeconds() + " seconds";
      case SimulatedFault.Failure failure -> "reported as undelivered";
    };
  }

  private static void check(Participant participant) {
    if (!isSimulated(participant)) {
      throw ApiProblem.bad(
          "This participant's channel is "
              + participant.channel().word()
              + "; only the simulator has a simulated phone.");
    }
  }
}
