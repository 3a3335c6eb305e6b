package org.habitline.safety.incidents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.habitline.RunningLine;
import org.habitline.participants.Participant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The words of incidents go when their retention is over, and nothing else does. */
final class IncidentRetentionTest {

  private static final String DANGER = "I want to kill myself zqx";

  private static RunningLine line;

  @BeforeAll
  static void start() {
    line =
        RunningLine.in(IncidentRetentionTest.class)
            .study(
                """
                safety:
                  time_zone: UTC
                  retention: 30
                  webhook: http://127.0.0.1:9/alerts
                  rota: [nurse]
                """)
            .with("alert.webhook-secret", "whsec_" + "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz")
            .start();
  }

  @AfterAll
  static void stop() {
    line.close();
  }

  private static Incident inDanger(Participant robin) {
    line.answered(robin, DANGER);
    await().until(() -> line.phone(robin).getLast().startsWith("This is an automated message."));
    return line.bean(Incidents.class).crisis(robin.id()).orElseThrow();
  }

  private static void released(Incident incident) {
    var incidents = line.bean(Incidents.class);
    incidents.acknowledge(incident, "Sam");
    incidents.record(incident, EntryKind.CONTACT, "spoke with them zqx", "Sam");
    incidents.release(incident, IncidentOutcome.REFERRED, "safe zqx", "Sam");
  }

  private static List<String> words(Participant robin) {
    return List.of("message:content", "inbox:body", "outbox:body", "simulated_phone_text:body")
        .stream()
        .map(it -> it.split(":", -1))
        .flatMap(it ->
            line
                .column(
                    "SELECT " + it[1] + " FROM " + it[0] + " WHERE participant_id = ?", robin.id())
                .stream())
        .filter(it -> it.contains("zqx") || it.startsWith("This is an automated message."))
        .toList();
  }

  @Test
  void theWordsOfAReleasedIncidentGoAfterItsRetention() {
    var robin = line.greeted();
    line.answered(robin, "an ordinary text");
    var incident = inDanger(robin);
    line.answered(robin, "and another zqx");
    released(incident);
    var sam = line.greeted();
    var open = inDanger(sam);
    var rows = line.transcript(robin).size();

    line.study().advance(Duration.ofDays(29));
    line.bean(IncidentWords.class).removeOld();
    assertThat(words(robin)).hasSizeGreaterThanOrEqualTo(6);

    line.study().advance(Duration.ofDays(2));
    line.bean(IncidentWords.class).removeOld();
    line.bean(IncidentWords.class).removeOld();
    assertThat(words(robin)).isEmpty();
    assertThat(line.transcript(robin)).hasSize(rows).contains("user: an ordinary text", "user: ");
    assertThat(line.bean(Incidents.class).entries(incident.id()))
        .allSatisfy(it -> assertThat(it.note()).isNull())
        .extracting(IncidentEntry::kind)
        .contains(EntryKind.TEXT, EntryKind.CONTACT, EntryKind.RELEASED);
    assertThat(line.bean(Incidents.class).find(incident.id()).orElseThrow().outcome())
        .isEqualTo(IncidentOutcome.REFERRED);
    assertThat(
            line.rows(
                "SELECT * FROM audit_event WHERE action = 'words of incident removed' AND subject = ?",
                incident.id()))
        .hasSize(1);
    // Nothing happens to an incident that nobody released.
    assertThat(words(sam)).isNotEmpty();
    assertThat(open.status()).isEqualTo(IncidentStatus.OPEN);
    assertThat(line.column("SELECT content FROM raw_post WHERE content LIKE '%zqx%'")).isEmpty();
  }
}
