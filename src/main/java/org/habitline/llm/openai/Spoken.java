package org.habitline.llm.openai;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.habitline.llm.openai.Beginnings.Beginning;
import org.jspecify.annotations.Nullable;

/**
 * Tells the words for the participant in what a model wrote from what is not for them: reasoning,
 * the channels of the harmony format, tokens of chat templates, and calls that a server left in the
 * text. Takes the text in pieces, cut anywhere; the same text gives the same outcome however it was
 * cut.
 */
final class Spoken {

  private static final String THOUGHT_TAG = "(?:seed:)?(?:think|thinking|thought|reasoning)>";
  private static final String CALL_TAG =
      "(?:[a-z]{1,20}:|｜DSML｜)?(?:tool_?calls?|function_calls?|invoke|parameter)";

  /**
   * DeepSeek writes its tokens with wide bars, and a mark of its own for a blank. Gemma's have one
   * bar, at the beginning or at the end of a block.
   */
  private static final String TOKEN =
      "<\\|[^<>|\\s]{1,60}\\|>|<\\|[a-z_]{1,40}>|<[a-z_]{1,40}\\|>|<｜[^<>｜\\n]{1,60}｜>";

  private static final Pattern MARK =
      Pattern.compile(
          String.join(
              "|",
              "</?" + THOUGHT_TAG,
              "◁/?think▷",
              // In capitals only: a coach may well write [think].
              "(?-i:\\[/?THINK]|\\[(?:TOOL_CALLS|CALL_ID|ARGS)])",
              "</?" + CALL_TAG + "(?:\\s[^<>]{0,160})?>",
              "<function=[^<>\\s]{1,64}>|</function>|<parameter=[^<>\\s]{1,64}>",
              "<(?:start_of_turn|end_of_turn)>",
              TOKEN),
          Pattern.CASE_INSENSITIVE);

  /** The start of what may become a mark with the next piece. */
  private static final Pattern MAYBE_MARK =
      Pattern.compile(
          "(?:<(?:[/|｜a-z][^<>]{0,200})?|\\[(?:[/TAC][A-Z_]{0,12})?|◁[/a-z]{0,6})\\z",
          Pattern.CASE_INSENSITIVE);

  /** Harmony without its marks, as servers leave it that strip them. */
  private static final Pattern BARE_CHANNELS =
      Pattern.compile(
          "\\A\\s*(?:analysis|commentary)(?=\\S).*assistant(?:\\s)*final", Pattern.DOTALL);

  private static final Pattern CHANNEL =
      Pattern.compile("\\b(analysis|commentary|final)\\b", Pattern.CASE_INSENSITIVE);
  private static final Pattern RECIPIENT = Pattern.compile("\\bto=(?:functions\\.)?([\\w-]{1,64})");
  private static final Pattern NAME = Pattern.compile("name\\s*=\\s*[\"']?([\\w.-]{1,64})");

  /** Text that begins so may be data or a channel: it is told when it is whole, if at all. */
  private static final Pattern DOUBTFUL = Pattern.compile("\\A\\s*(?:[{\\[`]|analysis|commentary)");

  private static final List<String> DOUBTFUL_WORDS = List.of("analysis", "commentary");

  /** Where the text goes at the moment. */
  private enum Place {
    WORDS,
    THOUGHT,
    HEADER,
    CHANNEL,
    CALL,

    /** The line that says whose turn it is. */
    ROLE,

    /** Behind the end of the model's turn, where some write the participant's next one. */
    BEYOND
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
  private Place place;
  private Beginning begins = Beginning.UNKNOWN;
  private @Nullable String tool;
  private boolean marked;

  /** Whether a mark opened the block of reasoning. */
  private boolean opened;

  /** Whether a list of calls is open: nothing between them is for the participant. */
  private boolean listing;

  /**
   * Begins a text.
   *
   * @param known how the answers of this model begin
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

  /** No more will come. */
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
        // Some templates open the block themselves, so that only its end is in the answer.
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

  /** Returns a mark in lower case, with ordinary bars and blanks, without a namespace. */
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

  /** The tool stands before its arguments; some write {@code function} before the tool. */
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

  /**
   * How the answer began, as its marks show.
   *
   * @param whole whether the answer has words and came to its end, so that no mark means words
   */
  Beginning begins(boolean whole) {
    return begins == Beginning.UNKNOWN && whole ? Beginning.WORDS : begins;
  }

  /** Whether the words so far may turn out not to be for the participant. */
  boolean doubtful() {
    var start = words.toString().stripLeading();
    return DOUBTFUL.matcher(start).find()
        || DOUBTFUL_WORDS.stream().anyMatch(word -> word.startsWith(start));
  }
}
