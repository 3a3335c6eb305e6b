package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.stored.TurnReader;
import org.habitline.conversation.stored.TurnStatus;
import org.habitline.llm.ModelFailure;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.messaging.outbox.Outbox;
import org.habitline.messaging.outbox.Senders;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.OptOutSource;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.participants.SomeParticipant;
import org.habitline.timers.Agenda;
import org.habitline.timers.DailyTime;
import org.habitline.timers.Moment;
import org.habitline.timers.Occurrence;
import org.habitline.timers.Schedule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every reason why somebody hears nothing has a sentence, and says what would change it. */
final class DeliveryDiagnosisTest {

  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Instant NOON = Instant.parse("2026-11-21T11:00:00Z");

  private static Participant robin(ParticipantStatus status, boolean optedOut) {
    return SomeParticipant.of(BERLIN, ChannelKind.SMS, status, optedOut, NOON);
  }

  /** Facts about somebody who is texted tomorrow at eight, and about whom nothing is wrong. */
  private static final class Fine {
    private Participant participant = robin(ParticipantStatus.ACTIVE, false);
    private Optional<Participants.OptOut> optOut = Optional.empty();
    private Optional<SendingStop.Stopped> stopped = Optional.empty();
    private Optional<Senders.Stopped> sender = Optional.empty();
    private Agenda agenda =
        new Agenda(
            BERLIN,
            List.of(
                new Agenda.Planned(
                    new Schedule("sched_1", 0, new DailyTime.Fixed(LocalTime.of(8, 0)), NOON),
                    Moment.at(Instant.parse("2026-11-22T07:00:00Z"), BERLIN))),
            Set.of(),
            Set.of());
    private Optional<Occurrence> lastPrompt = Optional.empty();
    private Optional<Outbox.Sent> lastText = Optional.empty();
    private Optional<Outbox.Held> firstOpen = Optional.empty();
    private Optional<Instant> changedNumber = Optional.empty();
    private Optional<TurnReader.Turn> turn = Optional.empty();
    private Optional<Instant> waiting = Optional.empty();
    private int unclaimed;
  }

  private static DeliveryDiagnosis.Facts fine() {
    return fine(it -> {});
  }

  private static DeliveryDiagnosis.Facts fine(Consumer<Fine> changed) {
    var it = new Fine();
    changed.accept(it);
    return new DeliveryDiagnosis.Facts(
        it.participant,
        it.optOut,
        it.stopped,
        it.sender,
        Optional.empty(),
        it.agenda,
        it.lastPrompt,
        it.lastText,
        it.firstOpen,
        it.changedNumber,
        it.turn,
        it.waiting,
        it.unclaimed);
  }

  private static DeliveryDiagnosis.Facts with(Participant participant, Participants.OptOut optOut) {
    return fine(it -> {
      it.participant = participant;
      it.optOut = Optional.of(optOut);
    });
  }

  private static DeliveryDiagnosis.Facts with(Participant participant) {
    return fine(it -> it.participant = participant);
  }

  private static DeliveryDiagnosis.Facts with(Occurrence prompt) {
    return fine(it -> it.lastPrompt = Optional.of(prompt));
  }

  private static DeliveryDiagnosis.Facts last(Outbox.Sent text, @Nullable Instant changedNumber) {
    return texts(Optional.of(text), Optional.empty(), Optional.ofNullable(changedNumber));
  }

  private static DeliveryDiagnosis.Facts with(Outbox.Sent text) {
    return last(text, null);
  }

  private static DeliveryDiagnosis.Facts open(Outbox.Held text) {
    return texts(Optional.empty(), Optional.of(text), Optional.empty());
  }

  private static DeliveryDiagnosis.Facts texts(
      Optional<Outbox.Sent> last, Optional<Outbox.Held> open, Optional<Instant> changedNumber) {
    return fine(it -> {
      it.lastText = last;
      it.firstOpen = open;
      it.changedNumber = changedNumber;
    });
  }

  private static DeliveryDiagnosis.Facts with(TurnReader.Turn turn, boolean waiting) {
    return fine(it -> {
      it.turn = Optional.of(turn);
      it.waiting = waiting ? Optional.of(NOON) : Optional.empty();
    });
  }

