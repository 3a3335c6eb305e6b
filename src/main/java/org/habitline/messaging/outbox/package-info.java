/**
 * Outgoing messages: planned, sent in order, looked up when in doubt, with what providers report.
 *
 * <p>Read {@code OutboxLoop} first, then {@code NextDelivery} (a pure choice) and {@code
 * DeliveryRecorder}. {@code DeliveryStatus} is the only state of a message.
 */
@NullMarked
package org.habitline.messaging.outbox;

import org.jspecify.annotations.NullMarked;
