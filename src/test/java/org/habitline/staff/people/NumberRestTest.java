package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.habitline.RestLine.PARTICIPANTS;
import static org.habitline.RestLine.someone;
import static org.habitline.RestLine.write;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.habitline.RestLine;
import org.habitline.RestLine.Answer;
import org.habitline.messaging.inbox.Acceptance;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.habitline.storage.Ids;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A participant gets another number. */
final class NumberRestTest {

  private static RestLine line;

  @BeforeAll
  static void start(RestLine shared) {
    line = shared;
  }

  private static String newNumber() {
    return String.valueOf(someone().get("phone_number"));
  }

  private static String at(JsonNode participant) {
    return PARTICIPANTS + "/" + participant.path("id").asText();
  }

  private static Answer change(JsonNode participant, String number) {
    return line.send(
        "POST",
        at(participant) + "/phone",
        write(Map.of("phone_number", number, "reason", "a new phone")));
  }

  private static Acceptance texts(String number, String body) {
    return line.bean(Inbox.class)
        .accept(
            new IncomingText(Ids.next("SM"), new PhoneNumber(number), ChannelKind.SIMULATOR, body));
  }

  private static boolean optedOut(JsonNode participant) {
    return line.get(at(participant)).result().path("opted_out").asBoolean();
  }

