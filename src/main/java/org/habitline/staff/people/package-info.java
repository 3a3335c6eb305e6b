/**
 * The list of participants: enrolment, search, tags, saved views, changes of details and of the
 * phone number, and erasure.
 *
 * <p>The page ({@code PeopleController}) and the REST API ({@code ParticipantsController}) read the
 * same filters with {@code PeopleSearch} and make the same changes with {@code EnrolmentDesk}, so
 * that their results and error messages are the same. Imports, bulk actions and the table of chosen
 * participants use them too.
 *
 * <p>Read {@code EnrolmentDesk}, {@code PeopleSearch} and {@code JdbcPeople} first.
 *
 * <p>A change and its audit entry are one transaction. Every mistake of a form is reported at once,
 * each beside its field. Someone who may not see phone numbers cannot find them by searching
 * either: {@code PeopleSearch} refuses more than the last four digits.
 */
@NullMarked
package org.habitline.staff.people;

import org.jspecify.annotations.NullMarked;
