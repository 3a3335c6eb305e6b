/**
 * Durable messaging, in and out. Each provider has a sub-package.
 *
 * <p>A provider's webhook stores a text ({@code inbox.Inbox}) before it is acknowledged; {@code
 * inbox.Dispatcher} runs one turn at a time for each participant. A message to send is a row that
 * {@code outbox.OutboxLoop} marks, gives to its {@code Channel} and records.
 *
 * <p>No transaction is open while a provider is called. A message that may have been sent is looked
 * up before anything is sent again. Nothing is sent to a number that opted out.
 */
@NullMarked
package org.habitline.messaging;

import org.jspecify.annotations.NullMarked;
