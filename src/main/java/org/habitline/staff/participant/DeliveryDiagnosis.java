package org.habitline.staff.participant;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.conversation.takeover.Takeover;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.outbox.Senders;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.participants.ConsentState;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.staff.web.Times;
import org.habitline.timers.Agenda;
import org.habitline.timers.Occurrence;
import org.jspecify.annotations.Nullable;

/**
 * Explains in plain sentences why a participant gets no messages and what would change it: first
 * what forbids sending to them, then the latest failure, then what comes next.
 */
public final class DeliveryDiagnosis {

  private final Facts facts;
  private final boolean dailyPrompts;
  private final Set<Held> held;
  private final ZoneId zone;
  private final List<Reason> reasons = new ArrayList<>();

  private DeliveryDiagnosis(Facts facts, boolean dailyPrompts, Set<Held> held) {
    this.facts = facts;
    this.dailyPrompts = dailyPrompts;
    this.held = held;
    this.zone = facts.participant().zone();
  }

  /**
   * One reason for a participant's messaging status.
   *
   * @param cause a code for programs
   * @param sentence the reason, with times in the participant's local time
   * @param remedy what would change it
   */
  public record Reason(String cause, String sentence, String remedy) {}

  /** What keeps the coach from a participant until a person or the participant ends it. */
  enum Held {
    /** A crisis that nobody has released. */
    BY_INCIDENT,
    /** Consent is missing. */
    BY_CONSENT
  }

  /**
   * Facts about one participant, all read at the same moment.
   *
   * @param sender the stopped sender of their channel, if the provider refuses its messages now
   * @param mute the takeover in force, if a staff member has taken over
   * @param lastPrompt the newest occurrence that is already due
   * @param lastText the newest message to them
   * @param firstOpen the oldest message to them whose delivery is not finished
   * @param changedNumber when their phone number last changed, if it did
   * @param turn the newest turn
   * @param waiting when the oldest text arrived that no committed turn has replied to
   * @param unclaimed number of unmatched texts that came from their phone number before it was
   *     theirs
   */
  record Facts(
      Participant participant,
      Optional<Participants.OptOut> optOut,
      Optional<SendingStop.Stopped> stopped,
      Optional<Senders.Stopped> sender,
      Optional<Takeover.Mute> mute,
      Agenda agenda,
      Optional<Occurrence> lastPrompt,
      Optional<Outbox.Sent> lastText,
      Optional<Outbox.Held> firstOpen,
      Optional<Instant> changedNumber,
      Optional<TurnReader.Turn> turn,
      Optional<Instant> waiting,
      int unclaimed) {}

  /**
   * Returns at least one reason.
   *
   * @param dailyPrompts whether the participant's flow has daily prompts
   * @param held what keeps the coach from them; it comes first, and then nothing is said about the
   *     next daily prompt
   */
  static List<Reason> of(Facts facts, boolean dailyPrompts, Set<Held> held) {
    return new DeliveryDiagnosis(facts, dailyPrompts, held).reasons();
  }

  private List<Reason> reasons() {
    held.stream().sorted().forEach(this::held);
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
    if (facts.participant().mayBeTexted() && held.isEmpty()) {
      nextPrompt();
    }
    return List.copyOf(reasons);
  }

  private void held(Held by) {
    switch (by) {
      case BY_INCIDENT ->
          add(
              "safety_incident",
              "Coaching is paused for a safety incident: the coach does not reply, and no daily"
                  + " prompt, reminder or check-in is sent.",
              "Coaching resumes when someone with the Safety role releases the incident on the page"
                  + " Safety, which only they can open. An admin can say who has this role.");
      case BY_CONSENT -> unconsented(facts.participant().consent().state());
    }
  }

