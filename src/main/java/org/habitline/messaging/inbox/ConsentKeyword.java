package org.habitline.messaging.inbox;

/**
 * A request that a text makes of Habitline itself rather than of the coach, decided by rule before
 * any model sees it; {@link ConsentKeywords} decides.
 */
public enum ConsentKeyword {
  /** An opt-out that needs no confirmation, because the provider confirms it. */
  STOP,
  /** An opt-out that Habitline confirms itself, once. */
  REVOKE,
  START,
  HELP,
  /** A request for help that the provider has replied to already. */
  HELPED
}
