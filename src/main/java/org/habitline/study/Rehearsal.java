package org.habitline.study;

import jakarta.inject.Singleton;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;

/** Whether this line is a rehearsal: the built-in script answers, and no real phone is reached. */
@Singleton
public final class Rehearsal {

  private final LanguageModel model;
  private final Channels channels;

  Rehearsal(LanguageModel model, Channels channels) {
    this.model = model;
    this.channels = channels;
  }

  /** Whether study time may be moved: nobody real would be texted at the wrong time. */
  public boolean on() {
    return model.rehearsal() && channels.usual().isSimulated();
  }
}
