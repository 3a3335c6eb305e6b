package org.habitline.llm.openai;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.habitline.llm.openai.Beginnings.Beginning;
import org.jspecify.annotations.Nullable;

/**
 * Separates a model's text for the participant from everything else in its output: reasoning, the
 * channels of the harmony format, tokens of chat templates, and calls that a server left in the
 * text. Accepts the output in pieces, cut anywhere; where it is cut does not change the outcome.
 */
final class Spoken {

  private static final String THOUGHT_TAG = "(?:seed:)?(?:think|thinking|thought|reasoning)>";
  private static final String CALL_TAG =
      "(?:[a-z]{1,20}:|｜DSML｜)?(?:tool_?calls?|function_calls?|invoke|parameter)";

  /**
   * Matches chat-template tokens. DeepSeek's have wide bars and a special character for a space.
   * Gemma's have one bar, at the beginning or at the end of a block.
   */
  private static final String TOKEN =
      "<\\|[^<>|\\s]{1,60}\\|>|<\\|[a-z_]{1,40}>|<[a-z_]{1,40}\\|>|<｜[^<>｜\\n]{1,60}｜>";

  private static final Pattern MARK =
      Pattern.compile(
          String.join(
              "|",
              "</?" + THOUGHT_TAG,
              "◁/?think▷",
              // In capitals only, because a coach may write [think].
              "(?-i:\\[/?THINK]|\\[(?:TOOL_CALLS|CALL_ID|ARGS)])",
              "</?" + CALL_TAG + "(?:\\s[^<>]{0,160})?>",
              "<function=[^<>\\s]{1,64}>|</function>|<parameter=[^<>\\s]{1,64}>",
              "<(?:start_of_turn|end_of_turn)>",
              TOKEN),
          Pattern.CASE_INSENSITIVE);

  /** Matches a beginning that the next piece may complete to a mark. */
  private static final Pattern MAYBE_MARK =
      Pattern.compile(
          "(?:<(?:[/|｜a-z][^<>]{0,200})?|\\[(?:[/TAC][A-Z_]{0,12})?|◁[/a-z]{0,6})\\z",
          Pattern.CASE_INSENSITIVE);

  /** Matches harmony channels from servers that strip the marks. */
  private static final Pattern BARE_CHANNELS =
      Pattern.compile(
          "\\A\\s*(?:analysis|commentary)(?=\\S).*assistant(?:\\s)*final", Pattern.DOTALL);

  private static final Pattern CHANNEL =
      Pattern.compile("(?<!\\w)(analysis|commentary|final)(?!\\w)", Pattern.CASE_INSENSITIVE);
  private static final Pattern RECIPIENT =
      Pattern.compile("(?<!\\w)to=(?:functions\\.)?([\\w-]{1,64})");
  private static final Pattern NAME = Pattern.compile("name\\s*=\\s*[\"']?([\\w.-]{1,64})");

  /**
   * Matches text that may be data or a channel; it is passed on only when it is complete, if at
   * all.
   */
  private static final Pattern DOUBTFUL = Pattern.compile("\\A\\s*(?:[{\\[`]|analysis|commentary)");

  private static final List<String> DOUBTFUL_WORDS = List.of("analysis", "commentary");

  /** What the current text belongs to. */
  private enum Place {
    WORDS,
    THOUGHT,
    HEADER,
    CHANNEL,
    CALL,

    /** The line that names the role of the next message. */
    ROLE,

    /**
     * After the end of the model's turn, where some models invent the participant's next message.
     */
    BEYOND
  }

  /**
   * A call that was written in the text.
   *
   * @param name the tool, or {@code null} if it is not named separately from the arguments
   */
  record Written(@Nullable String name, String body) {}

