package org.habitline.staff;

import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import org.habitline.llm.LanguageModel;
import org.jspecify.annotations.Nullable;

/** Frames pages: every one says who answers on this line. */
@Singleton
public final class PageFrames {

  private final LanguageModel model;

  PageFrames(LanguageModel model) {
    this.model = model;
  }

  /** Returns the frame of a page; {@code live} names the event stream that keeps it up to date. */
  public PageFrame frame(String title, @Nullable Authentication by, @Nullable String live) {
    return new PageFrame(
        title,
        model.rehearsal(),
        model.describe(),
        by == null ? null : by.getName(),
        by != null && by.getRoles().contains("admin"),
        live);
  }
}
