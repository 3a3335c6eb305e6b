package org.habitline.study;

import jakarta.inject.Singleton;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;

/**
 * Tells whether the service is a rehearsal: the built-in script replies, and no real phone is
 * reached.
 */
@Singleton
public final class Rehearsal {

  private final LanguageModel model;
  private final Channels channels;

  Rehearsal(LanguageModel model, Channels channels) {
    this.model = model;
    this.channels = channels;
  }

  /**
   * Returns whether study time may be moved, because no real person would get a message at the
   * wrong time.
   */
  public boolean on() {
    return model.rehearsal() && channels.usual().isSimulated();
  }
}
