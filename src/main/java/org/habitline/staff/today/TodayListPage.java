package org.habitline.staff.today;

import org.habitline.staff.web.PageFrame;

/**
 * One of the lists of the first page, by itself and longer.
 *
 * @param most how many stand in it at most
 */
public record TodayListPage(PageFrame frame, TodayPage.Listed list, int most) {}
