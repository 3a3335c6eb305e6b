package org.habitline.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a study asks for consent, and what counts as an answer. */
final class ConsentPlanTest {

  private static final String ASKS = "consent: {version: '1', text: Take part}\n";

  @TempDir Path home;

  private StudyFile read(String yaml) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/study.yaml"), yaml);
    return StudyFile.read(home);
  }

  private ConsentPlan plan(String yaml) throws IOException {
    return read(yaml).consent().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "18|18",
        "I'm 18|18",
        "I’m 18.|18",
        "i am 34 years old!|34",
        "18 years|18",
        "17yo|",
        "17 yo|17",
        "seventeen|17",
        "twenty-one|21",
        "I turned 18|18",
        "Tengo 18 años|18",
        "tengo quince|15",
        "dieciséis|16",
        "15 años|15"
      })
  void anAgeIsUnderstood(String text, Integer age) throws IOException {
    assertThat(plan(ASKS).age(text).orElse(null)).isEqualTo(age);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "yes",
        "old enough",
        "17.5",
        "18-25",
        "18 or so",
        "my son is 15",
        "0",
        "121",
        "1990",
        "over 18",
        "I'm not 18",
        "18 minutes",
        "born in 2001",
        "older than 18",
        "?"
      })
  void anythingElseIsNoAge(String text) throws IOException {
    assertThat(plan(ASKS).age(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "YES!", "Yes, I agree.", " y ", "Sí", "si, acepto", "Acepto"})
  void aYesIsTheWholeText(String text) throws IOException {
    assertThat(plan(ASKS).isYes(text)).isTrue();
    assertThat(plan(ASKS).isNo(text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "yes but who reads this?",
        "ok",
        "maybe",
        "yes?no",
        "I guess yes",
        "yesterday",
        "what?",
        "👍",
        "no sé"
      })
  void whatIsNotQuiteAYesIsNone(String text) throws IOException {
    assertThat(plan(ASKS).isYes(text)).isFalse();
    assertThat(plan(ASKS).isNo(text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"no", "No thanks", "nope", "I don't agree", "no quiero", "No, gracias"})
  void aNoIsTheWholeText(String text) throws IOException {
    assertThat(plan(ASKS).isNo(text)).isTrue();
    assertThat(plan(ASKS).isYes(text)).isFalse();
  }

  @Test
  void aStudyHasTextsWordsAndQuestionsOfItsOwn() throws IOException {
    var plan =
        plan(
            """
            consent:
              version: "2"
              text:
                en: [First., Second.]
                es: Participa.
              yes: [let's go]
              no: {es: [ni hablar]}
              questions:
                en: {reply: "GO or NO?"}
              min_age: 16
            """);
    assertThat(plan.version()).contains("2");
    assertThat(plan.minAge()).isEqualTo(16);
    assertThat(plan.asking(null)).containsExactly("First.", "Second.\n\nGO or NO?");
    assertThat(plan.asking("es"))
        .containsExactly("Participa.\n\n¿Aceptas participar? Responde SÍ o NO.");
    assertThat(plan.asking("fr")).isEqualTo(plan.asking("en"));
    assertThat(plan.isYes("Let’s go!")).isTrue();
    assertThat(plan.isYes("yes")).isFalse();
    assertThat(plan.isYes("sí")).isTrue();
    assertThat(plan.isNo("no")).isTrue();
    assertThat(plan.isNo("Ni hablar")).isTrue();
  }

  @Test
  void aStudyMayOnlyNameAnAge() throws IOException {
    var plan = plan("consent: {min_age: 16}\n");
    assertThat(plan.version()).isEmpty();
    assertThat(plan.minAge()).isEqualTo(16);
    assertThat(plan(ASKS).minAge()).isEqualTo(18);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "consent: {text: Hi}|consent.version: missing",
        "consent: {version: '1'}|consent.text: missing",
        "consent: {version: 1, text: Hi}|consent.version: expected a text, found '1'",
        "consent: {version: '1', text: Hi, min_age: 200}|consent.min_age: expected a whole number from 0 to 99",
        "consent: {version: '1', text: Hi, min_age: old}|consent.min_age: expected a whole number",
        "consent: {version: '1', text: Hi, language: fr}|consent.language: expected one of en, es",
        "consent: {version: '1', text: {fr: Salut}}|consent.text: there are no questions in 'fr'",
        "consent: {version: '1', text: {es: Hola}}|consent.text: expected a text in 'en'",
        "consent: {version: '1', text: Hi, yes: ['no']}|'no' is a word for yes and for no",
        "consent: {version: '1', text: Hi, yes: []}|consent.yes: expected a list of words",
        "consent: {version: '1', text: Hi, questions: {en: {old: x}}}|consent.questions.en.old: unknown key",
        "consent: {version: '1', text: Hi, wors: x}|consent.wors: unknown key",
        "consent:|consent: expected keys with values",
        "contact: {name: Ana}|contact: expected phone, email or both",
        "contact: {name: Ana, phone: call me}|contact.phone: expected a phone number in quotes",
        "contact: {name: Ana, email: nobody}|contact.email: expected one e-mail address"
      })
  void everyMistakeIsNamedWithItsKey(String yaml, String mistake) {
    assertThatThrownBy(() -> read(yaml + "\n"))
        .isInstanceOf(BrokenStudy.class)
        .hasMessageContaining(mistake);
  }

  @Test
  void aLanguageFileOfTheStudyReplacesThePackagedOneAndItsMistakesAreNamed() throws IOException {
    Files.createDirectories(home.resolve("config/consent"));
    Files.writeString(home.resolve("config/consent/fr.yaml"), "questions: {age: Votre âge}\n");
    assertThatThrownBy(() -> read(ASKS))
        .hasMessageContaining("config/consent/fr.yaml: questions.reply: missing");
  }

  @Test
  void aTextThatMentionsEverythingGetsNoHint() throws IOException {
    var plan =
        plan(
            """
            consent:
              version: "1"
              text: >-
                An automated AI coach writes to you. The study team may see your messages on weekdays only. This is no
                emergency service. We keep what you write confidential, unless you are in danger. Other companies, such
                as the phone company, carry the messages. We store your data for ten years. Reply STOP to stop the
                messages; to leave the study or to have your data deleted, call us.
            """);
    assertThat(plan.hints()).isEmpty();
    assertThat(plan(ASKS).hints()).hasSize(ConsentTopic.values().length);
  }
}
