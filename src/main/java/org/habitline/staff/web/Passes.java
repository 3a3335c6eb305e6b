package org.habitline.staff.web;

import java.util.Collection;
import java.util.Set;

/**
 * The passes with which requests authenticate: keys, sessions and participants' tokens. Implemented
 * where they are stored.
 */
public interface Passes {

  /** The attribute of an authentication that holds its pass. */
  String PASS = "pass";

  /** Returns which of these passes are no longer valid. Looks all of them up on every call. */
  Set<String> ended(Collection<String> passes);
}
