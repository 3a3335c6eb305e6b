package org.habitline.staff.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The terms of the pages and guides with their meanings, in the order of {@code docs/glossary.md},
 * which the program carries.
 */
public record Glossary(List<Term> terms) {

  private static final String FILE = "/shipped/glossary.md";
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (?!term |---)(.+?) \\| (.+) \\|$");

  /** A guide where there is more, in brackets: it is no page of the program. */
  private static final Pattern REFERENCE = Pattern.compile(" \\(\\[[^]]+]\\([^)]*\\)\\)");

  private static final Pattern LINK = Pattern.compile("\\[([^]]+)]\\([^)]*\\)");

  /**
   * One term.
   *
   * @param meaning plain text, without the marks of Markdown
   */
  public record Term(String name, String meaning) {}

  /** Returns the glossary that was packaged with the program. */
  static Glossary shipped() {
    try (var file = Objects.requireNonNull(Glossary.class.getResourceAsStream(FILE))) {
      return of(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the rows of the table in a Markdown file. */
  static Glossary of(String markdown) {
    return new Glossary(
        ROW.matcher(markdown)
            .results()
            .map(row -> new Term(plain(row.group(1)), plain(row.group(2))))
            .toList());
  }

  private static String plain(String markdown) {
    var text = REFERENCE.matcher(markdown).replaceAll("");
    return LINK.matcher(text).replaceAll("$1").replaceAll("[*`]", "");
  }
}
