package org.habitline.staff;

import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.regex.Pattern;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.habitline.messaging.SendingStop;
import org.habitline.study.Rehearsal;
import org.habitline.study.StudyWalk;
import org.jspecify.annotations.Nullable;

/** Frames pages: every one says who answers on this line. */
@Singleton
public final class PageFrames {

  private static final String PARTICIPANT = "participant=";

  /** Pages that a form may lead back to. */
  private static final Pattern OURS =
      Pattern.compile("/simulator|/participants/[a-z0-9_]+(/simulator)?");

  private final LanguageModel model;
  private final Channels channels;
  private final Rehearsal rehearsal;
  private final StudyWalk walk;
  private final SendingStop sending;

  PageFrames(
      LanguageModel model,
      Channels channels,
      Rehearsal rehearsal,
      StudyWalk walk,
      SendingStop sending) {
    this.model = model;
    this.channels = channels;
    this.rehearsal = rehearsal;
    this.walk = walk;
    this.sending = sending;
  }

  /** Returns the frame of a page; {@code live} names the event stream that keeps it up to date. */
  public PageFrame frame(String title, @Nullable Authentication by, @Nullable String live) {
    return frame(title, by, live, back(live));
  }

  /** The same for a page at an address of its own, to which the forms around it lead back. */
  PageFrame frame(
      String title, @Nullable Authentication by, @Nullable String live, String address) {
    return new PageFrame(
        title,
        model.rehearsal(),
        model.describe(),
        channels.describe(),
        by == null ? null : by.getName(),
        by != null && by.getRoles().contains("admin"),
        live,
        by == null || !rehearsal.on() ? null : clock(address),
        by == null ? null : sending.inForce().map(it -> stop(it, address)).orElse(null));
  }

  private PageFrame.Clock clock(String back) {
    var here = walk.here();
    return new PageFrame.Clock(
        Times.minutes(here.now(), ZoneOffset.UTC),
        here.nextWakeup().map(at -> Times.minutes(at, ZoneOffset.UTC)).orElse(""),
        back);
  }

  private static PageFrame.Stop stop(SendingStop.Stopped stopped, String back) {
    return new PageFrame.Stop(
        stopped.by(), Times.minutes(stopped.at(), ZoneOffset.UTC), stopped.reason(), back);
  }

  /** The page that a form says it stands on, if it is one of ours. */
  static URI back(Map<String, String> form) {
    var back = form.getOrDefault("back", "/");
    return URI.create(OURS.matcher(back).matches() ? back : "/");
  }

  /** The page that the event stream belongs to. */
  private static String back(@Nullable String live) {
    return live == null || !live.contains(PARTICIPANT)
        ? "/"
        : "/participants/" + live.substring(live.indexOf(PARTICIPANT) + PARTICIPANT.length());
  }
}
