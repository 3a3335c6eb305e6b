package org.habitline.llm.openai;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells the words for the participant in what a model wrote from what is not for them: reasoning in
 * {@code <think>} blocks, the channels of the harmony format, and calls that a server left in the
 * text. Takes the text in pieces, cut anywhere; the same text gives the same outcome however it was
 * cut.
 */
final class Spoken {

  private static final Pattern MARK =
      Pattern.compile(
          "</?(?:think|thinking|thought|reasoning)>|\\[/?THINK]|</?(?:tool_call|function_call)>"
              + "|<function=[^<>\\s]{1,64}>|</function>|\\[TOOL_CALLS]|<\\|/?[a-z_]{1,40}\\|>",
          Pattern.CASE_INSENSITIVE);

  /** The start of what may become a mark with the next piece. */
  private static final Pattern MAYBE_MARK =
      Pattern.compile(
          "(?:<(?:[/|a-z][^<>]{0,80})?|\\[(?:[/T][A-Z_]{0,12})?)\\z", Pattern.CASE_INSENSITIVE);

  /** Harmony without its marks, as servers leave it that strip them. */
  private static final Pattern BARE_CHANNELS =
      Pattern.compile(
          "\\A\\s*(?:analysis|commentary)(?=\\S).*assistant(?:\\s)*final", Pattern.DOTALL);

  private static final Pattern CHANNEL =
      Pattern.compile("\\b(analysis|commentary|final)\\b", Pattern.CASE_INSENSITIVE);
  private static final Pattern RECIPIENT = Pattern.compile("\\bto=(?:functions\\.)?([\\w-]{1,64})");

  /** Text that begins so may be data or a channel: it is told when it is whole, if at all. */
  private static final Pattern DOUBTFUL = Pattern.compile("\\A\\s*(?:[{\\[`]|analysis|commentary)");

  private static final List<String> DOUBTFUL_WORDS = List.of("analysis", "commentary");

  /** Where the text goes at the moment. */
  private enum Place {
    WORDS,
    THOUGHT,
    HEADER,
    CHANNEL,
    CALL
  }

  /**
   * A call that stands in the text.
   *
   * @param name the tool, where it stands apart from the arguments
   */
  record Written(@Nullable String name, String body) {}

  private final StringBuilder words = new StringBuilder();
  private final StringBuilder hidden = new StringBuilder();
  private final StringBuilder aside = new StringBuilder();
  private final List<Written> calls = new ArrayList<>();
  private final StringBuilder pending = new StringBuilder();
  private Place place = Place.WORDS;
  private @Nullable String tool;
  private boolean marked;

  static Spoken of(String text) {
    var spoken = new Spoken();
    spoken.add(text);
    spoken.end();
    return spoken;
  }

  void add(String piece) {
    pending.append(piece);
    var text = pending.toString();
    var mark = MARK.matcher(text);
    var from = 0;
    while (mark.find()) {
      put(text.substring(from, mark.start()));
      take(mark);
      from = mark.end();
    }
    var open = MAYBE_MARK.matcher(text).region(from, text.length());
    var until = open.find() ? open.start() : text.length();
    put(text.substring(from, until));
    pending.setLength(0);
    pending.append(text, until, text.length());
  }

  /** No more will come. */
  void end() {
    put(pending.toString());
    pending.setLength(0);
    leave();
    var bare = BARE_CHANNELS.matcher(words);
    if (bare.find()) {
      marked = true;
      hidden.append(words, 0, bare.end());
      words.delete(0, bare.end());
    }
  }

  private void put(String text) {
    switch (place) {
      case WORDS -> words.append(words.isEmpty() && marked ? text.stripLeading() : text);
      case THOUGHT, CHANNEL -> hidden.append(text);
      case HEADER, CALL -> aside.append(text);
    }
  }

  private void take(Matcher mark) {
    var text = mark.group().toLowerCase(Locale.ROOT);
    if (place == Place.THOUGHT && !closesThought(text)) {
      hidden.append(mark.group());
      return;
    }
    marked = true;
    if (closesThought(text)) {
      if (place == Place.WORDS) {
        // Some templates open the block themselves, so that only its end is in the answer.
        hidden.append(words);
        words.setLength(0);
      }
      place = place == Place.CALL ? place : Place.WORDS;
    } else if (opensThought(text)) {
      place = Place.THOUGHT;
    } else if (text.startsWith("<function=")) {
      aside.setLength(0);
      place = Place.CALL;
      tool = mark.group().substring("<function=".length(), mark.group().length() - 1);
    } else {
      take(text);
    }
  }

  private void take(String mark) {
    switch (mark) {
      case "<tool_call>", "<function_call>", "[tool_calls]", "<|python_tag|>", "<|tool_call|>" -> {
        leave();
        place = Place.CALL;
      }
      case "<|start|>", "<|channel|>" -> {
        if (place == Place.HEADER) {
          put(" ");
        } else {
          leave();
          place = Place.HEADER;
        }
      }
      case "<|constrain|>" -> put(" ");
      case "<|message|>" -> body();
      default -> leave();
    }
  }

  /** The header of a harmony message says whom it is for. */
  private void body() {
    if (place != Place.HEADER && place != Place.WORDS) {
      return;
    }
    var header = place == Place.HEADER ? aside : words;
    var channel = CHANNEL.matcher(header);
    var recipient = RECIPIENT.matcher(header);
    var isFor = channel.find() ? channel.group(1).toLowerCase(Locale.ROOT) : "final";
    tool = recipient.find() ? recipient.group(1) : null;
    header.setLength(0);
    place = tool != null ? Place.CALL : isFor.equals("final") ? Place.WORDS : Place.CHANNEL;
  }

  /** What was open ends here. */
  private void leave() {
    if (place == Place.CALL && !aside.toString().isBlank()) {
      calls.add(new Written(tool, aside.toString().strip()));
    } else if (place == Place.CHANNEL) {
      hidden.append('\n');
    }
    aside.setLength(0);
    tool = null;
    place = Place.WORDS;
  }

  private static boolean opensThought(String mark) {
    return mark.equals("[think]") || mark.matches("<(think|thinking|thought|reasoning)>");
  }

  private static boolean closesThought(String mark) {
    return mark.equals("[/think]") || mark.matches("</(think|thinking|thought|reasoning)>");
  }

  /** The words for the participant, as far as they have come. */
  String words() {
    return words.toString();
  }

  /** Everything else but the calls. */
  String hidden() {
    return hidden.toString().strip();
  }

  List<Written> calls() {
    return List.copyOf(calls);
  }

  /** Whether the words so far may turn out not to be for the participant. */
  boolean doubtful() {
    var start = words.toString().stripLeading();
    return DOUBTFUL.matcher(start).find()
        || DOUBTFUL_WORDS.stream().anyMatch(word -> word.startsWith(start));
  }
}
