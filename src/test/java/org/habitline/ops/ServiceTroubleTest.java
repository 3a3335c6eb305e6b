package org.habitline.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.habitline.FreshHome;
import org.habitline.Rows;
import org.habitline.conversation.stored.Outcome;
import org.habitline.conversation.turn.ClosedTurn;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.inbox.InputKind;
import org.habitline.ops.database.Doors;
import org.habitline.ops.health.Alerts;
import org.habitline.ops.health.Backlog;
import org.habitline.ops.health.ModelFailures;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What keeps texts or answers back is told in words wherever staff look how the line stands. */
class ServiceTroubleTest {

  private final Doors doors =
      Doors.open(
          Map.of(
              "twilio.account-sid", "AC0123456789abcdef0123456789abcdef",
              "twilio.auth-token", "a-token-that-nobody-may-see",
              "twilio.api-base-url", "http://127.0.0.1:1",
              "twilio.sms-from", "+15005550006"));

  @AfterEach
  void close() {
    doors.close();
  }

  private String page(String address) {
    doors.bean(Backlog.class).look();
    var answer = doors.at(address).key(Doors.ADMIN_KEY).browser().get();
    assertThat(answer.status()).isEqualTo(200);
    return answer.text().replaceAll("\\s+", " ");
  }

  @Test
  void aStoppedSenderStandsInTheHeadingWithWhatItsErrorMeans() {
    // Whoever lets texts of the sender go writes its row.
    await()
        .until(() ->
            !FreshHome.rows(doors.context(), "SELECT channel FROM sender WHERE channel = 'sms'")
                .isEmpty());
    Rows.of(doors.context())
        .write(
            "UPDATE sender SET stopped_at = ?, stopped_code = '20003', try_at = ? WHERE channel = 'sms'",
            Instant.now(),
            Instant.now().plus(Duration.ofHours(1)));
    var error = "20003 (the account&#39;s SID or token is wrong)";
    assertThat(page("/system").replace("'", "&#39;"))
        .contains("twilio: accepts no messages by SMS")
        .contains("The provider has accepted no messages by SMS")
        .contains(error)
        .doesNotContain("No problems.", "twilio: up");
    assertThat(page("/"))
        .contains("Sending is on, but the provider accepts no messages by SMS.")
        .doesNotContain("Sending is on.");
    assertThat(doors.at("/health").get().status()).isEqualTo(200);
  }

  @Test
  void turnsThatTheModelFailedStandInTheHeading() {
    doors
        .bean(ModelFailures.class)
        .closed(new ClosedTurn(InputKind.SAID, Outcome.MODEL_FAILED, 1, List.of(), List.of()));
    assertThat(page("/system"))
        .contains("model: no usable answer in 1 turn of the last 10 minutes")
        .contains("Participants received the flow")
        .doesNotContain("No problems.", "model: up");
  }

  @Test
  void refusedWebhookCallsAreToldWithWhatToCheck() {
    assertThat(page("/")).doesNotContain("HABITLINE_PUBLIC_URL is");
    doors.bean(RefusedCalls.class).refused();
    assertThat(page("/"))
        .contains("1 call was refused in the last hour: not signed")
        .contains("TWILIO_AUTH_TOKEN", "HABITLINE_PUBLIC_URL is the address that Twilio calls");
    assertThat(page("/system"))
        .contains("Webhook calls refused")
        .doesNotContain("calls were refused in the last hour");
    for (int i = 0; i < Alerts.REFUSALS; i++) {
      doors.bean(RefusedCalls.class).refused();
    }
    // The first look is what the calls are counted from.
    doors.bean(Alerts.class).check();
    assertThat(page("/system")).contains("11 calls were refused in the last hour");
    doors.bean(RefusedCalls.class).notOurs();
    assertThat(page("/"))
        .contains("1 call was refused in the last hour: for another account or phone number");
  }
}
