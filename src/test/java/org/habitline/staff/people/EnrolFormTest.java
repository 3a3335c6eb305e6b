package org.habitline.staff.people;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.habitline.RestLine;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.TwilioPhone;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The form that enrols a participant, on lines with and without a provider. */
final class EnrolFormTest {

  private static final String FORM = "application/x-www-form-urlencoded";

  private static final Pattern CHANNELS =
      Pattern.compile("<select[^>]* name=\"channel\"[^>]*>(.*?)</select>", Pattern.DOTALL);

  private static final Pattern OPTION = Pattern.compile("<option value=\"([a-z]+)\"");

  private static RestLine line;

  @BeforeAll
  static void start(RestLine shared) {
    line = shared;
  }

  /** What can be chosen, what is chosen first at its head. */
  private static List<String> offered(RestLine of) {
    var select = CHANNELS.matcher(of.get("/participants").response().body());
    assertThat(select.find()).isTrue();
    return OPTION.matcher(select.group(1)).results().map(it -> it.group(1)).toList();
  }

  private static RestLine.Answer posted(RestLine on, String channel) {
    var form = "phone_number=%2B491700000042&timezone=UTC&channel=" + channel;
    return on.post("/participants", FORM, form.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aLineWithoutAProviderOffersSimulatedPhonesOnly() {
    assertThat(offered(line)).containsExactly("simulator");
  }

  @Test
  void whatIsNotAcceptedIsSaidInTheWordsOfTheForm() {
    var refused = posted(line, "carrier_pigeon");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.response().body()).contains("Channel: unknown; expected simulator.");
    assertThat(beside(refused, "channel")).isEqualTo("Unknown; expected simulator.");
    var blank = line.post("/participants", FORM, "phone_number=".getBytes(StandardCharsets.UTF_8));
    assertThat(blank.response().body())
        .contains("Phone number: missing")
        .doesNotContain("phone_number:");
    var turned =
        "phone_number=%2B491700000042&timezone=UTC&name=Robin%E2%80%AEelpmaxe"
            .getBytes(StandardCharsets.UTF_8);
    assertThat(line.post("/participants", FORM, turned).response().body())
        .contains("Name: contains invisible characters that change the writing direction");
  }

  @Test
  void everythingThatIsWrongStandsBesideItsFieldAndWhatWasTypedStays() {
    var refused =
        enrol(
            "phone_number=12&name=Robin%20Example&gender="
                + "g".repeat(201)
                + "&background=two%0Alines&timezone=Mars%2FBase&flow=none&language=fr&channel=simulator");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(beside(refused, "phone_number")).startsWith("Not a phone number; enter it like +1");
    assertThat(beside(refused, "gender"))
        .isEqualTo("Too long; at most 200 characters are accepted.");
    assertThat(beside(refused, "timezone")).contains("such as Europe/Berlin");
    assertThat(beside(refused, "flow"))
        .isEqualTo("Unknown; expected one of fitness, habit, habit-cue, onboarding, tasks.");
    var french = enrol("phone_number=%2B491700000043&flow=habit&language=fr&channel=simulator");
    assertThat(beside(french, "language"))
        .isEqualTo("The flow habit does not have this language; expected one of en, es.");
    for (var right : List.of("language", "name", "ethnicity", "background", "channel")) {
      assertThat(refused.response().body()).doesNotContain("id=\"error-" + right + "\"");
    }
    var page = refused.response().body();
    assertThat(page)
        .contains("value=\"12\"", "value=\"Robin Example\"", "value=\"Mars/Base\"", "two\nlines")
        .contains("<title>Error: Participants")
        .containsOnlyOnce("autofocus");
    var summary = page.substring(page.indexOf("role=\"alert\""));
    assertThat(summary.substring(0, summary.indexOf("</ul>")))
        .contains("href=\"#field-phone_number\"", "href=\"#field-timezone\"")
        .contains("Phone number: not a phone number");

    assertThat(enrol("phone_number=%2B12065551234").status()).isEqualTo(303);
    var taken = enrol("phone_number=%2B12065551234&name=Wren");
    assertThat(taken.status()).isEqualTo(409);
    assertThat(beside(taken, "phone_number")).startsWith("Already enrolled as conv_");
    assertThat(taken.response().body()).contains("value=\"Wren\"");
  }

  private static RestLine.Answer enrol(String form) {
    return line.post("/participants", FORM, form.getBytes(StandardCharsets.UTF_8));
  }

  /** The error that a field is described by. */
  private static String beside(RestLine.Answer answer, String field) {
    var page = answer.response().body();
    assertThat(page)
        .containsPattern(
            "id=\"field-"
                + field
                + "\"[^>]*aria-invalid=\"true\"[^>]*aria-describedby=\"error-"
                + field);
    var error = Pattern.compile("id=\"error-" + field + "\">([^<]*)<").matcher(page);
    assertThat(error.find()).as(field).isTrue();
    return error.group(1).strip();
  }

  @Test
  void aLineWithAProviderOffersItsRealRoadsFirst() {
    try (var provider = FakeTwilio.start();
        var real =
            RestLine.start(
                EnrolFormTest.class,
                provider.settings("twilio.whatsapp-from", TwilioPhone.LINE_NUMBER))) {
      assertThat(offered(real)).containsExactly("sms", "whatsapp", "simulator");
      assertThat(posted(real, offered(real).getFirst()).status()).isEqualTo(303);
      assertThat(real.rows("SELECT channel FROM participant"))
          .singleElement()
          .satisfies(row -> assertThat(row).containsValue("sms"));
    }
  }
}
