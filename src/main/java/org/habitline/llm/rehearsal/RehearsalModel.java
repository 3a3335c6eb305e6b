package org.habitline.llm.rehearsal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.habitline.llm.Deadline;
import org.habitline.llm.LanguageModel;
import org.habitline.llm.ModelReply;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Receipt;
import org.habitline.llm.ToolCall;
import org.habitline.llm.ToolSpec;
import org.jspecify.annotations.Nullable;

/**
 * A script in place of a model: it plays the habit flow through the same requests, calls and
 * replies, with no key and no network, and says in its first text that it is one. It keeps nothing
 * between requests.
 */
final class RehearsalModel implements LanguageModel {

  private static final String NAME = "rehearsal";

  @Override
  public boolean rehearsal() {
    return true;
  }

  @Override
  public String describe() {
    return "the built-in rehearsal script (set OPENAI_API_KEY or OPENAI_BASE_URL for a real model)";
  }

  @Override
  public ModelReply answer(ModelRequest request, Deadline deadline) {
    var began = System.nanoTime();
    var seen = Seen.of(request);
    return switch (Script.next(seen)) {
      case Act.Say say -> new ModelReply.Says(say.text(), receipt("stop", began));
      case Act.Call call ->
          new ModelReply.CallsTools(null, List.of(call(seen, call)), receipt("tool_calls", began));
    };
  }

  private static ToolCall call(Seen seen, Act.Call call) {
    var id = "call_" + (seen.results().size() + 1);
    return new ToolCall(
        id, call.tool(), arguments(seen.tools().get(call.tool()), call.arguments()));
  }

  /** A strict schema wants every property there: null where nothing is said. */
  private static String arguments(@Nullable ToolSpec tool, Map<String, Object> given) {
    ObjectNode arguments = JsonNodeFactory.instance.objectNode();
    if (tool != null) {
      tool.schema().path("properties").fieldNames().forEachRemaining(arguments::putNull);
    }
    given.forEach((name, value) -> {
      if (value instanceof List<?> words) {
        var array = arguments.putArray(name);
        words.forEach(word -> array.add(word.toString()));
      } else {
        arguments.put(name, value.toString());
      }
    });
    return arguments.toString();
  }

  private static Receipt receipt(String finishReason, long began) {
    return new Receipt(
        NAME, NAME, null, finishReason, 0, 0, (System.nanoTime() - began) / 1_000_000, 1);
  }
}
