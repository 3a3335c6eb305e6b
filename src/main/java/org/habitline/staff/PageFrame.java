package org.habitline.staff;

import org.jspecify.annotations.Nullable;

/**
 * What stands around every page.
 *
 * @param rehearsal whether the built-in script answers instead of a model
 * @param model what answers, in one line
 * @param channels the roads to phones, in one line
 * @param signedInAs the name of the session, or {@code null} if nobody is signed in
 * @param admin whether it may do what only admins may
 * @param live the event stream that keeps the page up to date, if it is a live page
 */
public record PageFrame(
    String title,
    boolean rehearsal,
    String model,
    String channels,
    @Nullable String signedInAs,
    boolean admin,
    @Nullable String live) {}
