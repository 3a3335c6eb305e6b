package org.habitline.study.exports;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.time.Clock;
import org.habitline.audit.AuditLog;
import org.habitline.storage.Snapshots;
import org.habitline.storage.Transactions;

/** Makes the exports of the study for this home folder. */
@Factory
final class StudyExportsFactory {

  @Singleton
  StudyExports studyExports(
      JdbcStudyExports rows,
      Pseudonyms pseudonyms,
      Snapshots snapshots,
      AuditLog audit,
      Transactions transactions,
      Clock clock,
      @Named("system") Clock systemClock,
      @Value("${habitline.home}") String home) {
    return new StudyExports(
        rows,
        pseudonyms,
        snapshots,
        audit,
        transactions,
        clock,
        systemClock,
        Path.of(home, "exports", "study"));
  }
}
