package org.habitline.llm.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.micronaut.context.ApplicationContext;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.habitline.Patience;
import org.habitline.llm.Deadline;
import org.habitline.llm.Embeddings;
import org.habitline.llm.Embeddings.Outcome;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.openai.FakeEmbeddingsServer.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Embeddings over real HTTP. */
final class OpenAiEmbeddingsTest {

  private static final Duration LONG = Patience.LONG;
  private static final String TEXT = "my secret is a walk at the lake";

  private final FakeEmbeddingsServer fake =
      FakeEmbeddingsServer.start(text -> new float[] {text.length(), 0, 1});
  private final Embeddings embeddings = fake.client();

  @AfterEach
  void stop() {
    fake.close();
    assertThat(fake.violations()).isEmpty();
  }

  private Outcome embed(String... texts) {
    var outcome = embeddings.embed(List.of(texts), Deadline.in(LONG));
    if (outcome instanceof Outcome.Failed(ModelFailure kind, String reason)) {
      assertThat(reason)
          .isNotBlank()
          .doesNotContain(TEXT, FakeEmbeddingsServer.KEY, "scripted", "{", "<");
    }
    return outcome;
  }

  private static ModelFailure failure(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Failed.class);
    return ((Outcome.Failed) outcome).failure();
  }

  @Test
  void eachTextGetsItsVectorOfLengthOne() {
    var vectors = ((Outcome.Embedded) embed("abcd", "abc")).vectors();
    assertThat(vectors).hasSize(2);
    assertThat(vectors.getFirst()).containsExactly(new float[] {0.970f, 0, 0.243f}, within(0.001f));
    assertThat(vectors.getLast()).containsExactly(new float[] {0.949f, 0, 0.316f}, within(0.001f));
    assertThat(fake.asked()).hasSize(1);
    assertThat(fake.asked().getFirst().texts()).containsExactly("abcd", "abc");
    assertThat(fake.asked().getFirst().target()).isEqualTo("/v1/embeddings");
  }

  @Test
  void vectorsAreReadInTheOrderOfTheirNumbers() {
    fake.answer(texts ->
        new Answer(
            200,
            """
            {"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}\
            """));
    var vectors = ((Outcome.Embedded) embed("first", "second")).vectors();
    assertThat(vectors.getFirst()).containsExactly(1, 0);
    assertThat(vectors.getLast()).containsExactly(0, 1);
  }

  @Test
  void halfACharacterTravelsAsAQuestionMark() {
    assertThat(embed("a \ud83d b")).isInstanceOf(Outcome.Embedded.class);
    assertThat(fake.asked().getFirst().texts()).containsExactly("a ? b");
  }

  @Test
  void azureIsAskedForItsDeploymentWithItsOwnHeader() {
    var outcome = fake.azure("2024-10-21").embed(List.of("hello"), Deadline.in(LONG));
    assertThat(outcome).isInstanceOf(Outcome.Embedded.class);
    var asked = fake.asked().getFirst();
    assertThat(asked.target())
        .isEqualTo("/openai/deployments/fake-embedding/embeddings?api-version=2024-10-21");
    assertThat(asked.apiKey()).isEqualTo(FakeEmbeddingsServer.KEY);
  }

  @ParameterizedTest
  @CsvSource({
    "400, OTHER",
    "401, KEY_REFUSED",
    "404, OTHER",
    "429, TOO_MUCH",
    "500, SERVER_BROKEN",
    "503, SERVER_BROKEN"
  })
  void aRefusalIsTypedAndNotRepeated(int status, ModelFailure kind) {
    fake.answer(texts -> Answer.status(status));
    assertThat(failure(embed(TEXT))).isEqualTo(kind);
    assertThat(fake.asked()).hasSize(1);
  }

  @Test
  void anUnknownModelIsNamedByItsCode() {
    fake.answer(
        texts -> new Answer(404, "{\"error\":{\"message\":\"no\",\"code\":\"model_not_found\"}}"));
    assertThat(failure(embed(TEXT))).isEqualTo(ModelFailure.UNKNOWN_MODEL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "}{ not json",
        "<!doctype html>",
        "[]",
        "{\"data\":[]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1,2]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":7,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":-1,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1,2]},{\"index\":1,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[]},{\"index\":1,\"embedding\":[]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[0,0]},{\"index\":1,\"embedding\":[1,2]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[null]},{\"index\":1,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1e999]},{\"index\":1,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":\"AACAPw==\"},{\"index\":1,\"embedding\":[1]}]}"
      })
  void aReplyThatIsNoListOfVectorsIsAFailure(String body) {
    fake.answer(texts -> new Answer(200, body));
    assertThat(failure(embed(TEXT, "another"))).isEqualTo(ModelFailure.OTHER);
  }

  @Test
  void vectorsLargerThanAnyModelsAreAFailure() {
    fake.answer(
        FakeEmbeddingsServer.each(text -> {
          var large = new float[8193];
          large[0] = 1;
          return large;
        }));
    assertThat(failure(embed(TEXT))).isEqualTo(ModelFailure.OTHER);
  }

  @Test
  void aServerThatDoesNotAnswerIsGivenUpAtTheDeadline() {
    fake.answer(texts -> Answer.never());
    var outcome = embeddings.embed(List.of(TEXT), Deadline.in(Duration.ofMillis(300)));
    assertThat(failure(outcome)).isEqualTo(ModelFailure.TOO_LATE);
  }

  @Test
  void afterTheDeadlineNothingIsAsked() {
    var outcome = embeddings.embed(List.of(TEXT), Deadline.in(Duration.ZERO));
    assertThat(failure(outcome)).isEqualTo(ModelFailure.TOO_LATE);
    assertThat(fake.asked()).isEmpty();
  }

  @Test
  void aServerThatIsAwayIsAFailure() {
    fake.leave();
    assertThat(failure(embed(TEXT))).isEqualTo(ModelFailure.TOO_LATE);
  }

  @Test
  void anInterruptEndsTheWaitingAndStays() {
    Thread.currentThread().interrupt();
    try {
      assertThat(embed(TEXT)).isEqualTo(new Outcome.Interrupted());
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void tooManyTextsOrABlankOneAreRefused() {
    for (var texts : List.of(List.<String>of(), List.of("a", " "), Collections.nCopies(65, "a"))) {
      assertThatThrownBy(() -> embeddings.embed(texts, Deadline.in(LONG)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected 1 to 64 texts");
    }
  }

  @ParameterizedTest
  @CsvSource({"text-embedding-3-small, true", "'', false", "' ', false"})
  void theModelIsThereWhenItIsConfigured(String model, boolean there) {
    try (var context =
        ApplicationContext.builder()
            .packages("org.habitline.llm")
            .properties(Map.of("openai.api-key", "sk-test", "openai.embedding-model", model))
            .build()) {
      context.start();
      assertThat(context.findBean(Embeddings.class).isPresent()).isEqualTo(there);
    }
  }
}
