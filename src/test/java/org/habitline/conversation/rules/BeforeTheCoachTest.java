package org.habitline.conversation.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.habitline.conversation.requests.OpenBranch;
import org.habitline.conversation.requests.RequestedPrompt;
import org.habitline.conversation.rules.BeforeTheCoach.Place;
import org.habitline.conversation.rules.BeforeTheCoach.Ruling;
import org.habitline.conversation.stored.Claim;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.conversation.stored.StateKeys;
import org.habitline.conversation.turn.DraftMessage;
import org.habitline.conversation.turn.QuickReply;
import org.habitline.flows.Flow;
import org.habitline.flows.FlowTexts;
import org.habitline.flows.WhatsAppTemplates;
import org.habitline.messaging.Lease;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.inbox.ConsentKeyword;
import org.habitline.messaging.inbox.Input;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.SomeParticipant;
import org.habitline.protocol.StudyFile;
import org.habitline.timers.Agenda;
import org.habitline.timers.OccurrenceReader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule that looks at texts before the coach does. */
final class BeforeTheCoachTest {

  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final Clock CLOCK = Clock.fixed(NOON, ZoneOffset.UTC);
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final FlowTexts TEXTS =
      new FlowTexts(
          "Welcome.", "Later.", "Help.", "Erased.", "Confirmed.", "Help.", "Paused.", null);
  private static final StudyFile STUDY = StudyFile.read(Path.of("target", "no study"));
  private static final Flow FLOW =
      new Flow(
          "habit", "INTAKE", Map.of(), List.of(), true, null, null, TEXTS, WhatsAppTemplates.NONE);

  /** What a turn is about. */
  private static final class Turn {
    private ParticipantStatus status = ParticipantStatus.ACTIVE;
    private boolean optedOut;
    private boolean taken;
    private boolean crashed;
    private final Map<String, String> data = new LinkedHashMap<>();
    private final List<Input> inputs = new ArrayList<>();

    Turn is(ParticipantStatus now) {
      status = now;
      return this;
    }

    Turn optedOut() {
      optedOut = true;
      return this;
    }

    Turn takenOver() {
      taken = true;
      return this;
    }

    Turn crashed() {
      crashed = true;
      return this;
    }

    Turn with(String key, String value) {
      data.put(key, value);
      return this;
    }

    Turn asked() {
      return with(
          StateKeys.OPEN_BRANCH,
          new OpenBranch(
                  NOON.minusSeconds(60).toString(),
                  "a script",
                  List.of(
                      new RequestedPrompt.Option("Tea", "Tea it is."),
                      new RequestedPrompt.Option("Water", "Water it is.")))
              .json());
    }

    Turn says(String text) {
      return says(text, null);
    }

    Turn says(String text, @Nullable ConsentKeyword wish) {
      inputs.add(new Input.Said(inputs.size() + 1L, text, wish, ChannelKind.SMS, NOON));
      return this;
    }

    Turn enrolled() {
      inputs.add(new Input.Enrolled(1, ChannelKind.SMS));
      return this;
    }

    @SuppressWarnings("NullAway") // These rules build no context.
    Ruling seenBy(BeforeTheCoach rule) {
      var participant = SomeParticipant.of(BERLIN, ChannelKind.SMS, status, optedOut, NOON);
      var state =
          new Claim.State(
              data,
              new Claim.Counters(0, 0, null),
              new OccurrenceReader.Standing(
                  new Agenda(BERLIN, List.of(), Set.of(), Set.of()), List.of()),
              null,
              new Claim.Staff(taken ? NOON.plusSeconds(60) : null, "Kim", null, null),
              false);
      var claim =
          new Claim(
              new Lease(participant.id(), 1, false),
              participant,
              2,
              1,
              false,
              inputs,
              new Claim.Pinned(
                  List.of(), NOON.toString(), "INTAKE", PromptTexts.Pins.NONE, "INTAKE"),
              state);
      return rule.look(new Heard(claim, FLOW, QuickReply.none(), crashed, null));
    }
  }

  private static Turn turn() {
    return new Turn();
  }

  private static List<OutboundKind> kinds(Ruling ruling) {
    return ruling.texts().stream().map(DraftMessage::kind).toList();
  }

  private static BeforeTheCoach.End end(Ruling ruling) {
    return Objects.requireNonNull(ruling.end());
  }

  private static String reason(Ruling ruling) {
    return end(ruling).reason();
  }

  @Test
  @SuppressWarnings("NullAway") // Only places are asked for; other tests have the rules.
  void everyPlaceHasOneRule() {
    var places =
        List.of(
                new ConsentKeywordRule(STUDY),
                new SafetyRule(),
                new StatusRule(),
                new ConsentRule(null, null, null, CLOCK),
                new KeywordsOnlyRule(),
                new OpenChoiceRule(CLOCK),
                new TakeoverRule(CLOCK),
                new BudgetRule(null),
                new SameTextRule())
            .stream()
            .map(BeforeTheCoach::place)
            .toList();
    assertThat(places).isEqualTo(Arrays.asList(Place.values()));
  }

