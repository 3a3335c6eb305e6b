package org.habitline.conversation.stored;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import java.util.ArrayList;
import java.util.List;
import org.habitline.flows.Prompt;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelMessage.SystemText;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.ToolSpec;
import org.jspecify.annotations.Nullable;

/**
 * What a model call's request held beside the messages that its iteration has, so that the request
 * can be rebuilt from the record alone.
 *
 * @param tools SHA-256 of the tools in {@link SharedContents}, or {@code null} if it offered none
 * @param whole whether the iteration's messages are the whole request; otherwise they follow those
 *     of the iterations before it
 * @param elsewhere which of the messages are stored elsewhere
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Asked(
    @Nullable String model,
    @Nullable Double temperature,
    @Nullable Integer maxTokens,
    boolean mustSpeak,
    @Nullable Boolean parallelToolCalls,
    @Nullable String tools,
    boolean whole,
    Elsewhere elsewhere) {

  private static final TypeReference<List<ToolSpec>> TOOLS = new TypeReference<>() {};

  /** Returns a list of tools as {@link SharedContents} keeps it. */
  public static String tools(List<ToolSpec> tools) {
    return TurnJson.write(tools);
  }

  /**
   * Returns the record of a request.
   *
   * @param tools the hash of its tools, or {@code null} if it offers none
   */
  public static Asked of(
      ModelRequest request, @Nullable String tools, boolean whole, Elsewhere elsewhere) {
    return new Asked(
        request.model(),
        request.temperature(),
        request.maxTokens(),
        request.mustSpeak(),
        request.parallelToolCalls(),
        tools,
        whole,
        elsewhere);
  }

  /**
   * Returns the request.
   *
   * @param toolList its tools, as {@link #tools(List)} wrote them, or {@code null} if it had none
   */
  ModelRequest request(List<ModelMessage> messages, @Nullable String toolList) {
    return new ModelRequest(
        model,
        temperature,
        maxTokens,
        messages,
        toolList == null ? List.of() : TurnJson.read(toolList, TOOLS),
        mustSpeak,
        parallelToolCalls);
  }

  /** Returns the same with every message in the iteration's own row. */
  public Asked withEverything() {
    return new Asked(
        model, temperature, maxTokens, mustSpeak, parallelToolCalls, tools, whole, Elsewhere.NONE);
  }

  /**
   * The part of a request's messages that is stored elsewhere: the beginning of the first message,
   * and the messages that follow it.
   *
   * @param prompt SHA-256 of the rendered prompt that the first message begins with, or {@code
   *     null} if it begins with none
   * @param length how many characters of the prompt it begins with
   * @param history numbers of the transcript's messages that follow the first message, in order
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Elsewhere(@Nullable String prompt, int length, List<Long> history) {

    /** Everything is in the iteration's own row. */
    public static final Elsewhere NONE = new Elsewhere(null, 0, List.of());

    public Elsewhere {
      history = List.copyOf(history);
    }

    /**
     * Returns what is stored elsewhere of a request.
     *
     * @param messages whose first one is a system message
     * @param history numbers of the messages that follow the first
     */
    public static Elsewhere of(Prompt prompt, List<ModelMessage> messages, List<Long> history) {
      var text = prompt.text().strip();
      return messages.getFirst() instanceof SystemText(var content) && content.startsWith(text)
          ? new Elsewhere(prompt.renderedSha256(), text.length(), history)
          : new Elsewhere(null, 0, history);
    }

    /** Returns the messages without what is stored elsewhere. */
    public List<ModelMessage> without(List<ModelMessage> messages) {
      if (equals(NONE)) {
        return messages;
      }
      var rest = new ArrayList<ModelMessage>();
      rest.add(
          length == 0
              ? messages.getFirst()
              : new SystemText(((SystemText) messages.getFirst()).content().substring(length)));
      rest.addAll(messages.subList(1 + history.size(), messages.size()));
      return rest;
    }

    /**
     * Returns the messages as they were.
     *
     * @param rest what {@link #without} returned
     * @param promptText the rendered prompt, empty if there is none
     * @param shown the messages of {@link #history}
     */
    List<ModelMessage> with(List<ModelMessage> rest, String promptText, List<ModelMessage> shown) {
      var messages = new ArrayList<ModelMessage>();
      messages.add(
          length == 0
              ? rest.getFirst()
              : new SystemText(
                  promptText.strip().substring(0, length)
                      + ((SystemText) rest.getFirst()).content()));
      messages.addAll(shown);
      messages.addAll(rest.subList(1, rest.size()));
      return messages;
    }
  }
}
