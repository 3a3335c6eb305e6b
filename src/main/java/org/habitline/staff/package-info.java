/**
 * REST API and web pages for researchers and staff.
 *
 * <p>A controller reads the request, calls one desk and writes the reply. A desk checks every field
 * and reports each error beside its field ({@code web.ApiProblem}). Reading or changing something
 * about a participant is written to the audit log. Nothing here calls a provider or a model.
 */
@NullMarked
package org.habitline.staff;

import org.jspecify.annotations.NullMarked;
