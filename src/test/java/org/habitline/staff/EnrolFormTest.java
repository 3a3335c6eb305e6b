package org.habitline.staff;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.habitline.RestLine;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.TwilioPhone;
import org.junit.jupiter.api.Test;

/** The form that enrols a participant, on lines with and without a provider. */
final class EnrolFormTest {

  private static final String FORM = "application/x-www-form-urlencoded";

  private static final Pattern CHANNELS =
      Pattern.compile("<select name=\"channel\">(.*?)</select>", Pattern.DOTALL);

  private static final Pattern OPTION = Pattern.compile("<option value=\"([a-z]+)\"");

  /** What can be chosen, what is chosen first at its head. */
  private static List<String> offered(RestLine line) {
    var select = CHANNELS.matcher(line.get("/participants").response().body());
    assertThat(select.find()).isTrue();
    return OPTION.matcher(select.group(1)).results().map(it -> it.group(1)).toList();
  }

  private static RestLine.Answer posted(RestLine line, String channel) {
    var form = "phone_number=%2B491700000042&timezone=UTC&channel=" + channel;
    return line.post("/participants", FORM, form.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aLineWithoutAProviderOffersSimulatedPhonesOnly() {
    try (var line = RestLine.start(EnrolFormTest.class)) {
      assertThat(offered(line)).containsExactly("simulator");
    }
  }

  @Test
  void whatIsNotAcceptedIsSaidInTheWordsOfTheForm() {
    try (var line = RestLine.start(EnrolFormTest.class)) {
      var refused = posted(line, "carrier_pigeon");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.response().body()).contains("Channel: unknown; expected simulator.");
      var blank =
          line.post("/participants", FORM, "phone_number=".getBytes(StandardCharsets.UTF_8));
      assertThat(blank.response().body())
          .contains("Phone number: missing")
          .doesNotContain("phone_number:");
    }
  }

  @Test
  void aLineWithAProviderOffersItsRealRoadsFirst() {
    try (var provider = FakeTwilio.start();
        var line =
            RestLine.start(
                EnrolFormTest.class,
                provider.settings("twilio.whatsapp-from", TwilioPhone.LINE_NUMBER))) {
      assertThat(offered(line)).containsExactly("sms", "whatsapp", "simulator");
      assertThat(posted(line, offered(line).getFirst()).status()).isEqualTo(303);
      assertThat(line.rows("SELECT channel FROM participant"))
          .singleElement()
          .satisfies(row -> assertThat(row).containsValue("sms"));
    }
  }
}
