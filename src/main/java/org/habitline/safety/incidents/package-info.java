/**
 * Incidents: people who may be in danger, what was sent to them, and what staff did.
 *
 * <p>Before a text is stored, the rules look at it; the transaction that stores it then opens an
 * incident or adds the text to the open one, and plans the fixed text. A flag of the coach or a
 * second opinion opens one in the turn's commit. Staff acknowledge it, add what they did, and
 * release it. Until a crisis is released, the participant gets no coaching.
 *
 * <p>Read {@code Incidents}, {@code Incident} and {@code IncidentMessages} first.
 *
 * <p>No timeout ever releases a crisis. No reply of the coach is committed after an incident
 * opened, as both lock the participant. An incident holds ids and rules, never words; its words
 * stay with the texts, which no model sees.
 */
@NullMarked
package org.habitline.safety.incidents;

import org.jspecify.annotations.NullMarked;
