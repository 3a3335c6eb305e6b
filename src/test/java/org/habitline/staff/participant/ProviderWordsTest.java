package org.habitline.staff.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.habitline.RestLine;
import org.habitline.Rows;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.outbox.DeliveryReports;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Staff read what an error of the provider means, not its code alone. */
final class ProviderWordsTest {

  private static FakeTwilio provider;
  private static RestLine line;

  @BeforeAll
  static void start() {
    provider = FakeTwilio.start();
    line = RestLine.start(ProviderWordsTest.class, provider.settings());
  }

  @AfterAll
  static void stop() {
    line.close();
    provider.close();
  }

  /** A sender that is not in order sends nothing of the next test. */
  @AfterEach
  void theSenderIsInOrder() {
    var rows = Rows.of(line);
    rows.write("UPDATE outbox SET open = FALSE");
    rows.write("UPDATE sender SET stopped_at = NULL, stopped_code = NULL, try_at = NULL");
  }

  private String page(String address) {
    return line.get(address).response().body().replaceAll("\\s+", " ");
  }

  /** Somebody whose greeting ends like this. */
  private String greeted(TwilioAnswer answer, String status) {
    provider.then(answer);
    var id = line.enrolled().path("id").asText();
    await()
        .until(() ->
            !line.rows("SELECT 1 FROM outbox WHERE participant_id = ? AND status = ?", id, status)
                .isEmpty());
    return id;
  }

  @Test
  void aTextThatIsRefusedSaysWhyWhereverStaffSeeIt() {
    var id = greeted(TwilioAnswer.fail(400, 21614), "refused");
    var words = "21614 (this number cannot get SMS)";
    assertThat(page("/")).contains("It was not sent and will not be sent: " + words + ".");
    assertThat(page("/participants/" + id)).contains("refused: " + words);
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + id + "/silence").result().toString())
        .contains(words);
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + id + "/deliveries").result().toString())
        .contains("\"21614\"")
        .doesNotContain("cannot get SMS");
  }

  private void reported(
      String id, String status, DeliveryStatus rank, @Nullable DeliveryFailure fate) {
    var sid =
        line.rows(
                "SELECT provider_id FROM outbox WHERE participant_id = ? AND provider_id IS NOT NULL ORDER BY seq",
                id)
            .getLast()
            .get("provider_id");
    line.bean(DeliveryReports.class)
        .accept(
            new DeliveryReport(
                String.valueOf(sid), status, rank, fate == null ? null : "30003", fate));
  }

  @Test
  void aTextThatIsSentAgainIsShownAsItFaredLast() {
    var id = greeted(TwilioAnswer.accept(), "accepted");
    reported(id, "undelivered", DeliveryStatus.UNDELIVERED, DeliveryFailure.ONCE_MORE);
    assertThat(page("/participants/" + id))
        .contains(
            "planned: undelivered (30003 (the phone is switched off or out of reach)), to be sent again at");
    Rows.of(line)
        .write("UPDATE outbox SET not_before = NULL WHERE participant_id = ? AND open = TRUE", id);
    await()
        .until(() ->
            line.rows(
                        "SELECT 1 FROM outbox WHERE participant_id = ? AND provider_id IS NOT NULL",
                        id)
                    .size()
                == 2);
    reported(id, "delivered", DeliveryStatus.DELIVERED, null);
    assertThat(page("/participants/" + id))
        .contains("delivered, 2 segments (GSM-7)")
        .doesNotContain("undelivered");
  }

  @Test
  void aWrongNumberThatWasCorrectedIsNotCalledWrongAgain() {
    var id = greeted(TwilioAnswer.fail(400, 21614), "refused");
    var silence = RestLine.PARTICIPANTS + "/" + id + "/silence";
    assertThat(line.get(silence).result().toString()).contains("choose Change number under Change");
    var changed =
        line.send(
            "POST",
            RestLine.PARTICIPANTS + "/" + id + "/phone",
            "{\"phone_number\":\"+12065550199\"}");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(line.get(silence).result().toString())
        .contains("Their phone number changed at")
        .doesNotContain("choose Change number under Change");
  }

  @Test
  void aCodeThatNobodyKnowsStandsAlone() {
    var id = greeted(TwilioAnswer.fail(400, 29999), "refused");
    assertThat(page("/participants/" + id)).contains("refused: 29999").doesNotContain("29999 (");
  }

  @Test
  void aSenderThatIsNotInOrderSaysWhy() {
    var id = greeted(TwilioAnswer.fail(400, 21606), "planned");
    await()
        .until(
            () -> page("/").contains("21606 (the sender's number does not belong to the account)"));
    assertThat(line.get(RestLine.PARTICIPANTS + "/" + id + "/silence").result().toString())
        .contains("error 21606 (the sender's number does not belong to the account)");
  }
}
