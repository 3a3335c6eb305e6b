package org.habitline.staff.live;

/** The far side of a web chat. Every method returns at once, whoever calls it. */
interface ChatScreen {

  /** Sends one message; in order. */
  void show(String json);

  /** Asks whether anybody is there. */
  void ping();

  void close(End why);

  /** Why a chat is closed by the line. */
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
