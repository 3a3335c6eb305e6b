package org.habitline.knowledge;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.fontbox.FontBoxFont;
import org.apache.fontbox.ttf.TTFParser;
import org.apache.fontbox.ttf.TrueTypeFont;
import org.apache.pdfbox.io.RandomAccessReadBuffer;
import org.apache.pdfbox.pdmodel.font.CIDFontMapping;
import org.apache.pdfbox.pdmodel.font.FontMapper;
import org.apache.pdfbox.pdmodel.font.FontMapping;
import org.apache.pdfbox.pdmodel.font.PDCIDSystemInfo;
import org.apache.pdfbox.pdmodel.font.PDFontDescriptor;

/**
 * Takes PDFBox's own font for every font that a document does not bring along. Reading a text needs
 * no better one, and PDFBox would otherwise read all fonts of the machine and write a cache file
 * into the user's home folder.
 */
final class OneFont implements FontMapper {

  private static final String FONT = "/org/apache/pdfbox/resources/ttf/LiberationSans-Regular.ttf";

  /** Loads the font when it is first needed. */
  private static final class Loaded {
    private static final TrueTypeFont ONE = load();
  }

  private static TrueTypeFont load() {
    try (var in = FontMapper.class.getResourceAsStream(FONT)) {
      if (in == null) {
        throw new IllegalStateException("PDFBox has no " + FONT);
      }
      return new TTFParser().parse(new RandomAccessReadBuffer(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public FontMapping<TrueTypeFont> getTrueTypeFont(String name, PDFontDescriptor descriptor) {
    return new FontMapping<>(Loaded.ONE, true);
  }

  @Override
  public FontMapping<FontBoxFont> getFontBoxFont(String name, PDFontDescriptor descriptor) {
    return new FontMapping<>(Loaded.ONE, true);
  }

  @Override
  public CIDFontMapping getCIDFont(
      String name, PDFontDescriptor descriptor, PDCIDSystemInfo systemInfo) {
    return new CIDFontMapping(null, Loaded.ONE, true);
  }
}
