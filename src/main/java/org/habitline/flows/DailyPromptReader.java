package org.habitline.flows;

import java.time.Duration;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;

/** Reads a flow's settings for daily prompts. */
final class DailyPromptReader {

  static final int MOST_SCHEDULES = 10;

  /**
   * The longest question after a prompt, so that the prompt and both questions fit into one
   * message.
   */
  static final int LONGEST_QUESTION = 500;

  /** The longest text of a WhatsApp button. */
  static final int LONGEST_QUICK_REPLY = 20;

  private static final int LONGEST_NAME = 200;
  private static final Pattern TIME = Pattern.compile("([01]\\d|2[0-3]):[0-5]\\d");

  /** The word that asks at the end of the prompt. */
  private static final String WITH_PROMPT = "with_prompt";

  private static final Duration SOONEST_QUESTION = Duration.ofMinutes(1);
  private static final Duration LATEST_QUESTION = Duration.ofHours(12);
  private static final Pattern DURATION = Pattern.compile("([1-9]\\d{0,3})(m|h)");

  private static final String EVERY_FIELD = "intensity_every_field";

  private final Section section;
  private final Optional<LocalTime> usual;
  private final TakenWords taken;

  /**
   * Creates a reader.
   *
   * @param usual the time of a schedule requested without one, which replaces the flow's own
   * @param taken words that no reply may be
   */
  DailyPromptReader(Section section, Optional<LocalTime> usual, TakenWords taken) {
    this.section = section;
    this.usual = usual;
    this.taken = taken;
  }

  DailyPrompt read(Set<String> modules, List<ProfileField> profile) {
    section.only(
        "at",
        "most",
        "ask_after",
        "question",
        "done",
        "not_done",
        "feedback_state",
        "intensity_field",
        "intensity_question",
        "intensity_every",
        EVERY_FIELD,
        "intensity_words",
        "intensity_or",
        "reminder",
        "check_in",
        "follow_up",
        "vary",
        "time_field");
    var done = quickReply("done");
    var notDone = quickReply("not_done");
    if (!done.isEmpty() && done.equalsIgnoreCase(notDone)) {
      section.refuse(
          "not_done", "expected a reply that differs from done, found '" + notDone + "'");
    }
    var raw =
        new DailyPrompt(
            at(),
            section.integer("most", 1, MOST_SCHEDULES, 1),
            askAfter(),
            "",
            done,
            notDone,
            feedbackState(modules),
            intensity(profile),
            "",
            "",
            "",
            vary(),
            timeField(profile));
    var known =
        Placeholders.of("", raw, profile).without("resources").without("daily_prompt.question");
    return new DailyPrompt(
        raw.at(),
        raw.most(),
        raw.askAfter(),
        FlowReader.filled(section, "question", LONGEST_QUESTION, known),
        done,
        notDone,
        raw.feedbackState(),
        raw.intensity(),
        FlowReader.filled(section, "reminder", FlowReader.LONGEST_TEXT, known),
        FlowReader.filled(section, "check_in", FlowReader.LONGEST_TEXT, known),
        FlowReader.filled(section, "follow_up", FlowReader.LONGEST_TEXT, known),
        raw.vary(),
        raw.time());
  }

  private DailyPrompt.Vary vary() {
    if (!section.has("vary")) {
      return DailyPrompt.Vary.WORDING;
    }
    var word = section.text("vary", LONGEST_NAME);
    var vary = DailyPrompt.Vary.of(word);
    if (vary.isEmpty()) {
      section.refuse(
          "vary",
          "expected one of %s, found '%s'"
              .formatted(String.join(", ", DailyPrompt.Vary.words()), word));
    }
    return vary.orElse(DailyPrompt.Vary.WORDING);
  }

  private @Nullable ProfileField timeField(List<ProfileField> profile) {
    var name = section.optionalText("time_field", LONGEST_NAME);
    if (name == null) {
      return null;
    }
    var field =
        profile.stream()
            .filter(it -> it.name().equals(name))
            .filter(it -> it.type() instanceof FieldType.Text)
            .findFirst()
            .orElse(null);
    if (field == null) {
      section.refuse("time_field", "expected a profile field of type text, found '" + name + "'");
    }
    return field;
  }

  private LocalTime at() {
    var text = section.text("at", LONGEST_NAME);
    if (!TIME.matcher(text).matches()) {
      section.refuse(
          "at", "expected a local time such as \"11:15\", in quotes, found '" + text + "'");
      return LocalTime.NOON;
    }
    return usual.orElseGet(() -> LocalTime.parse(text));
  }

  private @Nullable Duration askAfter() {
    var text = section.optionalText("ask_after", LONGEST_NAME);
    if (text == null || text.equals(WITH_PROMPT)) {
      return null;
    }
    var found = DURATION.matcher(text);
    if (found.matches()) {
      var count = Long.parseLong(found.group(1));
      var delay = found.group(2).equals("h") ? Duration.ofHours(count) : Duration.ofMinutes(count);
      if (delay.compareTo(SOONEST_QUESTION) >= 0 && delay.compareTo(LATEST_QUESTION) <= 0) {
        return delay;
      }
    }
    section.refuse(
        "ask_after",
        "expected " + WITH_PROMPT + " or a time from 1m to 12h such as 3h, found '" + text + "'");
    return null;
  }

