package org.habitline.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.knowledge.Documents.sources;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.habitline.llm.openai.FakeEmbeddingsServer;
import org.habitline.llm.openai.FakeEmbeddingsServer.Answer;
import org.habitline.llm.openai.FakeEmbeddingsServer.Asked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Search by words and by meaning, with an embeddings server over real HTTP. */
final class HybridSearchTest {

  /** As many numbers as today's models have, and more than Lucene's default allows. */
  private static final int SIZE = 1_536;

  @TempDir Path folder;

  private Documents documents;
  private FakeEmbeddingsServer fake;

  @BeforeEach
  void start() {
    fake = FakeEmbeddingsServer.start(text -> meaning(text, SIZE));
    documents =
        Documents.in(folder)
            .write("leave.md", "# Leave\nEveryone has 25 days of vacation.")
            .write("parking.txt", "The garage is below the building.")
            .write("food.txt", "Lunch is at noon.");
  }

  @AfterEach
  void stop() {
    fake.close();
    assertThat(fake.violations()).isEmpty();
  }

  /** One number for each meaning, whatever the words. */
  private static float[] meaning(String text, int size) {
    var vector = new float[size];
    vector[0] = 0.1f;
    var meanings =
        List.of(
            List.of("vacation", "holiday", "time off"),
            List.of("garage", "car", "automobile"),
            List.of("lunch", "eat", "hungry"));
    for (int i = 0; i < meanings.size(); i++) {
      if (meanings.get(i).stream().anyMatch(text.toLowerCase(Locale.ROOT)::contains)) {
        vector[size - 1 - i] = 1;
      }
    }
    return vector;
  }

  private KnowledgeBase open() {
    return open(Duration.ofSeconds(30));
  }

  private KnowledgeBase open(Duration forAQuery) {
    return KnowledgeBase.open(folder, Optional.of(fake.client()), documents.clock(), forAQuery);
  }

  private static void awaitFound(Supplier<List<Passage>> search, String source) {
    await()
        .until(() -> {
          var found = search.get();
          return !found.isEmpty() && found.getFirst().source().equals(source);
        });
  }

  /** Texts that were sent before the first query. */
  private List<String> sent() {
    return fake.asked().stream().map(Asked::texts).flatMap(List::stream).toList();
  }

  @Test
  void aPassageIsFoundByItsMeaningWithoutACommonWord() {
    try (var base = open()) {
      awaitFound(() -> base.search("How much time off do I get?", 3), "leave.md, Leave");
      awaitFound(() -> base.search("automobile", 3), "parking.txt");
      assertThat(base.warnings()).isEmpty();
      assertThat(sent()).contains("Leave\nEveryone has 25 days of vacation.", "automobile");
      assertThat(fake.asked().getFirst().texts()).as("all passages in one request").hasSize(3);
    }
  }

  @Test
  void whatBothWaysFindComesBeforeWhatOneFinds() {
    documents
        .write("words.txt", "A holiday automobile holiday automobile is not for you.")
        .write("meaning.txt", "hungry people");
    try (var base = open()) {
      awaitFound(() -> base.search("hungry", 5), "meaning.txt");
      var found = base.search("hungry", 5);
      assertThat(found.getFirst().score())
          .as("first by its words, first or second by its meaning")
          .isBetween(1 / 61.0 + 1 / 62.0 - 1e-6, 2 / 61.0 + 1e-6);
      assertThat(sources(found).get(1)).as("same meaning, other words").isEqualTo("food.txt");
    }
  }

  @Test
  void unchangedPassagesAreNotSentAgain() {
    try (var base = open()) {
      awaitFound(() -> base.search("automobile", 1), "parking.txt");
      documents.write(
          "leave.md", "# Leave\nEveryone has 25 days of vacation.\n\n## Sick\nCall in.");
      documents.write("copy.txt", "The garage is below the building.").later();
      await()
          .until(() -> {
            base.search("automobile", 1);
            return sent().contains("Leave > Sick\nCall in.");
          });
      var passages = sent().stream().filter(text -> !text.equals("automobile")).toList();
      assertThat(passages).hasSize(4).hasSameSizeAs(new HashSet<>(passages));
      await()
          .until(() ->
              sources(base.search("automobile", 2))
                  .containsAll(List.of("parking.txt", "copy.txt")));
    }
  }

  @Test
  void manyPassagesAreSentInBatches() {
    for (int i = 0; i < 150; i++) {
      documents.write("n" + i + ".txt", "This is note number " + i + ".");
    }
    try (var base = open()) {
      awaitFound(() -> base.search("automobile", 1), "parking.txt");
      var batches =
          fake.asked().stream()
              .map(Asked::texts)
              .filter(texts -> !texts.contains("automobile"))
              .map(List::size)
              .toList();
      assertThat(batches).containsExactly(64, 64, 25);
    }
  }

