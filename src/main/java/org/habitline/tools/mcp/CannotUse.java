package org.habitline.tools.mcp;

/**
 * Thrown if a server cannot be used, before any call was sent to it. The message is for staff and
 * continues "MCP server calendar: "; it quotes nothing that the server said.
 */
final class CannotUse extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CannotUse(String why) {
    super(why);
  }

  String why() {
    return String.valueOf(getMessage());
  }
}
