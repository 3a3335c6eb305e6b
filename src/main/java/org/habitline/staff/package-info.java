/**
 * REST and pages for researchers and staff.
 *
 * <p>A controller reads the request, asks one desk, and writes the answer. A desk checks every
 * field and reports each error beside its field ({@code web.ApiProblem}). Whoever sees or changes
 * something about a participant is written to the audit log. Nothing here talks to a provider or a
 * model.
 */
@NullMarked
package org.habitline.staff;

import org.jspecify.annotations.NullMarked;
