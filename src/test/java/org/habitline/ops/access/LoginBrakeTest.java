package org.habitline.ops.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.habitline.Patience;
import org.habitline.ops.database.Doors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guessing at the sign-in page. */
class LoginBrakeTest {

  private static final String FORWARDED = "X-Forwarded-For";

  private static LoginBrake brake() {
    return new LoginBrake("", "");
  }

  @Test
  void anAddressThatTriesTooOftenWaitsAndOthersDoNot() {
    var brake = brake();
    var let = IntStream.range(0, 50).filter(i -> brake.mayTry("192.0.2.1")).count();
    assertThat(let).isBetween(20L, 25L);
    assertThat(brake.mayTry("192.0.2.2")).isTrue();
  }

  @Test
  void ofVeryManyAddressesTenThousandAreRemembered() {
    var brake = brake();
    IntStream.range(0, 11_000).forEach(i -> brake.mayTry("10.1." + i / 250 + "." + i % 250));
    assertThat(brake.remembered()).isBetween(9_000L, 10_000L);
    assertThat(brake.mayTry("192.0.2.1")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1",
    "192.0.2.1:51234, 192.0.2.1",
    "::ffff:192.0.2.1, 192.0.2.1",
    "2001:db8:1:2:3:4:5:6, 2001:db8:1:2::/64",
    "2001:db8:1:2::99, 2001:db8:1:2::/64",
    "[2001:db8:1:2::1]:443, 2001:db8:1:2::/64",
    "fe80::1%eth0, fe80::/64",
    "::1, ::1",
    "unknown, unknown"
  })
  void aSourceIsAnAddressOrTheNetworkOfAnIpv6One(String said, String source) {
    assertThat(LoginBrake.network(said)).isEqualTo(source);
  }

  @Test
  void wrongKeysShareTheBrakeAreCountedAndWrittenDownOnceAMinute() {
    try (var doors = Doors.open(Map.of("habitline.proxy-header", FORWARDED))) {
      var good = doors.newKey("good", "researcher").path("key").asText();
      var known = doors.newKey("known", "researcher").path("key").asText();
      assertThat(withKey(doors, known, "2001:db8::1")).isEqualTo(200);
      var answers =
          IntStream.range(0, 40)
              .mapToObj(i -> withKey(doors, "hl_guess-" + i, "2001:db8::" + i))
              .toList();
      assertThat(answers).contains(401, 429).endsWith(429);
      assertThat(guess(doors, "2001:db8::77")).as("the page, too").isEqualTo(429);
      assertThat(withKey(doors, good, "2001:db8::77")).as("a right guess, too").isEqualTo(429);
      assertThat(withKey(doors, known, "2001:db8::77")).as("what works there").isEqualTo(200);
      assertThat(withKey(doors, good, "2001:db8:0:1::1")).as("from elsewhere").isEqualTo(200);

      var refused = doors.bean(RefusedEntries.class);
      assertThat(refused.count(RefusedEntries.Door.KEY)).isEqualTo(41);
      assertThat(refused.count(RefusedEntries.Door.PAGE)).isOne();
      assertThat(doors.at("/prometheus").key(Doors.ADMIN_KEY).get().text())
          .contains("habitline_entry_refusals_total{door=\"key\"} 41.0");

      assertThat(audited(doors, "API key refused")).containsExactly("2001:db8::/64 null");
      assertThat(audited(doors, "sign-in refused")).containsExactly("2001:db8::/64 null");
      refused.write();
      assertThat(audited(doors, "API key refused"))
          .containsExactly("2001:db8::/64 40 more within a minute", "2001:db8::/64 null");
      refused.write();
      assertThat(audited(doors, "API key refused")).hasSize(2);
      assertThat(doors.at("/audit?limit=200").key(Doors.ADMIN_KEY).get().text())
          .doesNotContain("hl_guess");
    }
  }

  @Test
  void aProgramThatBeginsWithManyRequestsAtOnceIsNotTakenForSomebodyWhoGuesses() throws Exception {
    try (var doors = Doors.open(Map.of())) {
      var keyring = doors.bean(Keyring.class);
      var begun = new AtomicInteger();
      var looking = new AtomicInteger();
      var all = new CountDownLatch(1);
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        var callers =
            IntStream.range(0, 50)
                .mapToObj(i ->
                    threads.submit(() -> {
                      begun.incrementAndGet();
                      return keyring.find(
                          RefusedEntries.Door.KEY,
                          "192.0.2.9",
                          "a key",
                          () -> {
                            looking.incrementAndGet();
                            awaitOrFail(all);
                            return Optional.of("known");
                          });
                    }))
                .toList();
        Awaitility.await().until(() -> begun.get() == 50 && looking.get() > 0);
        all.countDown();
        for (var caller : callers) {
          assertThat(caller.get()).contains("known");
        }
      }
    }
  }

  private static void awaitOrFail(CountDownLatch latch) {
    try {
      assertThat(latch.await(Patience.LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int withKey(Doors doors, String key, String from) {
    return doors
        .at("/conversation/participants/import")
        .header(FORWARDED, from)
        .key(key)
        .get()
        .status();
  }

  private static List<String> audited(Doors doors, String action) {
    var entries =
        doors
            .at("/audit?action=" + action.replace(" ", "%20"))
            .key(Doors.ADMIN_KEY)
            .get()
            .json()
            .path("result");
    return StreamSupport.stream(entries.spliterator(), false)
        .map(entry -> entry.path("subject").asText() + " " + entry.path("new_value").asText("null"))
        .toList();
  }

  @Test
  void guessesFromVeryManyPlacesDoNotFloodTheAuditLog() {
    try (var doors = Doors.open(Map.of())) {
      var refused = doors.bean(RefusedEntries.class);
      IntStream.range(0, 1000)
          .forEach(i -> refused.refused(RefusedEntries.Door.KEY, "2001:db8:" + i + "::/64"));
      assertThat(audited(doors, "API key refused&limit=200"))
          .hasSize(101)
          .startsWith("many others null");
      refused.write();
      assertThat(audited(doors, "API key refused&limit=200"))
          .hasSize(102)
          .startsWith("many others 899 more within a minute");
    }
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
