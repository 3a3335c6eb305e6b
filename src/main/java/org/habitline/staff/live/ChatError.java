package org.habitline.staff.live;

/** Error codes of the web chat protocol. */
enum ChatError {
  /** An unreadable message, or an empty or too long text. */
  INVALID_FORMAT,

  /** An invalid token, or a conversation that is not the token's own. */
  ACCESS_DENIED,

  /** A failure of the service. */
  INTERNAL_ERROR
}
