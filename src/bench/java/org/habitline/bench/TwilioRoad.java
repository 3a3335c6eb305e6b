package org.habitline.bench;

import java.util.List;
import java.util.Map;
import org.habitline.messaging.twilio.FakeTwilio;
import org.habitline.messaging.twilio.FormFields;
import org.habitline.messaging.twilio.TwilioSigner;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;

/** Sends texts as Twilio does, as a signed form. */
record TwilioRoad() implements Road {

  private static final String PUBLIC_URL = "https://line.example";
  private static final String PATH = "/webhooks/twilio/messages";

  /** Receives the replies; stops with the process. */
  private static final FakeTwilio TWILIO = FakeTwilio.start();

  static final String NUMBER = "+12065550100";

  @Override
  public ChannelKind channel() {
    return ChannelKind.SMS;
  }

  @Override
  public Map<String, Object> settings() {
    return Map.of(
        "habitline.public-url",
        PUBLIC_URL,
        "twilio.account-sid",
        FakeTwilio.ACCOUNT_SID,
        "twilio.auth-token",
        FakeTwilio.AUTH_TOKEN,
        "twilio.sms-from",
        NUMBER,
        "twilio.api-base-url",
        TWILIO.baseUrl(),
        // High enough not to limit the replies, because the send rate is not measured.
        "twilio.sms-rate",
        "1000");
  }

  /** Returns the messages that Twilio got, with the time of each. */
  List<FakeTwilio.Posted> replies() {
    return TWILIO.posts();
  }

  /** Forgets the messages so far. */
  void forget() {
    TWILIO.forget();
  }

  String apiUrl() {
    return TWILIO.baseUrl();
  }

  @Override
  public int stored() {
    return 200;
  }

  @Override
  public Post text(Participant from, int number) {
    var form =
        FormFields.of("ToCountry", "US", "SmsMessageSid", sid(number), "NumMedia", "0")
            .and("SmsSid", sid(number))
            .and("SmsStatus", "received")
            .and("Body", "This is text number " + number + ".")
            .and("To", NUMBER)
            .and("NumSegments", "1")
            .and("MessageSid", sid(number))
            .and("AccountSid", FakeTwilio.ACCOUNT_SID)
            .and("From", from.phone().e164())
            .and("ApiVersion", "2010-04-01");
    return new Post(
        PATH,
        Map.of(
            "X-Twilio-Signature",
            TwilioSigner.sign(FakeTwilio.AUTH_TOKEN, PUBLIC_URL + PATH, form)),
        "application/x-www-form-urlencoded",
        form.encoded());
  }

  private static String sid(int number) {
    return "SM%032x".formatted(number);
  }
}
