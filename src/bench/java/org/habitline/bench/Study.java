package org.habitline.bench;

import io.micronaut.context.ApplicationContext;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.habitline.FreshHome;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Enrolment;
import org.habitline.participants.Participant;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;

/** The participants of a running Habitline instance, and the work that is left for them. */
record Study(ApplicationContext line) {

  private static final long FIRST_NUMBER = 12_062_000_000L;

  /** What {@link #awaitRest} asks, beside Habitline's own statements. */
  static final List<String> ASKED =
      List.of(
          "SELECT seq FROM inbox WHERE status <> 'done' LIMIT 1",
          "SELECT seq FROM outbox WHERE open = TRUE LIMIT 1");

  /** Enrols participants, whose numbers follow those of earlier ones. */
  List<Participant> enrol(int number, ChannelKind channel) {
    var people = new ArrayList<Participant>();
    var first = FIRST_NUMBER + count("SELECT id FROM participant");
    for (int i = 0; i < number; i++) {
      people.add(
          line.getBean(Participants.class)
              .enrol(
                  Enrolment.of(
                          new PhoneNumber("+" + (first + i)),
                          ZoneId.of("Europe/Berlin"),
                          "habit",
                          channel)
                      .withName("Robin")));
    }
    return List.copyOf(people);
  }

  /** Waits until every text is answered and every reply has left the outbox. */
  void awaitRest() {
    Awaitility.await("all texts are answered")
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> ASKED.stream().allMatch(sql -> count(sql) == 0));
  }

  /** Returns the number of rows that a query finds. */
  int count(String sql) {
    return FreshHome.rows(line, sql).size();
  }

  /** Returns when the first message since then was planned, which is when its turn committed. */
  Instant firstPlanned(Instant since) throws SQLException {
    try (var connection = database().getConnection();
        var earliest =
            connection.prepareStatement(
                "SELECT MIN(planned_at) FROM outbox WHERE planned_at >= ?")) {
      earliest.setObject(1, since.atOffset(ZoneOffset.UTC));
      try (var row = earliest.executeQuery()) {
        row.next();
        return row.getObject(1, OffsetDateTime.class).toInstant();
      }
    }
  }

  /** Returns Habitline's own connection pool. */
  DataSource database() {
    return DelegatingDataSource.unwrapDataSource(line.getBean(DataSource.class));
  }

  /** Adds the database's name and version to the report. */
  void tellVersion(Report report) {
    Databases.tellVersion(database(), report);
  }
}
