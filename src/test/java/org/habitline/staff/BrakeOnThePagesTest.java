package org.habitline.staff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.habitline.RestLine;
import org.junit.jupiter.api.Test;

/** Staff see that somebody is not answered any more, and why. */
final class BrakeOnThePagesTest {

  private static final String WHY = "the same text 5 times in a row within 10 minutes";

  @Test
  void whoeverIsNotAnsweredIsPointedOut() {
    try (var line = RestLine.start(BrakeOnThePagesTest.class, Map.of("turn.quiet-period", "0s"))) {
      var id = line.enrolled().path("id").asText();
      awaitTurn(line, id, 1);
      for (int times = 1; times <= 5; times++) {
        var text = RestLine.write(Map.of("text", "I am out of office."));
        assertThat(line.send("POST", "/simulator/" + id + "/texts", text).status())
            .isBetween(200, 299);
        awaitTurn(line, id, 1 + times);
      }
      assertThat(page(line, "/participants")).contains("No reply sent: " + WHY);
      assertThat(page(line, "/participants/" + id)).contains("No reply sent:").contains(WHY);
      assertThat(page(line, "/participants/" + id + "/turns/6"))
          .contains("done, no reply: repeated text")
          .contains(WHY)
          .contains("No model was called");
      assertThat(turn(line, id, 6).path("outcome").asText()).isEqualTo("braked");
      assertThat(turn(line, id, 6).path("reason").asText()).startsWith(WHY);
    }
  }

  private static JsonNode turn(RestLine line, String id, int turn) {
    return line.get(RestLine.PARTICIPANTS + "/" + id + "/turns/" + turn).result();
  }

  private static void awaitTurn(RestLine line, String id, int number) {
    await().until(() -> turn(line, id, number).path("status").asText().equals("done"));
  }

  private static String page(RestLine line, String path) {
    return line.get(path).response().body();
  }
}
