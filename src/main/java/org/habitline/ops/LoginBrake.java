package org.habitline.ops;

import io.github.bucket4j.Bucket;
import jakarta.inject.Singleton;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Slows guessing: so many attempts to sign in per address and minute. */
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

  synchronized boolean mayTry(InetSocketAddress from) {
    return buckets
        .computeIfAbsent(
            from.getHostString(),
            address ->
                Bucket.builder()
                    .addLimit(limit ->
                        limit
                            .capacity(ATTEMPTS_A_MINUTE)
                            .refillGreedy(ATTEMPTS_A_MINUTE, Duration.ofMinutes(1)))
                    .build())
        .tryConsume(1);
  }
}
