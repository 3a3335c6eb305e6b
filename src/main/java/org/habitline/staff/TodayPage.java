package org.habitline.staff;

import java.util.List;

/**
 * What needs somebody's attention now.
 *
 * @param unclaimed texts that nobody decided about, newest first
 * @param complaint why the last form was not accepted, or empty
 */
public record TodayPage(PageFrame frame, List<Stranger> unclaimed, String complaint) {

  /**
   * A text from somebody whom nobody enrolled.
   *
   * @param sender its last two characters
   * @param enrollable whether the sender shows a number
   */
  public record Stranger(
      long seq, String sender, String channel, String text, String at, boolean enrollable) {}
}
