package org.habitline.conversation.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.habitline.RunningLine;
import org.habitline.conversation.rules.BeforeTheCoach;
import org.habitline.conversation.rules.Heard;
import org.habitline.conversation.stored.MessageRole;
import org.habitline.llm.openai.Scripted;
import org.junit.jupiter.api.Test;

/** What a turn of the packaged fitness flow loads of its participant (seed 000). */
final class LoadedInATurnTest {

  /** A rule that only looks. */
  static final class Looks implements BeforeTheCoach {

    private final List<LoadedContext> loaded = new CopyOnWriteArrayList<>();

    @Override
    public Place place() {
      return Place.SAME_TEXT;
    }

    @Override
    public Ruling look(Heard heard) {
      loaded.add(heard.context().loaded());
      return new Ruling(List.of(), null);
    }
  }

  @Test
  void itIsTheParticipantTheConversationWhatTheModulesSavedAndTheTime() {
    var looks = new Looks();
    try (var line = RunningLine.in(LoadedInATurnTest.class).bean(looks).start()) {
      line.fake().then(Scripted.say("Welcome."));
      var ada = line.enrolInto("fitness");
      line.awaitTurn(ada, 1);
      assertThat(looks.loaded.getLast().conversationHistory()).isEmpty();
      assertThat(looks.loaded.getLast().agentContext()).isEmpty();

      var saved = line.study().instant();
      line.fake()
          .then(
              Scripted.call(
                  "save_user_profile",
                  "{\"fitness_level\":\"beginner\",\"limitations\":[\"lower back pain\"]}"),
              Scripted.say("Noted."));
      line.answered(ada, "A beginner, and my lower back hurts");
      line.study().advance(Duration.ofHours(1));
      line.answered(ada, "What next?");

      var loaded = looks.loaded.getLast();
      assertThat(loaded.userId()).isEqualTo(ada.id());
      assertThat(loaded.loadedAt()).isEqualTo(line.study().instant());
      assertThat(loaded.conversationHistory())
          .containsExactly(
              new LoadedContext.Message(MessageRole.ASSISTANT, "Welcome."),
              new LoadedContext.Message(MessageRole.USER, "A beginner, and my lower back hurts"),
              new LoadedContext.Message(MessageRole.ASSISTANT, "Noted."));
      assertThat(loaded.agentContext())
          .hasToString(
              "{\"fitness_assessment\":{\"fitness_level\":\"beginner\",\"limitations\":[\"lower back"
                  + " pain\"],\"completed_at\":\""
                  + saved
                  + "\"}}");
    }
  }
}
