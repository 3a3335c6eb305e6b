package org.habitline.staff.web;

import org.jspecify.annotations.Nullable;

/**
 * What stands around every page.
 *
 * @param section the page of the navigation that it belongs to, or empty
 * @param rehearsal whether the built-in script answers instead of a model
 * @param model what answers, in one line
 * @param channels the roads to phones, in one line
 * @param back the page that the forms around it lead back to
 * @param signedInAs the name of the session, or {@code null} if nobody is signed in
 * @param staff whether it may do what staff may
 * @param admin whether it may do what only admins may
 * @param live the event stream that keeps the page up to date, if it is a live page
 * @param clock the study clock, where it can be moved
 * @param debug what goes to everybody besides the answers, if it does
 * @param stop why nobody is sent anything, while all sending is stopped
 */
public record PageFrame(
    String title,
    String section,
    boolean rehearsal,
    String model,
    String channels,
    String back,
    @Nullable String signedInAs,
    boolean staff,
    boolean admin,
    @Nullable String live,
    @Nullable Clock clock,
    @Nullable Stop stop,
    @Nullable Debug debug) {

  /**
   * Debug messages that go to everybody.
   *
   * @param says since when and until when, in a sentence
   * @param endable whether staff can end them here
   */
  public record Debug(String says, boolean endable) {}

  /**
   * The stop of all sending.
   *
   * @param at UTC, for people
   * @param reason a sentence
   */
  public record Stop(String by, String at, String reason) {}

  /**
   * The study clock of a rehearsal.
   *
   * @param now study time, for people
   * @param nextWakeup when something is due next, or empty if nothing waits
   */
  public record Clock(String now, String nextWakeup) {}
}
