/**
 * The tools that a model may call, one class each.
 *
 * <p>A call comes with a {@code ToolRun}: the flow, the module, and the {@code WorkingCopy}, which
 * is the participant's state as the turn would leave it now. The tool checks its arguments and
 * returns a {@code ToolOutcome} with the result for the model and {@code Effect}s. The turn applies
 * all effects in the transaction that commits it, or none.
 *
 * <p>Read {@code Tool}, {@code Effect} and {@code ToolCatalog} first. {@code ToolCatalog} turns
 * every wrong call into a result that says what is accepted. {@code Profile} and the classes around
 * it hold the rules of the profile; {@code ProfileEdit} applies the same rules to changes by staff.
 *
 * <p>A tool never writes to the database and never sends anything: it may run again when a turn is
 * resumed. Only {@code OutsideTools}, the tools of other servers, act at once; the journal has each
 * such call before it runs, so that none runs twice. A new tool needs no change elsewhere, but its
 * effect does if it is a new one.
 */
@NullMarked
package org.habitline.tools;

import org.jspecify.annotations.NullMarked;