  private final StringBuilder words = new StringBuilder();
  private final StringBuilder hidden = new StringBuilder();
  private final StringBuilder aside = new StringBuilder();
  private final List<Written> calls = new ArrayList<>();
  private final StringBuilder pending = new StringBuilder();
  private Place place;
  private Beginning begins = Beginning.UNKNOWN;
  private @Nullable String tool;
  private boolean marked;

  /** Whether a mark opened the reasoning block. */
  private boolean opened;

  /** Whether a list of calls is open; text between its calls is not for the participant. */
  private boolean listing;

  /**
   * Starts reading a reply.
   *
   * @param known how the replies of this model begin
   */
  Spoken(Beginning known) {
    place = known == Beginning.REASONING ? Place.THOUGHT : Place.WORDS;
  }

  static Spoken of(String text, Beginning known) {
    var spoken = new Spoken(known);
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

  /** Finishes the reading after the last piece. */
  void end() {
    put(pending.toString());
    pending.setLength(0);
    listing = false;
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
      case THOUGHT, CHANNEL, BEYOND -> hidden.append(text);
      case HEADER, CALL -> aside.append(text);
      case ROLE -> {
        var lineEnd = text.indexOf('\n');
        if (lineEnd >= 0) {
          place = Place.WORDS;
          put(text.substring(lineEnd + 1));
        }
      }
    }
  }

  private void take(Matcher mark) {
    var text = plain(mark.group());
    if (begins == Beginning.UNKNOWN) {
      begins = shownBy(text);
    }
    if (place == Place.BEYOND) {
      return;
    }
    marked = true;
    if (place == Place.THOUGHT && !closesThought(text)) {
      hidden.append(opensThought(text) ? "" : mark.group());
      place = text.equals("<|start_response|>") ? Place.WORDS : place;
    } else if (closesThought(text)) {
      if (place == Place.WORDS) {
        // Some templates open the block themselves, so that only its end is in the reply.
        hidden.append(words);
        words.setLength(0);
      }
      place = place == Place.CALL ? place : Place.WORDS;
    } else if (opensThought(text)) {
      place = Place.THOUGHT;
      opened = true;
    } else {
      take(text, mark.group());
    }
  }

  /** Returns a mark in lower case, with ordinary bars, underscores for spaces, and no namespace. */
  private static String plain(String mark) {
    var text = mark.toLowerCase(Locale.ROOT).replace('｜', '|').replace("|dsml|", "");
    return text.startsWith("<|")
        ? text.replace('▁', '_').replace(' ', '_')
        : text.replaceFirst("\\A(</?)[a-z]+:", "$1")
            .replaceFirst("\\A(</?(?:tool|function)_?calls?)\\s.*\\z", "$1>");
  }

  private Beginning shownBy(String mark) {
    if (closesThought(mark) && (place == Place.WORDS || place == Place.THOUGHT)) {
      return place == Place.THOUGHT && opened ? Beginning.WORDS : Beginning.REASONING;
    }
    var first = words.toString().isBlank() && hidden.toString().isBlank();
    return first && (opensThought(mark) || mark.equals("<|channel|>"))
        ? Beginning.WORDS
        : Beginning.UNKNOWN;
  }

