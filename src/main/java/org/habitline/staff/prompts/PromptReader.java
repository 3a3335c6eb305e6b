package org.habitline.staff.prompts;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.habitline.conversation.requests.OpenBranch;
import org.habitline.conversation.requests.RequestedPrompt;
import org.habitline.messaging.inbox.ConsentKeywords;
import org.habitline.staff.people.EnrolmentDesk;
import org.habitline.staff.web.ApiProblem;
import org.jspecify.annotations.Nullable;

/**
 * Reads and checks prompts that scripts request; every refusal is a 400 that says what is accepted.
 */
final class PromptReader {

  static final int LONGEST_BODY = 4096;
  static final int LONGEST_PROMPT = 20_000;
  static final int LONGEST_LABEL = 100;
  static final int LONGEST_OPTION = 1000;

  private static final int LONGEST_NOTES = 1000;
  private static final int FEWEST_OPTIONS = 2;
  private static final int MOST_OPTIONS = 10;
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,2}");

  private PromptReader() {}

  /** One option as requested. */
  record Option(@Nullable String label, @Nullable String body) {}

  /** A prompt as requested; fields that its type does not need are ignored. */
  record Said(
      @Nullable String type,
      @Nullable String body,
      @Nullable String systemPrompt,
      @Nullable String userPrompt,
      @Nullable List<@Nullable Option> branchOptions) {}

  /**
   * Returns the checked prompt.
   *
   * @throws ApiProblem 400 if its type is unknown, or something is missing or not accepted
   */
  static RequestedPrompt read(Said said, ConsentKeywords keywords) {
    return switch (said.type() == null ? "static" : said.type()) {
      case "static" -> new RequestedPrompt.Static(needed("body", said.body(), LONGEST_BODY));
      case "branch" ->
          new RequestedPrompt.Branch(
              EnrolmentDesk.text("body", said.body(), LONGEST_BODY, true),
              options(said.branchOptions(), keywords));
      case "genai" ->
          new RequestedPrompt.GenAi(
              needed("system_prompt", said.systemPrompt(), LONGEST_PROMPT),
              needed("user_prompt", said.userPrompt(), LONGEST_PROMPT));
      case "conversation" ->
          new RequestedPrompt.Conversation(
              needed("user_prompt", said.userPrompt(), LONGEST_PROMPT));
      case "custom" ->
          new RequestedPrompt.Custom(
              EnrolmentDesk.text("user_prompt", said.userPrompt(), LONGEST_NOTES, true));
      default ->
          throw ApiProblem.bad(
              "type: unknown; expected static, branch, genai, conversation or custom.");
    };
  }

  private static String needed(String field, @Nullable String said, int most) {
    var text = EnrolmentDesk.text(field, said, most, true);
    if (text == null) {
      throw ApiProblem.bad(field + ": missing; this type of prompt needs it.");
    }
    return text;
  }

  private static List<RequestedPrompt.Option> options(
      @Nullable List<@Nullable Option> said, ConsentKeywords keywords) {
    if (said == null || said.size() < FEWEST_OPTIONS || said.size() > MOST_OPTIONS) {
      throw ApiProblem.bad(
          "branch_options: expected %d to %d options, each with a label and a body."
              .formatted(FEWEST_OPTIONS, MOST_OPTIONS));
    }
    var options = new ArrayList<RequestedPrompt.Option>();
    var words = new HashSet<String>();
    for (var option : said) {
      var read = option(option, options.size() + 1, said.size());
      if (keywords.in(read.label(), false).isPresent()) {
        throw ApiProblem.bad(
            at(options.size() + 1)
                + ".label: the service reads this word as STOP, START or HELP; use another word.");
      }
      if (!words.add(OpenBranch.word(read.label()))) {
        throw ApiProblem.bad(
            at(options.size() + 1) + ".label: another option has this label already.");
      }
      options.add(read);
    }
    return List.copyOf(options);
  }

  private static RequestedPrompt.Option option(@Nullable Option said, int number, int of) {
    if (said == null) {
      throw ApiProblem.bad(at(number) + ": expected an object with a label and a body.");
    }
    var label = EnrolmentDesk.text(at(number) + ".label", said.label(), LONGEST_LABEL, false);
    if (label == null) {
      throw ApiProblem.bad(
          at(number) + ".label: missing; participants choose an option by its label.");
    }
    var word = OpenBranch.word(label);
    if (NUMBER.matcher(word).matches() && isOther(Integer.parseInt(word), number, of)) {
      throw ApiProblem.bad(at(number) + ".label: this is the number of another option.");
    }
    return new RequestedPrompt.Option(
        label, needed(at(number) + ".body", said.body(), LONGEST_OPTION));
  }

  private static boolean isOther(int labelled, int number, int of) {
    return labelled != number && labelled >= 1 && labelled <= of;
  }

  /** Returns the JSON path of an option; JSON counts from 0. */
  private static String at(int number) {
    return "branch_options[" + (number - 1) + "]";
  }
}
