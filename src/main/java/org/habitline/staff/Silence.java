package org.habitline.staff;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.habitline.conversation.Outcome;
import org.habitline.conversation.SteppingIn;
import org.habitline.conversation.TurnReader;
import org.habitline.conversation.TurnStatus;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.Fate;
import org.habitline.messaging.Outbox;
import org.habitline.messaging.Senders;
import org.habitline.messaging.SendingStop;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.timers.Agenda;
import org.habitline.timers.Occurrence;
import org.jspecify.annotations.Nullable;

/**
 * Says in plain sentences why a participant hears nothing, and what would change it: what forbids
 * texting them first, then what went wrong last, then what comes next.
 */
public final class Silence {

  private final Facts facts;
  private final ZoneId zone;
  private final List<Reason> reasons = new ArrayList<>();

  private Silence(Facts facts) {
    this.facts = facts;
    this.zone = facts.participant().zone();
  }

  /**
   * One sentence.
   *
   * @param cause a word for programs
   * @param sentence what is so, in the participant's local time
   * @param remedy what would change it
   */
  public record Reason(String cause, String sentence, String remedy) {}

  /**
   * What is known of somebody, all of one moment.
   *
   * @param sender that their texts leave from, if the provider takes none from it now
   * @param mute who keeps the coach silent, if somebody of the staff does
   * @param lastPrompt the newest occurrence whose time has come
   * @param lastText the newest text to them
   * @param firstOpen the oldest text to them that has not come to an end
   * @param changedNumber when they were given another number, if they were
   * @param turn the newest turn
   * @param waiting when the oldest text came that no committed turn has answered
   * @param unclaimed how many texts from their number came before it was theirs and stand unclaimed
   */
  record Facts(
      Participant participant,
      Optional<Participants.OptOut> optOut,
      Optional<SendingStop.Stopped> stopped,
      Optional<Senders.Stopped> sender,
      Optional<SteppingIn.Mute> mute,
      Agenda agenda,
      Optional<Occurrence> lastPrompt,
      Optional<Outbox.Sent> lastText,
      Optional<Outbox.Held> firstOpen,
      Optional<Instant> changedNumber,
      Optional<TurnReader.Turn> turn,
      Optional<Instant> waiting,
      int unclaimed) {}

  /** Returns at least one reason. */
  static List<Reason> of(Facts facts) {
    return new Silence(facts).reasons();
  }

  private List<Reason> reasons() {
    facts.optOut().ifPresent(this::optedOut);
    status(facts.participant().status());
    facts.stopped().ifPresent(this::stopped);
    facts.sender().ifPresent(this::sender);
    facts.mute().ifPresent(this::muted);
    facts.turn().ifPresent(this::turn);
    facts.lastText().ifPresent(this::lastText);
    facts.firstOpen().ifPresent(this::firstOpen);
    facts.lastPrompt().ifPresent(this::lastPrompt);
    unclaimed();
    if (facts.participant().mayBeTexted()) {
      nextPrompt();
    }
    return List.copyOf(reasons);
  }

  private void add(String cause, String sentence, String remedy) {
    reasons.add(new Reason(cause, sentence, remedy));
  }

  private String at(@Nullable Instant at) {
    return at == null ? "an unknown time" : Times.minutes(at, zone);
  }

  private void optedOut(Participants.OptOut optOut) {
    var how =
        switch (optOut.source()) {
          case KEYWORD -> "with a word such as STOP";
          case FREE_WORDS -> "in their own words";
          case PROVIDER -> "at the provider, which refuses to send to this number";
          case PROVIDER_LIST -> "by a text that was found on the provider's list after an erasure";
          case NOT_ENROLLED -> "by a text that came from a number that was not enrolled";
          case UNKNOWN_SENDER -> "by a text that came before the line knew whose it was";
          case null -> "in a way that is not known";
        };
    add(
        "opted_out",
        "Their number opted out, " + how + ", at " + at(optOut.since()) + ".",
        "Only they can change it, with a START from this number; until then only HELP is answered.");
  }

