package org.habitline.llm.openai;

import com.openai.core.RequestOptions;
import com.openai.core.Timeout;
import java.time.Duration;

/** Builds the time limit of one request. */
final class TimeLimit {

  /** The shortest time limit that OkHttp accepts. */
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);

  /** The longest wait for a connection; after it the server counts as unreachable. */
  private static final Duration LONGEST_CONNECT = Duration.ofSeconds(10);

  private TimeLimit() {}

  /**
   * Returns options that apply one time limit to every phase of a request. Without its own read
   * timeout a request would keep OkHttp's ten seconds, and every slower reply would be cut off and
   * requested again.
   */
  static RequestOptions of(Duration timeout) {
    var bound = timeout.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : timeout;
    return RequestOptions.builder()
        .timeout(
            Timeout.builder()
                .connect(bound.compareTo(LONGEST_CONNECT) < 0 ? bound : LONGEST_CONNECT)
                .read(bound)
                .write(bound)
                .request(bound)
                .build())
        .build();
  }
}
