package org.habitline.messaging.inbox;

import org.jspecify.annotations.Nullable;

/**
 * An incoming text, and what its words alone say, found before its transaction: as long as that
 * runs, other texts wait.
 *
 * @param body the text as it is stored
 * @param mayBeKeyword whether it is a consent keyword from somebody, perhaps only from one who is
 *     opted out
 * @param alarm what it needs besides being stored, or {@code null} if it is ordinary
 */
record Screened(
    IncomingText text, String body, boolean mayBeKeyword, IncomingScreen.@Nullable Alarm alarm) {}