  private static DeliveryDiagnosis.Reason only(DeliveryDiagnosis.Facts facts, String cause) {
    var reasons = DeliveryDiagnosis.of(facts, true, Set.of());
    assertThat(reasons)
        .allSatisfy(reason -> {
          assertThat(reason.sentence()).endsWith(".").doesNotContain("null");
          assertThat(reason.remedy()).endsWith(".").isNotBlank();
        });
    assertThat(reasons).filteredOn(reason -> reason.cause().equals(cause)).hasSize(1);
    return reasons.stream()
        .filter(reason -> reason.cause().equals(cause))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> causes(DeliveryDiagnosis.Facts facts) {
    return DeliveryDiagnosis.of(facts, true, Set.of()).stream()
        .map(DeliveryDiagnosis.Reason::cause)
        .toList();
  }

  private static Occurrence prompt(
      Occurrence.Status status, @Nullable String reason, @Nullable Instant reminded) {
    return new Occurrence(
        new Occurrence.Key(LocalDate.of(2026, 11, 21), 0),
        "sched_1",
        Moment.at(Instant.parse("2026-11-21T07:00:00Z"), BERLIN),
        status,
        reason,
        3,
        null,
        null,
        false,
        null,
        reminded,
        null,
        null,
        false,
        null);
  }

  private static Outbox.Sent text(
      DeliveryStatus status, @Nullable String code, @Nullable String reason) {
    return text(status, code, reason, null);
  }

  private static Outbox.Sent text(
      DeliveryStatus status,
      @Nullable String code,
      @Nullable String reason,
      @Nullable DeliveryFailure failure) {
    return new Outbox.Sent(
        1,
        "dlv_1",
        1,
        null,
        OutboundKind.REPLY,
        ChannelKind.SMS,
        status,
        1,
        null,
        false,
        null,
        code,
        reason,
        status != DeliveryStatus.REFUSED,
        failure,
        code,
        1,
        null,
        NOON,
        null,
        NOON.plusSeconds(1),
        null,
        null,
        null,
        List.of());
  }

  private static Outbox.Held waits(
      DeliveryStatus status, @Nullable String reason, Outbox.@Nullable Before before) {
    return new Outbox.Held(
        "dlv_1",
        false,
        "conv_1",
        "msg_1",
        1,
        OutboundKind.REPLY,
        ChannelKind.SMS,
        status,
        true,
        false,
        NOON.plusSeconds(900),
        null,
        reason,
        null,
        before,
        NOON,
        NOON);
  }

  private static TurnReader.Turn turn(TurnStatus status, int attempts, @Nullable String reason) {
    return turn(status, attempts, reason, null);
  }

  private static TurnReader.Turn turn(
      TurnStatus status, int attempts, @Nullable String reason, @Nullable ModelFailure failure) {
    return new TurnReader.Turn(
        7,
        InputKind.SAID,
        status,
        "INTAKE",
        attempts,
        Outcome.MODEL_FAILED,
        reason,
        failure,
        Map.of(),
        Map.of(),
        1,
        NOON,
        null);
  }

  @Test
  void aboutSomebodyWhoIsFineItSaysWhenTheNextPromptComes() {
    assertThat(causes(fine())).containsExactly("next_prompt");
    assertThat(only(fine(), "next_prompt").sentence())
        .isEqualTo(
            "The next daily prompt is scheduled for Sun 22 Nov 2026, 08:00 (Europe/Berlin).");
  }

  @Test
  void withoutAScheduleNothingComes() {
    var facts = fine(it -> it.agenda = Agenda.empty(BERLIN));
    assertThat(causes(facts)).containsExactly("no_schedule");
    assertThat(only(facts, "no_schedule").sentence()).startsWith("No daily prompt is scheduled");
    assertThat(DeliveryDiagnosis.of(facts, false, Set.of()))
        .extracting(DeliveryDiagnosis.Reason::sentence)
        .containsExactly("Their flow sends no daily prompts.");
  }

  @Test
  void textsThatCameBeforeTheNumberWasTheirsAreCounted() {
    var facts = fine(it -> it.unclaimed = 2);
    assertThat(causes(facts)).containsExactly("unclaimed", "next_prompt");
    assertThat(only(facts, "unclaimed").sentence())
        .endsWith("before it was assigned to this participant: 2.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "KEYWORD | a word such as STOP",
        "FREE_WORDS | in their own words",
        "PROVIDER | the provider refuses",
        "PROVIDER_LIST | found in the provider's message list",
        "NOT_ENROLLED | they asked in a text sent before this number was enrolled",
        "UNKNOWN_SENDER | they asked in a text that was only later matched to them"
      })
  void anOptOutSaysHowItCameAndThatOnlyAStartEndsIt(OptOutSource source, String words) {
    var facts =
        with(robin(ParticipantStatus.ACTIVE, true), new Participants.OptOut(NOON, source, null));
    assertThat(causes(facts)).containsExactly("opted_out");
    var reason = only(facts, "opted_out");
    assertThat(reason.sentence()).contains(words, "Sat 21 Nov 2026, 12:00");
    assertThat(reason.remedy()).contains("START");
  }

  @Test
  void whoeverAskedForMessagesInVainIsBlockedByTheProvider() {
    var facts =
        with(
            robin(ParticipantStatus.ACTIVE, true),
            new Participants.OptOut(NOON, OptOutSource.PROVIDER, NOON.plusSeconds(60)));
    assertThat(causes(facts)).containsExactly("blocked_by_provider");
    var reason = only(facts, "blocked_by_provider");
    assertThat(reason.sentence())
        .contains("Sat 21 Nov 2026, 12:01", "Twilio still blocks this number");
    assertThat(reason.remedy()).contains("ask them to text START");
  }

  @ParameterizedTest
  @EnumSource(
      value = ParticipantStatus.class,
      names = {"PAUSED", "COMPLETED", "WITHDRAWN"})
  void aStatusThatKeepsThemSilentSaysSo(ParticipantStatus status) {
    var facts = with(robin(status, false));
    assertThat(causes(facts)).containsExactly(status.word());
    assertThat(only(facts, status.word()).remedy()).contains("active");
  }

  @Test
  void aStopOfAllSendingSaysWhoAndWhy() {
    var facts =
        fine(it -> {
          it.stopped = Optional.of(new SendingStop.Stopped(NOON, "Kim", "a bad prompt."));
          it.firstOpen = Optional.of(waits(DeliveryStatus.PLANNED, "busy", null));
        });
    assertThat(causes(facts)).containsExactly("sending_stopped", "next_prompt");
    assertThat(only(facts, "sending_stopped").sentence())
        .contains("Kim", "Sat 21 Nov 2026, 12:00", "a bad prompt");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "FAILED | 30005 | | delivery_failed | error 30005",
        "UNKNOWN | | no answer | delivery_unknown | no answer",
        "REFUSED | | 21211 | delivery_refused | 21211"
      })
  void theLastTextSaysWhatBecameOfIt(
      DeliveryStatus status,
      @Nullable String code,
      @Nullable String reason,
      String cause,
      String words) {
    var facts = with(text(status, code, reason));
    assertThat(causes(facts)).containsExactly(cause, "next_prompt");
    assertThat(only(facts, cause).sentence()).contains(words);
  }

