package org.habitline.messaging.twilio;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.netty.NettyHttpRequestBuilder;
import io.micronaut.security.annotation.Secured;
import io.micronaut.security.rules.SecurityRule;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.enums.SecuritySchemeIn;
import io.swagger.v3.oas.annotations.enums.SecuritySchemeType;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirement;
import io.swagger.v3.oas.annotations.security.SecurityScheme;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.BiFunction;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.inbox.Inbox;
import org.habitline.messaging.inbox.IncomingText;
import org.habitline.messaging.outbox.DeliveryReports;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Twilio's webhooks. A text is stored before it is acknowledged, and nothing else happens in the
 * request; the reply is sent separately.
 */
@Controller("/webhooks/twilio")
@Secured(SecurityRule.IS_ANONYMOUS)
@Consumes(MediaType.ALL)
@Produces(MediaType.TEXT_XML)
@SecurityScheme(
    name = "twilio",
    type = SecuritySchemeType.APIKEY,
    in = SecuritySchemeIn.HEADER,
    paramName = "X-Twilio-Signature",
    description = "Made by Twilio with the account's token; it is not an API key of this service.")
@SecurityRequirement(name = "twilio")
@Tag(name = "Twilio")
final class TwilioController {

  private static final Logger log = LoggerFactory.getLogger(TwilioController.class);

  /** The longest status that fits into the database; Twilio's own are far shorter. */
  private static final int LONGEST_STATUS = 32;

  private static final String EMPTY_TWIML = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response/>";

  private final Inbox inbox;
  private final DeliveryReports reports;
  private final TwilioSettings settings;
  private final RefusedCalls refused;
  private final Knocks knocks;
  private final Ours ours;
  private final CatchUp catchUp;
  private final Signature signature;
  private final String publicUrl;

  TwilioController(
      Inbox inbox,
      DeliveryReports reports,
      TwilioSettings settings,
      RefusedCalls refused,
      Knocks knocks,
      Ours ours,
      CatchUp catchUp,
      @Value("${habitline.public-url:}") String publicUrl) {
    this.inbox = inbox;
    this.reports = reports;
    this.settings = settings;
    this.refused = refused;
    this.knocks = knocks;
    this.ours = ours;
    this.catchUp = catchUp;
    this.signature = new Signature(settings.tokens());
    this.publicUrl =
        publicUrl.endsWith("/") ? publicUrl.substring(0, publicUrl.length() - 1) : publicUrl;
  }

  @Post("/messages")
  @Operation(
      operationId = "receiveTwilioMessage",
      summary = "Receives a message that Twilio posts",
      description =
          "Signed with X-Twilio-Signature. A repeated MessageSid is acknowledged and stored once.")
  @ApiResponse(responseCode = "200", description = "Stored; empty TwiML")
  @ApiResponse(
      responseCode = "400",
      description = "The body is not a form, or MessageSid is missing")
  @ApiResponse(
      responseCode = "403",
      description =
          "Not signed with the account's token, or for another account or number; nothing is stored")
  @ApiResponse(responseCode = "503", description = "Not stored; the database cannot be written")
  HttpResponse<String> message(HttpRequest<?> request, @Body byte @Nullable [] body) {
    return signed(
        request,
        body,
        (read, raw) -> {
          var form = new WebhookForm(read, raw);
          return form.sid()
              .map(sid ->
                  ours.whyNotReceived(form.form())
                      .map(parameter -> notOurs(request, parameter))
                      .orElseGet(() -> stored(form.text(sid))))
              .orElseGet(() -> HttpResponse.badRequest("MessageSid: missing."));
        });
  }

  private HttpResponse<String> stored(IncomingText text) {
    inbox.accept(text);
    return HttpResponse.ok(EMPTY_TWIML);
  }

  private HttpResponse<String> notOurs(HttpRequest<?> request, String parameter) {
    refused.notOurs();
    var source = knocks.source(request);
    knocks
        .knocked(source)
        .ifPresent(times ->
            log.warn(
                "A webhook call was signed with the account's token, but its {} is not in the"
                    + " settings. It was refused and nothing was stored ({} refused from {} since the"
                    + " last log line)",
                parameter,
                times,
                source));
    return HttpResponse.<String>status(HttpStatus.FORBIDDEN)
        .body(parameter + ": not in the settings of this service. Nothing was stored.");
  }