  private String quickReply(String key) {
    var text = section.text(key, LONGEST_QUICK_REPLY);
    noPlaceholderBut(Set.of(), key, text);
    refuseTaken(section, key, text);
    return text;
  }

  private @Nullable String feedbackState(Set<String> modules) {
    var state = section.optionalText("feedback_state", LONGEST_NAME);
    if (state != null && !modules.contains(state)) {
      section.refuse(
          "feedback_state",
          "no module is called '" + state + "'; expected one of " + String.join(", ", modules));
    }
    return state;
  }

  private DailyPrompt.@Nullable Intensity intensity(List<ProfileField> profile) {
    var every = every();
    if (!section.has("intensity_field") && !section.has("intensity_question")) {
      Stream.of("intensity_every", EVERY_FIELD)
          .filter(section::has)
          .forEach(key -> section.refuse(key, "expected only with intensity_field"));
      return null;
    }
    var name = section.text("intensity_field", LONGEST_NAME);
    var field =
        profile.stream()
            .filter(it -> it.name().equals(name))
            .filter(it -> it.values().size() > 1 && it.defaultValue() != null)
            .findFirst();
    var key = "intensity_question";
    var question = section.text(key, LONGEST_QUESTION);
    if (field.isEmpty()) {
      section.refuse(
          "intensity_field",
          "expected a profile field of type choice with two values or more and a default, found '"
              + name
              + "'");
      return null;
    }
    field.get().values().forEach(value -> refuseTaken(section, "intensity_field", value));
    var intensity =
        new DailyPrompt.Intensity(
            field.get(), question, every, chosen(profile), words(field.get()), intensityOr());
    noPlaceholderBut(Set.of(DailyPrompt.VALUE, DailyPrompt.OTHERS), key, question);
    for (var value : field.get().values()) {
      var asked = intensity.question(value);
      var length = asked.codePointCount(0, asked.length());
      if (length > LONGEST_QUESTION) {
        section.refuse(
            key,
            "expected at most %d characters, found %d when it asks about '%s'"
                .formatted(LONGEST_QUESTION, length, value));
      }
    }
    return intensity;
  }

  private DailyPrompt.Intensity.Every every() {
    var key = "intensity_every";
    var text = section.optionalText(key, LONGEST_NAME);
    var found = Optional.ofNullable(text).flatMap(DailyPrompt.Intensity.Every::of);
    if (text != null && found.isEmpty()) {
      section.refuse(key, "expected one of " + everyWords() + ", found '" + text + "'");
    }
    return found.orElse(DailyPrompt.Intensity.Every.DAY);
  }

  private static String everyWords() {
    return String.join(", ", DailyPrompt.Intensity.Every.all());
  }

  /** Returns the field in which participants choose how often, if the flow has one. */
  private @Nullable ProfileField chosen(List<ProfileField> profile) {
    var name = section.optionalText(EVERY_FIELD, LONGEST_NAME);
    var field =
        profile.stream()
            .filter(it -> it.name().equals(name))
            .filter(it -> !it.values().isEmpty() && it.defaultValue() == null)
            .filter(it -> DailyPrompt.Intensity.Every.all().containsAll(it.values()))
            .findFirst();
    if (name != null && field.isEmpty()) {
      section.refuse(
          EVERY_FIELD,
          "expected a profile field of type choice without a default, with values of %s, found '%s'"
              .formatted(everyWords(), name));
    }
    return field.orElse(null);
  }

  /** Returns what people read and reply for the values of a field, if they are given. */
  private Map<String, String> words(ProfileField field) {
    var words = new LinkedHashMap<String, String>();
    section
        .optionalSection("intensity_words")
        .ifPresent(given -> {
          given.only(field.values().toArray(String[]::new));
          given
              .keys()
              .forEach(value -> {
                var word = given.text(value, LONGEST_QUICK_REPLY);
                refuseTaken(given, value, word);
                words.put(value, word);
              });
          if (words.values().stream().map(word -> word.toLowerCase(Locale.ROOT)).distinct().count()
              < words.size()) {
            section.refuse("intensity_words", "expected a different word for each value");
          }
        });
    return words;
  }

  /** Refuses a reply that is a keyword: it would be taken for a request. */
  private void refuseTaken(Section where, String key, String reply) {
    if (taken.isTaken(reply)) {
      where.refuse(
          key,
          "expected another word than '" + reply + "', which is a keyword for STOP, START or HELP");
    }
  }

  private String intensityOr() {
    var or = section.optionalText("intensity_or", LONGEST_QUICK_REPLY);
    return or == null ? DailyPrompt.Intensity.OR : or;
  }

  /** Refuses a placeholder that nothing replaces: participants would see it. */
  private void noPlaceholderBut(Set<String> filledLater, String key, String text) {
    var known = new TreeMap<String, String>();
    filledLater.forEach(placeholder -> known.put(placeholder, placeholder));
    FlowReader.refuseUnknown(section, key, text, new Placeholders(known));
  }
}
