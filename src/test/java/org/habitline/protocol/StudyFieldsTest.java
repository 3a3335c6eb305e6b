package org.habitline.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fields that a study names, and what is said about its mistakes. */
final class StudyFieldsTest {

  @TempDir Path home;

  private StudyFields read(String yaml) throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.writeString(home.resolve("config/study.yaml"), yaml);
    return StudyFile.read(home).fields();
  }

  @Test
  void aStudyNamesItsFieldsInTheirOrder() throws IOException {
    assertThat(StudyFile.read(home).fields().all()).isEmpty();
    var fields =
        read(
            """
            fields:
              - {name: first_visit, type: date}
              - name: site
                label: Clinic
                type: choice
                choices: [north, south]
                required: true
                description: Who recruited them.
            """);
    assertThat(fields.names()).containsExactly("first_visit", "site");
    var visit = fields.find("first_visit").orElseThrow();
    assertThat(visit.label()).isEqualTo("first visit");
    assertThat(visit.required()).isFalse();
    var site = fields.find("site").orElseThrow();
    assertThat(site.label()).isEqualTo("Clinic");
    assertThat(site.required()).isTrue();
    assertThat(site.description()).isEqualTo(Optional.of("Who recruited them."));
    assertThat(site.accepts()).isEqualTo("one of north, south, needed at enrolment");
  }

  @Test
  void everyMistakeNamesItsLineAndWhatIsAccepted() {
    assertThatThrownBy(() ->
            read(
                """
                fields:
                  - {name: Site, type: choice}
                  - {name: age, type: integer}
                  - {name: age, type: text, choices: [a]}
                  - {name: b, lable: B}
                  - c
                """))
        .hasMessageContaining(
            "fields[0].name: expected a lower-case word of at most 40 letters, digits and"
                + " underscores, found 'Site' (line 2)")
        .hasMessageContaining(
            "fields[0].choices: missing; expected a list such as [north, south] (line 2)")
        .hasMessageContaining(
            "fields[1].type: expected text, number, date or choice, found 'integer' (line 3)")
        .hasMessageContaining("fields[2]: 'age' appears twice; expected it once (line 4)")
        .hasMessageContaining("fields[2].choices: only a field of the type choice has choices")
        .hasMessageContaining("fields[3].lable: unknown key; expected one of choices, description")
        .hasMessageContaining("fields[3].type: missing; expected text, number, date or choice")
        .hasMessageContaining("fields[4]: expected keys with values, found 'c' (line 6)");
    assertThatThrownBy(() -> read("fields: {site: {type: text}}\n"))
        .hasMessageContaining("fields: expected a list of keys with values, found keys with");
    assertThatThrownBy(() -> read("fields: []\n"))
        .hasMessageContaining("fields: expected at least one field");
  }
}