  @Test
  void helpIsAnsweredAlsoAfterAnOptOut() {
    var rule = new ConsentKeywordRule(STUDY);
    var active = turn().says("HELP", ConsentKeyword.HELP).seenBy(rule);
    assertThat(kinds(active)).containsExactly(OutboundKind.HELP);
    assertThat(active.end()).isNull();
    var out = turn().optedOut().says("HELP", ConsentKeyword.HELP).seenBy(rule);
    assertThat(kinds(out)).containsExactly(OutboundKind.HELP);
    assertThat(reason(out)).isEqualTo("the participant opted out");
  }

  @Test
  void anOptOutInFreeWordsIsConfirmedAndEndsTheTurn() {
    var ruling =
        turn()
            .optedOut()
            .says("please stop", ConsentKeyword.REVOKE)
            .seenBy(new ConsentKeywordRule(STUDY));
    assertThat(kinds(ruling)).containsExactly(OutboundKind.CONFIRMATION);
    assertThat(reason(ruling)).isEqualTo("the participant opted out");
  }

  @Test
  void participantsWhoArePausedAreToldOnce() {
    var rule = new StatusRule();
    var first = turn().is(ParticipantStatus.PAUSED).says("Hi").seenBy(rule);
    assertThat(first.texts()).extracting(DraftMessage::text).containsExactly("Paused.");
    assertThat(reason(first)).isEqualTo("the participant is paused");
    var again =
        turn()
            .is(ParticipantStatus.PAUSED)
            .with(StateKeys.STATUS_TEXT_SENT, "paused")
            .says("Hi")
            .seenBy(rule);
    assertThat(again.texts()).isEmpty();
    assertThat(reason(again)).isEqualTo("the participant is paused");
  }

  @ParameterizedTest
  @EnumSource(
      value = ParticipantStatus.class,
      names = {"COMPLETED", "WITHDRAWN"})
  void aStatusWithoutATextIsSilent(ParticipantStatus status) {
    var ruling = turn().is(status).says("Hi").seenBy(new StatusRule());
    assertThat(ruling.texts()).isEmpty();
    assertThat(reason(ruling)).isEqualTo("the participant is " + status.word());
  }

  @Test
  void activeParticipantsPass() {
    for (var rule :
        List.of(
            new ConsentKeywordRule(STUDY),
            new StatusRule(),
            new KeywordsOnlyRule(),
            new OpenChoiceRule(CLOCK),
            new TakeoverRule(CLOCK))) {
      assertThat(turn().says("Hi").seenBy(rule)).isEqualTo(Ruling.PASS);
      assertThat(turn().enrolled().seenBy(rule)).isEqualTo(Ruling.PASS);
    }
  }

  @Test
  void keywordsAloneAreNotForTheCoach() {
    var rule = new KeywordsOnlyRule();
    assertThat(reason(turn().says("START", ConsentKeyword.START).seenBy(rule)))
        .isEqualTo("no text was for the coach");
    assertThat(turn().says("START", ConsentKeyword.START).says("Hi").seenBy(rule))
        .isEqualTo(Ruling.PASS);
  }

  @Test
  void anOptionAloneIsAnsweredWithoutTheCoach() {
    var ruling = turn().asked().says("2").seenBy(new OpenChoiceRule(CLOCK));
    assertThat(ruling.texts()).extracting(DraftMessage::text).containsExactly("Water it is.");
    assertThat(reason(ruling)).isEqualTo("the participant chose an option of a branch prompt");
  }

  @Test
  void anOptionWithMoreIsAnsweredAndTheCoachAnswersTheRest() {
    var ruling = turn().asked().says("tea").says("And you?").seenBy(new OpenChoiceRule(CLOCK));
    assertThat(kinds(ruling)).containsExactly(OutboundKind.CHOSEN);
    assertThat(ruling.end()).isNull();
  }

  @Test
  void duringATakeoverOnlyAnOptionAloneIsAnswered() {
    var rule = new OpenChoiceRule(CLOCK);
    assertThat(kinds(turn().takenOver().asked().says("1").seenBy(rule)))
        .containsExactly(OutboundKind.CHOSEN);
    assertThat(turn().takenOver().asked().says("1").says("And you?").seenBy(rule))
        .isEqualTo(Ruling.PASS);
  }

  @Test
  void aTakeoverLeavesTextsToStaff() {
    var ruling = turn().takenOver().says("Hi").seenBy(new TakeoverRule(CLOCK));
    assertThat(reason(ruling)).endsWith("automatic replies paused by Kim");
    assertThat(end(ruling).leftToStaff()).isTrue();
    assertThat(ruling.texts()).isEmpty();
  }

  @Test
  void aTurnThatCrashedIsNotBraked() {
    assertThat(turn().crashed().says("Hi").seenBy(new SameTextRule())).isEqualTo(Ruling.PASS);
  }
}
