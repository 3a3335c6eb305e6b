package org.habitline.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.habitline.RunningLine;
import org.habitline.conversation.stored.StateReader;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A flow that nobody programmed for, played without any key over the simulated phone. */
class FlowOfOnesOwnTest {

  private static final String YAML =
      """
      id: fit
      initial_state: ASSESSMENT
      modules:
        ASSESSMENT:
          prompt: talk.txt
          tools:
            - save_user_profile
            - transition_state:
                to:
                  - GOALS: {when_complete: [fitness_level, limitations]}
        GOALS:
          prompt: talk.txt
          tools: [save_user_profile]
      profile:
        fitness_level:
          type: choice
          values: [beginner, advanced]
          required: true
          module: ASSESSMENT
          description: How fit you are.
        limitations:
          {type: list, required: true, module: ASSESSMENT, description: What limits you.}
        target_weight_kg:
          type: number
          minimum: 40
          maximum: 150
          required: true
          module: GOALS
          description: The weight you aim for in kilograms.
        outdoors: {type: boolean, required: true, module: GOALS, description: Whether you like to be outside.}
      texts:
        greeting_fallback: Hello.
        error_fallback: Sorry.
        help: Help.
        deletion_notice: Goodbye.
        opt_out_confirmation: Understood.
        resources: Call someone.
      """;

  private final RunningLine line =
      RunningLine.in(FlowOfOnesOwnTest.class).flow("fit", YAML).rehearsed().start();

  @AfterEach
  void stop() {
    line.close();
  }

  private String reply(Participant participant, String text) {
    var turn = line.answered(participant, text);
    assertThat(turn.get("status")).as(text).isEqualTo("done");
    return line.phone(participant).getLast();
  }

  @Test
  void theScriptAsksForEachFieldSavesItsTypeAndHandsOver() {
    var participant = line.enrolInto("fit");
    line.awaitTurn(participant, 1);
    assertThat(line.phone(participant))
        .singleElement()
        .asString()
        .contains("This is a rehearsal")
        .endsWith("Please tell me: How fit you are. One of: beginner, advanced.");

    assertThat(reply(participant, "quite purple"))
        .startsWith("I did not understand that. Please tell me: How fit you are.");
    assertThat(reply(participant, "Beginner, I guess"))
        .isEqualTo("Noted. Please tell me: What limits you. Name them, or say none.");
    assertThat(reply(participant, "my back, a bad knee and my fitness level is advanced"))
        .as("a correction is not the answer to the question")
        .isEqualTo("Noted. Please tell me: What limits you. Name them, or say none.");
    assertThat(reply(participant, "my back and a bad knee"))
        .isEqualTo("Noted. That is all for this part. Text me anything to go on.");
    assertThat(reply(participant, "ok"))
        .isEqualTo("Please tell me: The weight you aim for in kilograms.");
    assertThat(reply(participant, "20"))
        .startsWith("I could not note that. A number from 40 to 150 is expected, not 20.");
    assertThat(reply(participant, "70.5 kg"))
        .endsWith("Please tell me: Whether you like to be outside. Yes or no?");
    assertThat(reply(participant, "yes please")).isEqualTo("Noted. That is all I need. Thank you!");
    assertThat(reply(participant, "My target weight is 72")).startsWith("Noted.");

    var state = line.bean(StateReader.class).state(participant, true);
    assertThat(state).containsEntry("conversationState", "GOALS");
    var profile = Objects.requireNonNull(state.get("userProfile")).toString();
    assertThat(profile)
        .startsWith(
            "{\"fitness_level\":\"advanced\",\"limitations\":[\"my back\",\"a bad knee\"],"
                + "\"target_weight_kg\":72,\"outdoors\":true,\"completed_at\":{\"ASSESSMENT\":")
        .doesNotContain("tone", "success_count");
  }
}
