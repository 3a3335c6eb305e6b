package org.habitline.ops.access;

import java.util.Locale;

/** Whether an account can sign in. */
public enum AccountState {
  /** Has a link to set a password and a second factor, or had one that has expired. */
  INVITED,
  ACTIVE,
  /** Cannot sign in until an admin makes it active again. */
  DISABLED;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
