package org.habitline.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.util.List;
import org.habitline.RunningLine;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowTexts;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Participants are written to in their language, can change it, and can stop in their own words.
 */
final class LanguageTest {

  private static final String SPANISH_PROMPT = "Eres el coach de bienvenida";
  private static final String ENGLISH_PROMPT = "You are the intake coach";
  private static final String GOODBYE = "Entendido, te dejo tranquila. START te trae de vuelta.";

  private static RunningLine line;
  private static StrictFakeServer fake;

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(LanguageTest.class)
            .study(
                """
                consent:
                  version: "1"
                  min_age: 0
                  text:
                    en: A coach writes to you.
                    es: Te escribe un coach.
                """)
            .start();
    fake = line.fake();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  @BeforeEach
  void forget() {
    fake.forget();
    fake.otherwise(asked -> Scripted.say("Muy bien."));
  }

  private static FlowTexts texts(String language) {
    return line.bean(FlowCatalog.class).flow("habit", language).orElseThrow().texts();
  }

  private static Participant speaking(String language) {
    return line.bean(Participants.class).enrol(request(language).withConsent("1"));
  }

  private static Enrolment request(String language) {
    return Enrolment.of(
            line.strangersNumber(), ZoneId.of("Europe/Madrid"), "habit", ChannelKind.SIMULATOR)
        .withName("Robin")
        .withLanguage(language);
  }

  private static Participant greeted(String language) {
    var robin = speaking(language);
    line.awaitTurn(robin, 1);
    line.awaitRest(robin);
    fake.forget();
    return robin;
  }

  private static Participant now(Participant robin) {
    return line.bean(Participants.class).find(robin.id()).orElseThrow();
  }

  private static String system() {
    return fake.asked().getLast().texts("system").getFirst();
  }

  private static List<String> afterTheGreeting(Participant robin) {
    var all = line.phone(robin);
    return all.subList(1, all.size());
  }

  @Test
  void theModelIsInstructedInTheLanguageOfTheParticipant() {
    var robin = greeted("es");
    line.answered(robin, "hola");

    assertThat(system())
        .contains(SPANISH_PROMPT, "\"Hecho\"", "Language: write to the participant in es");
    assertThat(line.iterations(robin, 2).iteration(1).orElseThrow().metadata())
        .containsEntry("prompt_file", "es/intake_bot_system.txt");
    var other = greeted("en");
    line.answered(other, "hello");
    assertThat(system()).contains(ENGLISH_PROMPT);
  }

  @Test
  void theFixedTextsAreInTheLanguageOfTheParticipant() {
    var robin = greeted("es");
    fake.then(Scripted.status(400));
    line.answered(robin, "hola");
    line.answered(robin, "AYUDA");

    assertThat(afterTheGreeting(robin))
        .containsExactly(texts("es").errorFallback(), texts("es").help());
  }

  @Test
  void theCoachChangesTheLanguageForTheNextTurn() {
    var robin = greeted("en");
    fake.then(Scripted.call("set_language", "{\"language\":\"es\"}"));
    fake.then(Scripted.say("Claro, seguimos en español."));
    line.answered(robin, "¿podemos hablar en español?");

    assertThat(system()).contains(ENGLISH_PROMPT);
    assertThat(fake.asked().getLast().texts("tool").getLast())
        .contains("Takes effect with their next text", "Write this reply in es already.");
    assertThat(now(robin).language()).isEqualTo("es");
    assertThat(
            line.column(
                "SELECT concat(actor, ': ', new_value) FROM audit_event WHERE participant_id = ?"
                    + " AND action = 'language changed'",
                robin.id()))
        .containsExactly("coach: es");
    line.answered(robin, "gracias");
    assertThat(system()).contains(SPANISH_PROMPT);
  }

  @Test
  void theLastOfTwoLanguagesInATurnCounts() {
    var robin = greeted("en");
    fake.then(Scripted.call("set_language", "{\"language\":\"es\"}"));
    fake.then(Scripted.call("set_language", "{\"language\":\"en\"}"));
    line.answered(robin, "en español, no, wait");

    assertThat(fake.asked().getLast().texts("tool").getLast()).contains("in en already");
    assertThat(now(robin).language()).isEqualTo("en");
  }

