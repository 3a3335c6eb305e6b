package org.habitline.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The words of the audit log. */
class AuditActionTest {

  @ParameterizedTest
  @EnumSource
  void everyActionHasWordsWithAndWithoutItsValues(AuditAction action) {
    assertThat(AuditAction.of(action.word())).contains(action);
    for (var did : new String[] {action.did("s", "b", "a"), action.did("", "", "")}) {
      assertThat(did).matches("[a-z].*[a-z)]").doesNotContain("{", "}", "  ", " )", "( ");
    }
    assertThat(action.did("", "", ""))
        .doesNotEndWith(" to")
        .doesNotEndWith(" of")
        .doesNotEndWith(" at");
    assertThat(action.title()).matches("[A-Z].*");
  }

  @Test
  void noTwoActionsReadTheSame() {
    assertThat(Arrays.stream(AuditAction.values()).map(AuditAction::title)).doesNotHaveDuplicates();
  }

  @Test
  void aValueThatStaysTheSameIsNamedOnce() {
    assertThat(AuditAction.LANGUAGE_CHANGED.did("", "es", "es"))
        .isEqualTo("changed the language to es");
    assertThat(AuditAction.SUB_STATE_FORCED.did("", "Intake", "Intake"))
        .isEqualTo("moved the participant to module Intake");
    assertThat(AuditAction.PROFILE_CHANGED.did("name", "A", "A"))
        .isEqualTo("changed the profile: name to A");
  }

  @Test
  void aValueThatIsMissingLeavesNoGap() {
    assertThat(AuditAction.TAG_ADDED.did("", "", "pilot 1")).isEqualTo("added the tag pilot 1");
    assertThat(AuditAction.TAG_ADDED.did("", "", "")).isEqualTo("added the tag");
    assertThat(AuditAction.LANGUAGE_CHANGED.did("", "", "es"))
        .isEqualTo("changed the language from nothing to es");
    assertThat(AuditAction.FLOW_CHANGED.did("", "", ""))
        .isEqualTo("moved the participant to another flow");
    assertThat(AuditAction.TIMER_CANCELLED.did("", "", "")).isEqualTo("cancelled a scheduled job");
  }
}
