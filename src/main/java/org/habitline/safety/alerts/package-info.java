/**
 * Alerts staff of a crisis outside the pages, until someone acknowledges it.
 *
 * <p>{@code Alerting} looks at the open incidents every second, plans an alert for the next person
 * on the rota, and sends it by {@code EmailSender}, {@code WebhookSender} or, through the outbox,
 * {@code SmsAlerts}. {@code AlertDeliveries} follows what becomes of an SMS. {@code TestAlerts}
 * sends test alerts in the same way and keeps the real channels closed until one was acknowledged.
 * Those who have the role safety are mailed in the same way when it is granted.
 *
 * <p>Read {@code Alerting}, {@code TestAlerts} and {@code AlertSender} first.
 *
 * <p>A crisis is never without its alert, whenever a process dies, because incidents are looked at
 * and not events. An alert may arrive twice after a crash, but is never lost. It holds no words,
 * name or number of a participant.
 */
@NullMarked
package org.habitline.safety.alerts;

import org.jspecify.annotations.NullMarked;
