/**
 * Today: the worklist, unmatched texts, flags, failed turns that are tried again, and the switch
 * that stops all sending.
 *
 * <p>{@code Worklist} asks every area for what needs staff now and shows it as lists; {@code
 * TodayPage.Section} names them. {@code WorkOwners} keeps which staff member is on which row, and
 * {@code StuckPeople} finds participants who do not get on.
 *
 * <p>Read {@code Worklist}, {@code TodayPage} and {@code OwnerDesk} first.
 *
 * <p>The cost of a list never grows with the number of participants: each query has a limit and an
 * index. (Finding stuck participants is the exception, so its result is kept for a minute.) Whom a
 * crisis pauses is in their incident only: nothing else asks staff to write to them.
 */
@NullMarked
package org.habitline.staff.today;

import org.jspecify.annotations.NullMarked;
