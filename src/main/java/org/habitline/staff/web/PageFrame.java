package org.habitline.staff.web;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The frame of every page: navigation, banners and the session.
 *
 * @param section the page of the navigation that it belongs to, or empty
 * @param rehearsal whether the built-in script replies instead of a model
 * @param model the model that replies, in one line
 * @param channels the messaging channels, in one line
 * @param back the page to which the frame's forms return
 * @param signedInAs the name of the session, or {@code null} if no one is signed in
 * @param role the highest role of the session, or empty if no one is signed in
 * @param attention how many entries of Today need staff, at most {@link #MANY}
 * @param staff whether the session has the staff role
 * @param safety whether the session has the safety role
 * @param admin whether the session has the admin role
 * @param live the event stream that keeps the page up to date, if it is a live page
 * @param clock the study clock, where it can be moved
 * @param debug debug messages that all participants get besides the replies, if they are on
 * @param notices incidents that staff must look at now, people in danger first
 * @param alerting what is missing for alerts of crises, in a sentence, if real channels are used
 * @param stop the stop of all sending, while it is in force
 * @param tour what the guided tour shows on this page, if anything
 */
public record PageFrame(
    String title,
    String section,
    boolean rehearsal,
    String model,
    String channels,
    String back,
    @Nullable String signedInAs,
    String role,
    int attention,
    boolean staff,
    boolean safety,
    boolean admin,
    @Nullable String live,
    @Nullable Clock clock,
    List<Notice> notices,
    @Nullable String alerting,
    @Nullable Stop stop,
    @Nullable Debug debug,
    @Nullable Tour tour) {

  /** The number from which entries are no longer counted. */
  public static final int MANY = 100;

  /** Returns how many entries of Today need staff, in at most three characters. */
  public String attentionShown() {
    return attention >= MANY ? MANY - 1 + "+" : String.valueOf(attention);
  }

  /** Returns the first letters of the first two words of the name of the session. */
  public String initials() {
    return signedInAs == null ? "" : initials(signedInAs);
  }

  /** Returns the first letters of the first two words of a name, in capitals. */
  public static String initials(String name) {
    return Pattern.compile("[^\\p{L}\\p{N}]+")
        .splitAsStream(name.strip())
        .filter(word -> !word.isEmpty())
        .limit(2)
        .map(word -> word.substring(0, word.offsetByCodePoints(0, 1)).toUpperCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  /**
   * Debug messages that all participants get.
   *
   * @param says since when and until when, in a sentence
   * @param endable whether staff can end them here
   */
  public record Debug(String says, boolean endable) {}

  /**
   * Incidents of one sort that staff must look at now.
   *
   * @param inDanger whether participants may be in danger; otherwise the coach flagged something
   * @param says what is wrong, in a sentence
   * @param incidents how many there are
   * @param address where to open them, or empty without the safety role
   */
  public record Notice(boolean inDanger, String says, int incidents, String address) {

    public boolean mayOpen() {
      return !address.isEmpty();
    }
  }

  /**
   * The stop of all sending.
   *
   * @param at UTC time, formatted for people
   * @param reason a sentence
   */
  public record Stop(String by, String at, String reason) {}

  /**
   * What the guided tour shows on a page.
   *
   * @param step the step that staff are at, or {@code null} where the tour is only offered
   * @param number the number of the step, from 1
   * @param of how many steps there are
   * @param here whether this is the page of the step
   * @param page the address of that page
   * @param dailyPrompts whether the example participant gets daily prompts
   */
  public record Tour(
      @Nullable TourStep step,
      int number,
      int of,
      boolean here,
      String page,
      boolean dailyPrompts) {}

  /**
   * The study clock of a rehearsal.
   *
   * @param now study time, formatted for people
   * @param nextWakeup when the next job is due, or empty if none is scheduled
   * @param ahead how far study time is ahead of real time, or empty if it is not
   */
  public record Clock(String now, String nextWakeup, String ahead) {}

  /**
   * Returns a sentence that tells real times from study times, or an empty text while both are the
   * same.
   */
  public String realTimes() {
    return clock == null || clock.ahead().isEmpty()
        ? ""
        : "The times on this page are real times. The study clock is %s ahead."
            .formatted(clock.ahead());
  }
}
