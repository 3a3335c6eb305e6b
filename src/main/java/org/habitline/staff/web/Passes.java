package org.habitline.staff.web;

import java.util.Collection;
import java.util.Set;

/**
 * What somebody came in with: a key, a session, or a token of a participant. Implemented where they
 * are kept.
 */
public interface Passes {

  /** The attribute of an authentication that holds the pass it came with. */
  String PASS = "pass";

  /** Returns those of these passes that are good no longer; looks all of them up, each time. */
  Set<String> ended(Collection<String> passes);
}
