/**
 * Messages in and out, durably. Vendors live in sub-packages.
 *
 * <p>A provider's webhook stores a text ({@code inbox.Inbox}) before it is acknowledged; {@code
 * inbox.Dispatcher} has one turn at a time run for each participant. A message to send is a row
 * that {@code outbox.OutboxLoop} marks, gives to its {@code Channel} and records.
 *
 * <p>No transaction is open while a provider is called. A message that may have been sent is looked
 * up before anything is sent again. Nothing leaves for a number that opted out.
 */
@NullMarked
package org.habitline.messaging;

import org.jspecify.annotations.NullMarked;
