package org.habitline.staff.web;

import java.util.Collection;
import java.util.Set;

/**
 * The passes with which requests authenticate: keys, sessions and participants' tokens. Implemented
 * where they are stored.
 */
public interface Passes {

  /** The role of a participant's token, where it is accepted; it includes no other. */
  String PARTICIPANT = "participant";

  /** The attribute of an authentication that holds the id of the account, if it is one's. */
  String ACCOUNT = "account";

  /** The address at which participants' tokens are accepted as keys are. */
  String MCP = "/mcp";

  /** The attribute of an authentication that holds its pass. */
  String PASS = "pass";

  /** Returns which of these passes are no longer valid. Looks all of them up on every call. */
  Set<String> ended(Collection<String> passes);
}
