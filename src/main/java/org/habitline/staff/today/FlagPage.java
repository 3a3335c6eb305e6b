package org.habitline.staff.today;

import org.habitline.staff.web.PageFrame;

/**
 * The page of one flag, on which it is closed.
 *
 * @param name what the participant is called
 * @param participant the address of the participant's page
 * @param turn the address of the turn in which the flag was raised last
 * @param says what it is about
 * @param raised when it was raised, and how often, in words
 * @param closed who closed it and when, or empty
 * @param note what was written about it, or in a form that was refused
 * @param problem why the form was refused, or empty
 */
public record FlagPage(
    PageFrame frame,
    String id,
    String name,
    String participant,
    String turn,
    String says,
    String raised,
    String closed,
    String note,
    String problem) {

  public boolean isOpen() {
    return closed.isEmpty();
  }
}
