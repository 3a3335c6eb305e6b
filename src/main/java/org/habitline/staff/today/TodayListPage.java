package org.habitline.staff.today;

import org.habitline.staff.web.PageFrame;

/**
 * The page of one list of Today, with more entries.
 *
 * @param most how many entries it shows at most
 */
public record TodayListPage(PageFrame frame, TodayPage.Listed list, int most) {

  /** Returns whether staff can take the entries of this list. */
  public boolean owned() {
    return TodayPage.WORK.contains(list.section());
  }
}