  private void unconsented(ConsentState state) {
    switch (state) {
      case NOT_ASKED, GIVEN, ELSEWHERE ->
          unconsented(
              "They have not been asked for consent to the present version yet.",
              "They are asked when they text, or instead of their next daily prompt.");
      case AGE_ASKED ->
          unconsented("They were asked how old they are.", "The coach starts once they consent.");
      case ASKED ->
          unconsented("They were asked for consent.", "The coach starts once they say yes.");
      case DECLINED ->
          unconsented("They did not consent.", "They can text START to be asked again.");
      case NOT_ELIGIBLE ->
          unconsented("They are younger than the study allows.", "Nothing more is sent to them.");
      case LEFT_TO_STAFF ->
          unconsented(
              "Their answers about age or consent could not be understood.",
              "Call them. If they consent, record it on this page.");
    }
  }

  private void unconsented(String sentence, String remedy) {
    add("consent", sentence, remedy);
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
          case KEYWORD -> "they sent a word such as STOP";
          case FREE_WORDS -> "they asked in their own words";
          case PROVIDER -> "the provider refuses to send to this number";
          case PROVIDER_LIST ->
              "they asked in a text that was found in the provider's message list after an earlier"
                  + " erasure";
          case NOT_ENROLLED -> "they asked in a text sent before this number was enrolled";
          case UNKNOWN_SENDER -> "they asked in a text that was only later matched to them";
        };
    if (optOut.askedBack() != null) {
      add(
          "blocked_by_provider",
          "They asked for messages again at "
              + at(optOut.askedBack())
              + ", but not with a word that Twilio knows. Twilio still blocks this number.",
          "Call them and ask them to text START from this number. Until then, Twilio blocks every"
              + " message.");
      return;
    }
    add(
        "opted_out",
        "Their phone number opted out at " + at(optOut.since()) + ": " + how + ".",
        "Only they can change this, by texting START from this number. Until then, only HELP gets a reply.");
  }

  private void status(ParticipantStatus status) {
    switch (status) {
      case ACTIVE -> {}
      case PAUSED ->
          add(
              "paused",
              "They are paused. When they text, they are told once that they are paused. They get no daily prompts.",
              "Make them active. Their daily prompts are then scheduled again.");
      case COMPLETED ->
          add(
              "completed",
              "They have completed the study. When they text, they are told so once. They get no daily prompts.",
              "If they continue in the study, make them active.");
      case WITHDRAWN ->
          add(
              "withdrawn",
              "They have withdrawn from the study. Nothing is sent to them, except in a crisis.",
              "If they ask to take part again, make them active. A START text alone does not bring them back.");
    }
  }

  private void stopped(SendingStop.Stopped stopped) {
    add(
        "sending_stopped",
        "All sending is stopped. "
            + stopped.by()
            + " stopped it at "
            + at(stopped.at())
            + ": "
            + stopped.reason(),
        "An admin can resume sending. Waiting messages are sent then, except messages that have waited for more than 24 hours, and daily prompts and reminders that are too late.");
  }

  private void sender(Senders.Stopped sender) {
    add(
        "sender_stopped",
        "The provider has accepted no messages by "
            + sender.channel().title()
            + " since "
            + at(sender.since())
            + ": error "
            + sender.code()
            + ". All of them are waiting.",
        "Correct the account, its token or the sender at the provider. The service tries one message again at "
            + at(sender.triedAt())
            + ". The others follow when it is accepted.");
  }

  private void muted(Takeover.Mute mute) {
    add(
        "muted",
        "Automatic replies are paused until " + at(mute.until()) + ". " + mute.by() + " took over.",
        held.contains(Held.BY_INCIDENT)
            ? "Write to them. Automatic replies resume only after the safety incident is released."
            : "Write to them, or hand back. When automatic replies resume, the coach replies to"
                + " texts that have no reply yet.");
  }

  private void turn(TurnReader.Turn turn) {
    if (turn.outcome() == Outcome.BRAKED) {
      add(
          "braked",
          "They sent "
              + (turn.reason() == null ? "the same text again and again" : turn.reason())
              + ", as an automated system would. They get no reply.",
          "They get replies again as soon as they send a different text.");
    } else if (turn.status() == TurnStatus.FAILED) {
      add(
          "turn_failed",
          "Turn "
              + turn.number()
              + ", the latest, failed: "
              + whyFailed(turn)
              + ". The flow's fallback message was sent instead, if possible.",
          Optional.ofNullable(turn.failure())
              .flatMap(ModelFailure::remedy)
              .map(remedy -> remedy + " Their next text starts a new turn.")
              .orElse("Open the turn to see why. Their next text starts a new turn."));
    } else if (turn.status() == TurnStatus.RUNNING && turn.attempts() > 1) {
      add(
          "turn_retried",
          "Turn "
              + turn.number()
              + " is on attempt "
              + turn.attempts()
              + ". It first started at "
              + at(turn.startedAt())
              + ", and the earlier attempts did not finish.",
          "After the third failed attempt, the flow's fallback message is sent. If this"
              + " continues, check the log.");
    } else {
      facts
          .waiting()
          .filter(since -> facts.participant().mayBeTexted())
          .ifPresent(since ->
              add(
                  "waiting",
                  "A reply to their text of " + at(since) + " is being prepared.",
                  "It is sent when its turn is finished. If this takes long, check whether the model works."));
    }
  }

  private static String whyFailed(TurnReader.Turn turn) {
    if (turn.reason() != null) {
      return ModelFailure.explained(turn.reason(), turn.failure());
    }
    return turn.outcome() == null
        ? "the reason is not known"
        : turn.outcome().word().replace('_', ' ');
  }

  private void lastText(Outbox.Sent text) {
    if (text.arrived()) {
      return;
    }
    switch (text.status()) {
      case FAILED, UNDELIVERED, CANCELED ->
          ended(
              text,
              "delivery_failed",
              "was not delivered"
                  + (text.errorCode() == null
                      ? "."
                      : ": provider error " + text.errorCode() + "."));
      case UNKNOWN -> unknown(text);
      case REFUSED -> {
        // An opt-out or a status is already explained above.
        if (facts.optOut().isEmpty() && facts.participant().status() == ParticipantStatus.ACTIVE) {
          ended(text, "delivery_refused", "was not sent" + because(text.reason()));
        }
      }
      case PLANNED, SENDING, LOOKING, SCHEDULED, ACCEPTED, QUEUED, SENT, DELIVERED, READ -> {}
    }
  }

  private void ended(Outbox.Sent sent, String cause, String what) {
    var last = "The last message to them, planned at " + at(sent.plannedAt()) + ", " + what;
    var left = sent.endedAt() == null ? sent.plannedAt() : sent.endedAt();
    facts
        .changedNumber()
        .filter(changed -> changed.isAfter(left))
        .ifPresentOrElse(
            changed ->
                add(
                    cause,
                    last
                        + " Their phone number changed at "
                        + at(changed)
                        + ". Nothing was sent to the new one yet.",
                    "That message is not sent again. The next one goes to the new number."),
            () -> add(cause, last, remedy(sent)));
  }

  private String remedy(Outbox.Sent sent) {
    return switch (sent.failure()) {
      case null ->
          again(sent)
              + " The provider's documentation explains the error code. If the phone number is"
              + " wrong or no longer in use, choose Change number under Change.";
      case WINDOW_CLOSED, BAD_NUMBER -> Unsent.NOT_AGAIN + " " + Unsent.remedy(sent.failure());
      case OPTED_OUT, MISCONFIGURED -> Unsent.remedy(sent.failure());
      case NEVER_PROCESSED, MAY_HAVE_GONE_OUT, ONCE_MORE, QUIET_HOURS, NEXT_DAY, NOT_BY_RCS ->
          again(sent) + asUsual();
      case FINAL ->
          again(sent) + " The provider's documentation explains this error code." + asUsual();
    };
  }

  private String again(Outbox.Sent sent) {
    return sent.resendable() && facts.participant().mayBeTexted()
        ? "Habitline does not send it again by itself. To send it again, choose Send again beside the message in the conversation."
        : Unsent.NOT_AGAIN;
  }

  private String asUsual() {
    return facts.participant().mayBeTexted() && held.isEmpty()
        ? " The next message is sent as usual."
        : "";
  }

  /**
   * Explains a message whose look-up was given up. While the look-up goes on, {@link #firstOpen}
   * explains the message.
   */
  private void unknown(Outbox.Sent text) {
    if (text.endedAt() != null) {
      add(
          "delivery_unknown",
          "It is not known whether the last message to them, planned at "
              + at(text.plannedAt())
              + ", was sent"
              + because(text.reason()),
          "Habitline asks the provider about it for one day and does not send it again automatically.");
    }
  }

  private void firstOpen(Outbox.Held text) {
    var first = "The oldest waiting message to them, planned at " + at(text.plannedAt()) + ": ";
    if (text.status().mayHaveGoneOut()) {
      add(
          "delivery_unknown",
          first + Unsent.LOOKED_UP,
          "It is not known whether it was sent. It holds back later messages for up to ten minutes.");
    } else if (facts.stopped().isEmpty() && text.before() != null) {
      add(
          "delivery_again",
          first + Unsent.why(text, this::at),
          "The service sends it once more, unless they have received another message since.");
    } else if (facts.stopped().isEmpty() && text.reason() != null) {
      add(
          "delivery_waits",
          first + Unsent.why(text, this::at),
          "The service keeps trying for 24 hours. If the cause is a configuration error, correct it"
              + " at the provider or in the settings.");
    }
  }

  private static String because(@Nullable String reason) {
    return reason == null ? "." : ": " + reason + ".";
  }

  private void lastPrompt(Occurrence prompt) {
    var which =
        "The last daily prompt, due at " + Times.readable(prompt.moment().text(), zone) + ",";
    switch (prompt.status()) {
      case MISSED ->
          add(
              "prompt_missed",
              which + " was not sent in time" + because(prompt.reason()),
              "A missed daily prompt is not sent later." + nextOne());
      case REFUSED ->
          add(
              "prompt_refused",
              which + " could not be sent" + because(prompt.reason()),
              "It is not sent again." + nextOne());
      case SENT -> {
        if (prompt.respondedAt() == null) {
          add(
              "prompt_unanswered",
              which
                  + " was sent and has no answer yet."
                  + (prompt.remindedAt() == null
                      ? ""
                      : " They were reminded at " + at(prompt.remindedAt()) + "."),
              "They get only one reminder for each prompt." + nextOne());
        }
      }
      case SKIPPED ->
          add(
              "prompt_skipped",
              which + " was not sent" + because(prompt.reason()),
              "If that was a mistake, send it now on the page Daily prompts." + nextOne());
      case PLANNED, PROMPTING, CANCELLED -> {}
    }
  }

  private String nextOne() {
    return held.isEmpty() ? " The next daily prompt is sent at its own time." : "";
  }

  private void unclaimed() {
    if (facts.unclaimed() > 0) {
      add(
          "unclaimed",
          "Unmatched texts from this phone number, received before it was assigned to this"
              + " participant: "
              + facts.unclaimed()
              + ".",
          "Under Unmatched texts on Today, match them to this participant or dismiss them.");
    }
  }

  private void nextPrompt() {
    facts.agenda().planned().stream()
        .min(Comparator.comparing(planned -> planned.next().at()))
        .ifPresentOrElse(
            planned ->
                add(
                    "next_prompt",
                    "The next daily prompt is scheduled for "
                        + Times.readable(planned.next().text(), zone)
                        + " ("
                        + planned.next().zone()
                        + ").",
                    "The participant can change the time by telling the coach."),
            this::noSchedule);
  }

  private void noSchedule() {
    if (dailyPrompts) {
      add(
          "no_schedule",
          "No daily prompt is scheduled.",
          "The coach schedules one when the participant chooses a time.");
    } else {
      add("no_schedule", "Their flow sends no daily prompts.", "They get a reply when they write.");
    }
  }
}
