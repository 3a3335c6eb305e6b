package org.habitline.messaging.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.habitline.CountingText;
import org.habitline.Patterns;
import org.habitline.config.LanguageFiles;
import org.habitline.protocol.BrokenStudy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConsentKeywordTest {

  private static final ConsentKeywords KEYWORDS =
      ConsentKeywords.read(Path.of("target", "no-home"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "STOP",
        "stop",
        " Stop. ",
        "STOP!!",
        "«stop»",
        "stopall",
        "Stop all",
        "STOP-ALL",
        "unsubscribe",
        "Cancel",
        "END",
        "quit",
        "revoke",
        "optout",
        "Opt out",
        "opt-out",
        "stop 🙏",
        "please stop",
        "Stop, please!",
        "stop it now"
      })
  void aStopWordAloneStops(String text) {
    assertThat(KEYWORDS.in(text, false)).contains(ConsentKeyword.STOP);
    assertThat(KEYWORDS.in(text, true)).contains(ConsentKeyword.STOP);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "please stop texting me",
        "Stop messaging me now",
        "can you stop sending me these messages",
        "don't text me anymore",
        "Don’t message me again.",
        "do not contact me",
        "no more texts please",
        "unsubscribe me",
        "remove me from this list",
        "take me off your list",
        "leave me alone",
        "I want to opt out",
        "ok thanks. stop texting",
        "Stop the messages",
        "I do not want any more texts",
        "I don't want these messages anymore",
        "please stop writing",
        "Please stop sending me these",
        "can you stop messaging?",
        "stop bothering me",
        "I said stop texting me!",
        "This is not for me, please stop texting me. Thanks",
        "thanks for everything but please stop texting me",
        "I want you to stop messaging me",
        "I'd like to unsubscribe",
        "Opt me out of this study please",
        "take me off this list",
        "Hi\nplease stop texting me\nThanks",
        "I would like to stop receiving these texts"
      })
  void aRevocationInFreeWordsIsOne(String text) {
    assertThat(KEYWORDS.in(text, false)).contains(ConsentKeyword.REVOKE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "I want to stop smoking",
        "I can't stop eating sweets",
        "when I stop working",
        "at the end of the day",
        "I quit my job last week",
        "stop by the kitchen",
        "Could you text me at 8?",
        "I keep texting my sister all evening",
        "don't text me before 8, evenings are better",
        "help me find a time",
        "information would be nice",
        "yes",
        "start",
        "Start in the morning",
        "",
        "🍌",
        "I never write lists",
        "my kids never leave me alone",
        "I want to quit texting while eating",
        "no more messages from work after dinner",
        "I opt out of dessert",
        "My kids would not stop bothering me",
        "please don't stop texting me",
        "never stop texting me",
        "don't unsubscribe me please",
        "the doctor wants to take me off this medication",
        "she said please leave me alone",
        "my brother would not stop messaging me so I forgot",
        "I want to stop texting while I walk",
        "stop texting while walking, that is my aim",
        "I don't want any more stress",
        "delete the old time",
        "remove the evening one",
        "I told her to leave me alone yesterday",
        "don't write me off yet"
      })
  void ordinaryWordsAreForTheCoach(String text) {
    assertThat(KEYWORDS.in(text, false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"please ", "ok no so just ", "stop now "})
  void aHugeTextOfRepeatedWordsIsForTheCoach(String words) {
    var huge = words.repeat(Inbox.LONGEST_TEXT / words.length());
    assertThat(KEYWORDS.in(huge, true)).isEmpty();
    assertThat(KEYWORDS.in("stop texting me " + huge, true)).isEmpty();
  }

  @Test
  void aLongOptOutCounts() {
    assertThat(KEYWORDS.in("STOP" + " NOW".repeat(400), false)).contains(ConsentKeyword.STOP);
    assertThat(KEYWORDS.in("STOP\n" + " ".repeat(5_000) + "\nplease", false))
        .contains(ConsentKeyword.STOP);
    assertThat(KEYWORDS.in("Stop texting me" + " please".repeat(250), false))
        .contains(ConsentKeyword.REVOKE);
  }

  @Test
  void politeWordsBeforeARevocationMayBeMany() {
    assertThat(KEYWORDS.in("please ".repeat(1_000) + "stop texting me", false))
        .contains(ConsentKeyword.REVOKE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"START", "unstop", "Yes", "yes!", "start."})
  void aWordOfReturnCountsOnlyFromSomeoneWhoLeft(String text) {
    assertThat(KEYWORDS.in(text, true)).contains(ConsentKeyword.START);
    assertThat(KEYWORDS.in(text, false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HELP", "help?", "Info"})
  void helpIsAskedForByTheWholeMessage(String text) {
    assertThat(KEYWORDS.in(text, false)).contains(ConsentKeyword.HELP);
    assertThat(KEYWORDS.in(text, true)).contains(ConsentKeyword.HELP);
  }

  @Test
  void anyOtherTextFromSomeoneWhoLeftIsNoReturn() {
    assertThat(KEYWORDS.in("hello, I am back", true)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTO",
        "¡Alto!",
        "parar",
        "BAJA",
        "Baja.",
        "cancelar",
        "darme de baja",
        "alto por favor",
        "Por favor, para",
        "para, por favor"
      })
  void aStopWordOfALanguageThatTheProviderDoesNotKnowIsConfirmedByHabitline(String text) {
    assertThat(KEYWORDS.in(text, false)).contains(ConsentKeyword.REVOKE);
    assertThat(KEYWORDS.isStopWord(text)).isTrue();
    assertThat(KEYWORDS.stored(text, true)).contains(ConsentKeyword.STOP);
  }

  @ParameterizedTest
  @ValueSource(strings = {"AYUDA", "¿ayuda?", "Información", "info"})
  void helpIsAskedForInSpanish(String text) {
    assertThat(KEYWORDS.in(text, false)).contains(ConsentKeyword.HELP);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ALTA", "empezar", "Sí", "reanudar."})
  void aSpanishWordOfReturnCountsOnlyFromSomeoneWhoLeft(String text) {
    assertThat(KEYWORDS.in(text, true)).contains(ConsentKeyword.START);
    assertThat(KEYWORDS.in(text, false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"salir", "¿Para?", "fin", "estoy de baja", "más baja", "terminar"})
  void aWordThatAnswersACoachIsNoStopWord(String text) {
    assertThat(KEYWORDS.in(text, false)).isEmpty();
  }

  @Test
  void aKeywordOfAnyLanguageCannotBeAReplyThatAFlowAsksFor() {
    assertThat(List.of("Baja", "alto", "STOP", "ayuda", "start")).allMatch(KEYWORDS::isAny);
    assertThat(List.of("Done", "Next time", "Hecho", "La próxima", "suave", "más baja"))
        .noneMatch(KEYWORDS::isAny);
  }

  private record Example(String text, boolean optOut) {}

  private static List<Example> examples(String language) throws IOException {
    var json = new JsonMapper();
    var examples = new ArrayList<Example>();
    for (var line :
        Files.readAllLines(
            Path.of("src", "test", "resources", "keywords", "opt-out-" + language + ".jsonl"))) {
      var example = json.readTree(line);
      examples.add(
          new Example(example.path("text").textValue(), example.path("opt_out").booleanValue()));
    }
    return examples;
  }

  private static boolean stops(Example example) {
    return KEYWORDS
        .in(example.text(), false)
        .filter(it -> it == ConsentKeyword.STOP || it == ConsentKeyword.REVOKE)
        .isPresent();
  }

  /** What the rules miss is for the tool {@code opt_out}; a false alarm would end a study. */
  @ParameterizedTest
  @ValueSource(strings = {"en", "es"})
  void labelledTextsAreFoundToBeOptOutsOrNot(String language) throws IOException {
    var examples = examples(language);
    var optOuts = examples.stream().filter(Example::optOut).toList();
    var others = examples.stream().filter(example -> !example.optOut()).toList();
    var missed = optOuts.stream().filter(example -> !stops(example)).map(Example::text).toList();
    var alarms = others.stream().filter(ConsentKeywordTest::stops).map(Example::text).toList();
    System.out.printf(
        Locale.ROOT,
        "opt-out in free words, %s: %d of %d found (missed: %s); %d false alarms in %d other texts%n",
        language,
        optOuts.size() - missed.size(),
        optOuts.size(),
        missed,
        alarms.size(),
        others.size());

    assertThat(optOuts).hasSizeGreaterThan(50);
    assertThat(others).hasSizeGreaterThan(50);
    assertThat(missed).hasSizeLessThanOrEqualTo(optOuts.size() / 5);
    assertThat(alarms).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "please\u00A0stop \t texting\u3000me",
        "that is enough   -   stop texting me",
        "hello\r\n \u2003\r\nplease  stop  texting  me\u2028thanks",
        "it is too much     and     stop texting me"
      })
  void blanksOfAnyKindAndNumberSeparateTheWords(String text) {
    assertThat(KEYWORDS.in(text, false)).contains(ConsentKeyword.REVOKE);
  }

  @Test
  void aTextOfBlanksIsReadOnceAndIsNoRequest() {
    for (var length : List.of(1_600, 4_096, 9_900)) {
      assertThat(reads(" ".repeat(length))).isLessThan(length);
      assertThat(KEYWORDS.in(" ".repeat(length), true)).isEmpty();
    }
  }

  @Test
  void aLongTextOfAnyCharactersCostsAFewReadsOfEach() {
    CountingText.KINDS.forEach((kind, sign) -> {
      var text = sign.repeat(9_900);
      assertThat(reads(text)).as(kind).isLessThan(40L * text.length());
      assertThat(KEYWORDS.in(text, true)).as(kind).isEmpty();
    });
  }

  /** Returns how often the patterns for free words read a character of a text without requests. */
  private static long reads(String text) {
    var read = new CountingText(Patterns.foldBlanks(text), Long.MAX_VALUE);
    LanguageFiles.read(Path.of("target", "no-home"), ConsentKeywords.FOLDER, KeywordLanguage::read)
        .languages()
        .values()
        .forEach(language -> {
          Stream.of(List.of(language.ends(), language.opening()), language.notRequests())
              .flatMap(List::stream)
              .forEach(pattern -> pattern.matcher(read).results().forEach(found -> {}));
          Stream.of(language.stopPhrases(), language.requests())
              .flatMap(List::stream)
              .forEach(pattern -> pattern.matcher(read).matches());
        });
    return read.reads();
  }

  @Test
  void aFileInTheHomeFolderReplacesThePackagedOneAndAddsALanguage(@TempDir Path home)
      throws IOException {
    var folder = Files.createDirectories(home.resolve("config").resolve("keywords"));
    var other = "stop: [arret]\nstart: [debut]\nhelp: [aide]\nrequests: [\"ne m'ecris plus\"]\n";
    Files.writeString(folder.resolve("fr.yaml"), other);
    Files.writeString(folder.resolve("es.yaml"), other.replace("arret", "basta"));
    var keywords = ConsentKeywords.read(home);

    assertThat(keywords.in("ARRÊT", false)).contains(ConsentKeyword.REVOKE);
    assertThat(keywords.in("Ne m’écris plus!", false)).contains(ConsentKeyword.REVOKE);
    assertThat(keywords.in("basta", false)).contains(ConsentKeyword.REVOKE);
    assertThat(keywords.in("alto", false)).isEmpty();
    assertThat(keywords.in("stop", false)).contains(ConsentKeyword.STOP);
  }

  @Test
  void aFileThatCannotBeUsedStopsTheStartWithEveryMistake(@TempDir Path home) throws IOException {
    var folder = Files.createDirectories(home.resolve("config").resolve("keywords"));
    Files.writeString(
        folder.resolve("fr.yaml"), "stop: [arret]\nstart: [debut]\nrequests: [\"(\"]\nmore: 1\n");

    assertThatThrownBy(() -> ConsentKeywords.read(home))
        .isInstanceOf(BrokenStudy.class)
        .hasMessageContaining("config/keywords/fr.yaml: help: missing; expected a list of words")
        .hasMessageContaining("config/keywords/fr.yaml: requests: expected regular expressions")
        .hasMessageContaining("config/keywords/fr.yaml: more: unknown key");
  }
}
