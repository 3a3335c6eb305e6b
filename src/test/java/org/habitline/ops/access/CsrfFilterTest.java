package org.habitline.ops.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.habitline.ops.database.Doors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Other sites, and what every answer carries. */
class CsrfFilterTest {

  private static final AtomicInteger KEYS = new AtomicInteger();

  private static Doors doors;
  private static String cookie;

  /** A request that makes a key; no two keys have the same name. */
  private static String body() {
    return "{\"name\":\"key %d\",\"role\":\"staff\"}".formatted(KEYS.incrementAndGet());
  }

  @BeforeAll
  static void open() {
    doors = Doors.open(Map.of("habitline.public-url", "https://line.example/"));
    cookie = doors.signIn(Doors.ADMIN_KEY);
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  private static Doors.Call withSession() {
    return doors.at("/keys").header("Cookie", cookie);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://other.example",
        "null",
        "http://127.0.0.1:1",
        "https://line.example.evil",
        ":"
      })
  void aSessionIsOfNoUseToAnotherOrigin(String origin) {
    var answer = withSession().header("Origin", origin).json(body());
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.message())
        .isEqualTo("This request came from another site; use the pages of the service itself.");
  }

  @ParameterizedTest
  @CsvSource({"cross-site, 403", "same-site, 403", "same-origin, 201", "none, 201"})
  void theBrowsersOwnWordOnWhereARequestComesFromCounts(String site, int status) {
    var answer = withSession().header("Sec-Fetch-Site", site).json(body());
    assertThat(answer.status()).isEqualTo(status);
  }

  @Test
  void ourOwnPageAndThePublicAddressMayUseTheSession() {
    var own = withSession().header("Origin", "http://" + doors.host()).json(body());
    var fromOutside = withSession().header("Origin", "https://line.example").json(body());
    assertThat(own.status()).isEqualTo(201);
    assertThat(fromOutside.status()).isEqualTo(201);
  }

  @Test
  void aSessionWithoutAWordOnWhereItComesFromIsRefused() {
    assertThat(withSession().json(body()).status()).isEqualTo(403);
    assertThat(withSession().header("Authorization", "Basic eDp5").json(body()).status())
        .isEqualTo(403);
  }

  @Test
  void readingIsNotGuarded() {
    assertThat(withSession().header("Origin", "https://other.example").get().status())
        .isEqualTo(200);
  }

  @Test
  void scriptsWithAKeyAreNotAsked() {
    var answer =
        doors
            .at("/keys")
            .key(Doors.ADMIN_KEY)
            .header("Origin", "https://tool.example")
            .json(body());
    assertThat(answer.status()).isEqualTo(201);
  }

  @Test
  void anotherSiteCannotSignAnybodyIn() {
    var answer =
        doors
            .at("/login")
            .header("Origin", "https://other.example")
            .form("secret", Doors.ADMIN_KEY);
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.header("Set-Cookie")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/login",
        "/keys",
        "/nowhere",
        "/health",
        "/assets/lib/normalize.css/8.0.1/normalize.css"
      })
  void everyAnswerCarriesTheSecureHeaders(String path) {
    var answer = doors.at(path).get();
    assertThat(answer.header("Content-Security-Policy"))
        .contains("default-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(answer.header("Referrer-Policy")).isEqualTo("same-origin");
    assertThat(answer.header("Strict-Transport-Security")).isEqualTo("max-age=31536000");
    assertThat(answer.header("Cache-Control").contains("no-store"))
        .isEqualTo(!path.startsWith("/assets/"));
  }

  @Test
  void behindHttpsTheCookieTravelsOnlyOverHttps() {
    var answer = doors.at("/login").form("secret", Doors.ADMIN_KEY);
    assertThat(answer.header("Set-Cookie"))
        .startsWith("__Host-habitline_session=")
        .contains("Secure", "Path=/")
        .doesNotContain("Domain");
    var session = answer.cookie();
    assertThat(doors.at("/keys").header("Cookie", session).get().status()).isEqualTo(200);
    assertThat(doors.at("/keys").header("Cookie", session.replace("__Host-", "")).get().status())
        .isEqualTo(401);
  }

  @Test
  void theStyleOfThePagesIsServedToEverybody() {
    var login = doors.at("/login").browser().get();
    for (var sheet : List.of("/assets/lib/normalize.css/8.0.1/normalize.css", "/assets/app.css")) {
      assertThat(login.text()).contains(sheet);
      var style = doors.at(sheet).get();
      assertThat(style.status()).isEqualTo(200);
      assertThat(style.header("Content-Type")).startsWith("text/css");
    }
  }

  @Test
  void nothingBesideTheAssetsIsServedFromTheProgram() {
    assertThat(doors.at("/assets/lib/../../application.yml").get().status()).isEqualTo(404);
    assertThat(doors.at("/assets/%2e%2e/application.yml").get().status()).isEqualTo(404);
  }

  @Test
  void whatTheFrameworkWouldTellOfTheProgramIsNotThere() {
    for (var path :
        List.of(
            "/beans",
            "/info",
            "/routes",
            "/threaddump",
            "/flyway",
            "/refresh",
            "/loggers",
            "/loggers/ROOT",
            "/env",
            "/env/system",
            "/caches",
            "/stop",
            "/metrics",
            "/configprops",
            "/heapdump")) {
      assertThat(doors.at(path).get().status()).as(path).isEqualTo(404);
      assertThat(doors.at(path).key(Doors.ADMIN_KEY).get().status()).as(path).isEqualTo(404);
      assertThat(doors.at(path).key(Doors.ADMIN_KEY).json("{}").status()).as(path).isEqualTo(404);
    }
  }

  /** What comes back over a connection until the server closes it, or says nothing for a while. */
  private static String raw(String request) throws IOException {
    var address = doors.host().split(":", 2);
    try (var socket = new Socket(address[0], Integer.parseInt(address[1]))) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void aRequestWhoseLengthIsSaidInTwoWaysIsRefusedAndNothingAfterItIsRead() throws IOException {
    var smuggled = "GET /health HTTP/1.1\r\nHost: line.example\r\n\r\n";
    for (var said :
        List.of(
            "Content-Length: 4\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 4",
            "Transfer-Encoding: chunked\r\nContent-Length: 0",
            "transfer-encoding: CHUNKED\r\ncontent-length: 4",
            "Transfer-Encoding: identity, chunked\r\nContent-Length: 4",
            "Content-Length: 4\r\nContent-Length: 5",
            "Content-Length: 4, 5",
            "Content-Length: -1",
            "Content-Length: +4",
            "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: xchunked")) {
      var answers =
          raw(
              "POST /login HTTP/1.1\r\nHost: line.example\r\n"
                  + "Content-Type: application/x-www-form-urlencoded\r\n"
                  + said
                  + "\r\n\r\n0\r\n\r\n"
                  + smuggled);
      assertThat(answers).as(said).startsWith("HTTP/1.1 400 ");
      assertThat(answers.split("HTTP/1.1 ", -1)).as("answers to " + said).hasSize(2);
    }
  }
}
