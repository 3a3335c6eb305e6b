package org.habitline.staff.study;

import jakarta.inject.Singleton;
import java.util.List;
import org.habitline.conversation.configuration.ConfigurationChanges;
import org.habitline.conversation.configuration.ConfigurationVersions;
import org.habitline.conversation.configuration.ConfigurationVersions.Version;
import org.habitline.conversation.configuration.FileInForce;
import org.habitline.staff.web.ApiProblem;
import org.jspecify.annotations.Nullable;

/** Reads the versions of the configuration, for the page and the REST API. */
@Singleton
final class ConfigurationDesk {

  private final ConfigurationVersions versions;

  ConfigurationDesk(ConfigurationVersions versions) {
    this.versions = versions;
  }

  /** Returns versions before a number, newest first. */
  List<Version> before(long number, int most) {
    return versions.before(number, most);
  }

  /**
   * Returns a version.
   *
   * @throws ApiProblem 404 if there is none of this number
   */
  Version version(long number) {
    return versions
        .find(number)
        .orElseThrow(
            () -> ApiProblem.notFound("There is no configuration version with this number."));
  }

  ConfigurationVersions.Content content(Version version) {
    return versions.content(version);
  }

  /**
   * Returns what a version changed.
   *
   * @param from the version to compare with; {@code null} for the one before, or for the version
   *     itself if it is the first
   * @throws ApiProblem 404 if there is no such version
   */
  ConfigurationChanges changes(Version version, @Nullable Long from) {
    var before = from == null ? Math.max(1, version.number() - 1) : from;
    return versions.changes(version(before), version);
  }

  /**
   * Returns the text of a file.
   *
   * @throws ApiProblem 404 if the version has no such file, or its text is not kept
   */
  ConfigurationFile file(Version version, String path) {
    var file =
        versions.content(version).files().stream()
            .filter(it -> it.path().equals(path))
            .findFirst()
            .orElseThrow(
                () -> ApiProblem.notFound("The configuration version has no file with this path."));
    return new ConfigurationFile(
        file,
        versions
            .text(file)
            .orElseThrow(
                () -> ApiProblem.notFound("The text of this file is not kept, only its SHA-256.")));
  }

  /** A file with its text. */
  record ConfigurationFile(FileInForce file, String text) {}
}
