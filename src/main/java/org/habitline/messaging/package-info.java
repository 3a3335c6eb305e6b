/** Words in and out, durably: inbox, outbox, deliveries, opt-out. Vendors live in sub-packages. */
@NullMarked
package org.habitline.messaging;

import org.jspecify.annotations.NullMarked;
