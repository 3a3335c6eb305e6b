package org.habitline.llm;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of a question to a model. Every case is an ordinary outcome; none is thrown. */
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

  /** Text and no calls. The text may be blank: that too is something models do. */
  record Says(String text, Receipt receipt) implements ModelReply {}

  /** At least one call, with the text beside it if there was any. */
  record CallsTools(@Nullable String text, List<ToolCall> calls, Receipt receipt)
      implements ModelReply {}

  /**
   * The model declined, or a content filter took its answer away; the reason is a code or a
   * sentence.
   */
  record Refused(String reason, Receipt receipt) implements ModelReply {}

  /** The answer hit the token limit. The calls in it are incomplete and must not run. */
  record CutOff(@Nullable String text, List<ToolCall> calls, Receipt receipt)
      implements ModelReply {}

  /**
   * No usable answer within the time allowed. The reason is a short sentence for staff and holds no
   * key and no participant text.
   *
   * @param failure what kind of failure it was; not stored, so {@code null} in an answer that a
   *     resumed turn finds. While an update runs, a node of the version before may have to resume
   *     the turn, and it cannot read an answer with a field that it does not know.
   */
  record Failed(@JsonIgnore @Nullable ModelFailure failure, String reason, Receipt receipt)
      implements ModelReply {}
}
