package org.habitline.safety.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rule file that cannot be used says why, and a study's own files count. */
final class BrokenRulesTest {

  private static final String RULE =
      """
      rules:
        own-word:
          kind: abuse
          level: concern
          source: the study's clinician
          phrases:
            - purple elephant
      """;

  @TempDir Path home;

  private Path folder = Path.of("");

  @BeforeEach
  void folder() throws IOException {
    folder = Files.createDirectories(home.resolve("config").resolve("safety").resolve("en"));
  }

  private void write(String name, String yaml) throws IOException {
    Files.writeString(folder.resolve(name), yaml);
  }

  private List<String> mistakes(String yaml) throws IOException {
    write("own.yaml", yaml);
    var broken = catchThrowableOfType(BrokenRules.class, () -> CrisisRules.of(home));
    assertThat(broken).isNotNull();
    return broken.mistakes();
  }

  @Test
  void aFileInTheHomeFolderAddsRules() throws IOException {
    assertThat(CrisisRules.of(home).judge("a purple elephant").findings()).isEmpty();
    write("own.yaml", RULE);
    assertThat(CrisisRules.of(home).judge("a Purple ELEPHANT!").findings())
        .containsExactly(new Verdict.Finding("en/own-word", Level.CONCERN, RiskKind.ABUSE));
  }

  @Test
  void aFileOfTheSameNameReplacesThePackagedOne() throws IOException {
    assertThat(CrisisRules.of(home).judge("everything feels pointless").level())
        .isEqualTo(Level.CONCERN);
    write("concern.yaml", RULE);
    assertThat(CrisisRules.of(home).judge("everything feels pointless").level())
        .isEqualTo(Level.NONE);
  }

  @Test
  void theVersionChangesWithTheRules() throws IOException {
    var packaged = CrisisRules.of(home).version();
    assertThat(packaged).matches("[0-9a-f]{12}").isEqualTo(CrisisRules.of(home).version());
    write("own.yaml", RULE);
    assertThat(CrisisRules.of(home).version()).isNotEqualTo(packaged);
  }

  @Test
  void aRuleIsOnlyAConcernBesideItsConcernPhrases() throws IOException {
    write("own.yaml", RULE.replace("concern", "crisis") + "    concern_if: [circus]\n");
    var rules = CrisisRules.of(home);
    assertThat(rules.judge("a purple elephant").level()).isEqualTo(Level.CRISIS);
    assertThat(rules.judge("a purple elephant at the circus").level()).isEqualTo(Level.CONCERN);
    assertThat(rules.judge("we saw the circus. a purple elephant").level()).isEqualTo(Level.CRISIS);
  }

  @Test
  void anotherLanguageNeedsOnlyItsFolder() throws IOException {
    folder = Files.createDirectories(folder.resolveSibling("de"));
    write("own.yaml", RULE.replace("purple elephant", "ich will sterben"));
    var rules = CrisisRules.of(home);
    assertThat(rules.languages()).containsExactlyInAnyOrder("de", "en", "es");
    assertThat(rules.judge("Ich will sterben").level()).isEqualTo(Level.CONCERN);
  }

  @Test
  void everyMistakeIsNamedWithFileKeyLineAndWhatWasExpected() throws IOException {
    assertThat(
            mistakes(
                """
                rulez: {}
                rules:
                  Own:
                    kind: sadness
                    level: high
                    phrases: [purple elephant]
                  second:
                    kind: abuse
                    level: crisis
                    source: none
                    phrase: [x]
                """))
        .contains(
            "config/safety/en/own.yaml: rules.Own: expected a name in lower-case letters, digits and"
                + " - (line 3)",
            "config/safety/en/own.yaml: rules.Own.kind: expected one of overdose_or_medical,"
                + " suicide_or_self_harm, abuse, threat_to_others, found 'sadness' (line 4)",
            "config/safety/en/own.yaml: rules.Own.level: expected one of concern, crisis, found"
                + " 'high' (line 5)",
            "config/safety/en/own.yaml: rules.Own.source: missing; expected a text (line 3)",
            "config/safety/en/own.yaml: rules.second.phrase: unknown key; expected one of"
                + " concern_if, kind, level, phrases, source (line 11)")
        .anyMatch(mistake -> mistake.contains("rulez: unknown key"))
        .anyMatch(mistake -> mistake.contains("rules.second.phrases: missing"));
  }

