package org.habitline.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.habitline.knowledge.Documents.pdf;
import static org.habitline.knowledge.Documents.sources;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.Seeds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Search by words in real files. */
final class KnowledgeBaseTest {

  @TempDir Path folder;

  private Documents documents;

  @BeforeEach
  void prepare() {
    documents = Documents.in(folder);
  }

  private Documents handbook() {
    return documents
        .write(
            "handbook/leave.md",
            """
            # Leave
            Everyone has 25 days of vacation a year.

            ## Parental leave
            Parents stay at home for up to twelve months.
            """)
        .write("parking.txt", "Park in the garage below the building.")
        .write("it.pdf", pdf("Welcome to the team.", " ", "The printer is on the second floor."));
  }

  @Test
  void aPassageIsFoundInEachKindOfFileWithItsPlace() {
    try (var base = handbook().open()) {
      assertThat(base.available()).isTrue();
      assertThat(base.warnings()).isEmpty();
      assertThat(sources(base.search("How many vacation days do I have?", 1)))
          .containsExactly("handbook/leave.md, Leave");
      assertThat(sources(base.search("months for parents", 1)))
          .containsExactly("handbook/leave.md, Leave > Parental leave");
      assertThat(sources(base.search("Where is the garage?", 1))).containsExactly("parking.txt");
      assertThat(sources(base.search("printers", 1))).containsExactly("it.pdf, page 3");
      var passage = base.search("where can I park", 5).getFirst();
      assertThat(passage.text()).isEqualTo("Park in the garage below the building.");
      assertThat(passage.score()).isPositive();
    }
  }

  @Test
  void theHeadingAndTheNameOfTheFileAreSearchedAsWell() {
    documents
        .write("dress-code.txt", "Wear what you like.")
        .write("faq.md", "# Lunch\nAt noon, on the ground floor.");
    try (var base = documents.open()) {
      assertThat(sources(base.search("dress", 3))).containsExactly("dress-code.txt");
      assertThat(sources(base.search("LUNCH?", 3))).containsExactly("faq.md, Lunch");
    }
  }

  @Test
  void caseAccentsAndEndingsDoNotMatter() {
    documents.write("café.txt", "Der Betriebsrat tagt im Café. Employees' bicycles are welcome.");
    try (var base = documents.open()) {
      for (var query : new String[] {"CAFE", "bicycle", "betriebsrat", "employee"}) {
        assertThat(base.search(query, 3)).as(query).hasSize(1);
      }
    }
  }

  @Test
  void theBestPassagesComeFirstAndNoMoreThanAskedFor() {
    for (int i = 0; i < 20; i++) {
      documents.write("note" + i + ".txt", "coffee " + "water ".repeat(i));
    }
    try (var base = documents.write("best.txt", "coffee coffee coffee").open()) {
      var found = base.search("coffee", 7);
      assertThat(found).hasSize(7);
      assertThat(found.getFirst().source()).isEqualTo("best.txt");
      assertThat(found)
          .isSortedAccordingTo((one, other) -> Double.compare(other.score(), one.score()));
      assertThat(base.search("coffee", KnowledgeBase.MOST_PASSAGES)).hasSize(21);
    }
  }

  @Test
  void whatIsNotThereIsNotFound() {
    try (var base = handbook().open()) {
      assertThat(base.search("What is the capital of France?", 5)).isEmpty();
      assertThat(base.search("who are you and what is this", 5)).isEmpty();
    }
  }

  @Test
  void moreThanFiftyPassagesOrNoneAreRefused() {
    try (var base = documents.open()) {
      for (var most : new int[] {0, -1, 51}) {
        assertThatThrownBy(() -> base.search("anything", most))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(most + " passages; expected a number from 1 to 50");
      }
    }
  }