  @Test
  void theOldestTextThatWaitsSaysWhatItWaitsFor() {
    var busy = open(waits(DeliveryStatus.PLANNED, "configuration: 20003", null));
    assertThat(causes(busy)).containsExactly("delivery_waits", "next_prompt");
    assertThat(only(busy, "delivery_waits").sentence()).contains("configuration: 20003.");
    for (var status : List.of(DeliveryStatus.UNKNOWN, DeliveryStatus.LOOKING)) {
      assertThat(
              only(open(waits(status, "not in a list yet", null)), "delivery_unknown").sentence())
          .contains("did not confirm this message. Habitline asks the provider whether it was sent")
          .doesNotContain("list");
    }
    assertThat(causes(open(waits(DeliveryStatus.PLANNED, null, null))))
        .containsExactly("next_prompt");
  }

  @Test
  void aTextThatIsSentAgainSaysWhyAndWhen() {
    var again =
        open(waits(DeliveryStatus.PLANNED, null, new Outbox.Before("30003 (switched off)")));
    assertThat(causes(again)).containsExactly("delivery_again", "next_prompt");
    assertThat(only(again, "delivery_again").sentence())
        .contains("could not deliver it: error 30003 (switched off). It is sent again at")
        .contains("Sat 21 Nov 2026, 12:15");
  }

