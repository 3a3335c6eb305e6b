/**
 * Incoming texts: stored once, in the order they came, with the consent keywords they hold.
 *
 * <p>A provider's webhook calls {@code Inbox.accept}. First {@code IncomingScreen} and {@code
 * ConsentKeywords} look at the words ({@code Screened}); then one transaction, shared with the
 * texts that wait at the same moment ({@code GroupCommit}), stores the text, applies STOP and
 * START, and opens an incident if there is a danger. Only then is the provider answered. {@code
 * Dispatcher} passes waiting rows to the turns, one participant at a time. Texts from numbers that
 * are not enrolled go to {@code Newcomers} or stay in {@code Unclaimed} for staff.
 *
 * <p>Read {@code Inbox}, {@code Dispatcher} and {@code ConsentKeywords} first. Wake-ups, enrolments
 * and requested prompts wait in the same table ({@code Input}), so that everything about one
 * participant happens in one order.
 *
 * <p>A text is never lost and never handled twice: the provider's id is unique, and a row waits
 * until the turn that handled it commits. STOP takes effect when the text is stored, not when a
 * turn runs. No model and no provider is called here, and no text is written to the log.
 */
@NullMarked
package org.habitline.messaging.inbox;

import org.jspecify.annotations.NullMarked;
