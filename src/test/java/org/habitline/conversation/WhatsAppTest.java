package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.habitline.RunningLine;
import org.habitline.conversation.wakeups.PromptDay;
import org.habitline.llm.openai.Scripted;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.Template;
import org.habitline.messaging.TestChannel;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ConsentState;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.timers.Sweeps;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** On WhatsApp whoever has not texted for a day gets what WhatsApp approved, or nothing. */
final class WhatsAppTest {

  private static final String TEMPLATES =
      """

      whatsapp:
        greeting:
          content_sid: HX00000000000000000000000000000001
          variables:
            "1": "{{name}}"
        prompt:
          content_sid: HX00000000000000000000000000000002
          variables:
            "1": "{{text}}"
            "2": "Hello {{name}}"
        prompt_buttons:
          content_sid: HX00000000000000000000000000000003
          variables:
            "1": "{{text}}"
      """;

  private static final TestChannel WHATSAPP = new TestChannel(ChannelKind.WHATSAPP);

  private static PromptDay withTemplates;
  private static PromptDay withoutTemplates;

  @BeforeAll
  static void start() {
    withTemplates = start(TEMPLATES, setup -> setup);
    withoutTemplates = start("", setup -> setup);
  }

  @AfterAll
  static void stop() {
    withTemplates.close();
    withoutTemplates.close();
  }

  private static PromptDay start(String templates, UnaryOperator<RunningLine.Setup> more) {
    return PromptDay.of(
        WhatsAppTest.class,
        setup -> more.apply(setup.bean(WHATSAPP).flow(habit -> habit + templates)));
  }

  private static RunningLine morning(PromptDay day) {
    day.begin();
    day.fake()
        .otherwise(asked -> Scripted.say(asked.hasTools() ? "All right." : "One minute.\n\nNow."));
    return day.line();
  }

  private static Participant enrolled(RunningLine line) {
    var robin = line.enrol(ChannelKind.WHATSAPP);
    line.awaitTurn(robin, 1);
    return robin;
  }

  /** Somebody who texted today and wants a prompt every day at 09:30. */
  private static Participant scheduled(RunningLine line) {
    var robin = enrolled(line);
    line.fake().then(PromptDay.profile(), PromptDay.fixed("09:30"), Scripted.say("Planned."));
    line.answered(robin, "at 9:30 please");
    return robin;
  }

  private static void prompted(RunningLine line, Participant robin, Duration after) {
    var next = line.turns(robin) + 1;
    line.study().advance(after);
    line.bean(Sweeps.class).sweep();
    line.awaitTurn(robin, next);
  }

  private static List<Map<String, Object>> occurrences(RunningLine line, Participant robin) {
    return line.rows(
        "SELECT * FROM occurrence WHERE participant_id = ? ORDER BY local_date", robin.id());
  }

  private static List<OutboundMessage> messages(Participant robin) {
    return WHATSAPP.all().stream()
        .filter(message -> message.participantId().equals(robin.id()))
        .toList();
  }

  private static OutboundMessage sent(Participant robin, String kind) {
    return messages(robin).stream()
        .filter(message -> message.kind().word().equals(kind))
        .toList()
        .getLast();
  }

  @Test
  void theGreetingOfSomebodyWhoNeverTextedIsATemplate() {
    var line = morning(withTemplates);
    var robin = enrolled(line);
    assertThat(messages(robin))
        .extracting(OutboundMessage::template)
        .containsExactly(
            new Template(
                "HX00000000000000000000000000000001", Map.of("1", String.valueOf(robin.name()))));
  }

