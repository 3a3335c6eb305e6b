package org.habitline.budgets;

import org.habitline.protocol.Budgets.Kind;

/** A budget of today that is used up. */
public record UsedUp(Scope scope, Kind kind) {

  /** Whose budget it is. */
  public enum Scope {
    PARTICIPANT("the participant"),
    STUDY("the study");

    private final String title;

    Scope(String title) {
      this.title = title;
    }
  }

  /** Returns the reason that is recorded for what was not done. */
  public String reason() {
    return "today's budget of " + scope.title + " is used up: " + kind.word();
  }
}
