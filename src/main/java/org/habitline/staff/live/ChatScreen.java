package org.habitline.staff.live;

/**
 * The client's side of a web chat. Every method returns at once and may be called by any thread.
 */
interface ChatScreen {

  /** Sends one message; messages keep their order. */
  void show(String json);

  /** Sends a ping to find out whether the client is still connected. */
  void ping();

  void close(End why);

  /** Why the service closes a chat. */
  enum End {
    TOKEN_ENDED,
    NO_TOKEN,
    TOO_MANY,
    SILENT,
    TOO_SLOW,
    LINE_STOPS,
    BROKEN
  }
}
