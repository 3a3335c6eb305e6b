package org.habitline.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Guessing at the sign-in page. */
class LoginBrakeTest {

  private static InetSocketAddress from(String address) {
    return new InetSocketAddress(address, 40_000);
  }

  @Test
  void anAddressThatTriesTooOftenWaitsAndOthersDoNot() {
    var brake = new LoginBrake();
    var let = IntStream.range(0, 50).filter(i -> brake.mayTry(from("192.0.2.1"))).count();
    assertThat(let).isBetween(20L, 25L);
    assertThat(brake.mayTry(from("192.0.2.2"))).isTrue();
  }

  @Test
  void anEleventhThousandAddressIsRememberedInPlaceOfTheFirst() {
    var brake = new LoginBrake();
    IntStream.range(0, 25).forEach(i -> brake.mayTry(from("192.0.2.1")));
    assertThat(brake.mayTry(from("192.0.2.1"))).isFalse();
    IntStream.range(0, 10_000).forEach(i -> brake.mayTry(from("10.1." + i / 250 + "." + i % 250)));
    assertThat(brake.mayTry(from("192.0.2.1"))).isTrue();
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
}
