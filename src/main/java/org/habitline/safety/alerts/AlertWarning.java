package org.habitline.safety.alerts;

/**
 * Something that is wrong with alerts.
 *
 * @param sentence what it is and what to do, for staff; it may name people on the rota
 */
public record AlertWarning(AlertProblem problem, String sentence) {}
