package org.habitline.rehearsal.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RehearsalDocumentTest {

  private static final Path DOCUMENT = Path.of("docs/rehearsal.md");
  private static final Pattern ROW = Pattern.compile("^\\| ([A-Z][a-z ]+) \\| (.*`) \\| .* \\|$");
  private static final Pattern EXAMPLE = Pattern.compile("`([^`]+)`");

  record Example(Meaning group, String text) {}

  static Stream<Example> examples() throws IOException {
    return Files.readAllLines(DOCUMENT).stream()
        .map(ROW::matcher)
        .filter(row -> row.matches())
        .flatMap(row ->
            EXAMPLE
                .matcher(row.group(2))
                .results()
                .map(example -> new Example(group(row.group(1)), example.group(1))));
  }

  private static Meaning group(String title) {
    return Meaning.valueOf(title.toUpperCase(Locale.ROOT).replace(' ', '_'));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void everyExampleIsUnderstoodAsItsGroup(Example example) {
    assertThat(Heard.of(List.of(example.text())).meanings()).contains(example.group());
  }

  @Test
  void everyGroupIsInTheTable() throws IOException {
    try (var examples = examples()) {
      assertThat(examples.map(Example::group)).containsAll(EnumSet.allOf(Meaning.class));
    }
  }

  @Test
  void theSampleConversationIsTheOneThatIsPlayed() throws IOException {
    var sample =
        Files.readAllLines(DOCUMENT).stream()
            .filter(text -> text.startsWith("> ") || text.startsWith("< "))
            .toList();
    assertThat(sample).hasSizeGreaterThan(10);
    var line = new RehearsedLine().withSchedules();
    var played = new ArrayList<String>();
    played.add("< " + line.join());
    sample.stream()
        .filter(text -> text.startsWith("> "))
        .forEach(text -> {
          played.add(text);
          played.add("< " + line.text(text.substring(2)));
        });
    assertThat(played).isEqualTo(sample);
  }
}
