package org.habitline.study.exports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TextMaskTest {

  private static final TextMask MASK =
      new TextMask(List.of("Robin O'Neil-Example, Zoë", "Al", "A"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Nothing to mask. Day 12, 7:30           | Nothing to mask. Day 12, 7:30
          call 206-555-0100 or 5550100            | call [number] or [number]
          only six digits: 555 010                | only six digits: 555 010
          robin@example.org                       | [e-mail]
          see www.example.org/me                  | see [link]
          see http://localhost                    | see [link]
          see example.org.                        | see [link].
          example.test/page and v1.2              | [link] and v1.2
          Robin, ROBIN and zoË                    | [name], [name] and [name]
          Robins, xRobin, al, Almost, A           | Robins, xRobin, [name], Almost, A
          O'Neil-Example                          | [name]
          """)
  void whatNamesAPersonIsMasked(String text, String masked) {
    assertThat(MASK.masked(text)).isEqualTo(masked);
  }
}
