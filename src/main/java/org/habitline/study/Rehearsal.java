package org.habitline.study;

import jakarta.inject.Singleton;
import org.habitline.messaging.Channels;

/** Tells whether the service is a rehearsal: no real phone is reached, whatever replies. */
@Singleton
public final class Rehearsal {

  private final Channels channels;

  Rehearsal(Channels channels) {
    this.channels = channels;
  }

  /**
   * Returns whether study time may be moved, because no real person would get a message at the
   * wrong time.
   */
  public boolean on() {
    return channels.usual().isSimulated();
  }
}
