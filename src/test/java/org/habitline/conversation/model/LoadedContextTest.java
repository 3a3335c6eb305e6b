package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.habitline.conversation.stored.MessageRole;
import org.junit.jupiter.api.Test;

/** The immutable context of seed 000. */
class LoadedContextTest {

  private static final Instant NOW = Instant.parse("2026-11-21T07:15:00Z");

  private final ObjectNode parts = JsonNodeFactory.instance.objectNode();

  private LoadedContext loaded(List<LoadedContext.Message> history) {
    return new LoadedContext("conv_ada", history, parts, NOW);
  }

  @Test
  void itHasFourPartsAndAMessageHasTwo() {
    parts.putObject("fitness_assessment").put("fitness_level", "beginner");
    var json =
        JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .build()
            .valueToTree(loaded(List.of(new LoadedContext.Message(MessageRole.USER, "Hello."))));
    assertThat(json.fieldNames())
        .toIterable()
        .containsExactly("user_id", "conversation_history", "agent_context", "loaded_at");
    assertThat(json.path("conversation_history"))
        .hasToString("[{\"role\":\"user\",\"content\":\"Hello.\"}]");
    assertThat(json.path("agent_context"))
        .hasToString("{\"fitness_assessment\":{\"fitness_level\":\"beginner\"}}");
  }

  @Test
  void nothingChangesItLater() {
    parts.putObject("fitness_assessment").put("fitness_level", "beginner");
    var history = new ArrayList<LoadedContext.Message>();
    var loaded = loaded(history);
    history.add(new LoadedContext.Message(MessageRole.USER, "later"));
    parts.putObject("goal_setting");
    loaded.agentContext().removeAll();
    assertThat(loaded.conversationHistory()).isEmpty();
    assertThat(loaded.agentContext())
        .hasToString("{\"fitness_assessment\":{\"fitness_level\":\"beginner\"}}");
    assertThatThrownBy(() -> loaded.conversationHistory().addAll(history))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void wrongTypesAreRefusedWithTheNameOfThePart() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LoadedContext(" ", List.of(), parts, NOW))
        .withMessageStartingWith("user_id: expected the id of a participant");
    parts.put("goal_setting", "lose weight");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> loaded(List.of()))
        .withMessage("agent_context.goal_setting: expected an object, found STRING");
  }
}
