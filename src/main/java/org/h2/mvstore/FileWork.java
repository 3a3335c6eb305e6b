package org.h2.mvstore;

import java.util.concurrent.atomic.AtomicReference;

/** Work on an open H2 file that fails without taking the database down with it. */
final class FileWork {

  private FileWork() {}

  /** Runs the work while no other thread stores, moves or frees anything. */
  static void alone(MVStore store, Runnable work) {
    var failure = new AtomicReference<RuntimeException>();
    store.executeFilestoreOperation(() -> {
      try {
        work.run();
      } catch (RuntimeException e) {
        // What leaves this runnable closes the store.
        failure.set(e);
      }
    });
    if (failure.get() != null) {
      throw failure.get();
    }
  }
}
