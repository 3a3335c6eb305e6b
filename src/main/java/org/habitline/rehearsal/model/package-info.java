/**
 * A scripted model that plays the habit flow with no key and no network.
 *
 * <p>A request is read into a {@link Scene}: where the participant stands ({@link Status}), what
 * was said last ({@link Cue}), what they mean now ({@link Heard}) and which tools there are ({@link
 * Toolbox}). A {@link Script} turns the scene into a {@link Plan}: calls in order, and the words
 * that are true once their results are known. Nothing is remembered between requests.
 */
@NullMarked
package org.habitline.rehearsal.model;

import org.jspecify.annotations.NullMarked;
