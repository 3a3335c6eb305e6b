package org.habitline.messaging.twilio;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Phones of participants, as the line meets them: Twilio's webhooks for what they text, signed.
 *
 * @param lineUrl where the line listens
 * @param publicUrl the URL that Twilio knows and signs, without a slash at its end
 * @param authToken with which Twilio signs
 * @param number of the line
 * @param messagingServiceSid to which the number belongs, if to any
 * @param twilio in whose list the texts appear, if in any
 */
public record TwilioPhone(
    String lineUrl,
    String publicUrl,
    String authToken,
    String number,
    @Nullable String messagingServiceSid,
    @Nullable FakeTwilio twilio) {

  public static final String INBOUND_PATH = "/webhooks/twilio/messages";
  public static final String STATUS_PATH = "/webhooks/twilio/status";
  public static final String LINE_NUMBER = "+15005550100";

  /** What the line answered; {@code sid} is empty for a form that has none. */
  public record Answered(String sid, int status, String contentType, String body) {}

  /** Phones that text the usual number of the line, with the token of the fake. */
  public static TwilioPhone calling(String lineUrl, String publicUrl) {
    return new TwilioPhone(lineUrl, publicUrl, FakeTwilio.AUTH_TOKEN, LINE_NUMBER, null, null);
  }

  public TwilioPhone signedWith(String newToken) {
    return new TwilioPhone(lineUrl, publicUrl, newToken, number, messagingServiceSid, twilio);
  }

  public TwilioPhone toNumber(String newNumber) {
    return new TwilioPhone(lineUrl, publicUrl, authToken, newNumber, messagingServiceSid, twilio);
  }

  public TwilioPhone throughService(String sid) {
    return new TwilioPhone(lineUrl, publicUrl, authToken, number, sid, twilio);
  }

  /** Whatever is texted is in Twilio's message list as well, even if the line does not answer. */
  public TwilioPhone listedBy(FakeTwilio newTwilio) {
    return new TwilioPhone(lineUrl, publicUrl, authToken, number, messagingServiceSid, newTwilio);
  }

  /** Texts the line once. */
  public Answered text(String from, String body) {
    return sms(from, body).post();
  }

  /** Texts the line once, with these parameters besides or in place of the usual ones. */
  public Answered text(String from, String body, Map<String, String> parameters) {
    return sms(from, body).with(parameters).post();
  }

  /** Texts the line once by WhatsApp. */
  public Answered whatsApp(String from, String profileName, String body) {
    return whatsAppText(from, profileName, body).post();
  }

  /** A text with a sid of its own, to be changed and posted, and posted again. */
  public Inbound sms(String from, String body) {
    var sid = newSid("SM");
    var country = from.startsWith("+1") ? "US" : "";
    var form =
        FormFields.of("ToCountry", "US", "ToState", "", "SmsMessageSid", sid, "NumMedia", "0")
            .and("ToCity", "")
            .and("FromZip", "")
            .and("SmsSid", sid)
            .and("FromState", "")
            .and("SmsStatus", "received")
            .and("FromCity", "")
            .and("Body", body)
            .and("FromCountry", country)
            .and("To", number);
    return inbound(
        ofService(form)
            .and("ToZip", "")
            .and("NumSegments", Integer.toString(SegmentCount.of(body)))
            .and("MessageSid", sid)
            .and("AccountSid", FakeTwilio.ACCOUNT_SID)
            .and("From", from)
            .and("ApiVersion", "2010-04-01"));
  }

  /** The same by WhatsApp, from a number without the prefix. */
  public Inbound whatsAppText(String from, String profileName, String body) {
    var sid = newSid("SM");
    var form =
        FormFields.of("SmsMessageSid", sid, "NumMedia", "0", "ProfileName", profileName)
            .and("MessageType", "text")
            .and("SmsSid", sid)
            .and("WaId", from.replace("+", ""))
            .and("SmsStatus", "received")
            .and("Body", body)
            .and("To", "whatsapp:" + number);
    return inbound(
        ofService(form)
            .and("NumSegments", "1")
            .and("ReferralNumMedia", "0")
            .and("MessageSid", sid)
            .and("AccountSid", FakeTwilio.ACCOUNT_SID)
            .and("ChannelMetadata", "{\"type\":\"whatsapp\"}")
            .and("From", "whatsapp:" + from)
            .and("ApiVersion", "2010-04-01"));
  }

  /** Posts any bytes to any path of the line, with any signature; an empty one is left out. */
  public Answered post(String path, byte[] form, String signature) {
    return answered("", TwilioCall.post(lineUrl + path, form, signature));
  }

  /** The right signature of a form at a path, with its query. */
  public String sign(String path, FormFields form) {
    return TwilioSigner.sign(authToken, publicUrl + path, form);
  }

  private FormFields ofService(FormFields form) {
    return messagingServiceSid == null
        ? form
        : form.and("MessagingServiceSid", messagingServiceSid);
  }

  private Inbound inbound(FormFields form) {
    return new Inbound(this, form, null);
  }

  private static String newSid(String kind) {
    return kind + UUID.randomUUID().toString().replace("-", "");
  }

  private static Answered answered(String sid, HttpResponse<String> answer) {
    return new Answered(
        sid,
        answer.statusCode(),
        answer.headers().firstValue("Content-Type").orElse(""),
        answer.body());
  }

  /**
   * One message on its way to the line. Posting it again is the provider's repetition: the same
   * bytes, the same sid.
   *
   * @param signature in place of the right one; left out if it is empty
   */
  public record Inbound(TwilioPhone phone, FormFields form, @Nullable String signature) {

    public String sid() {
      return form.text("MessageSid");
    }

    /** With this sid in place of its own. */
    public Inbound withSid(String sid) {
      return with(Map.of("MessageSid", sid, "SmsSid", sid, "SmsMessageSid", sid));
    }

    public Inbound with(String name, String value) {
      return new Inbound(phone, form.with(name, value), signature);
    }

    public Inbound with(Map<String, String> parameters) {
      var changed = form;
      for (var parameter : parameters.entrySet()) {
        changed = changed.with(parameter.getKey(), parameter.getValue());
      }
      return new Inbound(phone, changed, signature);
    }

    /** With one more value of a name that may be there already. */
    public Inbound and(String name, String value) {
      return new Inbound(phone, form.and(name, value), signature);
    }

    public Inbound without(String name) {
      return new Inbound(phone, form.without(name), signature);
    }

    /** With one more picture, sound or file. */
    public Inbound media(String contentType) {
      int before = Integer.parseInt(form.text("NumMedia"));
      var url =
          "https://api.twilio.com/2010-04-01/Accounts/%s/Messages/%s/Media/%s"
              .formatted(FakeTwilio.ACCOUNT_SID, sid(), newSid("ME"));
      return with("NumMedia", Integer.toString(before + 1))
          .with("MediaContentType" + before, contentType)
          .with("MediaUrl" + before, url);
    }

    /** Signed so, whatever is right; not signed at all if it is empty. */
    public Inbound signed(String newSignature) {
      return new Inbound(phone, form, newSignature);
    }

    /** Signed by somebody who does not know the token. */
    public Inbound forged() {
      return signed(phone.signedWith("not the token").sign(INBOUND_PATH, form));
    }

    public Answered post() {
      return post(INBOUND_PATH);
    }

    /** Posts to another path than the usual, such as one with a query. */
    public Answered post(String path) {
      if (phone.twilio != null) {
        var _ = phone.twilio.receive(form);
      }
      var bytes = form.encoded().getBytes(StandardCharsets.UTF_8);
      var header = signature == null ? phone.sign(path, form) : signature;
      return answered(sid(), TwilioCall.post(phone.lineUrl + path, bytes, header));
    }
  }
}
