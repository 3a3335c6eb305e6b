package org.habitline.staff.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.habitline.staff.web.AuditedDetails.Change;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AuditedDetailsTest {

  private static List<Change> changes(String before, String after) {
    return AuditedDetails.read(before).changesTo(AuditedDetails.read(after));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Robin",
        "Likes tea; coffee: never",
        "x; status: withdrawn; name: Kim",
        "ends with ;",
        ";; ; ;;; begins so",
        "two\nlines: of; text",
        ": "
      })
  void anyValueIsReadAsItWasWritten(String value) {
    var details =
        new AuditedDetails(
            Map.of("name", value, "background", value, "field.arm", value, "status", "active"));
    assertThat(AuditedDetails.read(details.text())).isEqualTo(details);
  }

  @Test
  void singleSemicolonsSeparateDetails() {
    assertThat(AuditedDetails.read("status: active; name: a;; status: paused").values())
        .containsOnly(Map.entry("status", "active"), Map.entry("name", "a; status: paused"));
    assertThat(AuditedDetails.read(null).values()).isEmpty();
  }

  @Test
  void changesAreToldInWords() {
    assertThat(
            changes(
                "study_id: S-1; field.shirt_size: M; status: active; timezone: Europe/Berlin;"
                    + " language: default; consent: not_asked; name: Robin; background: tea;; coffee",
                "study_id: S-1; field.shirt_size: L; status: active; timezone: Asia/Tokyo;"
                    + " language: default; consent: left_to_staff (v_1); background: tea;; cake"))
        .containsExactly(
            new Change("shirt size", "M", "L"),
            new Change("time zone", "Europe/Berlin", "Asia/Tokyo"),
            new Change("consent", "not asked", "left to staff (v_1)"),
            new Change("name", "Robin", ""),
            new Change("background", "tea; coffee", "tea; cake"));
  }
}
