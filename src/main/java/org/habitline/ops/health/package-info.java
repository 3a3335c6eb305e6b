/**
 * The service's status: health, alerts, metrics and the page for operators.
 *
 * <p>{@code Alerts} decides what an operator must look at; health, page and metrics show the same.
 */
@NullMarked
package org.habitline.ops.health;

import org.jspecify.annotations.NullMarked;
