package org.habitline.messaging.twilio;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpRequest;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Limits the log lines about refused webhook calls: one line a minute for each source, with its
 * number of calls since the last line, so that callers cannot fill the disk. A source is an IPv4
 * address, or the /64 network of an IPv6 address, because one caller has very many of those. All
 * sources together get at most 20 lines a minute. Safe for any number of threads.
 */
@Singleton
final class Knocks {

  private static final Duration TOLD_EVERY = Duration.ofMinutes(1);
  private static final int LINES_A_MINUTE = 20;
  private static final int REMEMBERED = 1_000;
  private static final Pattern ADDRESS = Pattern.compile("[0-9a-fA-F.:]{2,45}");
  private static final int GROUPS_OF_64 = 4;

  private final Optional<String> proxyHeader;
  private final Clock clock;
  private final Deque<Instant> told = new ArrayDeque<>();
  private final Cache<String, Calls> sources =
      Caffeine.newBuilder().maximumSize(REMEMBERED).build();

  Knocks(
      @Value("${habitline.proxy-header:}") String proxyHeader, @Named("system") Clock systemClock) {
    this.proxyHeader = Optional.of(proxyHeader).filter(name -> !name.isBlank());
    this.clock = systemClock;
  }

  private static final class Calls {
    private Instant toldAt = Instant.MIN;
    private long since;
  }

  /** Returns the source of a request; behind a proxy that is configured, the address it gives. */
  String source(HttpRequest<?> request) {
    return proxyHeader
        .map(name -> request.getHeaders().getAll(name))
        .filter(said -> !said.isEmpty())
        .map(said -> said.getLast().substring(said.getLast().lastIndexOf(',') + 1).strip())
        .or(() ->
            Optional.ofNullable(request.getRemoteAddress().getAddress())
                .map(address -> address.getHostAddress()))
        .filter(address -> ADDRESS.matcher(address).matches())
        .map(Knocks::network)
        .orElse("unknown");
  }

  private static String network(String address) {
    if (address.indexOf(':') < 0) {
      return address;
    }
    try {
      // A literal address, by the pattern, so no name is resolved.
      var bytes = java.net.InetAddress.getByName(address).getAddress();
      if (bytes.length == GROUPS_OF_64) {
        return java.net.InetAddress.getByAddress(bytes).getHostAddress();
      }
      var network = new StringBuilder();
      for (int i = 0; i < GROUPS_OF_64; i++) {
        network.append("%x:".formatted((bytes[2 * i] & 0xff) << 8 | (bytes[2 * i + 1] & 0xff)));
      }
      return network + ":/64";
    } catch (java.net.UnknownHostException e) {
      return "unknown";
    }
  }

  /**
   * Counts a call of a source. If a log line is due, returns how many calls there were since the
   * last one, including this one.
   */
  synchronized OptionalLong knocked(String source) {
    var now = clock.instant();
    var calls = sources.get(source, it -> new Calls());
    calls.since++;
    while (!told.isEmpty() && !told.getFirst().plus(TOLD_EVERY).isAfter(now)) {
      told.removeFirst();
    }
    if ((!calls.toldAt.equals(Instant.MIN) && calls.toldAt.plus(TOLD_EVERY).isAfter(now))
        || told.size() >= LINES_A_MINUTE) {
      return OptionalLong.empty();
    }
    var count = calls.since;
    calls.since = 0;
    calls.toldAt = now;
    told.add(now);
    return OptionalLong.of(count);
  }
}