  private void status(ParticipantStatus status) {
    switch (status) {
      case ACTIVE -> {}
      case PAUSED ->
          add(
              "paused",
              "They are paused: they are told so once, and not prompted.",
              "Make them active; their prompts are planned from that moment.");
      case COMPLETED ->
          add(
              "completed",
              "They have completed the study: they are told so once, and not prompted.",
              "Make them active if the study goes on for them.");
      case WITHDRAWN ->
          add(
              "withdrawn",
              "They left the study: nothing is sent to them.",
              "If they ask to take part again, make them active; a START alone does not bring them back.");
    }
  }

  private void stopped(SendingStop.Stopped stopped) {
    add(
        "sending_stopped",
        "All sending of the study is stopped, by "
            + stopped.by()
            + " at "
            + at(stopped.at())
            + ": "
            + stopped.reason(),
        "An admin can resume sending; what waits leaves then, but not a prompt whose hour is over.");
  }

  private void sender(Senders.Stopped sender) {
    add(
        "sender_stopped",
        "Since "
            + at(sender.since())
            + " the provider takes no texts by "
            + sender.channel().word()
            + ": its error "
            + sender.code()
            + ". All of them wait.",
        "Put the account, its token or the sender right at the provider; one text is tried again at "
            + at(sender.triedAt())
            + ", and the rest follow.");
  }

  private void muted(SteppingIn.Mute mute) {
    add(
        "muted",
        mute.by() + " holds this conversation until " + at(mute.until()) + ": the coach is silent.",
        "Write to them, or hand back; what is left unanswered is answered when the coach takes up again.");
  }

  private void turn(TurnReader.Turn turn) {
    if (turn.outcome() == Outcome.BRAKED) {
      add(
          "braked",
          "They sent "
              + (turn.reason() == null ? "the same text again and again" : turn.reason())
              + ", as another machine would: they are not answered.",
          "They are answered again as soon as they say something else.");
    } else if (turn.status() == TurnStatus.FAILED) {
      add(
          "turn_failed",
          "Turn "
              + turn.number()
              + ", the newest, failed: "
              + whyFailed(turn)
              + ". The flow's own text went out instead, if it could.",
          Optional.ofNullable(turn.failure())
              .flatMap(ModelFailure::remedy)
              .map(remedy -> remedy + " Their next text is answered anew.")
              .orElse("Look at the turn; their next text is answered anew."));
    } else if (turn.status() == TurnStatus.RUNNING && turn.attempts() > 1) {
      add(
          "turn_retried",
          "Turn "
              + turn.number()
              + " is in its attempt "
              + turn.attempts()
              + ", begun first at "
              + at(turn.startedAt())
              + "; the ones before did not end.",
          "It ends by itself: after the third crash the flow's own text goes out. Look at the log if it lasts.");
    } else {
      facts
          .waiting()
          .filter(since -> facts.participant().mayBeTexted())
          .ifPresent(since ->
              add(
                  "waiting",
                  "A text of theirs, stored at " + at(since) + ", is being answered.",
                  "The answer comes when its turn is committed; look at the model's health if it lasts."));
    }
  }

  private static String whyFailed(TurnReader.Turn turn) {
    if (turn.reason() != null) {
      return ModelFailure.explained(turn.reason(), turn.failure());
    }
    return turn.outcome() == null ? "nobody knows why" : turn.outcome().word();
  }

  private void lastText(Outbox.Sent text) {
    switch (text.status()) {
      case FAILED, UNDELIVERED, CANCELED ->
          ended(
              text,
              "delivery_failed",
              "was not delivered"
                  + (text.errorCode() == null
                      ? "."
                      : ": the provider's error " + text.errorCode() + "."));
      case UNKNOWN -> unknown(text);
      case REFUSED -> {
        // An opt-out or a status speaks for itself above.
        if (facts.optOut().isEmpty() && facts.participant().status() == ParticipantStatus.ACTIVE) {
          ended(text, "delivery_refused", "was not sent" + because(text.reason()));
        }
      }
      case PLANNED, SENDING, LOOKING, SCHEDULED, ACCEPTED, QUEUED, SENT, DELIVERED, READ -> {}
    }
  }

  private void ended(Outbox.Sent sent, String cause, String what) {
    var last = "The last text to them, planned at " + at(sent.plannedAt()) + ", " + what;
    var left = sent.endedAt() == null ? sent.plannedAt() : sent.endedAt();
    facts
        .changedNumber()
        .filter(changed -> changed.isAfter(left))
        .ifPresentOrElse(
            changed ->
                add(
                    cause,
                    last
                        + " Their number was changed since, at "
                        + at(changed)
                        + "; nothing was sent to the new one yet.",
                    "That text is not sent again; the next one goes to the new number."),
            () -> add(cause, last, remedy(sent.failure())));
  }

