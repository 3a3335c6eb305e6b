package org.habitline.staff.today;

import jakarta.inject.Singleton;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.stored.TranscriptReader;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.participants.Participant;
import org.habitline.safety.incidents.Incidents;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Matches and dismisses texts from senders who are not enrolled, for the page and the REST API. */
@Singleton
final class UnclaimedDesk {

  private static final String ALL = "all";

  /** The statuses that can be listed. */
  private static final Set<Unclaimed.Status> SHOWN =
      EnumSet.of(Unclaimed.Status.WAITING, Unclaimed.Status.CLAIMED, Unclaimed.Status.DISMISSED);

  private final Unclaimed unclaimed;
  private final Incidents incidents;
  private final EnrolmentDesk desk;
  private final AuditLog audit;
  private final Transactions transactions;

  UnclaimedDesk(
      Unclaimed unclaimed,
      Incidents incidents,
      EnrolmentDesk desk,
      AuditLog audit,
      Transactions transactions) {
    this.unclaimed = unclaimed;
    this.incidents = incidents;
    this.desk = desk;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * Whom to match a text to: a participant, or its sender, who is enrolled then. Exactly one of
   * {@code participantId} and {@code enrol} must be set.
   */
  record Claim(
      @Nullable String participantId,
      boolean enrol,
      @Nullable String name,
      @Nullable String timezone,
      @Nullable String flow) {}

  /**
   * Returns texts with a status, newest first; {@code waiting} if none is named.
   *
   * @param ofIncidents whether the reader may see the words of safety incidents
   * @throws ApiProblem 400 for an unknown status
   */
  List<Unclaimed.Text> texts(@Nullable String status, long before, int most, boolean ofIncidents) {
    var found = texts(status, before, most);
    var hidden =
        ofIncidents
            ? Set.<String>of()
            : incidents.textsOfCrises(found.stream().map(Unclaimed.Text::providerId).toList());
    return found.stream()
        .map(text ->
            hidden.contains(text.providerId()) ? text.saying(TranscriptReader.HIDDEN) : text)
        .toList();
  }

  private List<Unclaimed.Text> texts(@Nullable String status, long before, int most) {
    if (ALL.equals(status)) {
      return unclaimed.texts(SHOWN, before, most);
    }
    if (status == null || status.isBlank()) {
      return unclaimed.texts(EnumSet.of(Unclaimed.Status.WAITING), before, most);
    }
    return SHOWN.stream()
        .filter(shown -> shown.word().equals(status))
        .findFirst()
        .map(shown -> unclaimed.texts(EnumSet.of(shown), before, most))
        .orElseThrow(() ->
            ApiProblem.bad(
                "status: unknown; expected one of "
                    + SHOWN.stream().map(Unclaimed.Status::word).collect(Collectors.joining(", "))
                    + ", "
                    + ALL
                    + "."));
  }

  /**
   * Matches a text to a participant. It enters their inbox once and is replied to like any other
   * text.
   *
   * @throws ApiProblem 400 for input that is not accepted, 404 if there is no such text or
   *     participant, 409 if it was matched or dismissed before, or its sender is matched to another
   *     participant
   */
  Participant claim(Actor actor, long seq, Claim wanted) {
    if ((wanted.participantId() == null) != wanted.enrol()) {
      throw ApiProblem.bad("Expected exactly one of participant_id and enrol (true).");
    }
    return transactions.write(() -> {
      var text = existing(seq);
      var participant =
          wanted.participantId() == null
              ? enrolled(actor, text, wanted)
              : desk.participant(wanted.participantId());
      switch (unclaimed.claim(seq, participant)) {
        case CLAIMED ->
            audit.record(
                AuditEntry.of(actor.name(), actor.role(), AuditAction.TEXT_CLAIMED)
                    .to(participant.id())
                    .about("unclaimed text " + seq)
                    .changed("waiting, from " + sender(text), "claimed"));
        case DECIDED -> throw decided(seq);
        case SOMEBODY_ELSES ->
            throw ApiProblem.conflict(
                "Texts from this sender are matched to another participant. Match this text to the"
                    + " same participant, or undo the earlier match first"
                    + " (DELETE /conversation/participants/{id}/senders).");
        case ANSWERED ->
            throw ApiProblem.conflict(
                "This text is already in a conversation. To remove it from this list, dismiss it.");
      }
      return desk.participant(participant.id());
    });
  }

  private Participant enrolled(Actor actor, Unclaimed.Text text, Claim wanted) {
    if (text.status() != Unclaimed.Status.WAITING) {
      throw decided(text.seq());
    }
    var number =
        text.number()
            .orElseThrow(() ->
                ApiProblem.bad(
                    "The sender of this text shows no phone number and cannot be enrolled; match it to a participant."));
    return desk.enrolTexting(
            actor,
            new EnrolmentDesk.Wanted(
                number.e164(),
                wanted.name(),
                null,
                null,
                null,
                wanted.timezone(),
                wanted.flow(),
                text.channel().word()))
        .participant();
  }

  /**
   * Dismisses a text.
   *
   * @throws ApiProblem 400 without a reason, 404 if there is no such text, 409 if it was matched or
   *     dismissed before
   */
  void dismiss(Actor actor, long seq, @Nullable String reason) {
    var why = EnrolmentDesk.reason(reason);
    if (why == null) {
      throw ApiProblem.bad("reason: missing; write why this text needs no reply.");
    }
    transactions.write(() -> {
      var text = existing(seq);
      if (!unclaimed.dismiss(seq, why)) {
        throw decided(seq);
      }
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.TEXT_DISMISSED)
              .about("unclaimed text " + seq)
              .changed("waiting, from " + sender(text), "dismissed")
              .because(why));
    });
  }

  private Unclaimed.Text existing(long seq) {
    return unclaimed
        .find(seq)
        .orElseThrow(() ->
            ApiProblem.notFound(
                "There is no unmatched text with this seq; GET /unclaimed lists them."));
  }

  private ApiProblem decided(long seq) {
    var text = existing(seq);
    return ApiProblem.conflict(
        "This text is already "
            + (text.status() == Unclaimed.Status.CLAIMED
                ? "matched to " + text.participantId()
                : text.status().word())
            + "; nothing was changed.");
  }

  /** Returns only the last two characters of the sender, which may be a phone number. */
  private static String sender(Unclaimed.Text text) {
    var sender = text.sender();
    return "…" + sender.substring(Math.max(0, sender.length() - 2));
  }
}