  @Test
  void theReplyMayBeInTheLanguageThatWasJustSet() {
    var robin = greeted("en");
    for (var text : List.of("I drink my coffee at the window", "and then I go to the desk")) {
      line.answered(robin, text);
    }
    fake.forget();
    var reply =
        "Hola, ¿cómo estás hoy? Puedes dar cincuenta pasos por la cocina mientras haces el café.";
    fake.then(Scripted.call("set_language", "{\"language\":\"es\"}"), Scripted.say(reply));
    line.answered(robin, "mejor así");

    assertThat(fake.asked()).hasSize(2);
    assertThat(line.phone(robin)).last().isEqualTo(reply);
  }

  @Test
  void aLanguageThatTheFlowLacksOrThatIsInForceChangesNothing() {
    var robin = greeted("es");
    fake.then(Scripted.call("set_language", "{\"language\":\"fr\"}"));
    fake.then(Scripted.call("set_language", "{\"language\":\"es\"}"));
    line.answered(robin, "en français ?");

    var results = fake.asked().getLast().texts("tool");
    assertThat(results.getFirst()).contains("\"error\"", "\"en\"", "\"es\"");
    assertThat(results.getLast()).contains("\"noop\"");
    assertThat(now(robin).language()).isEqualTo("es");
  }

  @Test
  void anOptOutByTheCoachDoesWhatAnOptOutInFreeWordsDoes() {
    var robin = greeted("es");
    fake.then(Scripted.call("opt_out", "{\"confirmation_text\":\"%s\"}".formatted(GOODBYE)));
    line.answered(robin, "ya está bien de tanto mensaje");

    assertThat(fake.asked()).hasSize(1);
    assertThat(afterTheGreeting(robin)).containsExactly(GOODBYE);
    assertThat(now(robin).optedOut()).isTrue();
    assertThat(
            line.column(
                "SELECT kind FROM outbox WHERE participant_id = ? AND turn = 2", robin.id()))
        .containsExactly("confirmation");
    assertThat(
            line.column(
                "SELECT a.opted_out_by FROM address a JOIN participant p ON p.address_id = a.id"
                    + " WHERE p.id = ?",
                robin.id()))
        .containsExactly("free_words");
    fake.forget();
    assertThat(line.answered(robin, "¿hola?")).containsEntry("reason", "the participant opted out");
    assertThat(afterTheGreeting(robin)).containsExactly(GOODBYE);
    line.answered(robin, "START");
    assertThat(line.answered(robin, "hola")).containsEntry("outcome", "replied");
  }

  @Test
  void aConfirmationThatAGateBlocksIsReplacedByTheFlowsOwn() {
    var robin = greeted("es");
    fake.then(
        Scripted.call(
            "opt_out", "{\"confirmation_text\":\"Vale. Toma 20 mg de ibuprofeno al día.\"}"));
    line.answered(robin, "ya está bien de tanto mensaje");

    assertThat(now(robin).optedOut()).isTrue();
    assertThat(afterTheGreeting(robin)).containsExactly(texts("es").optOutConfirmation());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ALTO", "Baja.", "no me escribas más"})
  void anOptOutInAnyLanguageIsConfirmedInTheirOwn(String text) {
    for (var language : List.of("en", "es")) {
      var robin = greeted(language);
      line.answered(robin, text);

      assertThat(fake.asked()).isEmpty();
      assertThat(now(robin).optedOut()).isTrue();
      assertThat(afterTheGreeting(robin)).containsExactly(texts(language).optOutConfirmation());
    }
  }

  @Test
  void wantingToStopAHabitIsNoOptOut() {
    var robin = greeted("es");
    line.answered(robin, "quiero dejar de fumar");

    assertThat(now(robin).optedOut()).isFalse();
    assertThat(afterTheGreeting(robin)).containsExactly("Muy bien.");
  }

  @Test
  void aCrisisTextIsInTheLanguageThatTheyWrite() {
    var robin = greeted("es");
    line.answered(robin, "I want to kill myself");
    assertThat(afterTheGreeting(robin))
        .singleElement()
        .asString()
        .startsWith("This is an automated message.");

    var sam = greeted("en");
    line.answered(sam, "quiero suicidarme");
    assertThat(afterTheGreeting(sam))
        .singleElement()
        .asString()
        .startsWith("Este es un mensaje automático.");
  }

  @Test
  void theQuestionForConsentIsInTheLanguageOfTheParticipant() {
    var robin = line.bean(Participants.class).enrol(request("es"));
    line.awaitTurn(robin, 1);

    assertThat(line.phone(robin))
        .containsExactly("Te escribe un coach.\n\n¿Aceptas participar? Responde SÍ o NO.");
  }
}