  @Test
  void aQuestionForConsentIsATemplateOnlyIfThatHasTheQuestion() {
    UnaryOperator<RunningLine.Setup> asking =
        setup ->
            setup.study("consent: {version: '1', text: An AI coach writes to you., min_age: 0}\n");
    try (var day = start(TEMPLATES, asking)) {
      var line = morning(day);
      var robin = enrolled(line);
      assertThat(messages(robin)).isEmpty();
      line.answered(robin, "yes");
      assertThat(sent(robin, "consent").body()).contains("An AI coach writes to you.");
      assertThat(consent(line, robin)).as("they had not read it").isEqualTo(ConsentState.ASKED);
      line.answered(robin, "yes");
      assertThat(consent(line, robin)).isEqualTo(ConsentState.GIVEN);
    }

    try (var day = start(TEMPLATES.replace("{{name}}", "{{text}}"), asking)) {
      var line = morning(day);
      var sam = enrolled(line);
      assertThat(Objects.requireNonNull(sent(sam, "consent").template()).variables().get("1"))
          .startsWith("An AI coach writes to you.");
      line.answered(sam, "yes");
      assertThat(consent(line, sam)).isEqualTo(ConsentState.GIVEN);
    }
  }

  private static ConsentState consent(RunningLine line, Participant participant) {
    return line.bean(Participants.class).find(participant.id()).orElseThrow().consent().state();
  }

  @Test
  void aPromptInsideTheWindowHasButtonsAndOutsideItIsATemplateInOneLine() {
    var line = morning(withTemplates);
    var robin = scheduled(line);
    prompted(line, robin, Duration.ofMinutes(75));
    assertThat(sent(robin, "prompt").template())
        .isEqualTo(
            new Template(
                "HX00000000000000000000000000000003",
                Map.of("1", "One minute. Now. " + PromptDay.QUESTION)));
    line.system().advance(Duration.ofHours(24));
    prompted(line, robin, Duration.ofDays(1));
    // The reminder that nobody answered rings then too, in a turn of its own.
    await()
        .untilAsserted(() ->
            assertThat(occurrences(line, robin))
                .extracting(row -> row.get("status"))
                .containsExactly("sent", "sent", "planned"));
    assertThat(sent(robin, "prompt").template())
        .isEqualTo(
            new Template(
                "HX00000000000000000000000000000002",
                Map.of(
                    "1", "One minute. Now. " + PromptDay.QUESTION, "2", "Hello " + robin.name())));
  }

  private static List<String> intensities(RunningLine line, Participant robin) {
    return line.column(
        "SELECT status FROM outbox WHERE participant_id = ? AND kind = 'intensity' ORDER BY seq",
        robin.id());
  }

  @Test
  void outsideTheWindowTheIntensityIsNotAskedForThatCouldNotLeave() {
    var line = morning(withTemplates);
    var robin = scheduled(line);
    prompted(line, robin, Duration.ofMinutes(75));
    assertThat(intensities(line, robin)).containsExactly("accepted");
    line.system().advance(Duration.ofHours(24));
    prompted(line, robin, Duration.ofDays(1));
    await().until(() -> occurrences(line, robin).size() == 3);
    assertThat(intensities(line, robin)).containsExactly("accepted");
  }

  @Test
  void theModelIsNotToldThatItSaidWhatNeverArrived() {
    var line = morning(withoutTemplates);
    var robin = enrolled(line);
    assertThat(line.column("SELECT status FROM outbox WHERE participant_id = ?", robin.id()))
        .containsExactly("refused");
    line.fake().forget();
    line.answered(robin, "hello, who is this?");
    assertThat(line.fake().asked().getLast().texts("assistant")).isEmpty();
    line.answered(robin, "thank you");
    assertThat(line.fake().asked().getLast().texts("assistant")).containsExactly("All right.");
  }

  @Test
  void withoutATemplateAPromptOutsideTheWindowIsMissedAndSaysWhy() {
    var line = morning(withoutTemplates);
    var robin = scheduled(line);
    line.system().advance(Duration.ofHours(24));
    prompted(line, robin, Duration.ofMinutes(75));
    assertThat(messages(robin)).noneMatch(message -> message.kind().word().equals("prompt"));
    assertThat(occurrences(line, robin).getFirst())
        .containsEntry("status", "missed")
        .hasEntrySatisfying(
            "reason", reason -> assertThat(reason).asString().startsWith("window closed"));
    assertThat(line.rows("SELECT * FROM outbox WHERE participant_id = ?", robin.id()).getFirst())
        .containsEntry("kind", "reply")
        .containsEntry("status", "refused");
  }
}
