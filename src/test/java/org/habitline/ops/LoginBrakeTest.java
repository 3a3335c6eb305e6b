package org.habitline.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Guessing at the sign-in page. */
class LoginBrakeTest {

  private static final String FORWARDED = "X-Forwarded-For";

  private static LoginBrake brake() {
    return new LoginBrake("");
  }

  @Test
  void anAddressThatTriesTooOftenWaitsAndOthersDoNot() {
    var brake = brake();
    var let = IntStream.range(0, 50).filter(i -> brake.mayTry("192.0.2.1")).count();
    assertThat(let).isBetween(20L, 25L);
    assertThat(brake.mayTry("192.0.2.2")).isTrue();
  }

  @Test
  void anEleventhThousandAddressIsRememberedInPlaceOfTheFirst() {
    var brake = brake();
    IntStream.range(0, 25).forEach(i -> brake.mayTry("192.0.2.1"));
    assertThat(brake.mayTry("192.0.2.1")).isFalse();
    IntStream.range(0, 10_000).forEach(i -> brake.mayTry("10.1." + i / 250 + "." + i % 250));
    assertThat(brake.mayTry("192.0.2.1")).isTrue();
  }

  @Test
  void thePageSaysThatOneHasToWait() {
    try (var doors = Doors.open(Map.of())) {
      var answer = doors.at("/login").browser().form("secret", "guess");
      for (int i = 0; i < 30 && answer.status() == 401; i++) {
        answer = doors.at("/login").browser().form("secret", "guess");
      }
      assertThat(answer.status()).isEqualTo(429);
      assertThat(answer.text()).contains("Too many attempts. Wait a minute and try again.");
    }
  }

  private static int guess(Doors doors, String forwarded) {
    return doors.at("/login").browser().header(FORWARDED, forwarded).form("secret", "x").status();
  }

  @Test
  void behindAProxyWhoGuessesKeepsNobodyElseOut() {
    try (var doors = Doors.open(Map.of("habitline.proxy-header", FORWARDED))) {
      for (int i = 0; i < 30; i++) {
        // Whatever the proxy passes on may be invented; what it adds is not.
        guess(doors, "10.0.0." + i + ", 192.0.2.1");
      }
      assertThat(guess(doors, "192.0.2.1")).isEqualTo(429);
      assertThat(guess(doors, "192.0.2.1, 192.0.2.2")).isEqualTo(401);
    }
  }

  @Test
  void withoutAProxyNobodyBelievesWhatARequestSaysOfItsOrigin() {
    try (var doors = Doors.open(Map.of())) {
      var statuses = IntStream.range(0, 30).map(i -> guess(doors, "192.0.2." + i)).boxed().toList();
      assertThat(statuses).contains(429);
    }
  }
}
