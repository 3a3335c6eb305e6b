package org.habitline.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WishTest {

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
        "stop 🙏"
      })
  void aStopWordAloneStops(String text) {
    assertThat(Wish.in(text, false)).contains(Wish.STOP);
    assertThat(Wish.in(text, true)).contains(Wish.STOP);
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
        "ok thanks. stop texting"
      })
  void aRevocationInFreeWordsIsOne(String text) {
    assertThat(Wish.in(text, false)).contains(Wish.REVOKE);
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
        "I never write lists"
      })
  void ordinaryWordsAreForTheCoach(String text) {
    assertThat(Wish.in(text, false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"START", "unstop", "Yes", "yes!", "start."})
  void aWordOfReturnCountsOnlyFromSomeoneWhoLeft(String text) {
    assertThat(Wish.in(text, true)).contains(Wish.START);
    assertThat(Wish.in(text, false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HELP", "help?", "Info"})
  void helpIsAskedForByTheWholeMessage(String text) {
    assertThat(Wish.in(text, false)).contains(Wish.HELP);
    assertThat(Wish.in(text, true)).contains(Wish.HELP);
  }

  @Test
  void anyOtherTextFromSomeoneWhoLeftIsNoReturn() {
    assertThat(Wish.in("hello, I am back", true)).isEmpty();
  }
}