  @Test
  void aClosedWindowIsNoWrongNumber() {
    var window =
        text(DeliveryStatus.REFUSED, null, "not texted for 24 h", DeliveryFailure.WINDOW_CLOSED);
    assertThat(only(with(window), "delivery_refused").remedy())
        .contains("They must text first")
        .doesNotContain("number");
    var later = with(text(DeliveryStatus.FAILED, "63016", null, DeliveryFailure.WINDOW_CLOSED));
    assertThat(only(later, "delivery_failed").remedy()).contains("They must text first");
    var wrong = with(text(DeliveryStatus.FAILED, "30005", null, DeliveryFailure.BAD_NUMBER));
    assertThat(only(wrong, "delivery_failed").remedy())
        .contains("choose Change number under Change");
  }

  @Test
  void aNumberThatWasChangedSinceIsNotToBeChangedAgain() {
    var refused = text(DeliveryStatus.REFUSED, null, "21614", DeliveryFailure.BAD_NUMBER);
    var since = last(refused, NOON.plusSeconds(120));
    assertThat(only(since, "delivery_refused").sentence())
        .contains(
            "Their phone number changed at Sat 21 Nov 2026, 12:02. Nothing was sent to the new one yet.");
    assertThat(only(since, "delivery_refused").remedy()).doesNotContain("change it");
    var before = last(refused, NOON.minusSeconds(120));
    assertThat(only(before, "delivery_refused").remedy())
        .contains("choose Change number under Change");
  }

  @Test
  void aTextThatArrivedOrIsOnItsWayIsNoReason() {
    for (var status : EnumSet.complementOf(EnumSet.copyOf(DeliveryStatus.NOT_DELIVERED))) {
      assertThat(causes(with(text(status, null, null)))).containsExactly("next_prompt");
    }
  }

  @Test
  void aTurnThatFailedOrIsRetriedIsNamed() {
    assertThat(
            only(with(turn(TurnStatus.FAILED, 1, "the model is down"), false), "turn_failed")
                .sentence())
        .contains("Turn 7", "the model is down");
    assertThat(only(with(turn(TurnStatus.FAILED, 1, null), false), "turn_failed").sentence())
        .contains("failed: model failed.");
    var credit =
        with(
            turn(
                TurnStatus.FAILED,
                1,
                "HTTP status 429 (insufficient_quota)",
                ModelFailure.NO_CREDIT),
            false);
    assertThat(only(credit, "turn_failed").sentence())
        .contains("429 (insufficient_quota): the account has no credit left.");
    assertThat(only(credit, "turn_failed").remedy()).startsWith("Add credit to the account");
    assertThat(only(with(turn(TurnStatus.RUNNING, 2, null), true), "turn_retried").sentence())
        .contains("Turn 7", "attempt 2");
    assertThat(causes(with(turn(TurnStatus.RUNNING, 1, null), true)))
        .containsExactly("waiting", "next_prompt");
    assertThat(causes(with(turn(TurnStatus.DONE, 1, null), false))).containsExactly("next_prompt");
  }

  @Test
  void theLastPromptSaysWhyItWasNotSentOrThatItWasNotAnswered() {
    assertThat(
            only(
                    with(prompt(Occurrence.Status.MISSED, "it was more than 2 hours late", null)),
                    "prompt_missed")
                .sentence())
        .contains("Sat 21 Nov 2026, 08:00", "2 hours late");
    assertThat(
            only(with(prompt(Occurrence.Status.REFUSED, "30034", null)), "prompt_refused")
                .sentence())
        .contains("30034");
    assertThat(
            only(with(prompt(Occurrence.Status.SENT, null, NOON)), "prompt_unanswered").sentence())
        .contains("reminded at Sat 21 Nov 2026, 12:00");
    assertThat(causes(with(prompt(Occurrence.Status.PROMPTING, null, null))))
        .containsExactly("next_prompt");
  }

  @Test
  void aSenderThatTheProviderTakesNothingFromIsNamed() {
    var facts =
        fine(it ->
            it.sender =
                Optional.of(
                    new Senders.Stopped(ChannelKind.SMS, "30034", NOON, NOON.plusSeconds(300))));
    assertThat(only(facts, "sender_stopped").sentence())
        .isEqualTo(
            "The provider has accepted no messages by SMS since Sat 21 Nov 2026, 12:00: error 30034. All of"
                + " them are waiting.");
  }
}
