package org.habitline.staff;

import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.time.ZoneOffset;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.habitline.study.Rehearsal;
import org.habitline.study.StudyWalk;
import org.jspecify.annotations.Nullable;

/** Frames pages: every one says who answers on this line. */
@Singleton
public final class PageFrames {

  private static final String PARTICIPANT = "participant=";

  private final LanguageModel model;
  private final Channels channels;
  private final Rehearsal rehearsal;
  private final StudyWalk walk;

  PageFrames(LanguageModel model, Channels channels, Rehearsal rehearsal, StudyWalk walk) {
    this.model = model;
    this.channels = channels;
    this.rehearsal = rehearsal;
    this.walk = walk;
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
        live,
        by == null || !rehearsal.on() ? null : clock(live));
  }

  private PageFrame.Clock clock(@Nullable String live) {
    var here = walk.here();
    return new PageFrame.Clock(
        Times.minutes(here.now(), ZoneOffset.UTC),
        here.nextWakeup().map(at -> Times.minutes(at, ZoneOffset.UTC)).orElse(""),
        back(live));
  }

  /** The page that the event stream belongs to. */
  private static String back(@Nullable String live) {
    return live == null || !live.contains(PARTICIPANT)
        ? "/"
        : "/participants/" + live.substring(live.indexOf(PARTICIPANT) + PARTICIPANT.length());
  }
}
