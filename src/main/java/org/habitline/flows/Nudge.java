package org.habitline.flows;

import java.time.Duration;

/**
 * What a module does about a participant who falls silent in it: it sends a message once, and shows
 * them to staff if they stay silent.
 *
 * @param after how long a silence lasts before the message, and again before staff see them
 */
public record Nudge(Duration after, String text) {

  static final Duration SHORTEST = Duration.ofHours(1);
  static final Duration LONGEST = Duration.ofDays(30);
}
