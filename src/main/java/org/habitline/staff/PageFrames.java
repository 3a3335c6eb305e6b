package org.habitline.staff;

import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.jspecify.annotations.Nullable;

/** Frames pages: every one says who answers on this line. */
@Singleton
public final class PageFrames {

  private final LanguageModel model;
  private final Channels channels;

  PageFrames(LanguageModel model, Channels channels) {
    this.model = model;
    this.channels = channels;
  }

  /** Returns the frame of a page; {@code live} names the event stream that keeps it up to date. */
  public PageFrame frame(String title, @Nullable Authentication by, @Nullable String live) {
    return new PageFrame(
        title,
        model.rehearsal(),
        model.describe(),
        channels.describe(),
        by == null ? null : by.getName(),
        by != null && by.getRoles().contains("admin"),
        live);
  }
}