  @Test
  void aMissingFolderIsNotAvailableUntilItIsThere() throws IOException {
    var later = Documents.in(folder.resolve("knowledge"));
    try (var base = later.open()) {
      assertThat(base.available()).isFalse();
      assertThat(base.search("coffee", 3)).isEmpty();
      assertThat(base.warnings()).isEmpty();
      later.write("drinks.txt", "coffee").later();
      assertThat(base.search("coffee", 3)).hasSize(1);
      assertThat(base.available()).isTrue();
      Files.delete(folder.resolve("knowledge/drinks.txt"));
      Files.delete(folder.resolve("knowledge"));
      later.later();
      assertThat(base.search("coffee", 3)).isEmpty();
      assertThat(base.available()).isFalse();
    }
  }

  @Test
  void aFolderWithoutAFileIsAvailableAndFindsNothing() {
    try (var base = documents.open()) {
      assertThat(base.available()).isTrue();
      assertThat(base.search("coffee", 3)).isEmpty();
      assertThat(base.warnings()).isEmpty();
    }
  }

  @Test
  void hiddenFilesAndFoldersAreIgnored() {
    documents
        .write(".secret.md", "coffee")
        .write(".git/readme.md", "coffee")
        .write("open.md", "coffee");
    try (var base = documents.open()) {
      assertThat(sources(base.search("coffee", 5))).containsExactly("open.md");
      assertThat(base.warnings()).isEmpty();
    }
  }

  @Test
  void linksAreFollowedAndAFolderInsideItselfDoesNoHarm() throws IOException {
    documents.write(".data/drinks.md", "coffee");
    Files.createSymbolicLink(folder.resolve("drinks.md"), folder.resolve(".data/drinks.md"));
    Files.createSymbolicLink(folder.resolve("again"), folder);
    try (var base = documents.open()) {
      assertThat(sources(base.search("coffee", 5))).containsExactly("drinks.md");
      assertThat(base.warnings()).isEmpty();
    }
  }

  @Test
  void newChangedAndDeletedFilesAreNoticedWithinSeconds() throws IOException {
    documents.write("drinks.txt", "coffee").write("food.txt", "bread");
    try (var base = documents.open()) {
      documents.write("drinks.txt", "lemonade").write("more/fruit.txt", "apples");
      Files.delete(folder.resolve("food.txt"));
      assertThat(base.search("coffee", 3)).as("too early to look again").hasSize(1);
      documents.later();
      assertThat(base.search("coffee", 3)).isEmpty();
      assertThat(base.search("bread", 3)).isEmpty();
      assertThat(sources(base.search("lemonade", 3))).containsExactly("drinks.txt");
      assertThat(sources(base.search("apple", 3))).containsExactly("more/fruit.txt");
    }
  }

