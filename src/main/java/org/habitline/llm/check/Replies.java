package org.habitline.llm.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.AssistantText;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelMessage.UserText;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;

/** Exchanges without tools. A reply is judged by whether it contains a given word. */
final class Replies {

  /** A word that no reply contains unless the model was told to write it. */
  private static final String CODE_WORD = "NIMBUS-7";

  private static final String APPLE_IN_SPANISH = "manzana";

  /** Enough for a model that reasons before it writes a sentence. */
  private static final int MAX_TOKENS = 2000;

  private static final double TEMPERATURE = 0.5;

  private static final int HISTORY = 30;
  private static final String REMEMBERED = "HERON-52";

  private Replies() {}

  static Finding inTheLanguageAsked(Talk talk) {
    var request =
        Requests.tuned(
            "You are a friendly coach. Always reply in Spanish, in one short sentence. End every"
                + " reply with the code word "
                + CODE_WORD
                + ".",
            "Which fruit is red or green, grows on trees and is used for apple juice?",
            TEMPERATURE,
            MAX_TOKENS);
    return switch (talk.ask(request)) {
      case ModelReply.Says says when says.text().isBlank() -> Finding.fails(Talk.unexpected(says));
      case ModelReply.Says says when !contains(says, APPLE_IN_SPANISH) ->
          Finding.fails("the reply is not in the language that the system message asks for");
      case ModelReply.Says says when !contains(says, CODE_WORD) ->
          Finding.fails("the reply lacks the code word that the system message asks for");
      case ModelReply.Says says -> Finding.works();
      case ModelReply other -> Finding.fails(Talk.unexpected(other));
    };
  }

  static Finding afterLongHistory(Talk talk) {
    return switch (talk.ask(longHistory())) {
      case ModelReply.Says says when contains(says, REMEMBERED) -> Finding.works();
      case ModelReply.Says says when !says.text().isBlank() ->
          Finding.fails("the reply lacks a word from the first message");
      case ModelReply other -> Finding.fails(Talk.unexpected(other));
    };
  }

  /**
   * Returns a request whose history ends with two texts in a row, as participants write them. Some
   * servers refuse that.
   */
  private static ModelRequest longHistory() {
    var messages = new ArrayList<ModelMessage>();
    messages.add(new UserText("My code word is " + REMEMBERED + ". Please remember it."));
    messages.add(new AssistantText("I will remember it.", List.of()));
    while (messages.size() < HISTORY - 2) {
      var day = messages.size() / 2;
      messages.add(new UserText("On day " + day + " I walked " + (10 + day) + " minutes."));
      messages.add(new AssistantText("Thank you, day " + day + " is noted.", List.of()));
    }
    messages.add(new UserText("That was the last day."));
    messages.add(new UserText("What is my code word?"));
    messages.addFirst(new SystemText("You are a friendly coach. Reply in one short sentence."));
    return Requests.plain(messages.toArray(ModelMessage[]::new));
  }

  /** Returns whether a reply contains a word, in capitals or not. */
  static boolean contains(ModelReply.Says says, String word) {
    return says.text().toLowerCase(Locale.ROOT).contains(word.toLowerCase(Locale.ROOT));
  }
}
