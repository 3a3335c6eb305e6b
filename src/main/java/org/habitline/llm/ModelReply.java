package org.habitline.llm;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of a request to a model. Every case is an ordinary outcome; none is thrown. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ModelReply.Says.class, name = "says"),
  @JsonSubTypes.Type(value = ModelReply.CallsTools.class, name = "calls_tools"),
  @JsonSubTypes.Type(value = ModelReply.Refused.class, name = "refused"),
  @JsonSubTypes.Type(value = ModelReply.CutOff.class, name = "cut_off"),
  @JsonSubTypes.Type(value = ModelReply.Failed.class, name = "failed")
})
public sealed interface ModelReply {

  Receipt receipt();

  /** Text without calls. The text may be blank, because models do send blank replies. */
  record Says(String text, Receipt receipt) implements ModelReply {}

  /** At least one call, with the text that came with it, if any. */
  record CallsTools(@Nullable String text, List<ToolCall> calls, Receipt receipt)
      implements ModelReply {}

  /**
   * The model declined, or a content filter removed its reply. The reason is a code or a sentence.
   */
  record Refused(String reason, Receipt receipt) implements ModelReply {}

  /** The reply hit the token limit. The calls in it are incomplete and must not run. */
  record CutOff(@Nullable String text, List<ToolCall> calls, Receipt receipt)
      implements ModelReply {}

  /**
   * The model gave no usable reply in the time allowed. The reason is a short sentence for staff,
   * without key or participant text.
   *
   * @param failure {@code null} if the model was not asked, because a budget is used up
   */
  record Failed(@Nullable ModelFailure failure, String reason, Receipt receipt)
      implements ModelReply {}
}
