package org.habitline.messaging.twilio;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings {@code TWILIO_*}.
 *
 * @param authToken the account's token; several, separated by commas, while it is rotated: the
 *     first is used to send, a signature may be made with any
 * @param smsRate segments of SMS a second that the sender may send (Twilio: 1 for a long code)
 * @param whatsappRate WhatsApp messages a second (Twilio: 80)
 * @param unknownSettles how long after the attempt a message must be in Twilio's list if it was
 *     sent
 */
@ConfigurationProperties("twilio")
record TwilioSettings(
    String accountSid,
    String authToken,
    @Nullable String smsFrom,
    @Nullable String whatsappFrom,
    @Nullable String messagingServiceSid,
    @Nullable String apiBaseUrl,
    @Bindable(defaultValue = "true") boolean validateSignature,
    @Bindable(defaultValue = "15s") Duration requestTimeout,
    @Bindable(defaultValue = "30s") Duration unknownSettles,
    @Bindable(defaultValue = "1") double smsRate,
    @Bindable(defaultValue = "80") double whatsappRate) {

  List<String> tokens() {
    return Stream.of(authToken.split(",")).map(String::strip).filter(t -> !t.isEmpty()).toList();
  }

  Optional<String> smsSender() {
    return given(smsFrom);
  }

  Optional<String> whatsappSender() {
    return given(whatsappFrom).map(from -> from.replace("whatsapp:", ""));
  }

  Optional<String> messagingService() {
    return given(messagingServiceSid);
  }

  Optional<String> baseUrl() {
    return given(apiBaseUrl)
        .map(url -> url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
  }

  private static Optional<String> given(@Nullable String value) {
    return Optional.ofNullable(value).map(String::strip).filter(text -> !text.isEmpty());
  }
}