  @Test
  void aFileThatDidNotChangeIsNotReadAgain() throws IOException {
    documents.write("drinks.txt", "coffee");
    var file = folder.resolve("drinks.txt");
    var time = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));
    Files.setLastModifiedTime(file, time);
    try (var base = documents.open()) {
      // Written in place, with the same size and time.
      Files.writeString(file, "cherry");
      Files.setLastModifiedTime(file, time);
      documents.write("other.txt", "bread").later();
      assertThat(base.search("bread", 3)).hasSize(1);
      assertThat(base.search("coffee", 3)).hasSize(1);
      // Replaced by another file of the same size and time.
      var other = Files.writeString(folder.resolve(".new"), "cherry");
      Files.setLastModifiedTime(other, time);
      Files.delete(file);
      Files.move(other, file);
      documents.later();
      assertThat(base.search("cherry", 3)).hasSize(1);
    }
  }

  @Test
  void aClockThatIsSetBackDoesNotStopTheChecks() {
    try (var base = documents.write("drinks.txt", "coffee").open()) {
      documents.clock().advance(Duration.ofDays(-30));
      documents.write("food.txt", "bread");
      assertThat(base.search("bread", 3)).hasSize(1);
    }
  }

  @Test
  void anInterruptedThreadFindsWhatWasReadAndLosesNothing() {
    try (var base = documents.write("drinks.txt", "coffee").open()) {
      documents.write("drinks.txt", "lemonade").later();
      Thread.currentThread().interrupt();
      assertThat(base.search("coffee", 3)).hasSize(1);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(base.warnings()).isEmpty();
      assertThat(base.search("lemonade", 3)).hasSize(1);
    }
  }

  static Stream<String> queries() {
    return Stream.of(
        "",
        " \t\n",
        "\"",
        "\"unclosed quote",
        "coffee AND OR NOT",
        "+coffee -\"tea",
        "title:coffee text:[a TO b] {x TO y}",
        "/regex(/ coffee~2 cof*ee ?offee ^4 \\",
        "((((",
        "🙂☕ \ud83d",
        "\u0000\u0007",
        "a".repeat(10_000),
        "coffee \ud83d",
        "coffee " + "x".repeat(9_992) + "🙂",
        "coffee ".repeat(10_000),
        IntStream.range(0, 5_000).mapToObj(i -> "w" + i).reduce("coffee", (a, b) -> a + " " + b),
        "☕".repeat(10_000),
        "咖啡在哪里",
        "أين القهوة");
  }

  @ParameterizedTest
  @MethodSource("queries")
  void anyQueryHasAResult(String query) {
    try (var base = documents.write("drinks.txt", "The coffee 🙂 is free.").open()) {
      var found = base.search(query, 5);
      assertThat(found).hasSize(query.contains("coffee") || query.contains("🙂") ? 1 : 0);
    }
  }

  @Test
  void anyOtherQueryHasAResultAsWell() {
    try (var base = handbook().open()) {
      Seeds.each(
          500,
          seed -> {
            var random = new SplittableRandom(seed);
            var query = new StringBuilder();
            var length = random.nextInt(random.nextBoolean() ? 30 : 3_000);
            for (int i = 0; i < length; i++) {
              switch (random.nextInt(4)) {
                case 0 -> query.append("+-&|!(){}[]^\"~*?:\\/ ".charAt(random.nextInt(20)));
                case 1 -> query.append((char) random.nextInt(0x10000));
                case 2 -> query.appendCodePoint(random.nextInt(0x110000));
                default -> query.append(random.nextBoolean() ? " garage " : " OR ");
              }
            }
            var found = base.search(query.toString(), 3);
            assertThat(found).hasSizeLessThanOrEqualTo(3);
          });
    }
  }

  @Test
  void manySearchBesideChanges() throws Exception {
    documents.write("steady.txt", "coffee is always here").write("moving.txt", "round 0");
    var changing = new AtomicBoolean(true);
    // Platform threads, because virtual ones that never wait keep all others of the process
    // waiting.
    try (var base = documents.open();
        var threads = Executors.newFixedThreadPool(8)) {
      Callable<Integer> searching =
          () -> {
            var searches = 0;
            do {
              assertThat(sources(base.search("coffee", 5))).containsExactly("steady.txt");
              assertThat(base.search("round", 5)).hasSizeLessThanOrEqualTo(1);
              assertThat(base.warnings()).isEmpty();
              searches++;
            } while (changing.get());
            return searches;
          };
      var searches = IntStream.range(0, 8).mapToObj(i -> threads.submit(searching)).toList();
      try {
        for (int round = 1; round <= 50; round++) {
          // Replaced at once, as editors do, so that no search reads half a file.
          documents.write(".next", "round " + round + " of number" + round);
          Files.move(
              folder.resolve(".next"),
              folder.resolve("moving.txt"),
              StandardCopyOption.REPLACE_EXISTING,
              StandardCopyOption.ATOMIC_MOVE);
          documents.later();
          base.search("coffee", 1);
        }
      } finally {
        changing.set(false);
      }
      for (var one : searches) {
        assertThat(one.get()).isPositive();
      }
      documents.later();
      assertThat(base.search("number50", 5)).hasSize(1);
    }
  }
}
