package org.habitline.protocol;

import java.util.Locale;

/** What Habitline itself says while it asks for consent. */
public enum ConsentQuestion {
  /** Asks how old somebody is. */
  AGE,
  /** Asks again, because the answer was no age. */
  AGE_AGAIN,
  /** Says that they are too young, and that no more messages come. */
  NOT_ELIGIBLE,
  /** Follows the consent text: how to answer it. */
  REPLY,
  /** Asks for consent again, because the answer was neither yes nor no. */
  AGAIN,
  /** Thanks for a no. */
  DECLINED,
  /** Thanks for a yes to a new version. */
  THANKS,
  /** Says that a person gets in touch, because the answers stayed unclear. */
  TO_STAFF;

  /** Returns the key in files. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