  private void take(String mark, String written) {
    switch (mark) {
      case "<tool_call>",
          "<toolcall>",
          "<function_call>",
          "[tool_calls]",
          "<|python_tag|>",
          "<|tool_call|>",
          "<|tool_call>",
          "<|tool_call_start|>",
          "<|tool_call_begin|>",
          "<|start_action|>" -> {
        leave();
        place = Place.CALL;
        tool = attribute(written);
      }
      case "<tool_calls>",
          "<function_calls>",
          "<|tool_calls_begin|>",
          "<|tool_calls_section_begin|>" -> {
        leave();
        listing = true;
        place = Place.CALL;
      }
      case "</tool_calls>",
          "</function_calls>",
          "<|tool_calls_end|>",
          "<|tool_calls_section_end|>" -> {
        listing = false;
        leave();
      }
      case "<|tool_call_argument_begin|>", "<|tool_sep|>", "[call_id]", "[args]" -> named(written);
      case "<|start|>", "<|channel|>" -> {
        if (place == Place.HEADER) {
          put(" ");
        } else {
          leave();
          place = Place.HEADER;
        }
      }
      case "<|constrain|>" -> put(" ");
      case "<|\"|>" -> put("\"");
      case "<|message|>" -> body();
      case "<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|turn>" -> {
        leave();
        place = Place.ROLE;
      }
      case "<|im_end|>",
          "<|eot_id|>",
          "<|end_of_sentence|>",
          "<|endoftext|>",
          "<|end_of_text|>",
          "<|end_of_turn_token|>",
          "<|user|>",
          "<turn|>",
          "<end_of_turn>" -> {
        leave();
        place = words.toString().isBlank() && calls.isEmpty() ? Place.WORDS : Place.BEYOND;
      }
      default -> {
        if (mark.startsWith("<function=")) {
          call(written.substring("<function=".length(), written.length() - 1));
        } else if (mark.startsWith("<invoke")) {
          call(attribute(written));
        } else if (place == Place.CALL && mark.contains("parameter")) {
          aside.append(mark.startsWith("</") ? "</parameter>" : written);
        } else {
          leave();
        }
      }
    }
  }

  private void call(@Nullable String name) {
    leave();
    place = Place.CALL;
    tool = name;
  }

  /** Returns the name that a tag gives, or {@code null}. */
  private static @Nullable String attribute(String tag) {
    var name = NAME.matcher(tag);
    return name.find() ? name.group(1) : null;
  }

  /**
   * Takes the text before the arguments as the tool's name. Some models write {@code function}
   * before the name.
   */
  private void named(String written) {
    if (place != Place.CALL) {
      put(written.startsWith("[") ? written : "");
      return;
    }
    var before = aside.toString().strip();
    if (tool == null && !before.isEmpty() && !before.equals("function")) {
      tool = before;
    }
    aside.setLength(0);
  }

  /** Begins the body of a harmony message, whose header names the channel and the recipient. */
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

  /** Ends the open call or channel. */
  private void leave() {
    if (place == Place.CALL && (tool != null || !aside.toString().isBlank())) {
      calls.add(new Written(tool, aside.toString().strip()));
    } else if (place == Place.CHANNEL) {
      hidden.append('\n');
    }
    aside.setLength(0);
    tool = null;
    place = listing ? Place.CALL : Place.WORDS;
  }

  private static boolean opensThought(String mark) {
    return mark.equals("[think]")
        || mark.equals("◁think▷")
        || mark.equals("<|start_thinking|>")
        || mark.equals("<|channel>")
        || mark.matches("<(think|thinking|thought|reasoning)>");
  }

  private static boolean closesThought(String mark) {
    return mark.equals("[/think]")
        || mark.equals("◁/think▷")
        || mark.equals("<|end_thinking|>")
        || mark.equals("<channel|>")
        || mark.matches("</(think|thinking|thought|reasoning)>");
  }

  /** Returns the text for the participant so far. */
  String words() {
    return words.toString();
  }

  /** Returns everything but the text for the participant and the calls. */
  String hidden() {
    return hidden.toString().strip();
  }

  List<Written> calls() {
    return List.copyOf(calls);
  }

  /**
   * Returns how the reply began, as its marks show.
   *
   * @param whole whether the reply has text and is complete, so that a reply without marks counts
   *     as text
   */
  Beginning begins(boolean whole) {
    return begins == Beginning.UNKNOWN && whole ? Beginning.WORDS : begins;
  }

  /** Returns whether the text so far may turn out not to be for the participant. */
  boolean doubtful() {
    var start = words.toString().stripLeading();
    return DOUBTFUL.matcher(start).find()
        || DOUBTFUL_WORDS.stream().anyMatch(word -> word.startsWith(start));
  }
}
