package org.habitline.safety.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.habitline.safety.check.Example.Label;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.safety.rules.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The packaged rules on labelled texts, which are invented and not reviewed by a clinician. */
final class SafetyExamplesTest {

  private static final Path EXAMPLES = Path.of("src", "test", "resources", "safety");

  /** Kinds in which the writer says it outright. */
  private static final Set<String> EXPLICIT =
      Set.of(
          "suicidal_explicit",
          "self_harm",
          "overdose_or_poisoning",
          "medical_emergency",
          "abuse_or_violence_at_home",
          "harm_to_others");

  @TempDir Path home;

  private SafetyReport report(String name) throws IOException {
    var file = ExampleFile.read(EXAMPLES.resolve(name));
    assertThat(file.mistakes()).isEmpty();
    var report = SafetyReport.of(CrisisRules.of(home), file.examples());
    System.out.println(name);
    report.print(System.out);
    return report;
  }

  @ParameterizedTest
  @ValueSource(strings = {"safety-en.jsonl", "safety-es.jsonl"})
  void theRulesReachTheirGoalsOnTheExamplesTheyWereDevelopedWith(String name) throws IOException {
    var report = report(name);
    assertThat(report.judged()).hasSize(221);
    assertThat(report.hits(Label.CRISIS).share()).isGreaterThanOrEqualTo(0.95);
    assertThat(report.hits(Label.NONE).share()).isLessThanOrEqualTo(0.02);
    assertThat(report.hits(Label.WATCH).hits()).isZero();
    explicitKindsAreNeverMissed(report);
  }

  /**
   * These texts were written before the rules, by the same hands; texts of strangers will do worse.
   */
  @ParameterizedTest
  @ValueSource(strings = {"held-back-en.jsonl", "held-back-es.jsonl"})
  void theRulesHoldOnExamplesThatWereWrittenBeforeThem(String name) throws IOException {
    var report = report(name);
    assertThat(report.judged()).hasSize(151);
    assertThat(report.hits(Label.CRISIS).share()).isGreaterThanOrEqualTo(0.95);
    assertThat(report.hits(Label.NONE).share()).isLessThanOrEqualTo(0.02);
    assertThat(report.hits(Label.WATCH).hits()).isZero();
    explicitKindsAreNeverMissed(report);
  }

  /**
   * Seven sets that were each judged before the rules were changed because of them; {@code
   * docs/safety.md} has the numbers of those first runs. Here they only keep what was learnt.
   */
  @ParameterizedTest
  @ValueSource(strings = {"rounds-en.jsonl", "rounds-es.jsonl"})
  void theRulesKeepWhatNewTextsTaughtThem(String name) throws IOException {
    var report = report(name);
    assertThat(report.judged()).hasSize(7 * 221);
    assertThat(report.hits(Label.CRISIS).share()).isGreaterThanOrEqualTo(0.99);
    assertThat(report.hits(Label.NONE).share()).isLessThanOrEqualTo(0.01);
    assertThat(report.hits(Label.WATCH).hits()).isZero();
    explicitKindsAreNeverMissed(report);
  }

  @Test
  void twoSignsCountTogetherAcrossSentencesAndADenialOfOneDoesNotHideTheNext() {
    var rules = CrisisRules.of(home);
    assertThat(rules.judge("Gave my records away today. Feel weirdly calm about it").level())
        .isEqualTo(Level.CRISIS);
    assertThat(rules.judge("Gave my records away today").level()).isNotEqualTo(Level.CRISIS);
    assertThat(
            rules
                .judge("Don't put my name down for spring. Spring isn't something I'm going to see")
                .level())
        .isEqualTo(Level.CRISIS);
    assertThat(rules.judge("Ya arreglé todos los papeles. Estoy rara de tranquila").level())
        .isEqualTo(Level.CRISIS);
    assertThat(rules.judge("Ya arreglé todos los papeles").level()).isNotEqualTo(Level.CRISIS);
  }

