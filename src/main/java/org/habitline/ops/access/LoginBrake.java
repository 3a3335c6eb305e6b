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
import java.util.Locale;
import java.util.Optional;

/**
 * Limits failed attempts to sign in and wrong keys to {@value #ATTEMPTS_A_MINUTE} per source and
 * minute. A source is an IPv4 address or an IPv6 /64 network, because the owner of one of its
 * addresses has them all. Behind a proxy all requests share the proxy's address, so one person who
 * guesses locks everyone out, unless {@code HABITLINE_PROXY_HEADER} names the header with the
 * client's address.
 */
@Singleton
public final class LoginBrake {

  private static final int ATTEMPTS_A_MINUTE = 20;

  /** After this long without an attempt, an empty bucket is full again. */
  private static final Duration REFILLED_IN = Duration.ofMinutes(1);

  private static final int SOURCES_REMEMBERED = 10_000;

  /** A code has six digits, so few guesses at one account are let through. */
  private static final int ATTEMPTS_PER_ACCOUNT = 10;

  private static final Duration ACCOUNT_REFILLED_IN = Duration.ofMinutes(15);
  private static final int NETWORK_BYTES = 8;
  private static final int LONGEST_SOURCE = 60;

  /** Drops a source after a minute without an attempt: its bucket is full again by then. */
  private final Cache<String, Bucket> buckets =
      Caffeine.newBuilder().maximumSize(SOURCES_REMEMBERED).expireAfterAccess(REFILLED_IN).build();

  /**
   * By the e-mail address that was entered, whether or not there is such an account; also by what
   * else is guessed at.
   */
  private final Cache<String, Bucket> accounts =
      Caffeine.newBuilder()
          .maximumSize(SOURCES_REMEMBERED)
          .expireAfterAccess(ACCOUNT_REFILLED_IN)
          .build();

  /**
   * Accounts with sources from which their owner came in: whoever guesses elsewhere is braked
   * alone.
   */
  private final Cache<String, Boolean> known =
      Caffeine.newBuilder().maximumSize(SOURCES_REMEMBERED).build();

  private final Optional<String> proxyHeader;
  private final String publicUrl;

  LoginBrake(
      @Value("${habitline.proxy-header:}") String proxyHeader,
      @Value("${habitline.public-url:}") String publicUrl) {
    this.publicUrl = publicUrl;
    this.proxyHeader = Optional.of(proxyHeader).filter(it -> !it.isBlank());
  }

  /** Returns the source of a request: an IPv4 address or an IPv6 /64 network. */
  String source(HttpRequest<?> request) {
    return network(
        proxyHeader
            .map(name -> request.getHeaders().getAll(name))
            .filter(said -> !said.isEmpty())
            .map(said -> nearest(said.getLast()))
            .orElseGet(() -> request.getRemoteAddress().getHostString()));
  }

  /** Returns whether a proxy names the client's address in a header. */
  boolean tellsApart() {
    return proxyHeader.isPresent();
  }

  /** Returns a warning if Habitline is behind a proxy and takes everybody for one address. */
  public Optional<String> warning() {
    return publicUrl.startsWith("https:") && !tellsApart()
        ? Optional.of(
            "HABITLINE_PROXY_HEADER is not set: all requests seem to come from the proxy, so one person"
                + " who guesses passwords keeps everybody from signing in. Set it to the header in which"
                + " the proxy names the client's address, such as X-Forwarded-For.")
        : Optional.empty();
  }

  /**
   * Returns the last address of the header, the one that the proxy itself added: clients can forge
   * the ones before it.
   */
  private static String nearest(String said) {
    return said.substring(said.lastIndexOf(',') + 1).strip();
  }

  /**
   * Returns the source for an address as proxies write it: some add the port, and put IPv6 in
   * brackets before it.
   */
  public static String network(String said) {
    var address = said.replaceFirst("^\\[([^\\]]*)](?::\\d+)?$", "$1").replaceFirst("%.*", "");
    if (address.matches("[0-9.]+:[0-9]+")) {
      address = address.substring(0, address.indexOf(':'));
    }
    if (!address.matches("[0-9a-fA-F:.]+") || !address.matches(".*[:.].*")) {
      return said.substring(0, Math.min(said.length(), LONGEST_SOURCE));
    }
    try {
      // No DNS lookup: the text holds only hexadecimal digits, colons and dots.
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
      throw new IllegalStateException("An address of 16 bytes is always valid.", e);
    }
  }

  /** Counts one attempt; returns false if there were too many. */
  boolean mayTry(String source) {
    return bucket(source).tryConsume(1);
  }

  /** Takes back the last counted attempt, because it was valid. */
  void wasGood(String source) {
    bucket(source).addTokens(1);
  }

  /**
   * Counts one attempt at the password or the code of an account; returns false if there were too
   * many. A source from which the owner came in before has a count of its own; all others share
   * one.
   */
  boolean mayTryAccount(String email, String source) {
    return mayTryOnce(counted(email, source));
  }

  /** Forgets these attempts at an account, because its owner came in from there. */
  void accountWasGood(String email, String source) {
    accounts.invalidate(counted(email, source));
    known.put(pair(email, source), true);
  }

  /** Counts one attempt with a link or in a session, apart from those at any account. */
  boolean mayTryWith(String pass) {
    return mayTryOnce(Secrets.hash("with " + pass));
  }

  /** Forgets the attempts with a link or in a session, because one was right. */
  void wasGoodWith(String pass) {
    accounts.invalidate(Secrets.hash("with " + pass));
  }

  private boolean mayTryOnce(String key) {
    return accounts.get(key, it -> bucket(ATTEMPTS_PER_ACCOUNT, ACCOUNT_REFILLED_IN)).tryConsume(1);
  }

  private String counted(String email, String source) {
    var pair = pair(email, source);
    return known.getIfPresent(pair) == null ? account(email) : pair;
  }

  private static String pair(String email, String source) {
    return Secrets.hash(account(email) + " " + source);
  }

  private static String account(String email) {
    return Secrets.hash(email.strip().toLowerCase(Locale.ROOT));
  }

  /** Returns the number of sources whose attempts are counted now. */
  long remembered() {
    buckets.cleanUp();
    return buckets.estimatedSize();
  }

  private Bucket bucket(String source) {
    return buckets.get(source, it -> bucket(ATTEMPTS_A_MINUTE, REFILLED_IN));
  }

  private static Bucket bucket(int attempts, Duration refilledIn) {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(attempts).refillGreedy(attempts, refilledIn))
        .build();
  }
}
