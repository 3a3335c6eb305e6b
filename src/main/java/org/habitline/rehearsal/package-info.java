/**
 * Rehearses a study before it begins, with simulated participants and a virtual clock, and reports
 * anomalies.
 *
 * <p>{@code RehearseCommand} starts it, {@code ProtocolRehearsal} runs the days, {@code Anomalies}
 * compares what happened with what each {@code SimulatedParticipant} should have received.
 */
@NullMarked
package org.habitline.rehearsal;

import org.jspecify.annotations.NullMarked;