  @Test
  void withAServerThatFailsWordsAreUsedUntilItIsBack() {
    fake.answer(texts -> Answer.status(503));
    try (var base = open()) {
      await().until(() -> !base.warnings().isEmpty());
      assertThat(base.warnings())
          .containsExactly(
              "Knowledge search finds passages by their words only, because the model's server"
                  + " answered with HTTP status 503: an error on the model's server. Check"
                  + " OPENAI_EMBEDDING_MODEL and the model's server.");
      assertThat(base.search("automobile", 3)).isEmpty();
      assertThat(sources(base.search("garage", 3))).containsExactly("parking.txt");
      assertThat(fake.asked()).as("the server is left alone for a while").hasSize(1);
      fake.answer(FakeEmbeddingsServer.each(text -> meaning(text, SIZE)));
      documents.clock().advance(PassageVectors.PAUSE);
      awaitFound(() -> base.search("automobile", 3), "parking.txt");
      assertThat(base.warnings()).isEmpty();
    }
  }

  @Test
  void aServerThatBecomesSlowHoldsOneSearchForAShortTimeOnly() {
    var quick = FakeEmbeddingsServer.each(text -> meaning(text, SIZE));
    fake.answer(texts -> texts.contains("garage") ? Answer.never() : quick.apply(texts));
    try (var base = open(Duration.ofMillis(300))) {
      await()
          .until(() -> {
            assertThat(sources(base.search("garage", 3))).containsExactly("parking.txt");
            return !base.warnings().isEmpty();
          });
      assertThat(sources(base.search("garage", 3))).containsExactly("parking.txt");
      assertThat(base.warnings())
          .singleElement()
          .asString()
          .contains("did not answer in time")
          .doesNotContain("garage");
      var before = fake.asked().size();
      assertThat(base.search("lunch", 3)).hasSize(1);
      assertThat(fake.asked()).hasSize(before);
    }
  }

  @Test
  void aServerThatNeverAnswersHoldsNeitherTheStartNorASearch() {
    fake.answer(texts -> Answer.never());
    try (var base = open()) {
      await().until(() -> fake.asked().size() == 1);
      assertThat(sources(base.search("garage", 3))).containsExactly("parking.txt");
      documents.write("new.txt", "A new garage.").later();
      assertThat(base.search("garage", 3)).hasSize(2);
      assertThat(fake.asked()).hasSize(1);
    }
  }

  @Test
  void vectorsOfAnotherSizeAreNotMixedIn() {
    try (var base = open()) {
      awaitFound(() -> base.search("automobile", 3), "parking.txt");
      fake.answer(FakeEmbeddingsServer.each(text -> meaning(text, 8)));
      assertThat(sources(base.search("garage", 3))).containsExactly("parking.txt");
      assertThat(base.warnings())
          .singleElement()
          .asString()
          .contains("vectors of 8 numbers after vectors of 1536 numbers");
    }
  }

  @Test
  void aPassageThatTheServerRefusesIsLeftOutAndTheOthersHaveVectors() {
    var usual = FakeEmbeddingsServer.each(text -> meaning(text, SIZE));
    fake.answer(texts ->
        texts.stream().anyMatch(text -> text.contains("Lunch"))
            ? Answer.status(400)
            : usual.apply(texts));
    try (var base = open()) {
      awaitFound(() -> base.search("automobile", 3), "parking.txt");
      assertThat(sources(base.search("lunch", 3))).contains("food.txt");
      await()
          .untilAsserted(() ->
              assertThat(base.warnings())
                  .containsExactly(
                      "The embeddings server refused 1 passage, so knowledge search finds it by words"
                          + " only."));
      var asked = fake.asked().size();
      documents.write("more.txt", "An automobile of one's own.").later();
      await().until(() -> base.search("automobile", 3).size() > 1);
      documents.clock().advance(PassageVectors.PAUSE);
      base.search("vacation", 1);
      assertThat(fake.asked().subList(asked, fake.asked().size()))
          .as("what was refused is not sent again")
          .noneMatch(request -> request.texts().stream().anyMatch(it -> it.contains("Lunch")));
      documents.write("food.txt", "Dinner is at six, for the hungry.").later();
      awaitFound(() -> base.search("eat", 1), "food.txt");
      assertThat(base.warnings()).isEmpty();
    }
  }

  @Test
  void aReplyThatIsNoListOfVectorsLeavesTheWords() {
    fake.answer(texts -> new Answer(200, "{\"data\":[]}"));
    try (var base = open()) {
      await().until(() -> !base.warnings().isEmpty());
      assertThat(base.warnings())
          .singleElement()
          .asString()
          .contains("the embeddings server sent 0 vectors for 3 texts");
      assertThat(base.search("garage", 3)).hasSize(1);
    }
  }

  @Test
  void anyQueryHasAResultWithVectorsAsWell() {
    try (var base = open()) {
      awaitFound(() -> base.search("automobile", 3), "parking.txt");
      for (var query : new String[] {"", " ", "\"(", "☕ \ud83d", "x".repeat(10_000)}) {
        assertThat(base.search(query, 3)).hasSizeLessThanOrEqualTo(3);
      }
    }
  }

  @Test
  void aQueryIsNotSentWhileNoPassageHasAVector() {
    for (var name : List.of("leave.md", "parking.txt", "food.txt")) {
      assertThat(folder.resolve(name).toFile().delete()).isTrue();
    }
    try (var base = open()) {
      assertThat(base.search("automobile", 3)).isEmpty();
      assertThat(fake.asked()).isEmpty();
    }
  }
}
