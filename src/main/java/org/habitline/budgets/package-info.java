/**
 * What a study spends on one day, and the limits that stop it.
 *
 * <p>{@code Spending} counts tokens, cost and segments of each participant and of the study, and
 * says whether a budget is used up. Turns ask it before each model call and count each call in the
 * transaction that stores its answer; the outbox asks it before each message of the coach and
 * counts each message that is given to a provider. {@code AllowedCountries} says which numbers may
 * be texted. The limits themselves are in {@code protocol.Budgets}.
 */
@NullMarked
package org.habitline.budgets;

import org.jspecify.annotations.NullMarked;
