package org.habitline.staff.today;

import org.habitline.staff.web.PageFrame;

/**
 * The page of one list of Today, with more entries.
 *
 * @param most how many entries it shows at most
 * @param complaint why the last form was refused, or empty
 */
public record TodayListPage(PageFrame frame, TodayPage.Listed list, int most, String complaint) {

  /** Returns the place that the forms of this page return to. */
  public TodayPage.Place place() {
    return new TodayPage.Place(list.section(), list.whose());
  }

  /** Returns whether staff can take the entries of this list. */
  public boolean owned() {
    return TodayPage.WORK.contains(list.section());
  }
}
