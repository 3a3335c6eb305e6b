package org.habitline.staff.study;

import java.time.ZoneOffset;
import java.util.List;
import org.habitline.conversation.configuration.ConfigurationChanges;
import org.habitline.conversation.configuration.ConfigurationVersions.Content;
import org.habitline.conversation.configuration.ConfigurationVersions.Version;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.Times;

/**
 * The page of one version of the configuration.
 *
 * @param changes compared with the version before
 * @param newest the newest versions, newest first
 */
public record ConfigurationPage(
    PageFrame frame,
    Version version,
    Content content,
    ConfigurationChanges changes,
    List<Version> newest) {

  /** Returns from when to when a version was in force, for people. */
  public static String period(Version version) {
    var began = Times.seconds(version.beganAt(), ZoneOffset.UTC);
    return version.endedAt() == null
        ? "since " + began
        : began + " to " + Times.seconds(version.endedAt(), ZoneOffset.UTC);
  }

  /** Returns why a version began, for people. */
  public static String reason(Version version) {
    return switch (version.reason()) {
      case START -> "start of " + version.node();
      case PROMPT_EDIT -> "prompt file edited, noticed by " + version.node();
    };
  }
}
