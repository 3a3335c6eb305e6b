package org.h2.mvstore;

import java.util.concurrent.atomic.AtomicReference;

/** Runs work on an open H2 file. If the work fails, the database stays open. */
final class FileWork {

  private FileWork() {}

  /** Runs the work while no other thread stores, moves or frees anything. */
  static void alone(MVStore store, Runnable work) {
    var failure = new AtomicReference<RuntimeException>();
    store.executeFilestoreOperation(() -> {
      try {
        work.run();
      } catch (RuntimeException e) {
        // An exception that leaves this runnable would close the store.
        failure.set(e);
      }
    });
    if (failure.get() != null) {
      throw failure.get();
    }
  }
}
