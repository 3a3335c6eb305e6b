package org.habitline.conversation.requests;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A message that a script requests (the Go original's prompt types). Immutable. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RequestedPrompt.Static.class, name = "static"),
  @JsonSubTypes.Type(value = RequestedPrompt.Branch.class, name = "branch"),
  @JsonSubTypes.Type(value = RequestedPrompt.GenAi.class, name = "genai"),
  @JsonSubTypes.Type(value = RequestedPrompt.Generated.class, name = "generated"),
  @JsonSubTypes.Type(value = RequestedPrompt.Conversation.class, name = "conversation"),
  @JsonSubTypes.Type(value = RequestedPrompt.Custom.class, name = "custom")
})
public sealed interface RequestedPrompt {

  /** Returns the word that the API uses for this type. */
  default String word() {
    return switch (this) {
      case Static text -> "static";
      case Branch branch -> "branch";
      case GenAi genAi -> "genai";
      case Generated generated -> "genai";
      case Conversation conversation -> "conversation";
      case Custom custom -> "custom";
    };
  }

  /** Sends the text as it is. */
  record Static(String body) implements RequestedPrompt {}

  /** An option to choose, and the message that is sent for it. */
  record Option(String label, String body) {}

  /**
   * Sends the labels, numbered from 1; a reply with a number or label gets the option's body.
   *
   * @param body the text before the labels
   */
  record Branch(@Nullable String body, List<Option> branchOptions) implements RequestedPrompt {

    public Branch {
      branchOptions = List.copyOf(branchOptions);
    }

    public String text() {
      var labels =
          IntStream.range(0, branchOptions.size())
              .mapToObj(i -> (i + 1) + ". " + branchOptions.get(i).label());
      return Stream.concat(Stream.ofNullable(body), labels).collect(Collectors.joining("\n"));
    }
  }

  /** A model writes the message from these two prompts and nothing else. */
  record GenAi(String systemPrompt, String userPrompt) implements RequestedPrompt {}

  /** The text that a model wrote from a {@link GenAi}. */
  record Generated(String text) implements RequestedPrompt {}

  /** The coach writes in the running conversation and follows this prompt. */
  record Conversation(String userPrompt) implements RequestedPrompt {}

  /**
   * The flow's prompt generator writes the participant's personal prompt.
   *
   * @param notes what the prompt should take into account
   */
  record Custom(@Nullable String notes) implements RequestedPrompt {}

  /** Returns how many characters the script supplied, for the audit log. */
  default int length() {
    return switch (this) {
      case Static text -> text.body().length();
      case Branch branch ->
          Objects.requireNonNullElse(branch.body(), "").length()
              + branch.branchOptions().stream()
                  .mapToInt(option -> option.label().length() + option.body().length())
                  .sum();
      case GenAi genAi -> genAi.systemPrompt().length() + genAi.userPrompt().length();
      case Generated generated -> generated.text().length();
      case Conversation conversation -> conversation.userPrompt().length();
      case Custom custom -> Objects.requireNonNullElse(custom.notes(), "").length();
    };
  }
}
