package org.habitline.staff.study;

import java.time.ZoneOffset;
import java.util.List;
import org.habitline.staff.web.PageFrame;
import org.habitline.staff.web.Times;
import org.habitline.study.exports.ExportScope;
import org.habitline.study.exports.ExportStatus;
import org.habitline.study.exports.StudyExports;

/**
 * The page of the study's exports.
 *
 * @param complaint why no export was started, or empty
 */
public record StudyExportsPage(
    PageFrame frame, String complaint, List<StudyExports.Export> exports) {

  /** Returns whether an export is being written. */
  public boolean running() {
    return exports.stream().anyMatch(export -> export.status() == ExportStatus.RUNNING);
  }

  /** Returns whether the session may download the file of an export. */
  public boolean downloadable(StudyExports.Export export) {
    return export.status() == ExportStatus.READY
        && (export.scope() != ExportScope.IDENTIFIED || frame.admin());
  }

  /** Returns the time of an export for the page. */
  public static String time(StudyExports.Export export) {
    return Times.minutes(export.askedAt(), ZoneOffset.UTC);
  }

  /** Returns what a scope contains, in words. */
  public static String scope(ExportScope scope) {
    return switch (scope) {
      case DEIDENTIFIED -> "de-identified";
      case TEXTS -> "with texts";
      case IDENTIFIED -> "identified";
    };
  }

  /** Returns the progress of an export, in words. */
  public static String progress(StudyExports.Export export) {
    return switch (export.status()) {
      case RUNNING ->
          "%d of %d tables, %d rows".formatted(export.tablesDone(), export.tables(), export.rows());
      case READY ->
          "%d rows, %d KB"
              .formatted(export.rows(), export.bytes() == null ? 0 : export.bytes() / 1000);
      case FAILED -> "Failed. " + (export.failure() == null ? "" : export.failure());
      case DELETED -> "The file was deleted.";
    };
  }
}
