package org.habitline.ops.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.habitline.ops.database.Doors;
import org.habitline.ops.start.Configuration;
import org.habitline.ops.start.Setting;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How the line stands, for staff, and what admins do about it. */
class SystemPageTest {

  private static final String TWILIO_TOKEN = "a-token-that-nobody-may-see";

  private static Doors doors;

  @BeforeAll
  static void open() {
    doors =
        Doors.open(
            Map.of(
                "turn.quiet-period", "2s",
                "twilio.account-sid", "AC0123456789abcdef0123456789abcdef",
                "twilio.auth-token", TWILIO_TOKEN,
                "twilio.api-base-url", "http://127.0.0.1:1",
                "twilio.sms-from", "+15005550006"));
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  private static String page(String key) {
    var answer = doors.at("/system").key(key).browser().get();
    assertThat(answer.status()).isEqualTo(200);
    return answer.text();
  }

  @Test
  void staffSeeSettingsQueuesAndHealthAndNoSecret() {
    var staff = doors.newKey("looks", "staff").path("key").asText();
    assertThat(page(staff))
        .contains("Current settings", "TURN_QUIET_PERIOD", "2s", "+15005550006")
        .contains("set, not shown", "Running turns", "Unmatched texts", "line: up")
        .doesNotContain(TWILIO_TOKEN, Doors.ADMIN_KEY)
        .contains("Stop all sending", "/access/sessions")
        .doesNotContain("Make a backup", "/system/audit", "href=\"/access\"");
    var metrics = doors.newKey("does not", "metrics").path("key").asText();
    assertThat(doors.at("/system").key(metrics).browser().get().status()).isEqualTo(403);
  }

  @Test
  void adminsAlsoSeeWhatTheyMayDo() {
    assertThat(page(Doors.ADMIN_KEY)).contains("Backup", "/system/audit", "/access");
  }

  private static void sending(String wanted) {
    var put =
        doors
            .at("/sending")
            .key(Doors.ADMIN_KEY)
            .header("Content-Type", "application/json")
            .send("PUT", wanted);
    assertThat(put.status()).isEqualTo(200);
  }

  @Test
  void aStopOfAllSendingIsNotNothing() {
    sending("{\"sending\":false,\"reason\":\"a test\"}");
    assertThat(page(Doors.ADMIN_KEY))
        .contains("sending: stopped", "All sending is stopped. An admin can resume it.")
        .doesNotContain("No problems.");
    sending("{\"sending\":true}");
    assertThat(page(Doors.ADMIN_KEY))
        .contains("sending: up")
        .doesNotContain("All sending is stopped.");
  }

  @Test
  void whereASettingCameFromIsTold() {
    assertThat(doors.bean(Configuration.class).values())
        .anySatisfy(value -> {
          assertThat(value.variable()).isEqualTo("HABITLINE_MAX_BODY");
          assertThat(value.source()).isEqualTo("default");
          assertThat(value.value()).isEqualTo("1MB");
        })
        .anySatisfy(value -> {
          assertThat(value.variable()).isEqualTo("TURN_QUIET_PERIOD");
          assertThat(value.source()).isEqualTo("file");
        })
        .hasSameSizeAs(Setting.values());
  }
}
