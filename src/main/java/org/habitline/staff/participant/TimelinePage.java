package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page of everything that happened to a participant.
 *
 * @param name the participant
 * @param zone the time zone of all times and days on the page
 * @param kind the word of the kind that is shown, or empty for all
 * @param kinds the kinds to choose from
 * @param planned the daily prompts that come next, in words; empty on pages with older entries
 * @param older the address of the next page, or empty
 */
public record TimelinePage(
    PageFrame frame,
    String id,
    String name,
    String zone,
    String kind,
    List<Kind> kinds,
    List<String> planned,
    List<Day> days,
    String older) {

  public TimelinePage {
    kinds = List.copyOf(kinds);
    planned = List.copyOf(planned);
    days = List.copyOf(days);
  }

  /** A kind to choose. */
  public record Kind(String word, String title) {}

  /** The entries of one local date, newest first. */
  public record Day(String date, List<Item> items) {
    public Day {
      items = List.copyOf(items);
    }
  }

  /**
   * One entry.
   *
   * @param tone a class of the timeline component, or empty
   * @param page the address of the details, or empty
   * @param link what the link to them says
   */
  public record Item(String sentence, String time, String tone, String page, String link) {}
}
