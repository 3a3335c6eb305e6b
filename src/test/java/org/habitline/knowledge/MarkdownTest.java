package org.habitline.knowledge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How a Markdown text becomes sections. */
final class MarkdownTest {

  private static String[] sections(String text) {
    return Markdown.sections(text).stream()
        .map(section -> section.place() + "|" + section.text())
        .toArray(String[]::new);
  }

  @Test
  void aSectionIsNamedByItsHeadingAndThoseAbove() {
    assertThat(
            sections(
                """
                Before.
                # One
                ## Two ##
                Text of two.
                #### Four
                Text of four.
                ## Three
                Text of three.
                # Five
                Text of five.
                """))
        .containsExactly(
            "|Before.",
            "One > Two|Text of two.",
            "One > Two > Four|Text of four.",
            "One > Three|Text of three.",
            "Five|Text of five.");
  }

  @Test
  void headingsMayBeUnderlined() {
    assertThat(
            sections(
                """
                Title
                =====
                Text.

                Part
                ----
                More.

                ---
                - item
                ---
                """))
        .containsExactly("Title|Text.", "Title > Part|More.\n\n---\n- item\n---");
  }

  @Test
  void codeIsText() {
    assertThat(
            sections(
                """
                # Code
                ```sh
                # a comment
                ~~~
                ```
                #tag is no heading
                """))
        .containsExactly("Code|```sh\n# a comment\n~~~\n```\n#tag is no heading");
  }

  @Test
  void commentsAndFrontMatterAreLeftOut() {
    assertThat(
            sections(
                """
                ---
                title: internal
                ---
                # Shown
                Text <!-- not for
                readers --> goes on.
                """))
        .containsExactly("Shown|Text  goes on.");
    assertThat(sections("---\nNo end, so this is text.\n"))
        .containsExactly("|---\nNo end, so this is text.");
  }

  @Test
  void hugeOddTextsAreReadAtOnce() {
    for (var odd :
        new String[] {
          "# " + " ".repeat(1_000_000) + "x",
          "---\n" + "a\n".repeat(300_000),
          "<!--".repeat(300_000),
          "#\n".repeat(300_000),
          "`".repeat(1_000_000)
        }) {
      assertThat(Markdown.sections(odd)).hasSizeLessThan(2);
    }
  }
}
