package org.habitline.staff;

/** Who may sit at the web chat; implemented where their tokens are kept. */
public interface ChatPasses {

  /** The attribute of an authentication that holds the pass it came with. */
  String PASS = "pass";

  /** Where the chat is. */
  String CHAT = "/ws/chat";

  /** Whether a pass that opened a chat is good still; looks it up each time. */
  boolean holds(String pass);
}
