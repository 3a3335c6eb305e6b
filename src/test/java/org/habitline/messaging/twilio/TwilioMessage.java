package org.habitline.messaging.twilio;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A message as Twilio keeps it.
 *
 * @param from is not known until a messaging service has chosen a sender
 * @param sentAt for an inbound message, when Twilio called the line
 * @param price in the form of Twilio, negative; not known at first
 * @param form what was posted: by us to Twilio, or by Twilio to us
 */
public record TwilioMessage(
    String sid,
    boolean inbound,
    String to,
    @Nullable String from,
    @Nullable String messagingServiceSid,
    String body,
    @Nullable String statusCallback,
    String status,
    @Nullable Integer errorCode,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant sentAt,
    @Nullable String price,
    FormFields form) {

  /** The sender that every messaging service chooses. */
  public static final String CHOSEN_SENDER = "+15005550199";

  private static final JsonMapper JSON = new JsonMapper();
  private static final DateTimeFormatter RFC_2822 =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss xx", Locale.US)
          .withZone(ZoneOffset.UTC);

  /** A status never falls behind one that stands after it here; the last ones end a message. */
  private static final List<List<String>> RANKS =
      List.of(
          List.of("scheduled"),
          List.of("accepted"),
          List.of("queued"),
          List.of("sending"),
          List.of("sent"),
          List.of("delivered"),
          List.of("read"),
          List.of("failed", "undelivered", "canceled"));

  static TwilioMessage outbound(String sid, FormFields form, Instant now) {
    var from = form.first("From").orElse(null);
    return new TwilioMessage(
        sid,
        false,
        form.text("To"),
        from,
        form.first("MessagingServiceSid").orElse(null),
        form.text("Body"),
        form.first("StatusCallback").orElse(null),
        from == null ? "accepted" : "queued",
        null,
        now,
        now,
        null,
        null,
        form);
  }

  static TwilioMessage inbound(String sid, FormFields form, Instant at) {
    return new TwilioMessage(
        sid,
        true,
        form.text("To"),
        form.text("From"),
        form.first("MessagingServiceSid").orElse(null),
        form.text("Body"),
        null,
        "received",
        null,
        at,
        at,
        at,
        null,
        form);
  }

  boolean isWhatsApp() {
    return to.startsWith("whatsapp:");
  }

  /** The same message in this status, whatever it was in before. */
  TwilioMessage in(String newStatus, @Nullable Integer newErrorCode, Instant now) {
    var undecided = newStatus.equals("accepted") || newStatus.equals("scheduled");
    var sender = isWhatsApp() ? "whatsapp:" + CHOSEN_SENDER : CHOSEN_SENDER;
    var leaves = List.of("sent", "delivered", "undelivered", "read").contains(newStatus);
    return new TwilioMessage(
        sid,
        inbound,
        to,
        from == null && !undecided ? sender : from,
        messagingServiceSid,
        body,
        statusCallback,
        newStatus,
        newErrorCode,
        createdAt,
        now,
        sentAt == null && leaves ? now : sentAt,
        price,
        form);
  }

  TwilioMessage charged(String newPrice) {
    return new TwilioMessage(
        sid,
        inbound,
        to,
        from,
        messagingServiceSid,
        body,
        statusCallback,
        status,
        errorCode,
        createdAt,
        updatedAt,
        sentAt,
        newPrice,
        form);
  }

  /** The same message, moved to this status unless it is further already. */
  TwilioMessage atLeastIn(String newStatus, @Nullable Integer newErrorCode, Instant now) {
    return rank(newStatus) > rank(status) ? in(newStatus, newErrorCode, now) : this;
  }

  private static int rank(String status) {
    for (int i = 0; i < RANKS.size(); i++) {
      if (RANKS.get(i).contains(status)) {
        return i;
      }
    }
    return -1;
  }

  ObjectNode json(String accountSid) {
    var uri = "/2010-04-01/Accounts/" + accountSid + "/Messages/" + sid;
    var node = JSON.createObjectNode();
    node.put("body", body);
    node.put("num_segments", Integer.toString(segments()));
    node.put("direction", inbound ? "inbound" : "outbound-api");
    node.put("from", from);
    node.put("date_updated", written(updatedAt));
    node.put("price", price);
    node.putNull("error_message");
    node.put("uri", uri + ".json");
    node.put("account_sid", accountSid);
    node.put("num_media", Integer.toString(media()));
    node.put("to", to);
    node.put("date_created", written(createdAt));
    node.put("status", status);
    node.put("sid", sid);
    node.put("date_sent", sentAt == null ? null : written(sentAt));
    node.put("messaging_service_sid", messagingServiceSid);
    node.put("error_code", errorCode);
    node.put("price_unit", "USD");
    node.put("api_version", "2010-04-01");
    node.putObject("subresource_uris").put("media", uri + "/Media.json");
    return node;
  }

  /** A messaging service counts only when it has chosen a sender. */
  private int segments() {
    if (from == null) {
      return 0;
    }
    return isWhatsApp() ? 1 : SegmentCount.of(body);
  }

  private int media() {
    return form.first("NumMedia").map(Integer::parseInt).orElse(form.all("MediaUrl").size());
  }

  private static String written(Instant instant) {
    return RFC_2822.format(instant);
  }
}
