package org.habitline.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What whoever starts the line is told. */
class BannerTest {

  private static Doors doors;

  @BeforeAll
  static void open() {
    doors = Doors.open(Map.of("habitline.admin-key", ""));
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  private static String banner(String host, String publicUrl) {
    var out = new ByteArrayOutputStream();
    new Banner(
            doors.bean(LanguageModel.class),
            doors.bean(Channels.class),
            doors.bean(Access.class),
            host,
            publicUrl,
            "/srv/line")
        .print(8080, new PrintStream(out, true, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void itNamesAddressModelChannelAndData() {
    assertThat(banner("127.0.0.1", ""))
        .contains(
            "Habitline is up at http://127.0.0.1:8080",
            "phone simulator",
            "data:    /srv/line/data")
        .containsIgnoringCase("rehearsal");
  }

  @Test
  void itsLinkSignsIn() {
    var link =
        banner("127.0.0.1", "")
            .lines()
            .filter(line -> line.contains("sign in: http://127.0.0.1:8080/login?token="))
            .findFirst()
            .orElseThrow();
    var cookie = doors.signIn(link.replaceFirst(".*token=", ""));
    assertThat(doors.at("/sample/admin").header("Cookie", cookie).get().status()).isEqualTo(200);
  }

  @Test
  void everyBannerHasALinkOfItsOwn() {
    assertThat(banner("127.0.0.1", "")).isNotEqualTo(banner("127.0.0.1", ""));
  }

  @Test
  void withAnAdminKeyThereIsNoLink() {
    try (var closed = Doors.open(Map.of())) {
      var out = new ByteArrayOutputStream();
      closed.bean(Banner.class).print(8080, new PrintStream(out, true, StandardCharsets.UTF_8));
      assertThat(out.toString(StandardCharsets.UTF_8)).contains("is up at").doesNotContain("token");
    }
  }

  @Test
  void whereOthersCanReachTheLineThereIsNoLink() {
    assertThat(banner("0.0.0.0", "")).contains("is up at").doesNotContain("token");
  }

  @Test
  void addressesAreOnesThatABrowserTakes() {
    assertThat(banner("::1", ""))
        .contains("is up at http://[::1]:8080\n", "http://[::1]:8080/login");
    assertThat(banner("127.0.0.1", "https://line.example/"))
        .contains(
            "is up at http://127.0.0.1:8080\n",
            "public:  https://line.example\n",
            "https://line.example/login?token=");
  }
}
