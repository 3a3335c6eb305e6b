package org.habitline.ops.access;

import java.util.Set;

/** Recognises addresses that only this machine can reach. */
public final class Loopback {

  private static final Set<String> NAMES = Set.of("localhost", "::1", "[::1]");

  private Loopback() {}

  public static boolean isLoopback(String host) {
    return NAMES.contains(host) || host.matches("127(\\.[0-9]{1,3}){3}");
  }
}