  @Test
  void aPhraseThatCannotBeReadIsNamedByItsPlace() throws IOException {
    for (var phrase :
        List.of(
            "(purple",
            "purple)",
            "purple | ",
            "..3 purple",
            "purple ..3",
            "pu*",
            "purple ..30 red",
            "<nothing> purple",
            "purple-red",
            "purple?",
            "<number>",
            "( )",
            "^ $",
            "purple ..20 a ..20 b ..20 c",
            "u want")) {
      assertThat(mistakes(RULE.replace("- purple elephant", "- '" + phrase + "'")))
          .as(phrase)
          .singleElement()
          .asString()
          .startsWith("config/safety/en/own.yaml: rules.own-word.phrases[0]: ")
          .endsWith("(line 7)");
    }
  }

  @Test
  void aCountryWithoutATextGetsTheDefaultOneAndIsSaid() throws IOException {
    assertThat(CrisisRules.of(home).warnings()).isEmpty();
    write("own.yaml", "texts:\n  abuse: {default: Call someone., US: Call 911.}\n");
    // Replaces all texts about abuse, as files are read in the order of their names.
    Files.move(folder.resolve("own.yaml"), folder.resolve("zz-own.yaml"));
    var rules = CrisisRules.of(home);
    assertThat(rules.warnings())
        .singleElement()
        .asString()
        .startsWith("The crisis texts of en have no text of abuse for ES, GB, MX: people there");
    assertThat(rules.languagesThatDoNotSayWhen()).containsExactly("en");
    var found = new Verdict.Finding("en/own-word", Level.CRISIS, RiskKind.ABUSE);
    assertThat(rules.text(found, null, "MX", new Reading.Unknown())).isEqualTo("Call someone.");
  }

  @Test
  void theSentencesAboutReadingAreCheckedAndSaid() throws IOException {
    assertThat(mistakes("reading: {unknown: x, now: x, until: x, today: \"{time}\", clock: qq}\n"))
        .anySatisfy(it -> assertThat(it).contains("reading.until: expected a sentence with {time}"))
        .anySatisfy(it -> assertThat(it).contains("reading.later: missing"))
        .anySatisfy(it -> assertThat(it).contains("reading.clock: expected the form of a time"));
    Files.delete(folder.resolve("own.yaml"));
    var rules = CrisisRules.of(home);
    var found = new Verdict.Finding("en/any", Level.CRISIS, RiskKind.ABUSE);
    var monday = ZonedDateTime.parse("2026-01-05T09:30:00-05:00[America/New_York]");
    assertThat(rules.text(found, null, "US", new Reading.From(monday, false, false)))
        .contains("A person next reads messages here on Monday from 9:30 AM. If you need help");
    assertThat(rules.text(found, null, null, new Reading.From(monday, true, true)))
        .contains("A person next reads messages here today from 9:30 AM EST.");
    assertThat(rules.holdingText(found, null, null, new Reading.Now()))
        .endsWith("People read messages here now.");
    assertThat(rules.text(found, null, null, new Reading.Unknown()))
        .contains("Messages here are not read 24 hours a day.");
    var spanish = new Verdict.Finding("es/any", Level.CRISIS, RiskKind.ABUSE);
    assertThat(rules.text(spanish, null, null, new Reading.From(monday, false, false)))
        .contains("Una persona leerá los mensajes aquí el lunes a partir de las 9:30.");
  }

  @Test
  void aSetThatContainsItselfIsRefused() throws IOException {
    assertThat(mistakes("sets:\n  red: [blue, <red> pink]\n" + RULE))
        .anyMatch(mistake -> mistake.contains("the set <red> contains itself"));
  }

  @Test
  void anIdIsUsedOnceInALanguage() throws IOException {
    write("other.yaml", RULE);
    assertThat(mistakes(RULE))
        .singleElement()
        .asString()
        .contains("own-word: another rule or exception has this name");
  }

  @Test
  void aFileThatIsNoYamlOrNoTextIsRefused() throws IOException {
    assertThat(mistakes(""))
        .contains("config/safety/en/own.yaml: the file is empty; expected keys with values");
    assertThat(mistakes("rules: 'open"))
        .singleElement()
        .asString()
        .contains("own.yaml: expected YAML: ");
    Files.write(folder.resolve("own.yaml"), new byte[] {'a', (byte) 0xFF});
    assertThatThrownBy(() -> CrisisRules.of(home))
        .hasMessage("config/safety/en/own.yaml: expected text in UTF-8");
    Files.delete(folder.resolve("own.yaml"));
    write("own.yml", RULE);
    assertThatThrownBy(() -> CrisisRules.of(home))
        .hasMessage("config/safety/en/own.yml: expected a file name that ends in .yaml, not .yml");
  }
}
