package org.habitline.tools;

import jakarta.inject.Singleton;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.flows.DailyPrompt;
import org.habitline.flows.Flow;
import org.habitline.flows.Prompt;
import org.habitline.flows.PromptGenerator;
import org.habitline.flows.Prompts;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/**
 * Has a model write a participant's personal habit prompt, requested in the conversation or due by
 * a schedule. Stores nothing. Safe for any number of threads.
 */
@Singleton
public final class HabitPromptWriter {

  /** A changed moment, a new limit or a wish must not be outdone by older prompts. */
  private static final String PROFILE_FIRST =
      "Where the profile now names another moment, a limit or a change, follow the profile.";

  /** As the model reads dates, such as {@code Tuesday, 2026-11-24}. */
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("EEEE, yyyy-MM-dd", Locale.ENGLISH);

  private static final Pattern NEITHER_LETTERS_NOR_DIGITS = Pattern.compile("[^\\p{L}\\p{N}]+");

  private static final String NOT_A_SENTENCE = "its answer was not one short sentence";

  private static final List<String> QUOTES = List.of("\"\"", "''", "``", "“”", "‘’", "«»", "„“");

  /** The reason for writing a prompt. */
  public sealed interface Occasion {

    /**
     * A model asked for it in the conversation.
     *
     * @param notes what the participant said that the prompt should mention
     */
    record Asked(Optional<String> notes) implements Occasion {}

    /**
     * The daily prompt is due.
     *
     * @param today the participant's local date
     * @param studyDay the number of the day in the study, 1 for the day of enrolment
     * @param last the last daily prompts, newest first
     */
    record Daily(LocalDate today, long studyDay, List<Sent> last) implements Occasion {
      public Daily {
        last = List.copyOf(last);
      }
    }
  }

  /**
   * A daily prompt that was sent.
   *
   * @param outcome what came of it, in a few words for a model
   */
  public record Sent(LocalDate date, String text, String outcome) {}

  /** The outcome of writing a prompt. */
  public sealed interface Writing {

    /** One line of at most {@link PromptGenerator#LONGEST_PROMPT} characters that can be sent. */
    record Written(String text) implements Writing {}

    /** The profile lacks these fields, so no model was called. */
    record Incomplete(List<String> missing) implements Writing {
      public Incomplete {
        missing = List.copyOf(missing);
      }
    }

    /**
     * The model returned nothing that can be sent.
     *
     * @param why the reason for models and logs, without any text of a conversation
     * @param withheld whether a gate withheld what the model wrote
     */
    record Unwritten(String why, @Nullable ModelFailure failure, boolean withheld)
        implements Writing {
      Unwritten(String why) {
        this(why, null, false);
      }
    }
  }

  /**
   * Calls the model and returns the outcome. A daily prompt that repeats one of the last is asked
   * for once more, unless the flow wants the same every day.
   */
  public Writing write(
      Flow flow,
      Prompts prompts,
      Participant participant,
      Profile profile,
      Occasion occasion,
      NestedModel model) {
    var generator = flow.promptGenerator();
    if (generator == null) {
      return new Writing.Unwritten("the flow has no prompt generator");
    }
    var missing = ProfileStatus.missing(flow, profile);
    if (!missing.isEmpty()) {
      return new Writing.Incomplete(missing);
    }
    var prompt = prompts.prompt(flow, generator.prompt());
    var parts = new ArrayList<SystemText>();
    parts.add(new SystemText(prompt.text()));
    var background = participant.backgroundText();
    if (!background.isEmpty()) {
      parts.add(Section.BACKGROUND.holding(background));
    }
    parts.add(
        Section.STATUS.holding(
            "Profile: " + ProfileStatus.line(flow, profile) + standing(occasion)));
    TonePolicy.message(profile.tone()).map(Section.TONE::holding).ifPresent(parts::add);
    parts.add(Section.EVENT.holding("The prompt is due: write it now." + wanted(flow, occasion)));
    var settings = generator.model();
    var request =
        new ModelRequest(
            settings.model(),
            settings.temperature(),
            settings.maxTokens(),
            List.of(Section.joined(parts)),
            List.of(),
            false,
            null);
    var first = asked(request, prompt, model);
    return first instanceof Writing.Written(var text)
        ? repeated(flow, occasion, text)
            .map(sent -> asked(again(request, text, sent, flow), prompt, model))
            .orElse(first)
        : first;
  }

