package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page on which staff change a participant's daily prompts.
 *
 * @param name the participant
 * @param zone the time zone of all times on the page
 * @param none why there can be no daily prompts, or empty
 * @param mayAdd whether the flow allows one more
 * @param whyNotNow why no prompt can be sent now, or empty
 * @param prepared the text that the coach prepared for the next prompt, or empty
 * @param refused the id of the schedule whose form was refused, or {@link #NEW}, or empty
 * @param entered what was in that form
 * @param complaint why it was refused, or empty
 * @param problem the field that this is about, or empty
 */
public record SchedulesPage(
    PageFrame frame,
    String id,
    String name,
    String zone,
    String none,
    List<Item> items,
    boolean mayAdd,
    String whyNotNow,
    String prepared,
    String refused,
    Entered entered,
    String complaint,
    String problem) {

  /** Stands for the form that adds a schedule. */
  public static final String NEW = "new";

  public SchedulesPage {
    items = List.copyOf(items);
  }

  /** The times in a form, as they were entered. */
  public record Entered(String time, String start, String end) {
    static final Entered NOTHING = new Entered("", "", "");
  }

  /**
   * One schedule.
   *
   * @param title its time in words
   * @param days the coming local dates
   */
  public record Item(String id, String title, Entered now, List<Day> days) {
    public Item {
      days = List.copyOf(days);
    }
  }

  /**
   * The prompt of one local date.
   *
   * @param date such as 2026-11-21
   * @param shown the date with its weekday and the time
   * @param state what becomes of the prompt, in words
   * @param skipped whether staff took the date off
   * @param open whether the prompt can still be skipped
   */
  public record Day(String date, String shown, String state, boolean skipped, boolean open) {}

  /** Returns the times of an empty form. */
  public Entered nothing() {
    return Entered.NOTHING;
  }

  /** Returns what to show in the form of a schedule. */
  public Entered in(String form, Entered now) {
    return form.equals(refused) ? entered : now;
  }

  /** Returns the sentence beside a field of a form, or empty. */
  public String beside(String form, String field) {
    return form.equals(refused) && field.equals(problem) ? complaint : "";
  }

  /** Returns the sentence that belongs to no field of a form, or empty. */
  public String above() {
    return problem.isEmpty() ? complaint : "";
  }
}
