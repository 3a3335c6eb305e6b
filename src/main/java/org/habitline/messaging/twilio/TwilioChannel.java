package org.habitline.messaging.twilio;

import com.twilio.http.TwilioRestClient;
import com.twilio.rest.api.v2010.account.Message;
import com.twilio.rest.api.v2010.account.MessageCreator;
import com.twilio.rest.api.v2010.account.MessageFetcher;
import com.twilio.rest.api.v2010.account.MessageReader;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Channel;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.twilio.NoRetryHttpClient.ErrorAnswer;
import org.habitline.messaging.twilio.NoRetryHttpClient.NoAnswer;
import org.habitline.messaging.twilio.NoRetryHttpClient.NotAsked;
import org.habitline.participants.ChannelKind;
import org.jspecify.annotations.Nullable;

/**
 * Sends one kind of message through Twilio's REST API. A message is posted once; if the outcome is
 * unknown, Twilio's list of messages to that number shows whether it was accepted.
 */
final class TwilioChannel implements Channel {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);

  /** The largest expected difference between Twilio's clock and ours. */
  private static final Duration SKEW = Duration.ofMinutes(2);

  private static final int PAGE = 50;

  /** The SDK sends no body if it is this word. */
  private static final String NO_BODY = "null";

  private final ChannelKind kind;
  private final Sender sender;
  private final TwilioRestClient client;
  private final Duration sendsWithin;
  private final Duration settles;
  private final ProviderClock providerClock;
  private final BooleanSupplier hasAgents;
  private final Clock clock;

  /**
   * Creates a channel.
   *
   * @param sendsWithin the longest time of one request of the client
   * @param settles how long after the attempt a message must be in Twilio's list if it was sent
   * @param hasAgents whether the account is known to have an RCS agent
   */
  TwilioChannel(
      ChannelKind kind,
      Sender sender,
      TwilioRestClient client,
      Duration sendsWithin,
      Duration settles,
      ProviderClock providerClock,
      BooleanSupplier hasAgents,
      Clock clock) {
    this.sendsWithin = sendsWithin;
    this.kind = kind;
    this.sender = sender;
    this.client = client;
    this.settles = settles;
    this.providerClock = providerClock;
    this.hasAgents = hasAgents;
    this.clock = clock;
  }

  /**
   * The sender of messages, and the URL for Twilio's status reports.
   *
   * @param prefix what precedes numbers of this kind
   * @param pace segments a second
   */
  record Sender(
      String prefix,
      Optional<String> from,
      Optional<String> service,
      Optional<URI> callback,
      double pace) {}

  @Override
  public OptionalDouble pace() {
    return OptionalDouble.of(sender.pace());
  }

  @Override
  public Optional<String> meaning(String code) {
    return TwilioErrors.meaning(code);
  }

  @Override
  public ChannelKind kind() {
    return kind;
  }

  @Override
  public Duration sendsWithin() {
    return sendsWithin;
  }

  @Override
  public Delivery send(OutboundMessage message) {
    try {
      var sid = creator(message).create(client).getSid();
      return sid == null
          ? new Delivery.Unknown("an answer from Twilio without a SID")
          : new Delivery.Accepted(sid);
    } catch (ErrorAnswer e) {
      return Delivery.failed(
          TwilioErrors.byRoad(TwilioErrors.fate(e.status(), e.code()), isByRcs(message)),
          e.code() == 0 ? "HTTP " + e.status() : String.valueOf(e.code()),
          e.retryAfter().orElse(FIRST_PAUSE));
    } catch (NotAsked e) {
      return new Delivery.Deferred("Twilio cannot be reached", FIRST_PAUSE);
    } catch (NoAnswer e) {
      return new Delivery.Unknown("no answer from Twilio");
    }
  }

  private MessageCreator creator(OutboundMessage message) {
    var template = message.template();
    var creator = creator(message, template == null ? body(message) : null);
    if (template != null) {
      creator.setContentSid(template.id());
      creator.setContentVariables(template.variablesAsJson());
    }
    sender.callback().ifPresent(creator::setStatusCallback);
    return creator;
  }

  /**
   * Returns a request for a message. A Messaging Service with an RCS agent in it tries RCS first
   * and falls back to SMS by itself; without a service, a reply by RCS names the agent and has no
   * fallback (https://www.twilio.com/docs/rcs/send-an-rcs-message).
   */
  private MessageCreator creator(OutboundMessage message, @Nullable String body) {
    var service = sender.service();
    if (service.isPresent()) {
      return new MessageCreator(number(to(message)), service.get(), body);
    }
    return isByRcs(message)
        ? new MessageCreator(number(rcs(message)), number(String.valueOf(message.from())), body)
        : new MessageCreator(
            number(to(message)), number(sender.prefix() + sender.from().orElseThrow()), body);
  }

  private static com.twilio.type.PhoneNumber number(String address) {
    return new com.twilio.type.PhoneNumber(address);
  }

  private boolean isByRcs(OutboundMessage message) {
    return message.from() != null && sender.service().isEmpty();
  }

  private static String rcs(OutboundMessage message) {
    return Ours.RCS + message.to().e164();
  }

  private String to(OutboundMessage message) {
    return message.toName() == null ? sender.prefix() + message.to().e164() : message.toName();
  }

  private static String body(OutboundMessage message) {
    return message.body().equals(NO_BODY) ? NO_BODY + " " : message.body();
  }

  @Override
  public LookUp lookUp(OutboundMessage message, Attempt attempt) {
    try {
      return found(message, attempt)
          .<LookUp>map(LookUp.Sent::new)
          .orElseGet(() -> missing(message, attempt.at()));
    } catch (ErrorAnswer | NotAsked | NoAnswer e) {
      return new LookUp.CannotTell("Twilio's list of messages cannot be read");
    }
  }

  /**
   * Returns what it means that a message is not found. The list may lag behind a request that is
   * still being processed. Twilio documents its filter by receiver for phone numbers only, so a
   * message sent by RCS may be missing from it; sending it again by SMS could deliver it twice.
   */
  private LookUp missing(OutboundMessage message, Instant attempted) {
    if (clock.instant().isBefore(attempted.plus(settles))) {
      return new LookUp.CannotTell("not in Twilio's list yet");
    }
    return mayBeByRcs(message)
        ? new LookUp.CannotTell("it may have been sent by RCS, which Twilio's list may not show")
        : new LookUp.NotSent();
  }

  /** Returns whether RCS may replace this kind: it reaches the same phone and number as SMS. */
  private boolean hasRcs() {
    return kind == ChannelKind.SMS;
  }

  /** Returns whether RCS may have been used; a Messaging Service with an agent chooses. */
  private boolean mayBeByRcs(OutboundMessage message) {
    return hasRcs()
        && (message.from() != null || (sender.service().isPresent() && hasAgents.getAsBoolean()));
  }

  /** Finds a message, newest first. No filter by date of sending: a waiting message has none. */
  private Optional<String> found(OutboundMessage message, Attempt attempt) {
    var found = found(message, attempt, to(message));
    // With a Messaging Service, Twilio chooses between the two addresses.
    return found.isEmpty() && hasRcs() ? foundByRcs(message, attempt) : found;
  }

  private Optional<String> foundByRcs(OutboundMessage message, Attempt attempt) {
    try {
      return found(message, attempt, rcs(message));
    } catch (ErrorAnswer e) {
      if (e.isAboutTheRequest()) {
        // Twilio does not list RCS messages to this phone, whether or not there are any.
        return Optional.empty();
      }
      throw e;
    }
  }

  private Optional<String> found(OutboundMessage message, Attempt attempt, String to) {
    var list = new MessageReader();
    list.setTo(to);
    for (var listed : list.pageSize(PAGE).read(client)) {
      if (listed.getDateCreated().toInstant().isBefore(earliest(attempt))) {
        return Optional.empty();
      }
      if (isOurs(listed, message) && !attempt.otherIds().contains(listed.getSid())) {
        return Optional.of(listed.getSid());
      }
    }
    return Optional.empty();
  }

  /** Returns the earliest date to look at, by Twilio's clock, with an allowance. */
  private Instant earliest(Attempt attempt) {
    return providerClock.earliest(attempt.at()).minus(SKEW);
  }

  /**
   * Returns whether a listed message is this one. The wording of a template is the provider's, so
   * any message that is not one of the others matches.
   */
  private static boolean isOurs(Message listed, OutboundMessage message) {
    return listed.getDirection() != Message.Direction.INBOUND
        && (message.template() != null
            || body(message).strip().equals(String.valueOf(listed.getBody()).strip()));
  }

  @Override
  public Optional<DeliveryReport> report(String providerId) {
    try {
      var message = new MessageFetcher(providerId).fetch(client);
      var code = message.getErrorCode();
      return Optional.ofNullable(message.getStatus())
          .map(status ->
              TwilioReport.of(
                  providerId,
                  status.toString(),
                  code == null ? null : code.toString(),
                  String.valueOf(message.getTo())));
    } catch (ErrorAnswer | NotAsked | NoAnswer e) {
      return Optional.empty();
    }
  }
}
