/**
 * A study rehearsed before it begins: simulated participants, a virtual clock and a report of
 * anomalies.
 *
 * <p>{@code RehearseCommand} starts it, {@code ProtocolRehearsal} runs the days, {@code Anomalies}
 * compares what happened with what each {@code SimulatedParticipant} should have got.
 */
@NullMarked
package org.habitline.rehearsal;

import org.jspecify.annotations.NullMarked;
