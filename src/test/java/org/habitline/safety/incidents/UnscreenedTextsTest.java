package org.habitline.safety.incidents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.ZoneOffset;
import java.util.List;
import org.habitline.RunningLine;
import org.junit.jupiter.api.Test;

/** Texts that an earlier version stored without looking for signs of a crisis. */
final class UnscreenedTextsTest {

  private static final String DANGER = "I want to kill myself tonight";

  @Test
  void theFirstStartAppliesTheRulesBeforeAnybodyReplies() {
    try (var line = RunningLine.in(UnscreenedTextsTest.class).build()) {
      var robin = line.enrol();
      var at = line.study().instant().atOffset(ZoneOffset.UTC);
      line.write(
          "INSERT INTO inbox (participant_id, kind, provider_id, channel, body, received_at,"
              + " stored_at, status) VALUES (?, 'said', 'SM_old', 'simulator', ?, ?, ?, 'waiting')",
          robin.id(),
          DANGER,
          at,
          at);
      line.write(
          "INSERT INTO unclaimed_text (provider_id, channel, sender, body, received_at, status)"
              + " VALUES ('SM_stranger', 'sms', '+12065550199', ?, ?, 'waiting')",
          DANGER,
          at);
      for (var id : List.of("SM_old", "SM_stranger", "SM_gone")) {
        line.write("INSERT INTO unscreened_text (text_id) VALUES (?)", id);
      }
      line.start();

      var incidents = line.bean(Incidents.class);
      assertThat(incidents.crisis(robin.id())).isPresent();
      await()
          .until(() ->
              line.column("SELECT body FROM outbox WHERE participant_id = ?", robin.id()).stream()
                  .anyMatch(text -> text.startsWith("This is an automated message.")));
      await()
          .until(() ->
              line.rows("SELECT seq FROM inbox WHERE provider_id = 'SM_old' AND status = 'done'")
                      .size()
                  == 1);
      assertThat(line.fake().asked())
          .allSatisfy(asked -> assertThat(asked.body().toString()).doesNotContain(DANGER));
      assertThat(incidents.unreleased(10))
          .as("somebody who is not enrolled gets no text")
          .anySatisfy(incident -> {
            assertThat(incident.participantId()).isNull();
            assertThat(incidents.entries(incident.id()))
                .extracting(IncidentEntry::kind)
                .containsExactly(EntryKind.TEXT, EntryKind.NOT_SENT);
          });
      assertThat(line.rows("SELECT text_id FROM unscreened_text")).isEmpty();
    }
  }
}
