package org.habitline.messaging.twilio;

import com.twilio.http.TwilioRestClient;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.exceptions.DisabledBeanException;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.habitline.messaging.Channel;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.inbox.InboxReader;
import org.habitline.messaging.twilio.TwilioChannel.Sender;
import org.habitline.participants.ChannelKind;

/** Builds the channels that have a sender configured. */
@Factory
final class TwilioFactory {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  private final TwilioSettings settings;
  private final InboxReader inbox;
  private final Clock systemClock;
  private final Optional<URI> callback;

  TwilioFactory(
      TwilioSettings settings,
      InboxReader inbox,
      @Named("system") Clock systemClock,
      @Value("${habitline.public-url:}") String publicUrl) {
    this.settings = settings;
    this.inbox = inbox;
    this.systemClock = systemClock;
    this.callback =
        publicUrl.isBlank()
            ? Optional.empty()
            : Optional.of(URI.create(publicUrl.replaceFirst("/$", "") + "/webhooks/twilio/status"));
  }

  @Singleton
  TwilioRestClient client(ProviderClock providerClock) {
    return new TwilioRestClient.Builder(settings.accountSid(), settings.tokens().getFirst())
        .httpClient(
            new NoRetryHttpClient(
                CONNECT_TIMEOUT,
                settings.requestTimeout(),
                settings.baseUrl().orElse(null),
                providerClock,
                systemClock))
        .build();
  }

  @Singleton
  @Named("sms")
  Channel sms(TwilioRestClient client, ProviderClock providerClock) {
    if (settings.smsSender().isEmpty() && settings.messagingService().isEmpty()) {
      throw new DisabledBeanException("No sender of SMS is configured.");
    }
    return channel(
        ChannelKind.SMS,
        new Sender(
            "", settings.smsSender(), settings.messagingService(), callback, settings.smsRate()),
        client,
        providerClock);
  }

  @Singleton
  @Named("whatsapp")
  Channel whatsapp(TwilioRestClient client, ProviderClock providerClock) {
    if (settings.whatsappSender().isEmpty()) {
      throw new DisabledBeanException("No sender of WhatsApp messages is configured.");
    }
    return channel(
        ChannelKind.WHATSAPP,
        new Sender(
            "whatsapp:",
            settings.whatsappSender(),
            Optional.empty(),
            callback,
            settings.whatsappRate()),
        client,
        providerClock);
  }

  private TwilioChannel channel(
      ChannelKind kind, Sender sender, TwilioRestClient client, ProviderClock providerClock) {
    return new TwilioChannel(
        kind,
        sender,
        client,
        NoRetryHttpClient.atMost(CONNECT_TIMEOUT, settings.requestTimeout()),
        settings.unknownSettles(),
        providerClock,
        () -> !inbox.agents().isEmpty(),
        systemClock);
  }
}
