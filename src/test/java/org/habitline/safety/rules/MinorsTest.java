package org.habitline.safety.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** People who say that they are younger than the study allows. */
final class MinorsTest {

  @TempDir static Path home;

  private static boolean found(String text, int minAge) {
    return !CrisisRules.of(home, minAge).judgeAge(text).findings().isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "I'm 15",
        "I am 15 years old",
        "im only 16 lol",
        "btw I'm 17, is that ok?",
        "hey, I'm just fifteen",
        "I'm a 14 year old girl",
        "im still a minor",
        "I am underage",
        "I'm under 18",
        "I'm not 18 yet",
        "I turn 16 next month",
        "I'll be 17 in May",
        "I'm in 8th grade",
        "in 8th grade",
        "i'm a 9th grader",
        "I'm still in high school",
        "my age is 13",
        "tengo 15 años",
        "Tengo 15",
        "tengo quince años",
        "solo tengo 16 años, pero quiero participar",
        "soy menor de edad",
        "todavía no tengo 18",
        "cumplo 16 en mayo",
        "estoy en segundo de la ESO",
        "voy en secundaria"
      })
  void aMinorIsFound(String text) {
    assertThat(found(text, 18)).isTrue();
    assertThat(CrisisRules.of(home, 18).judge(text).findings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "my son is 15",
        "my daughter is in 8th grade",
        "I'm 15 minutes late",
        "ran for 15",
        "15 minutes",
        "I'm 15 pounds down!",
        "I'm 12 weeks pregnant",
        "I'm 10 days sober",
        "I'm 45",
        "I'm 18",
        "I was 15 when I started smoking",
        "when I was in 8th grade I ran a lot",
        "I feel like I'm 15 again",
        "people think I'm 16",
        "I'm not 15 anymore",
        "I'm on day 15",
        "I'm size 14",
        "I'll be 15 minutes late",
        "I teach in high school",
        "mi hijo tiene 15 años",
        "tengo 15 minutos",
        "tengo 40 años",
        "tengo 15 años de experiencia",
        "tengo 10 años sin fumar",
        "ya no tengo 15 años",
        "cuando tenía 15 años corría",
        "siento que tengo 15 años",
        "cumplo 15 días sin fumar",
        "estoy en eso",
        "corrí 15"
      })
  void whoeverIsOldEnoughOrTalksOfSomethingElseIsNot(String text) {
    assertThat(found(text, 18)).isFalse();
  }

  @Test
  void theAgeIsTheStudys() {
    assertThat(found("I'm 17", 16)).isFalse();
    assertThat(found("I'm 15", 16)).isTrue();
    assertThat(found("I'm 19", 21)).isTrue();
    assertThat(found("I'm in 8th grade", 13)).isFalse();
    assertThat(found("I'm 15", 0)).isFalse();
  }
}
