package org.habitline.knowledge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads Markdown, text and PDF files. Files of any content are read without an exception. */
final class DocumentReader {

  /** The largest file. */
  static final int LARGEST_MIB = 20;

  static final String ACCEPTED = ".md, .txt and .pdf files";

  private static final int LARGEST_BYTES = LARGEST_MIB << 20;

  /** Characters that are no text; PostgreSQL refuses NUL. */
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}&&[^\\n\\t]]");

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private DocumentReader() {}

  private enum Kind {
    MARKDOWN(".md"),
    TEXT(".txt"),
    PDF(".pdf");

    private final String ending;

    Kind(String ending) {
      this.ending = ending;
    }

    static Optional<Kind> of(String name) {
      for (var kind : values()) {
        if (name.toLowerCase(Locale.ROOT).endsWith(kind.ending)) {
          return Optional.of(kind);
        }
      }
      return Optional.empty();
    }
  }

  /** Returns whether a file of this name is read. */
  static boolean isAccepted(String name) {
    return Kind.of(name).isPresent();
  }

  /**
   * Returns the text of the file, or why it has none.
   *
   * @throws IllegalArgumentException if the file's name is not accepted
   */
  static Reading read(Path file) {
    var kind =
        Kind.of(file.toString())
            .orElseThrow(() -> new IllegalArgumentException("expected " + ACCEPTED));
    try (var in = Files.newInputStream(file)) {
      var bytes = in.readNBytes(LARGEST_BYTES + 1);
      return bytes.length > LARGEST_BYTES
          ? new Reading.Unusable(
              "is too large; expected at most "
                  + LARGEST_MIB
                  + " MiB. Divide it into smaller files")
          : orNoText(
              switch (kind) {
                case MARKDOWN -> text(bytes).map(Markdown::sections).map(DocumentReader::read);
                case TEXT ->
                    text(bytes).map(Section::whole).map(List::of).map(DocumentReader::read);
                case PDF -> Optional.of(PdfText.read(bytes));
              });
    } catch (IOException e) {
      return new Reading.Unreadable(
          switch (e) {
            case AccessDeniedException denied ->
                "cannot be read; expected a file that the user that runs the service can read";
            case NoSuchFileException gone ->
                "is a link to a file that does not exist; expected a link to an existing file";
            default ->
                "could not be read ("
                    + e.getClass().getSimpleName()
                    + "); expected a file that the user that runs the service can read";
          });
    }
  }

  private static Reading read(List<Section> sections) {
    return new Reading.Read(sections);
  }

  private static Reading orNoText(Optional<Reading> reading) {
    if (reading.isEmpty()) {
      return new Reading.Unusable("is not encoded as UTF-8; expected UTF-8. Save it as UTF-8");
    }
    if (!(reading.get() instanceof Reading.Read(List<Section> sections))) {
      return reading.get();
    }
    var texts =
        sections.stream()
            .map(it -> new Section(it.place(), it.heading(), clean(it.text())))
            .filter(it -> !it.text().isBlank())
            .toList();
    return texts.isEmpty()
        ? new Reading.Unusable(
            "has no text; expected a file with text. A scanned PDF file needs text recognition first")
        : new Reading.Read(texts);
  }

  /** Decodes the bytes, or returns empty if they are not UTF-8. */
  private static Optional<String> text(byte[] bytes) {
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return Optional.of(clean(text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text));
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  private static String clean(String text) {
    var lines = SearchWords.wellFormed(text).replace("\r\n", "\n").replace('\r', '\n');
    return CONTROL.matcher(lines).replaceAll("");
  }
}
