package org.habitline.messaging.twilio;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.twilio.http.HttpClient;
import com.twilio.http.HttpMethod;
import com.twilio.http.Request;
import com.twilio.http.Response;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.apache.hc.core5.http.Header;
import org.habitline.messaging.ProviderClock;
import org.jspecify.annotations.Nullable;

/**
 * Sends each of the SDK's requests exactly once: the SDK's own client posts a message up to six
 * times after a server error, which may send it up to six times. Throws for any response but
 * success, saying as far as known whether Twilio processed the request. Safe for any number of
 * threads.
 */
final class NoRetryHttpClient extends HttpClient {

  /** Twilio's APIs, each on its own host; a configured base URL replaces all of them. */
  private static final Pattern TWILIO = Pattern.compile("^https://[a-z]+\\.twilio\\.com");

  private static final int FIRST_ERROR = 300;
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  /** How much longer the whole response may take than its beginning. */
  private static final Duration WHOLE_ANSWER = Duration.ofSeconds(1);

  /** The SDK fails on a response without a list of headers when its logger is on. */
  private static final Header[] NO_HEADERS = {};

  private static final JsonMapper JSON = new JsonMapper();

  private final java.net.http.HttpClient http;
  private final Duration timeout;
  private final @Nullable String baseUrl;
  private final ProviderClock providerClock;
  private final Clock clock;

  /**
   * Creates a client.
   *
   * @param providerClock receives the time of each response
   * @param clock our clock
   */
  NoRetryHttpClient(
      Duration connectTimeout,
      Duration timeout,
      @Nullable String baseUrl,
      ProviderClock providerClock,
      Clock clock) {
    this.http =
        java.net.http.HttpClient.newBuilder()
            .version(java.net.http.HttpClient.Version.HTTP_1_1)
            .connectTimeout(connectTimeout)
            .followRedirects(java.net.http.HttpClient.Redirect.NEVER)
            .build();
    this.timeout = timeout;
    this.baseUrl = baseUrl;
    this.providerClock = providerClock;
    this.clock = clock;
  }

  /** Returns the longest time of a request, including the connection and the whole response. */
  static Duration atMost(Duration connectTimeout, Duration timeout) {
    return connectTimeout.plus(timeout).plus(WHOLE_ANSWER);
  }

  /** Thrown when no connection was made, so nothing was requested. */
  static final class NotAsked extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotAsked(Throwable cause) {
      super(cause.getClass().getSimpleName(), null, false, false);
    }
  }

  /** Thrown when the request was sent and no response came: its outcome is unknown. */
  static final class NoAnswer extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoAnswer(Throwable cause) {
      super(cause.getClass().getSimpleName(), null, false, false);
    }
  }

  /** Thrown when Twilio responded with an error. */
  static final class ErrorAnswer extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int status;
    private final int code;
    private final @Nullable Duration retryAfter;

    ErrorAnswer(int status, int code, @Nullable Duration retryAfter) {
      super("HTTP " + status + ", code " + code, null, false, false);
      this.status = status;
      this.code = code;
      this.retryAfter = retryAfter;
    }

    int status() {
      return status;
    }

    /** Returns whether the requested item is invalid or missing, rather than Twilio being busy. */
    boolean isAboutTheRequest() {
      return status == BAD_REQUEST || status == NOT_FOUND;
    }

    /** Returns Twilio's code, or 0 if the response had none. */
    int code() {
      return code;
    }

    Optional<Duration> retryAfter() {
      return Optional.ofNullable(retryAfter);
    }
  }

  @Override
  public Response reliableRequest(Request request) {
    return makeRequest(request);
  }

  @Override
  public Response reliableRequest(
      Request request, int[] retryCodes, int retries, long delayMillis) {
    return makeRequest(request);
  }

  @Override
  public Response makeRequest(Request request) {
    try {
      var asked = clock.instant();
      var answer = answer(carried(request));
      tellTime(answer, asked);
      if (answer.statusCode() >= FIRST_ERROR) {
        throw new ErrorAnswer(answer.statusCode(), code(answer.body()), retryAfter(answer));
      }
      return new Response(answer.body(), answer.statusCode(), NO_HEADERS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ConnectException
              || e.getCause() instanceof HttpConnectTimeoutException
          ? new NotAsked(e.getCause())
          : new NoAnswer(e);
    } catch (TimeoutException e) {
      throw new NoAnswer(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new NoAnswer(e);
    }
  }

  private void tellTime(HttpResponse<String> answer, Instant asked) {
    try {
      answer
          .headers()
          .firstValue("Date")
          .map(date -> DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from))
          .ifPresent(date -> providerClock.said(date, asked, clock.instant()));
    } catch (DateTimeParseException e) {
      // A response without a readable date says nothing about the clock.
    }
  }

  /** Sends a request. The client's own timeout ends with the headers; this limits the body too. */
  private HttpResponse<String> answer(HttpRequest request)
      throws ExecutionException, TimeoutException, InterruptedException {
    var answer =
        http.sendAsync(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    try {
      return answer.get(timeout.plus(WHOLE_ANSWER).toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      var _ = answer.cancel(true);
    }
  }

  private HttpRequest carried(Request request) {
    var url = request.constructURL().toString();
    var carried =
        HttpRequest.newBuilder(
                URI.create(baseUrl == null ? url : TWILIO.matcher(url).replaceFirst(baseUrl)))
            .timeout(timeout)
            .header("Authorization", request.getAuthString())
            .header("Accept", "application/json")
            .header("User-Agent", "habitline");
    return request.getMethod() == HttpMethod.POST
        ? carried
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(request.encodeFormBody()))
            .build()
        : carried.GET().build();
  }

  private static int code(String body) {
    try {
      return JSON.readTree(body).path("code").asInt(0);
    } catch (JsonProcessingException e) {
      return 0;
    }
  }

  private static @Nullable Duration retryAfter(HttpResponse<String> answer) {
    try {
      return answer
          .headers()
          .firstValue("Retry-After")
          .map(seconds -> Duration.ofSeconds(Math.clamp(Long.parseLong(seconds.strip()), 0, 3600)))
          .orElse(null);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
