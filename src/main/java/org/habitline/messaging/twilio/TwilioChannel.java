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
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Channel;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.Fate;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.twilio.OneRequest.ErrorAnswer;
import org.habitline.messaging.twilio.OneRequest.NoAnswer;
import org.habitline.messaging.twilio.OneRequest.NotAsked;
import org.habitline.participants.ChannelKind;
import org.jspecify.annotations.Nullable;

/**
 * One kind of text by Twilio's REST API. A text is posted once; whether one of unknown fate was
 * taken is read from Twilio's list of messages to that number.
 */
final class TwilioChannel implements Channel {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);

  /** How far Twilio's clock may be from ours. */
  private static final Duration SKEW = Duration.ofMinutes(2);

  private static final int PAGE = 50;

  /** The SDK takes a body of this word for none. */
  private static final String NO_BODY = "null";

  private final ChannelKind kind;
  private final Sender sender;
  private final TwilioRestClient client;
  private final Duration settles;
  private final Clock clock;

  TwilioChannel(
      ChannelKind kind, Sender sender, TwilioRestClient client, Duration settles, Clock clock) {
    this.kind = kind;
    this.sender = sender;
    this.client = client;
    this.settles = settles;
    this.clock = clock;
  }

  /**
   * From whom texts go out, and where Twilio tells what became of them.
   *
   * @param prefix what stands before numbers of this kind
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
  public boolean hasWindow() {
    return kind == ChannelKind.WHATSAPP;
  }

  @Override
  public Optional<String> meaning(String code) {
    return TwilioErrors.meaning(code);
  }

  @Override
  public Optional<Fate> fate(String code) {
    return TwilioErrors.listed(code);
  }

  @Override
  public ChannelKind kind() {
    return kind;
  }

  @Override
  public Delivery send(OutboundMessage message) {
    try {
      var sid = creator(message).create(client).getSid();
      return sid == null
          ? new Delivery.Unknown("an answer of Twilio without a sid")
          : new Delivery.Accepted(sid);
    } catch (ErrorAnswer e) {
      return Delivery.failed(
          TwilioErrors.fate(e.status(), e.code()),
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
    var creator = creator(to(message), template == null ? body(message) : null);
    if (template != null) {
      creator.setContentSid(template.id());
      creator.setContentVariables(template.variablesAsJson());
    }
    sender.callback().ifPresent(creator::setStatusCallback);
    return creator;
  }

  private MessageCreator creator(String to, @Nullable String body) {
    var number = new com.twilio.type.PhoneNumber(to);
    var service = sender.service();
    return service.isPresent()
        ? new com.twilio.rest.api.v2010.account.MessageCreator(number, service.get(), body)
        : new com.twilio.rest.api.v2010.account.MessageCreator(
            number,
            new com.twilio.type.PhoneNumber(sender.prefix() + sender.from().orElseThrow()),
            body);
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
          .orElseGet(() -> missing(attempt.at()));
    } catch (ErrorAnswer | NotAsked | NoAnswer e) {
      return new LookUp.CannotTell("Twilio's list of messages cannot be read");
    }
  }

  /** The list may lag behind a request that is still being worked on. */
  private LookUp missing(Instant attempted) {
    return clock.instant().isBefore(attempted.plus(settles))
        ? new LookUp.CannotTell("not in Twilio's list yet")
        : new LookUp.NotSent();
  }

  /** Newest first. No filter on the date of sending: a message that still waits has none. */
  private Optional<String> found(OutboundMessage message, Attempt attempt) {
    var earliest = attempt.at().minus(SKEW);
    var list = new MessageReader();
    list.setTo(to(message));
    for (var listed : list.pageSize(PAGE).read(client)) {
      if (listed.getDateCreated().toInstant().isBefore(earliest)) {
        return Optional.empty();
      }
      if (isOurs(listed, message) && !attempt.otherIds().contains(listed.getSid())) {
        return Optional.of(listed.getSid());
      }
    }
    return Optional.empty();
  }

  /** The words of a template are the provider's: any text that is none of the others is it. */
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
                  providerId, status.toString(), code == null ? null : code.toString()));
    } catch (ErrorAnswer | NotAsked | NoAnswer e) {
      return Optional.empty();
    }
  }
}
