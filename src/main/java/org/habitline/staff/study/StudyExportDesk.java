package org.habitline.staff.study;

import io.micronaut.http.HttpStatus;
import io.micronaut.security.authentication.Authentication;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.study.exports.ExportScope;
import org.habitline.study.exports.StudyExports;
import org.jspecify.annotations.Nullable;

/** Starts and shows exports of the study, for the page and the REST API. */
@Singleton
final class StudyExportDesk {

  private static final String ADMIN = "admin";

  private final StudyExports exports;

  StudyExportDesk(StudyExports exports) {
    this.exports = exports;
  }

  /**
   * Starts an export.
   *
   * @throws ApiProblem 400 for an unknown scope, 403 for a scope that the caller may not export,
   *     409 while another export is being written
   */
  StudyExports.Export start(Authentication by, @Nullable String scope, boolean spreadsheet) {
    var wanted =
        ExportScope.of(
                scope == null || scope.isBlank() ? ExportScope.DEIDENTIFIED.word() : scope.strip())
            .orElseThrow(() ->
                ApiProblem.bad("scope: unknown; expected deidentified, texts or identified."));
    check(by, wanted);
    var actor = Actor.of(by);
    return exports
        .start(new StudyExports.Wanted(wanted, spreadsheet, actor.name(), actor.role()))
        .map(id -> get(by, id))
        .orElseThrow(() ->
            ApiProblem.conflict(
                "An export is being written already. Start another one when it is finished."));
  }

  private static void check(Authentication by, ExportScope scope) {
    if (scope == ExportScope.IDENTIFIED && !by.getRoles().contains(ADMIN)) {
      throw new ApiProblem(
          HttpStatus.FORBIDDEN,
          "scope: identified exports are only for people with the role admin.");
    }
    if (scope != ExportScope.DEIDENTIFIED && Actor.seesDeidentifiedOnly(by)) {
      throw new ApiProblem(
          HttpStatus.FORBIDDEN,
          "scope: this key is limited to exports of the scope deidentified. An admin can make a key"
              + " without this limit.");
    }
  }

  /** Returns a page of the exports that the caller may see, newest first. */
  StudyExports.Page list(Authentication by, long before, int most) {
    return Actor.seesDeidentifiedOnly(by)
        ? exports.listDeidentified(before, most)
        : exports.list(before, most);
  }

  /**
   * Returns an export.
   *
   * @throws ApiProblem 404 if there is none with this id, 403 if the caller may not see its scope
   */
  StudyExports.Export get(Authentication by, String id) {
    var export =
        exports.find(id).orElseThrow(() -> ApiProblem.notFound("There is no export with this id."));
    if (Actor.seesDeidentifiedOnly(by)) {
      check(by, export.scope());
      return export.withoutName();
    }
    return export;
  }

  /**
   * Returns the file of an export and records the download.
   *
   * @throws ApiProblem 403 for a scope that the caller may not export, 404 if there is no such
   *     export, 409 if it has no file here
   */
  Path file(Authentication by, String id) {
    var export = get(by, id);
    check(by, export.scope());
    var file =
        exports
            .fileOf(export)
            .orElseThrow(() ->
                ApiProblem.conflict(
                    switch (export.status()) {
                      case RUNNING -> "The export is not finished yet.";
                      case READY ->
                          "The file is not here. With several nodes, ask the node that wrote it.";
                      case FAILED -> "The export failed. Start a new one.";
                      case DELETED -> "The file of this export was deleted. Start a new export.";
                    }));
    var actor = Actor.of(by);
    exports.downloaded(export, actor.name(), actor.role());
    return file;
  }
}