  private static void explicitKindsAreNeverMissed(SafetyReport report) {
    assertThat(report.wrong())
        .filteredOn(it -> it.example().label() == Label.CRISIS)
        .extracting(it -> it.example().kind())
        .doesNotContainAnyElementsOf(EXPLICIT);
  }

  @Test
  void aDenialDoesNotHideWhatFollowsIt() {
    var rules = CrisisRules.of(home);
    assertThat(rules.judge("I'm not suicidal but I don't want to be here anymore").level())
        .isEqualTo(Level.CRISIS);
    assertThat(rules.judge("no soy suicida pero ya no quiero vivir").level())
        .isEqualTo(Level.CRISIS);
    for (var said :
        List.of("I can't never stop wanting to die", "I dont never stop wanting to die")) {
      assertThat(rules.judge(said).level()).as(said).isEqualTo(Level.CRISIS);
    }
    assertThat(rules.judge("I'm not suicidal").level()).isEqualTo(Level.NONE);
    assertThat(rules.judge("I would kill for a coffee, my legs are dying").level())
        .isEqualTo(Level.NONE);
  }

  @Test
  void neitherASayingNorALaughNorAFilmHidesACrisisBesideIt() {
    var rules = CrisisRules.of(home);
    for (var message :
        List.of(
            "I could kill for a coffee. I want to kill myself tonight",
            "watched a film. I want to die",
            "took 30 sleeping pills while watching netflix",
            "been cutting myself again lol",
            "he hits me when the baby cries",
            "he is going to kill me if I leave him",
            "he called and said \"I'm going to kill you\"",
            "Mataría por un café. Me quiero matar esta noche",
            "me tomé 30 pastillas viendo netflix",
            "me mata si lo dejo")) {
      assertThat(rules.judge(message).level()).as(message).isEqualTo(Level.CRISIS);
    }
  }

  @Test
  void askingWhoReadsTheTextsBeingBusyOrComplainingOfATextOfTheLineIsNoSign() {
    var rules = CrisisRules.of(home);
    for (var message :
        List.of(
            "who exactly reads this? whats the catch. u selling my data?",
            "who is this?? is this a bot. who reads this",
            "who sees this stuff i text",
            "so who gets this, my boss?",
            "stop asking who i am. who gets me out of this study",
            "lol what?? 911? i asked who reads my texts. answer the question",
            "quien lee esto? eres un robot?",
            "ando en el estadio!! ahorita no puedo",
            "ahora no puedo",
            "q? para q llame al 911 jaja, no mames",
            "ceno a las 9, no, como 8:30. y ya no sentadillas, estirar el cuello mejor",
            "no, como tú digas")) {
      assertThat(rules.judge(message).level()).as(message).isEqualTo(Level.NONE);
    }
    assertThat(rules.judge("I'm sorry for whoever finds me").level()).isEqualTo(Level.CRISIS);
    assertThat(rules.judge("who finds my body will cope").level()).isEqualTo(Level.CRISIS);
    assertThat(rules.judge("ya no puedo").level()).isEqualTo(Level.CONCERN);
    assertThat(rules.judge("ya no como").level()).isEqualTo(Level.CONCERN);
    assertThat(rules.judge("no desayuno, no como, y en la noche un yogur").level())
        .isEqualTo(Level.CONCERN);
  }

  @Test
  void aWishToDieSaidWithALaughIsAConcern() {
    assertThat(CrisisRules.of(home).judge("I want to die haha").level()).isEqualTo(Level.CONCERN);
    assertThat(CrisisRules.of(home).judge("Walk done, haha. I want to die").level())
        .isEqualTo(Level.CRISIS);
  }

  @Test
  void aMessageWithoutWordsIsNoSign() {
    var rules = CrisisRules.of(home);
    for (var message : new String[] {"", " \n\t", "…", "👍", "\"\"", "'", "\u200b", "!!!"}) {
      assertThat(rules.judge(message).level()).isEqualTo(Level.NONE);
    }
  }
}
