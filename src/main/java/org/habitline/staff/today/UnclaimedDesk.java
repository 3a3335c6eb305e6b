package org.habitline.staff.today;

import jakarta.inject.Singleton;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.messaging.inbox.Unclaimed;
import org.habitline.participants.Participant;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Decides about texts from senders whom nobody enrolled, for the page and REST alike. */
@Singleton
final class UnclaimedDesk {

  private static final String ALL = "all";

  /** Those that can be asked for. */
  private static final Set<Unclaimed.Status> SHOWN =
      EnumSet.of(Unclaimed.Status.WAITING, Unclaimed.Status.CLAIMED, Unclaimed.Status.DISMISSED);

  private final Unclaimed unclaimed;
  private final EnrolmentDesk desk;
  private final AuditLog audit;
  private final Transactions transactions;

  UnclaimedDesk(
      Unclaimed unclaimed, EnrolmentDesk desk, AuditLog audit, Transactions transactions) {
    this.unclaimed = unclaimed;
    this.desk = desk;
    this.audit = audit;
    this.transactions = transactions;
  }

  /**
   * For whom a text shall be claimed: a participant, or its sender, who is enrolled. Exactly one of
   * {@code participantId} and {@code enrol}.
   */
  record Claim(
      @Nullable String participantId,
      boolean enrol,
      @Nullable String name,
      @Nullable String timezone,
      @Nullable String flow) {}

  /** Returns texts of a status, newest first; {@code waiting} if none is named. */
  List<Unclaimed.Text> texts(@Nullable String status, long before, int most) {
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
   * Claims a text: it enters the participant's inbox, once, and is answered like any other.
   *
   * @throws ApiProblem 400 for what is not accepted, 404 if there is no such text or participant,
   *     409 if it was decided before, or its sender is somebody else
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
                AuditEntry.of(actor.name(), actor.role(), "text claimed")
                    .to(participant.id())
                    .about("unclaimed text " + seq)
                    .changed("waiting, from " + sender(text), "claimed"));
        case DECIDED -> throw decided(seq);
        case SOMEBODY_ELSES ->
            throw ApiProblem.conflict(
                "Texts of this sender are matched to another participant. Match this one to the same participant, or"
                    + " forget that participant's senders first.");
        case ANSWERED ->
            throw ApiProblem.conflict(
                "This text is in a conversation already; to remove it here, dismiss it.");
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
   * Puts a text away.
   *
   * @throws ApiProblem 400 without a reason, 404 if there is no such text, 409 if it was decided
   *     before
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
          AuditEntry.of(actor.name(), actor.role(), "text dismissed")
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

  /** Its last two characters: the sender may be a number. */
  private static String sender(Unclaimed.Text text) {
    var sender = text.sender();
    return "…" + sender.substring(Math.max(0, sender.length() - 2));
  }
}
