package org.habitline.knowledge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.habitline.knowledge.Documents.encrypted;
import static org.habitline.knowledge.Documents.pdf;
import static org.habitline.knowledge.Documents.sources;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.habitline.Seeds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A file that cannot be used is named, and the others are found all the same. */
final class UnusableFilesTest {

  @TempDir Path folder;

  private Documents documents;

  @BeforeEach
  void withAGoodFile() {
    documents = Documents.in(folder).write("good.txt", "The coffee is free.");
  }

  private static byte[] longDocument() {
    return pdf(IntStream.range(0, 30).mapToObj(i -> "Page " + i).toArray(String[]::new));
  }

  static Stream<Arguments> unusable() {
    var whole = longDocument();
    return Stream.of(
        Arguments.of(
            "locked.pdf",
            encrypted("secret", "coffee"),
            "is encrypted; expected a PDF file that opens without a password. Save it without one"),
        Arguments.of(
            "half.pdf",
            Arrays.copyOf(whole, whole.length / 2),
            "is not a complete PDF file: its end is missing; expected a whole file. Copy or export it"
                + " again"),
        Arguments.of(
            "empty.pdf",
            new byte[0],
            "is not a complete PDF file: its end is missing; expected a whole file. Copy or export it"
                + " again"),
        Arguments.of(
            "noise.pdf",
            ("no document" + "\n%%EOF").getBytes(StandardCharsets.UTF_8),
            "is not a readable PDF file; expected a valid PDF file. Export it again"),
        Arguments.of(
            "scan.pdf",
            pdf(" ", " "),
            "has no text; expected a file with text. A scanned PDF file needs text recognition"
                + " first"),
        Arguments.of(
            "empty.md",
            new byte[0],
            "has no text; expected a file with text. A scanned PDF file needs text recognition"
                + " first"),
        Arguments.of(
            "latin.txt",
            "Café".getBytes(StandardCharsets.ISO_8859_1),
            "is not encoded as UTF-8; expected UTF-8. Save it as UTF-8"),
        Arguments.of(
            "wide.md",
            "coffee ÿ".getBytes(StandardCharsets.UTF_16),
            "is not encoded as UTF-8; expected UTF-8. Save it as UTF-8"),
        Arguments.of(
            "large.txt",
            "coffee\n".repeat(3_000_000).getBytes(StandardCharsets.UTF_8),
            "is too large; expected at most 20 MiB. Divide it into smaller files"),
        Arguments.of(
            "letter.docx",
            new byte[] {'P', 'K'},
            "is not an accepted kind of file; expected .md, .txt and .pdf files"));
  }

  @ParameterizedTest
  @MethodSource("unusable")
  void aFileThatCannotBeUsedIsNamedWithWhatIsAccepted(String file, byte[] content, String why) {
    documents.write("sub/" + file, content);
    try (var base = documents.open()) {
      var warning = "Knowledge search leaves out sub/" + file + ": it " + why + ".";
      assertThat(base.warnings()).containsExactly(warning);
      assertThat(sources(base.search("coffee", 5))).containsExactly("good.txt");
      documents.later();
      assertThat(sources(base.search("coffee", 5))).containsExactly("good.txt");
      assertThat(base.warnings()).containsExactly(warning);
    }
  }

  @Test
  void theWarningEndsWhenTheFileIsReplacedOrDeleted() throws IOException {
    documents.write("a.txt", new byte[] {(byte) 0xff}).write("b.pdf", "no document");
    try (var base = documents.open()) {
      assertThat(base.warnings()).hasSize(2);
      documents.write("a.txt", "tea");
      Files.delete(folder.resolve("b.pdf"));
      documents.later();
      assertThat(base.search("tea", 5)).hasSize(1);
      assertThat(base.warnings()).isEmpty();
    }
  }

  @Test
  void aFileThatIsBrokenByAChangeIsNoLongerFound() {
    documents.write("menu.txt", "tea");
    try (var base = documents.open()) {
      assertThat(base.search("tea", 5)).hasSize(1);
      documents.write("menu.txt", new byte[] {(byte) 0xff, (byte) 0xfe}).later();
      assertThat(base.search("tea", 5)).isEmpty();
      assertThat(base.warnings()).hasSize(1);
    }
  }

  @Test
  void aLinkToNowhereIsTriedAgainAtEachCheck() throws IOException {
    var target = folder.resolve(".target");
    Files.createSymbolicLink(folder.resolve("menu.txt"), target);
    try (var base = documents.open()) {
      assertThat(base.warnings())
          .containsExactly(
              "Knowledge search leaves out menu.txt: it is a link to a file that does not exist;"
                  + " expected a link to an existing file.");
      Files.writeString(target, "tea");
      documents.later();
      assertThat(base.search("tea", 5)).hasSize(1);
      assertThat(base.warnings()).isEmpty();
    }
  }

  @Test
  void aFileThatMayNotBeReadIsNamedAndReadOnceItMay() throws IOException {
    documents.write("menu.txt", "tea").write("closed/food.txt", "bread");
    var file = folder.resolve("menu.txt");
    var closed = folder.resolve("closed");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
    // The administrator may read every file.
    var administrator = Files.isReadable(file);
    try (var base = documents.open()) {
      if (!administrator) {
        assertThat(base.warnings())
            .containsExactly(
                "Knowledge search leaves out closed: it cannot be opened; expected a file or folder"
                    + " that the user that runs the service can read.",
                "Knowledge search leaves out menu.txt: it cannot be read; expected a file that"
                    + " the user that runs the service can read.");
      }
      assertThat(base.search("coffee", 5)).hasSize(1);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
      documents.later();
      assertThat(base.search("tea bread", 5)).hasSize(2);
      assertThat(base.warnings()).isEmpty();
    }
  }

  @Test
  void aFileInsteadOfTheFolderIsNotAvailable() {
    try (var base = Documents.in(folder.resolve("good.txt")).open()) {
      assertThat(base.available()).isFalse();
      assertThat(base.search("coffee", 5)).isEmpty();
    }
  }

  @Test
  void moreFilesThanAFolderMayHaveAreNamedOnce() {
    for (int i = 0; i < FolderListing.MOST_FILES + 5; i++) {
      documents.write("n" + i + ".txt", "tea");
    }
    try (var base = documents.open()) {
      assertThat(base.warnings())
          .singleElement()
          .asString()
          .endsWith("and the files beyond that number are not searched; expected at most 5000.");
      assertThat(base.search("tea", 5)).hasSize(5);
    }
  }

  @Test
  void aDocumentWithDamagedBytesNeverStopsTheOthers() {
    var whole = longDocument();
    Seeds.each(
        60,
        seed -> {
          var random = new SplittableRandom(seed);
          var damaged = whole.clone();
          for (int i = random.nextInt(200); i >= 0; i--) {
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
          }
          var reading = PdfText.read(damaged);
          assertThat(reading).isInstanceOfAny(Reading.Read.class, Reading.Unusable.class);
        });
  }
}
