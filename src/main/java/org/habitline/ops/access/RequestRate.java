package org.habitline.ops.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.micronaut.context.annotation.Value;
import io.micronaut.core.order.Ordered;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.http.filter.ServerFilterPhase;
import io.micronaut.security.authentication.Authentication;
import java.time.Duration;
import org.habitline.staff.web.ApiProblem;

/**
 * Limits the requests per minute of each key and each session, on each node; after a quiet minute,
 * a full minute's worth may come at once. Webhook calls and fixed assets are not counted.
 */
@ServerFilter(ServerFilter.MATCH_ALL_PATTERN)
final class RequestRate implements Ordered {

  private static final int REMEMBERED = 10_000;

  /** After this long without a request, an empty bucket is full again. */
  private static final Duration REFILLED_IN = Duration.ofMinutes(1);

  private final int perMinute;

  /** Drops a bucket after a minute without a request: it is full again by then. */
  private final Cache<String, Bucket> buckets =
      Caffeine.newBuilder().maximumSize(REMEMBERED).expireAfterAccess(REFILLED_IN).build();

  RequestRate(@Value("${habitline.requests-per-minute}") int perMinute) {
    this.perMinute = perMinute;
  }

  /** Runs after authentication, which identifies the caller. */
  @Override
  public int getOrder() {
    return ServerFilterPhase.SECURITY.after();
  }

  @RequestFilter
  void count(HttpRequest<?> request) {
    if (perMinute == 0 || uncounted(request.getPath())) {
      return;
    }
    request.getUserPrincipal(Authentication.class).ifPresent(this::count);
  }

  private static boolean uncounted(String path) {
    return path.startsWith("/webhooks/") || path.startsWith("/assets/");
  }

  private void count(Authentication who) {
    var probe = bucket(SessionTokens.credential(who)).tryConsumeAndReturnRemaining(1);
    if (!probe.isConsumed()) {
      throw new ApiProblem(
          HttpStatus.TOO_MANY_REQUESTS,
          "Too many requests with this key or session; at most "
              + perMinute
              + " a minute are answered (HABITLINE_REQUESTS_PER_MINUTE sets it).",
          Duration.ofNanos(probe.getNanosToWaitForRefill()));
    }
  }

  private Bucket bucket(String credential) {
    return buckets.get(
        credential,
        unseen ->
            Bucket.builder()
                .addLimit(limit -> limit.capacity(perMinute).refillGreedy(perMinute, REFILLED_IN))
                .build());
  }
}