  @Test
  void textsFromTheNewNumberAreTheirsAndFromTheOldOneNobodys() {
    var robin = line.enrolled();
    var old = robin.path("phone_number").asText();
    var number = newNumber();
    var changed = change(robin, number);
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.result().path("phone_number").asText()).isEqualTo(number);
    assertThat(changed.result().path("id").asText()).isEqualTo(robin.path("id").asText());
    assertThat(texts(number, "hello")).isEqualTo(new Acceptance.Stored(robin.path("id").asText()));
    assertThat(texts(old, "hello")).isEqualTo(new Acceptance.UnknownSender());
    assertThat(line.enrol(Map.of("phone_number", old)).status())
        .as("the old number is free")
        .isEqualTo(201);
  }

  @Test
  void theAuditLogHasTheLastTwoDigitsAndTheReason() {
    var robin = line.enrolled();
    var old = robin.path("phone_number").asText();
    var number = newNumber();
    change(robin, number);
    change(robin, number);
    assertThat(
            line.rows(
                "SELECT * FROM audit_event WHERE participant_id = ? AND action = ?",
                robin.path("id").asText(),
                "phone number changed"))
        .as("what changes nothing is not told")
        .singleElement()
        .satisfies(
            row -> assertThat(row).containsEntry("old_value", "…" + old.substring(10)),
            row -> assertThat(row).containsEntry("new_value", "…" + number.substring(10)),
            row -> assertThat(row).containsEntry("reason", "a new phone"),
            row -> assertThat(row.toString()).doesNotContain(old, number));
  }

  @Test
  void staffSeeANumberInFullWhenTheyAskForItAndTheAuditLogSaysWhoDid() {
    var robin = line.enrolled();
    var number = robin.path("phone_number").asText();
    var page = "/participants/" + robin.path("id").asText();
    var staff = line.key("Staff who must call", "staff");
    assertThat(line.sendAs(staff, "GET", page, "").response().body())
        .contains("…" + number.substring(10), page + "/number/show")
        .doesNotContain(number);
    assertThat(shown(robin)).isEmpty();

    var form = "application/x-www-form-urlencoded";
    var full = line.postAs(staff, page + "/number/show", form, new byte[0]);
    assertThat(full.status()).isEqualTo(200);
    assertThat(full.response().body()).contains(number);
    assertThat(shown(robin))
        .singleElement()
        .satisfies(
            row -> assertThat(row).containsEntry("actor", "Staff who must call"),
            row -> assertThat(row).containsEntry("role", "staff"),
            row -> assertThat(row.toString()).doesNotContain(number));
    assertThat(line.sendAs(staff, "GET", page, "").response().body())
        .as("it is masked again")
        .doesNotContain(number);

    var researcher = line.key("Researcher who may not", "researcher");
    assertThat(line.postAs(researcher, page + "/number/show", form, new byte[0]).status())
        .isEqualTo(403);
    assertThat(
            line.postAs(staff, "/participants/conv_none/number/show", form, new byte[0]).status())
        .isEqualTo(404);
    assertThat(shown(robin)).hasSize(1);
  }

  private static List<Map<String, Object>> shown(JsonNode participant) {
    return line.rows(
        "SELECT * FROM audit_event WHERE participant_id = ? AND action = ?",
        participant.path("id").asText(),
        "phone number shown");
  }

  @Test
  void anotherParticipantsNumberIsRefused() {
    var robin = line.enrolled();
    var wren = line.enrolled();
    var refused = change(robin, wren.path("phone_number").asText());
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.message()).contains(wren.path("id").asText());
    assertThat(line.get(at(robin)).result().path("phone_number").asText())
        .isEqualTo(robin.path("phone_number").asText());
    assertThat(change(robin, "no number").status()).isEqualTo(400);
    assertThat(line.send("POST", at(robin) + "/phone", "{}").message())
        .startsWith("phone_number: missing");
    assertThat(
            line.send(
                    "POST",
                    PARTICIPANTS + "/conv_none/phone",
                    write(Map.of("phone_number", newNumber())))
                .status())
        .isEqualTo(404);
  }

  @Test
  void anOptOutStaysWithItsNumber() {
    var robin = line.enrolled();
    var old = robin.path("phone_number").asText();
    texts(old, "STOP");
    assertThat(optedOut(robin)).isTrue();
    var changed = change(robin, newNumber());
    assertThat(changed.result().path("opted_out").asBoolean(true)).isFalse();
    assertThat(changed.result().path("warnings").toString())
        .contains("the old number opted out with STOP");
    var back = change(robin, old);
    assertThat(back.result().path("opted_out").asBoolean()).isTrue();
    assertThat(back.result().path("warnings").toString()).contains("opted out with STOP");
  }

  @Test
  void promptsAreTakenBackWithANumberThatIsOptedOutAndPlannedAnewWithOneThatIsNot() {
    var robin = line.enrolled();
    var first = robin.path("phone_number").asText();
    var stopped = newNumber();
    texts(stopped, "STOP");
    for (var text :
        List.of("personal", "while the coffee brews, more energy, at 8:15", "no more", "no")) {
      texts(first, text);
      await()
          .until(() ->
              line.rows(
                      "SELECT seq FROM inbox WHERE participant_id = ? AND status <> 'done'",
                      robin.path("id").asText())
                  .isEmpty());
    }
    await().until(() -> planned(robin) == 1);
    change(robin, stopped);
    assertThat(planned(robin)).isZero();
    change(robin, newNumber());
    assertThat(planned(robin)).isEqualTo(1);
  }

  private static int planned(JsonNode participant) {
    return line.rows(
            "SELECT id FROM wakeup WHERE participant_id = ? AND kind = 'daily_prompt' AND status = 'waiting'",
            participant.path("id").asText())
        .size();
  }

  @Test
  void onlyStaffChangeANumber() {
    var robin = line.enrolled();
    var researcher = line.key("Numbers of a lab", "researcher");
    assertThat(
            line.sendAs(
                    researcher,
                    "POST",
                    at(robin) + "/phone",
                    write(Map.of("phone_number", newNumber())))
                .status())
        .isEqualTo(403);
  }

  @Test
  void twoWhoSwapTheirNumbersAtOnceDoNotWaitForEachOtherForEver() throws Exception {
    var robin = line.enrolled();
    var wren = line.enrolled();
    var begin = new CountDownLatch(1);
    var changes = new ArrayList<FutureTask<Answer>>();
    for (var swap : List.of(List.of(robin, wren), List.of(wren, robin))) {
      var task =
          new FutureTask<>(() -> {
            begin.await();
            return change(swap.getFirst(), swap.getLast().path("phone_number").asText());
          });
      changes.add(task);
      Thread.startVirtualThread(task);
    }
    begin.countDown();
    for (var change : changes) {
      assertThat(change.get().status()).isEqualTo(409);
    }
  }

  @Test
  void aNumberThatManyWantAtOnceGoesToOne() throws Exception {
    var number = newNumber();
    var begin = new CountDownLatch(1);
    var changes = new ArrayList<FutureTask<Answer>>();
    for (int i = 0; i < 4; i++) {
      var participant = line.enrolled();
      var task =
          new FutureTask<>(() -> {
            begin.await();
            return change(participant, number);
          });
      changes.add(task);
      Thread.startVirtualThread(task);
    }
    begin.countDown();
    var statuses = new ArrayList<Integer>();
    for (var change : changes) {
      statuses.add(change.get().status());
    }
    assertThat(statuses).containsExactlyInAnyOrder(200, 409, 409, 409);
  }
}
