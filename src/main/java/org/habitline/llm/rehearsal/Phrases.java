package org.habitline.llm.rehearsal;

import java.util.regex.Pattern;

/**
 * Kinds of things people say, and the words by which the script knows them. docs/rehearsal.md lists
 * them.
 */
enum Phrases {
  CRISIS(
      "kill myself",
      "suicid\\w*",
      "end my life",
      "want to die",
      "hurt(?:ing)? myself",
      "self[- ]harm"),
  MEDICAL("medication", "diagnos\\w+", "my doctor", "chest pain", "depress(?:ed|ion)", "symptoms?"),
  WHO(
      "who are you",
      "are you (?:a |an )?(?:bot|human|real|robot|ai)",
      "what are you",
      "what can you do",
      "what is this"),
  NOW("now", "right away", "try it", "let'?s (?:do it|go|try)", "do it", "immediately"),
  PERSONAL("personal(?:ize|ise)?", "make it mine", "my own", "tailor\\w*", "first"),
  YES(
      "y(?:es|ep|eah|up)",
      "sure",
      "ok(?:ay)?",
      "of course",
      "please do",
      "gladly",
      "sounds good",
      "why not",
      "absolutely"),
  NO("no", "nope", "nah", "not (?:now|yet|today|really)", "later", "rather not"),
  DONE("done", "i did", "did it", "tried it", "it worked", "i managed", "worked (?:well|great)"),
  NOT_DONE(
      "didn'?t",
      "did not",
      "couldn'?t",
      "could not",
      "forgot",
      "no time",
      "no chance",
      "next time",
      "skipped",
      "missed it"),
  NOTHING(
      "nothing",
      "no change",
      "keep it",
      "it'?s (?:fine|good|perfect)",
      "all good",
      "that'?s (?:all|it)",
      "fine as it is",
      "leave it",
      "none"),
  NEW_PROMPT(
      "new (?:prompt|one|idea)",
      "another (?:prompt|one|idea)",
      "different (?:prompt|one)",
      "one more"),
  THANKS("thanks?", "thank you", "thx", "cheers"),
  VAGUE(
      "dunno",
      "don'?t know",
      "no idea",
      "not sure",
      "whatever",
      "maybe",
      "anything",
      "hmm+",
      "idk",
      "don'?t care",
      "you (?:choose|decide|pick)",
      "doesn'?t matter",
      "it depends"),
  SHORTER("shorter", "(?:be |more )?brief(?:er)?", "too long", "keep it short"),
  NO_EMOJIS("no (?:more )?emojis?", "without emojis?", "stop (?:the|using) emojis?"),
  FORMAL("more formal(?:ly)?", "be formal"),
  CASUAL("more casual(?:ly)?", "be casual"),
  HARDER("harder", "more (?:challenging|demanding|intense)"),
  EASIER("easier", "less (?:demanding|intense)", "gentler");

  private final Pattern pattern;

  Phrases(String... words) {
    this.pattern =
        Pattern.compile(
            "(?<![\\w'])(?:" + String.join("|", words) + ")(?![\\w'])", Pattern.CASE_INSENSITIVE);
  }

  boolean in(String text) {
    return pattern.matcher(text.replace('’', '\'')).find();
  }
}
