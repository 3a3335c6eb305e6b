package org.habitline.staff.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class GlossaryTest {

  @Test
  void thePageShowsEveryTermOfTheGuideWithoutMarksOfMarkdown() throws IOException {
    var guide = Files.readString(Path.of("docs", "glossary.md"));
    var rows = guide.lines().filter(line -> line.startsWith("| ")).count() - 1;
    var terms = Glossary.shipped().terms();
    assertThat(terms).hasSize((int) rows).hasSizeGreaterThan(12);
    assertThat(terms)
        .extracting(Glossary.Term::name)
        .isSortedAccordingTo(String.CASE_INSENSITIVE_ORDER)
        .contains("answered", "done", "erased", "opted out", "paused", "segment", "silent");
    assertThat(terms)
        .allSatisfy(term ->
            assertThat(term.name() + term.meaning())
                .doesNotContain("*", "`", "](", "|", ".md", ".yaml"));
  }
}
