package org.habitline.ops.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpRequest;
import jakarta.inject.Singleton;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * Slows guessing: so many attempts to sign in and wrong keys per source and minute. A source is an
 * IPv4 address, or the /64 of an IPv6 one, because whoever has one of its addresses has all. Behind
 * a proxy all come from its address, and one who guesses would keep everybody out, unless it says
 * from where.
 */
@Singleton
public final class LoginBrake {

  private static final int ATTEMPTS_A_MINUTE = 20;

  /** After this long without a try, an empty bucket is full again. */
  private static final Duration REFILLED_IN = Duration.ofMinutes(1);

  private static final int SOURCES_REMEMBERED = 10_000;
  private static final int NETWORK_BYTES = 8;
  private static final int LONGEST_SOURCE = 60;

  /** Forgets a source that did not try for a minute: by then its bucket is full again. */
  private final Cache<String, Bucket> buckets =
      Caffeine.newBuilder().maximumSize(SOURCES_REMEMBERED).expireAfterAccess(REFILLED_IN).build();

  private final Optional<String> proxyHeader;

  LoginBrake(@Value("${habitline.proxy-header:}") String proxyHeader) {
    this.proxyHeader = Optional.of(proxyHeader).filter(it -> !it.isBlank());
  }

  /** Returns where a request comes from: an address, or the network of an IPv6 one. */
  String source(HttpRequest<?> request) {
    return network(
        proxyHeader
            .map(name -> request.getHeaders().getAll(name))
            .filter(said -> !said.isEmpty())
            .map(said -> nearest(said.getLast()))
            .orElseGet(() -> request.getRemoteAddress().getHostString()));
  }

  /** Whether a proxy says for whom it asks. */
  boolean tellsApart() {
    return proxyHeader.isPresent();
  }

  /** What the proxy itself added: whatever stands before it, anybody may have written. */
  private static String nearest(String said) {
    return said.substring(said.lastIndexOf(',') + 1).strip();
  }

  /** Some proxies add the port, and write IPv6 in brackets before it. */
  public static String network(String said) {
    var address = said.replaceFirst("^\\[([^\\]]*)](?::\\d+)?$", "$1").replaceFirst("%.*", "");
    if (address.matches("[0-9.]+:[0-9]+")) {
      address = address.substring(0, address.indexOf(':'));
    }
    if (!address.matches("[0-9a-fA-F:.]+") || !address.matches(".*[:.].*")) {
      return said.substring(0, Math.min(said.length(), LONGEST_SOURCE));
    }
    try {
      // Nothing is looked up: there are only digits, colons and dots in it.
      return network(InetAddress.ofLiteral(address));
    } catch (IllegalArgumentException e) {
      return address.substring(0, Math.min(address.length(), LONGEST_SOURCE));
    }
  }

  private static String network(InetAddress address) {
    if (!(address instanceof Inet6Address six)) {
      return address.getHostAddress();
    }
    if (six.isLoopbackAddress()) {
      return "::1";
    }
    var network = six.getAddress();
    Arrays.fill(network, NETWORK_BYTES, network.length, (byte) 0);
    try {
      return InetAddress.getByAddress(network).getHostAddress().replaceFirst("(?::0)+$", "::")
          + "/64";
    } catch (UnknownHostException e) {
      throw new IllegalStateException("Sixteen bytes are an address.", e);
    }
  }

  /** Counts one attempt; false if there were too many. */
  boolean mayTry(String source) {
    return bucket(source).tryConsume(1);
  }

  /** The attempt that was counted last was a good one, and does not count. */
  void wasGood(String source) {
    bucket(source).addTokens(1);
  }

  /** Returns of how many sources attempts are counted at the moment. */
  long remembered() {
    buckets.cleanUp();
    return buckets.estimatedSize();
  }

  private Bucket bucket(String source) {
    return buckets.get(
        source,
        it ->
            Bucket.builder()
                .addLimit(limit ->
                    limit.capacity(ATTEMPTS_A_MINUTE).refillGreedy(ATTEMPTS_A_MINUTE, REFILLED_IN))
                .build());
  }
}