  private static Writing asked(ModelRequest request, Prompt prompt, NestedModel model) {
    return model
        .ask(request, prompt)
        .map(HabitPromptWriter::written)
        .orElseGet(() -> new Writing.Unwritten("a gate withheld its answer", null, true));
  }

  /** Returns the lines about the day and the last daily prompts, each on a line of its own. */
  private static String standing(Occasion occasion) {
    return switch (occasion) {
      case Occasion.Asked _ -> "";
      case Occasion.Daily(var today, var studyDay, var last) ->
          "\nStudy day: %d\nToday: %s".formatted(studyDay, day(today))
              + (last.isEmpty() ? "" : "\nLast daily prompts, newest first:")
              + last.stream()
                  .map(sent ->
                      "\n- %s: %s (%s)"
                          .formatted(day(sent.date()), Words.cleaned(sent.text()), sent.outcome()))
                  .collect(Collectors.joining());
    };
  }

  private static String day(LocalDate date) {
    return DAY.format(date);
  }

  private static String wanted(Flow flow, Occasion occasion) {
    return switch (occasion) {
      // On one line, so that no part of the notes looks like a section.
      case Occasion.Asked(var notes) ->
          notes.map(text -> "\nPersonalization notes: " + Words.cleaned(text)).orElse("");
      case Occasion.Daily daily -> daily.last().isEmpty() ? "" : "\n" + variation(flow);
    };
  }

  /** Returns the instruction about what may change from one daily prompt to the next. */
  private static String variation(Flow flow) {
    return switch (vary(flow)) {
      case CONSTANT ->
          "Repeat the newest daily prompt word for word, unless the profile has changed since.";
      case WORDING ->
          "Keep the moment and the action of the last daily prompts, but use other words than they"
              + " did. "
              + PROFILE_FIRST;
      case ACTION ->
          "Keep the moment of the last daily prompts, but choose another one-minute action of the"
              + " same kind of habit than they had. "
              + PROFILE_FIRST;
    };
  }

  private static DailyPrompt.Vary vary(Flow flow) {
    return flow.dailyPrompt() == null ? DailyPrompt.Vary.WORDING : flow.dailyPrompt().vary();
  }

  /** Returns the prompt of the last ones that a text repeats, if it should not. */
  private static Optional<Sent> repeated(Flow flow, Occasion occasion, String text) {
    return occasion instanceof Occasion.Daily daily && vary(flow) != DailyPrompt.Vary.CONSTANT
        ? daily.last().stream().filter(sent -> bare(sent.text()).equals(bare(text))).findFirst()
        : Optional.empty();
  }

  /** Returns a text without case, punctuation and spaces. */
  private static String bare(String text) {
    return NEITHER_LETTERS_NOR_DIGITS.matcher(text).replaceAll("").toLowerCase(Locale.ROOT);
  }

  private static ModelRequest again(ModelRequest request, String text, Sent sent, Flow flow) {
    return request.again(
        text,
        "This was the daily prompt of %s already. Write it once more. %s"
            .formatted(day(sent.date()), variation(flow)));
  }

  private static Writing written(ModelReply reply) {
    return switch (reply) {
      case ModelReply.Says says ->
          sentence(says.text())
              .<Writing>map(Writing.Written::new)
              .orElseGet(() -> new Writing.Unwritten(NOT_A_SENTENCE));
      case ModelReply.CallsTools calls -> new Writing.Unwritten(NOT_A_SENTENCE);
      case ModelReply.CutOff cut -> new Writing.Unwritten("its answer was cut off");
      case ModelReply.Refused refused -> new Writing.Unwritten("it declined to write it");
      case ModelReply.Failed failed ->
          new Writing.Unwritten("it gave no answer", failed.failure(), false);
    };
  }

  /** Returns the reply as one line without surrounding quotes, or empty if it cannot be sent. */
  private static Optional<String> sentence(String answer) {
    var text = Words.cleaned(answer);
    while (quoted(text)) {
      text = text.substring(1, text.length() - 1).strip();
    }
    var raw = text.startsWith("{") || text.startsWith("[") || text.startsWith("<");
    var usable = !text.isEmpty() && !raw && Words.length(text) <= PromptGenerator.LONGEST_PROMPT;
    return usable ? Optional.of(text) : Optional.empty();
  }

  private static boolean quoted(String text) {
    return text.length() >= 2
        && QUOTES.contains("" + text.charAt(0) + text.charAt(text.length() - 1));
  }
}
