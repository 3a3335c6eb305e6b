package org.habitline;

import io.micronaut.runtime.Micronaut;

/** Starts the line. */
public final class Habitline {
  private Habitline() {}

  public static void main(String[] args) {
    Micronaut.run(Habitline.class, args);
  }
}