  private static String remedy(@Nullable Fate failure) {
    return switch (failure) {
      case null ->
          "It is not sent again. What a code means stands at the provider; if the number is wrong or gone, change it"
              + " here.";
      case WINDOW_CLOSED ->
          "It is not sent again. They must text first, or the flow must name a template for such a text.";
      case BAD_NUMBER -> "It is not sent again. If the number is wrong or gone, change it here.";
      case OPTED_OUT -> "Only they can change it, with a START from this number.";
      case MISCONFIGURED -> "Put the account or its sender right at the provider.";
      case NEVER_PROCESSED, MAY_HAVE_GONE_OUT, ONCE_MORE, QUIET_HOURS, NEXT_DAY, NOT_BY_RCS ->
          "It is not sent again; the next text goes out as usual.";
      case FINAL ->
          "It is not sent again. The provider says more under this code; the next text goes out as usual.";
    };
  }

  /** Of one that was given up; while it is looked up it is open. */
  private void unknown(Outbox.Sent text) {
    if (text.endedAt() != null) {
      add(
          "delivery_unknown",
          "Whether the last text to them, planned at "
              + at(text.plannedAt())
              + ", went out is not known"
              + because(text.reason()),
          "It is not sent again; the provider is asked about it for a day.");
    }
  }

  private void firstOpen(Outbox.Held text) {
    var first = "The first text that waits for them, planned at " + at(text.plannedAt()) + ": ";
    if (text.status().mayHaveGoneOut()) {
      add(
          "delivery_unknown",
          first + Unsent.LOOKED_UP,
          "It is not known whether it went out; it holds back what follows for ten minutes at most.");
    } else if (facts.stopped().isEmpty() && text.before() != null) {
      add(
          "delivery_again",
          first + Unsent.why(text, this::at),
          "It goes out once more by itself, unless something was said to them since.");
    } else if (facts.stopped().isEmpty() && text.reason() != null) {
      add(
          "delivery_waits",
          first + Unsent.why(text, this::at),
          "It is tried again by itself for 24 hours; a configuration error is put right at the provider or in"
              + " the settings.");
    }
  }

  private static String because(@Nullable String reason) {
    return reason == null ? "." : ": " + reason + ".";
  }

  private void lastPrompt(Occurrence prompt) {
    var which = "The last prompt, of " + prompt.moment().text() + ",";
    switch (prompt.status()) {
      case MISSED ->
          add(
              "prompt_missed",
              which + " was missed" + because(prompt.reason()),
              "A missed prompt is not made up for; the next one comes at its own time.");
      case REFUSED ->
          add(
              "prompt_refused",
              which + " could not be sent" + because(prompt.reason()),
              "It is not sent again; the next one comes at its own time.");
      case SENT -> {
        if (prompt.respondedAt() == null) {
          add(
              "prompt_unanswered",
              which
                  + " was sent and not answered yet"
                  + (prompt.remindedAt() == null
                      ? "."
                      : ", though they were reminded at " + at(prompt.remindedAt()) + "."),
              "It is their turn: they are reminded once, and prompted again at the next time.");
        }
      }
      case PLANNED, PROMPTING, CANCELLED -> {}
    }
  }

  private void unclaimed() {
    if (facts.unclaimed() > 0) {
      add(
          "unclaimed",
          "Texts from their number that came before it was theirs are unclaimed and not answered: "
              + facts.unclaimed()
              + ".",
          "Claim them for this participant under Unclaimed, or dismiss them.");
    }
  }

  private void nextPrompt() {
    facts.agenda().planned().stream()
        .min(Comparator.comparing(planned -> planned.next().at()))
        .ifPresentOrElse(
            planned ->
                add(
                    "next_prompt",
                    "The next prompt is planned for "
                        + planned.next().text()
                        + " ("
                        + planned.next().zone()
                        + ").",
                    "Another time is planned when they name one to the coach."),
            () ->
                add(
                    "no_schedule",
                    "No daily prompt is planned: they have not named a time to the coach.",
                    "The coach plans one when they name a time."));
  }
}
