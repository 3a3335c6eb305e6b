package org.habitline.knowledge;

import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.encryption.InvalidPasswordException;
import org.apache.pdfbox.pdmodel.font.FontMappers;
import org.apache.pdfbox.text.PDFTextStripper;

/** Reads the text of each page of a PDF file, with PDFBox. */
final class PdfText {

  /** A document has this mark in its last bytes (ISO 32000-1, 7.5.5; Acrobat reads 1,024). */
  private static final String END_MARK = "%%EOF";

  private static final int END_BYTES = 1_024;

  /** The most characters of a document: far more than a book has. */
  private static final int MOST_CHARACTERS = 20_000_000;

  static {
    FontMappers.set(new OneFont());
  }

  private PdfText() {}

  /** Returns the pages that have a text, or why there are none. */
  static Reading read(byte[] bytes) {
    var from = Math.max(0, bytes.length - END_BYTES);
    var end = new String(bytes, from, bytes.length - from, StandardCharsets.ISO_8859_1);
    if (!end.contains(END_MARK)) {
      // PDFBox would repair such a file and find a part of its pages.
      return new Reading.Unusable(
          "is not a complete PDF file: its end is missing; expected a whole file. Copy or export it"
              + " again");
    }
    try (var document = Loader.loadPDF(bytes)) {
      var pages = new Pages();
      pages.writeText(document, Writer.nullWriter());
      return new Reading.Read(pages.sections);
    } catch (InvalidPasswordException e) {
      return locked();
    } catch (TooLong e) {
      return new Reading.Unusable(
          "has too much text; expected at most "
              + MOST_CHARACTERS / 1_000_000
              + " million characters. Divide it into smaller files");
    } catch (NoClassDefFoundError e) {
      // Encrypted for certificates, which needs a library that is not here.
      return locked();
    } catch (IOException | RuntimeException | StackOverflowError e) {
      return new Reading.Unusable(
          "is not a readable PDF file; expected a valid PDF file. Export it again");
    }
  }

  private static Reading locked() {
    return new Reading.Unusable(
        "is encrypted; expected a PDF file that opens without a password. Save it without one");
  }

  /** The document has more text than is read. */
  private static final class TooLong extends IOException {
    private static final long serialVersionUID = 1L;
  }

  /** Collects the text of each page. */
  private static final class Pages extends PDFTextStripper {

    private final List<Section> sections = new ArrayList<>();
    private long length;

    Pages() {
      setParagraphEnd("\n");
    }

    @Override
    protected void startPage(PDPage page) {
      output = new StringWriter();
    }

    @Override
    protected void endPage(PDPage page) throws IOException {
      var text = output.toString();
      length += text.length();
      if (length > MOST_CHARACTERS) {
        throw new TooLong();
      }
      sections.add(Section.page(getCurrentPageNo(), text));
    }
  }
}
