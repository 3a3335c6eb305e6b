package org.habitline.messaging.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConsentKeywordTest {

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
    assertThat(ConsentKeyword.in(text, false)).contains(ConsentKeyword.STOP);
    assertThat(ConsentKeyword.in(text, true)).contains(ConsentKeyword.STOP);
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
    assertThat(ConsentKeyword.in(text, false)).contains(ConsentKeyword.REVOKE);
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
    assertThat(ConsentKeyword.in(text, false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"START", "unstop", "Yes", "yes!", "start."})
  void aWordOfReturnCountsOnlyFromSomeoneWhoLeft(String text) {
    assertThat(ConsentKeyword.in(text, true)).contains(ConsentKeyword.START);
    assertThat(ConsentKeyword.in(text, false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"HELP", "help?", "Info"})
  void helpIsAskedForByTheWholeMessage(String text) {
    assertThat(ConsentKeyword.in(text, false)).contains(ConsentKeyword.HELP);
    assertThat(ConsentKeyword.in(text, true)).contains(ConsentKeyword.HELP);
  }

  @Test
  void anyOtherTextFromSomeoneWhoLeftIsNoReturn() {
    assertThat(ConsentKeyword.in("hello, I am back", true)).isEmpty();
  }
}
