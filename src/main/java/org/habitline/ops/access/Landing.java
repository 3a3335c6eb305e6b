package org.habitline.ops.access;

/** The page that a person sees first after signing in. */
final class Landing {

  private Landing() {}

  /** Returns its address: Today, or the figures for those who may see only these. */
  static String of(AccountRole role) {
    return role == AccountRole.DEIDENTIFIED ? "/study" : "/";
  }
}