  @Post("/status")
  @Operation(
      operationId = "receiveTwilioStatus",
      summary = "Receives a delivery status that Twilio posts",
      description = "Signed like a message. A repeated status is acknowledged and stored once.")
  @ApiResponse(responseCode = "200", description = "Stored; empty TwiML")
  @ApiResponse(
      responseCode = "400",
      description = "The body is not a form, or MessageSid or MessageStatus is missing or too long")
  @ApiResponse(
      responseCode = "403",
      description =
          "Not signed with the account's token, or for another account or number; nothing is stored")
  @ApiResponse(responseCode = "503", description = "Not stored; the database cannot be written")
  HttpResponse<String> status(HttpRequest<?> request, @Body byte @Nullable [] body) {
    return signed(
        request,
        body,
        (form, _) -> {
          var sid = fitting(form, WebhookForm.LONGEST_SID, "MessageSid", "SmsSid");
          var status = fitting(form, LONGEST_STATUS, "MessageStatus", "SmsStatus");
          if (sid.isEmpty() || status.isEmpty()) {
            return HttpResponse.badRequest("MessageSid, MessageStatus: missing or too long.");
          }
          var parameter = ours.whyNotReported(form, sid.get());
          if (parameter.isPresent()) {
            return notOurs(request, parameter.get());
          }
          reports.accept(
              TwilioReport.of(
                  sid.get(),
                  status.get(),
                  form.value("ErrorCode").orElse(null),
                  form.value("To").orElse("")));
          return HttpResponse.ok(EMPTY_TWIML);
        });
  }

  private static Optional<String> fitting(Form form, int longest, String name, String otherwise) {
    return form.value(name)
        .or(() -> form.value(otherwise))
        .filter(value -> value.length() <= longest && value.indexOf('\0') < 0);
  }

  private HttpResponse<String> signed(
      HttpRequest<?> request,
      byte @Nullable [] body,
      BiFunction<Form, String, HttpResponse<String>> act) {
    var bytes = body == null ? new byte[0] : body;
    try {
      var raw = new String(bytes, StandardCharsets.UTF_8);
      var form = signedForm(request, bytes, raw);
      if (form.isEmpty()) {
        refused.refused();
        var source = knocks.source(request);
        knocks
            .knocked(source)
            .ifPresent(times ->
                log.warn(
                    "A webhook call was not signed with the account's token and was refused ({} from {}"
                        + " since the last log line)",
                    times,
                    source));
        return HttpResponse.<String>status(HttpStatus.FORBIDDEN)
            .body(
                "X-Twilio-Signature: missing or not made with the account's token for this address.");
      }
      return act.apply(form.get(), raw);
    } catch (IllegalArgumentException e) {
      return HttpResponse.badRequest("The body is not readable as a form.");
    } catch (RuntimeException e) {
      log.error(
          "A webhook call could not be stored; if it was a text, it is fetched from Twilio later: {}",
          e.getClass().getName());
      catchUp.missed();
      return HttpResponse.<String>status(HttpStatus.SERVICE_UNAVAILABLE)
          .body("Not stored; try again later.");
    }
  }

  /** Returns the form that was posted, or empty if the call is not signed. */
  private Optional<Form> signedForm(HttpRequest<?> request, byte[] body, String raw) {
    if (!settings.validateSignature()) {
      return Optional.of(Form.read(raw));
    }
    var given = request.getHeaders().get("X-Twilio-Signature");
    if (given == null) {
      return Optional.empty();
    }
    var url = url(request);
    if (request
        .getContentType()
        .filter(MediaType.APPLICATION_FORM_URLENCODED_TYPE::equals)
        .isPresent()) {
      return Optional.of(Form.read(raw)).filter(form -> signature.signs(url, form.values(), given));
    }
    return signature.signs(url, body, given) ? Optional.of(Form.read(raw)) : Optional.empty();
  }

  /** Returns the URL as Twilio called it, byte for byte. */
  private String url(HttpRequest<?> request) {
    var path = NettyHttpRequestBuilder.asBuilder(request).toHttpRequestWithoutBody().uri();
    return publicUrl.isEmpty()
        ? "http://" + request.getHeaders().get("Host") + path
        : publicUrl + path;
  }
}
