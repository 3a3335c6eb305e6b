package org.habitline.ops.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.habitline.ops.database.Doors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How many requests one key or session may send. */
class RequestRateTest {

  private static Doors doors;

  @BeforeAll
  static void open() {
    doors = Doors.open(Map.of("habitline.requests-per-minute", "10"));
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  @Test
  void whoAsksTooOftenIsToldWhenToComeAgainAndNobodyElseIs() {
    var busy = doors.newKey("busy", "researcher").path("key").asText();
    var quiet = doors.newKey("quiet", "staff").path("key").asText();
    var refused = afterTenAnswers(() -> doors.at("/conversation/participants").key(busy).get());
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.message()).contains("at most 10 a minute");
    assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(1, 6);
    assertThat(doors.at("/conversation/participants").key(quiet).get().status()).isEqualTo(200);

    var session = doors.signIn(quiet);
    var page = afterTenAnswers(() -> doors.at("/").browser().header("Cookie", session).get());
    assertThat(page.status()).isEqualTo(429);
    assertThat(page.text()).contains("<html", "Too many requests");
    assertThat(doors.at("/assets/app.css").header("Cookie", session).get().status()).isEqualTo(200);
  }

  /** Asks until it is refused: slow requests earn one more answer every six seconds. */
  private static Doors.Answer afterTenAnswers(Supplier<Doors.Answer> request) {
    var began = System.nanoTime();
    var answered = 0;
    var answer = request.get();
    while (answer.status() == 200) {
      answered++;
      answer = request.get();
    }
    var earned = (int) (Duration.ofNanos(System.nanoTime() - began).toSeconds() / 6) + 1;
    assertThat(answered).isBetween(10, 10 + earned);
    return answer;
  }

  @Test
  void whatHasNoKeyIsNotCounted() {
    IntStream.range(0, 30)
        .forEach(i -> assertThat(doors.at("/health").get().status()).isEqualTo(200));
  }
}
