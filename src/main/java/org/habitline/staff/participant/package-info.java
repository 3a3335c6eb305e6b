/**
 * Pages and API of one participant: the conversation, the reasons for each reply, messaging status,
 * takeover and the simulated phone.
 */
@NullMarked
package org.habitline.staff.participant;

import org.jspecify.annotations.NullMarked;
