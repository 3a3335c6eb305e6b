package org.habitline.ops.access;

import java.time.Duration;

/** What a secret allows that one person holds for a while. */
enum AccountPass {
  /** To set a password and a second factor, by a link. */
  INVITATION(Duration.ofDays(7)),
  /**
   * To show the second factor: the password was right. Of a session, it allows to confirm a new
   * second factor.
   */
  SECOND_FACTOR(Duration.ofMinutes(10));

  private final Duration life;

  AccountPass(Duration life) {
    this.life = life;
  }

  Duration life() {
    return life;
  }
}
