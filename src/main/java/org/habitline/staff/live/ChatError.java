package org.habitline.staff.live;

/** What the web chat says went wrong; the words are the protocol's. */
enum ChatError {
  /** A message that is none, or an empty or too long text. */
  INVALID_FORMAT,

  /** A conversation that is not the token's own. */
  ACCESS_DENIED,

  /** The line could not do what it should. */
  INTERNAL_ERROR
}
