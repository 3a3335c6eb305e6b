/**
 * Pages and API of one participant: the conversation, the reasons for each reply, messaging status,
 * takeover and the simulated phone.
 *
 * <p>A page controller reads the form and shows the page; the REST controller beside it reads JSON.
 * Both call the same desk ({@code ProfileDesk}, {@code ScheduleDesk}, {@code FlowDesk}, {@code
 * TakeoverDesk}), which checks the input, makes the change, and writes the audit entry in the same
 * transaction.
 *
 * <p>Read {@code ParticipantPages} (what the page shows), {@code QuietChanges} (how staff change
 * what a turn changes too) and {@code DeliveryDiagnosis} (why somebody gets no messages) first.
 * {@code Timeline} reads what happened; {@code TimelineEvent} has the query of each event.
 *
 * <p>A change by staff must never overwrite what a running turn commits, so it goes through {@code
 * QuietChanges} or holds the participant. No conversation is shown before the read is in the audit
 * log ({@code staff.web.ReadLog}). The words of safety incidents, and whole phone numbers, are only
 * for roles that may see them.
 */
@NullMarked
package org.habitline.staff.participant;

import org.jspecify.annotations.NullMarked;
