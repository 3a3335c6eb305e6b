package org.habitline.knowledge;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.encryption.AccessPermission;
import org.apache.pdfbox.pdmodel.encryption.StandardProtectionPolicy;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts;
import org.habitline.SettableClock;
import org.jspecify.annotations.Nullable;

/** Writes documents into a folder, and opens knowledge bases on it. */
record Documents(Path folder, SettableClock clock) {

  static Documents in(Path folder) {
    return new Documents(folder, SettableClock.standingAt(Instant.parse("2026-11-21T07:15:00Z")));
  }

  Documents write(String file, String text) {
    return write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  Documents write(String file, byte[] content) {
    try {
      var path = folder.resolve(file);
      Files.createDirectories(path.getParent());
      Files.write(path, content);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  KnowledgeBase open() {
    return KnowledgeBase.open(folder, Optional.empty(), clock, Duration.ofMinutes(1));
  }

  /** Lets enough time pass for the next search to look at the folder. */
  void later() {
    clock.advance(KnowledgeBase.BETWEEN_CHECKS);
  }

  static List<String> sources(List<Passage> passages) {
    return passages.stream().map(Passage::source).toList();
  }

  /** A PDF file with one line on each page; a blank line makes a page without text. */
  static byte[] pdf(String... pages) {
    return pdf(null, pages);
  }

  /** A PDF file that opens with this password only. */
  static byte[] encrypted(String password, String... pages) {
    return pdf(new StandardProtectionPolicy("owner", password, new AccessPermission()), pages);
  }

  private static byte[] pdf(@Nullable StandardProtectionPolicy protection, String... pages) {
    try (var document = new PDDocument();
        var out = new ByteArrayOutputStream()) {
      for (var text : pages) {
        var page = new PDPage();
        document.addPage(page);
        if (!text.isBlank()) {
          try (var content = new PDPageContentStream(document, page)) {
            content.beginText();
            content.setFont(new PDType1Font(Standard14Fonts.FontName.HELVETICA), 12);
            content.newLineAtOffset(50, 700);
            content.showText(text);
            content.endText();
          }
        }
      }
      if (protection != null) {
        document.protect(protection);
      }
      document.save(out);
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
