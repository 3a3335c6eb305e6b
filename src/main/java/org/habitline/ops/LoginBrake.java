package org.habitline.ops;

import io.github.bucket4j.Bucket;
import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpRequest;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Slows guessing: so many attempts to sign in per address and minute. Behind a proxy all come from
 * its address, and one who guesses would keep everybody out, unless it says from where.
 */
@Singleton
final class LoginBrake {

  private static final int ATTEMPTS_A_MINUTE = 20;
  private static final int ADDRESSES_REMEMBERED = 10_000;

  private final Map<String, Bucket> buckets =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
          return size() > ADDRESSES_REMEMBERED;
        }
      };

  private final Optional<String> proxyHeader;

  LoginBrake(@Value("${habitline.proxy-header:}") String proxyHeader) {
    this.proxyHeader = Optional.of(proxyHeader).filter(it -> !it.isBlank());
  }

  boolean mayTry(HttpRequest<?> request) {
    return mayTry(
        proxyHeader
            .map(name -> request.getHeaders().getAll(name))
            .filter(said -> !said.isEmpty())
            .map(said -> nearest(said.getLast()))
            .orElseGet(() -> request.getRemoteAddress().getHostString()));
  }

  /** What the proxy itself added: whatever stands before it, anybody may have written. */
  private static String nearest(String said) {
    return said.substring(said.lastIndexOf(',') + 1).strip();
  }

  synchronized boolean mayTry(String address) {
    return buckets
        .computeIfAbsent(
            address,
            it ->
                Bucket.builder()
                    .addLimit(limit ->
                        limit
                            .capacity(ATTEMPTS_A_MINUTE)
                            .refillGreedy(ATTEMPTS_A_MINUTE, Duration.ofMinutes(1)))
                    .build())
        .tryConsume(1);
  }
}
