/**
 * Start, configuration, security, health and the database as a server. Nothing uses this area.
 *
 * <p>{@code start} reads the settings and starts the program; {@code access} knows who may do what;
 * {@code http} handles what applies to every request; {@code database} opens, updates, backs up and
 * erases the database; {@code health} reports the service's status. {@code RoomsTest} says which of
 * these may use which.
 */
@NullMarked
package org.habitline.ops;

import org.jspecify.annotations.NullMarked;
