/**
 * A scripted model that plays the habit flow with no key and no network.
 *
 * <p>A request is read into a {@link Scene}: the participant's status ({@link Status}), the
 * script's last cue ({@link Cue}), the meaning of the newest texts ({@link Heard}) and the offered
 * tools ({@link Toolbox}). A {@link Script} turns the scene into a {@link Plan}: calls in order,
 * and a message that is chosen when their results are known. No state is kept between requests.
 */
@NullMarked
package org.habitline.rehearsal.model;

import org.jspecify.annotations.NullMarked;
