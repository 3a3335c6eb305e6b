package org.habitline.ops.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.runtime.server.event.ServerStartupEvent;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.habitline.audit.AuditLog;
import org.habitline.ops.database.Doors;
import org.habitline.ops.database.TestRoutes;
import org.habitline.safety.alerts.Alerting;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who comes in, and how far. */
class AccessTest {

  /** A route for each role. */
  private static final Map<String, String> ROUTES =
      Map.of(
          "researcher", "/conversation/participants/import", "staff", "/sending", "admin", "/keys");

  private static Doors doors;

  @BeforeAll
  static void open() {
    doors = Doors.open(Map.of());
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  /** The same doors, so many hours later. */
  private static Access later(Duration time) {
    return access(time, Doors.ADMIN_KEY);
  }

  private static Access access(Duration later, String adminKey) {
    return new Access(
        doors.bean(JdbcAccess.class),
        doors.bean(JdbcAccounts.class),
        doors.bean(AuditLog.class),
        doors.bean(Alerting.class),
        transactions(),
        Clock.offset(Clock.systemUTC(), later),
        adminKey,
        Duration.ofHours(1));
  }

  private static Optional<String> signIn(Access access, String secret, String name) {
    return access.signIn(new Access.Visit(secret, name, "192.0.2.1", null));
  }

  /** The secret in a cookie. */
  private static String secret(String cookie) {
    return cookie.substring(cookie.indexOf('=') + 1);
  }

  private static Transactions transactions() {
    return doors.bean(Transactions.class);
  }

  @ParameterizedTest
  @CsvSource({
    "researcher, researcher, 200", "researcher, staff, 403", "researcher, admin, 403",
    "staff, researcher, 200", "staff, staff, 200", "staff, admin, 403",
    "admin, researcher, 200", "admin, staff, 200", "admin, admin, 200"
  })
  void aRoleIncludesTheOnesBelowIt(String role, String route, int status) {
    var key = doors.newKey("a script for " + role + " at " + route, role).path("key").asText();
    var answer = doors.at(Objects.requireNonNull(ROUTES.get(route))).key(key).get();
    assertThat(answer.status()).isEqualTo(status);
    if (status == 403) {
      assertThat(answer.message())
          .isEqualTo(
              "This needs the role %1$s; the key or session has %2$s. An admin can make a key with the role %1$s for you, on the page Keys or with POST /keys."
                  .formatted(route, role));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"admin", "Login link", "HABITLINE", "ward 9"})
  void aNameThatSomeoneActsUnderIsTaken(String name) {
    if (name.equals("ward 9")) {
      doors.newKey("Ward 9", "researcher");
    }
    var answer =
        doors
            .at("/keys")
            .key(Doors.ADMIN_KEY)
            .json("{\"name\":\"%s\",\"role\":\"researcher\"}".formatted(name));
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.message()).startsWith("name: already used by another key or reserved");
  }

  @Test
  void theNameOfARevokedKeyIsFreeAgain() {
    var made = doors.newKey("Ward 10", "staff");
    doors.at("/keys/" + made.path("id").asText()).key(Doors.ADMIN_KEY).send("DELETE", "");
    assertThat(doors.newKey("Ward 10", "staff").path("key").asText()).startsWith("hl_");
  }

  @Test
  void theKeyFromOutsideIsAnAdmins() {
    assertThat(doors.at("/keys").key(Doors.ADMIN_KEY).get().status()).isEqualTo(200);
  }

  @Test
  void aRouteThatNobodyOpenedIsClosedToEverybody() {
    assertThat(doors.at(TestRoutes.FORGOTTEN).get().status()).isEqualTo(401);
    assertThat(doors.at(TestRoutes.FORGOTTEN).key(Doors.ADMIN_KEY).get().status()).isEqualTo(403);
  }

  @Test
  void withoutAKeyTheAnswerSaysHowToShowOne() {
    var answer = doors.at("/sending").get();
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.message())
        .isEqualTo("Send an API key as 'Authorization: Bearer …', or sign in on the page.");
    var wrong = doors.at("/sending").key("hl_wrong").get();
    assertThat(wrong.status()).isEqualTo(401);
    assertThat(wrong.message())
        .startsWith("This key is not valid: it is mistyped, revoked or expired.")
        .doesNotContain("hl_wrong");
  }

  @Test
  void aBrowserWithoutASessionGoesToSignIn() {
    var answer = doors.at("/sending").browser().get();
    assertThat(answer.status()).isEqualTo(303);
    assertThat(answer.header("Location")).isEqualTo("/login");
  }

  @Test
  void aPartOfAPageWhoseSessionEndedSendsTheWholePageToSignIn() {
    var answer = doors.at("/sending").header("HX-Request", "true").get();
    assertThat(answer.header("HX-Redirect")).isEqualTo("/login");
  }

  @Test
  void openingALoginLinkUsesNothingUpAndPostingItDoesOnce() {
    var token = doors.bean(Access.class).newLogin();
    for (int i = 0; i < 2; i++) {
      // The browser sends nothing of what stands behind the number sign, where the token is.
      var page = doors.at("/login").browser().get();
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.text()).contains("<form method=\"post\"", "id=\"by-link\"");
    }
    assertThat(doors.at("/login?token=" + token).browser().get().text()).doesNotContain(token);
    var signedIn = doors.at("/login").browser().form("secret", token);
    assertThat(signedIn.status()).isEqualTo(303);
    assertThat(signedIn.header("Location")).isEqualTo("/");
    assertThat(signedIn.header("Set-Cookie"))
        .contains("habitline_session=", "SameSite=Strict", "Path=/", "Max-Age=43200")
        .containsIgnoringCase("HttpOnly")
        .doesNotContain("Secure");
    assertThat(doors.at("/keys").header("Cookie", signedIn.cookie()).get().status()).isEqualTo(200);

    var again = doors.at("/login").browser().form("secret", token);
    assertThat(again.status()).isEqualTo(401);
    assertThat(again.text()).contains("This link was used or has expired");
    assertThat(again.header("Set-Cookie")).isEmpty();
  }

  @Test
  void ofManyPostsOfOneLinkAtOnceOneOpensASession() throws Exception {
    var token = doors.bean(Access.class).newLogin();
    var access = doors.bean(Access.class);
    Callable<Boolean> post = () -> signIn(access, token, "").isPresent();
    var opened = new ArrayList<Boolean>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var one : threads.invokeAll(List.of(post, post, post, post, post, post))) {
        opened.add(one.get());
      }
    }
    assertThat(opened).containsOnlyOnce(true);
  }

  @Test
  void aKeyIsMadeOnThePageAndShownOnce() {
    var cookie = doors.signIn(Doors.ADMIN_KEY);
    var page =
        doors
            .at("/access")
            .header("Cookie", cookie)
            .header("Sec-Fetch-Site", "same-origin")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .send("POST", "name=Made+on+the+page&role=researcher&deidentified=true");
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text()).contains("Made on the page", "hl_", "de-identified only");
    assertThat(doors.at("/access").header("Cookie", cookie).browser().get().text())
        .contains("Made on the page")
        .doesNotContain("hl_");
  }

  @Test
  void whoeverComesInByALinkIsCalledWhatTheySayBesideIt() {
    var access = doors.bean(Access.class);
    var session = signIn(access, access.newLogin(), " Sam\u0000 of\nthe team ").orElseThrow();
    assertThat(access.session(session, true).orElseThrow().name())
        .isEqualTo("Sam of the team (login link)");
    var nobody = signIn(access, access.newLogin(), " ").orElseThrow();
    assertThat(access.session(nobody, true).orElseThrow().name()).isEqualTo("login link");
  }

  @Test
  void aLoginLinkRunsOutAfterADay() {
    var token = doors.bean(Access.class).newLogin();
    assertThat(signIn(later(Duration.ofHours(24)), token, "")).isEmpty();
    assertThat(signIn(later(Duration.ofHours(23)), token, "")).isPresent();
  }

  @Test
  void aLoginLinkThatNobodyUsedEndsWhenTheNextStartPrintsOne() {
    var access = doors.bean(Access.class);
    var former = access.newLogin();
    var session = signIn(access, access.newLogin(), "").orElseThrow();
    assertThat(signIn(access, former, "")).isEmpty();
    var printed = access.newLogin();
    assertThat(access.session(session, true)).as("a session stays").isPresent();
    assertThat(signIn(access, printed, "")).isPresent();
  }

  @Test
  void aStartWithAnAdminKeyEndsTheLoginLinksOfEarlierStarts() {
    var link = doors.bean(Access.class).newLogin();
    access(Duration.ZERO, "").start(new ServerStartupEvent(doors.bean(EmbeddedServer.class)));
    later(Duration.ZERO).start(new ServerStartupEvent(doors.bean(EmbeddedServer.class)));
    assertThat(signIn(doors.bean(Access.class), link, "")).isEmpty();
  }

  @Test
  void aSessionRunsOutAfterTwelveHoursHoweverMuchItIsUsed() {
    var session = secret(doors.signIn(doors.newKey("Ward 23", "staff").path("key").asText()));
    for (int minutes = 50; minutes < 12 * 60; minutes += 50) {
      assertThat(access(Duration.ofMinutes(minutes), "").session(session, true)).isPresent();
    }
    assertThat(access(Duration.ofHours(12), "").session(session, true)).isEmpty();
  }

  @Test
  void aSessionThatNobodyUsesForAnHourHasEnded() {
    var session = secret(doors.signIn(Doors.ADMIN_KEY));
    assertThat(later(Duration.ofMinutes(59)).session(session, false)).isPresent();
    assertThat(later(Duration.ofMinutes(61)).session(session, true)).isEmpty();
  }

  @Test
  void aPageThatRefreshesItselfDoesNotKeepASession() {
    var cookie = doors.signIn(Doors.ADMIN_KEY);
    transactions()
        .writeWith(connection -> {
          try (var back =
              connection.prepareStatement("UPDATE session SET last_used_at = ? WHERE hash = ?")) {
            back.setObject(1, OffsetDateTime.now(Clock.systemUTC()).minusMinutes(30));
            back.setString(2, Secrets.hash(secret(cookie)));
            return back.executeUpdate();
          }
        });
    doors.at("/sending").header("Cookie", cookie).header("HX-Request", "true").get();
    assertThat(idle(cookie)).isGreaterThan(Duration.ofMinutes(29));
    doors.at("/sending").header("Cookie", cookie).get();
    assertThat(idle(cookie)).isLessThan(Duration.ofMinutes(5));
  }

  private static Duration idle(String cookie) {
    var sessions =
        doors
            .at("/sessions")
            .header("Cookie", cookie)
            .header("HX-Request", "true")
            .get()
            .json()
            .path("result");
    for (var session : sessions) {
      if (session.path("current").asBoolean()) {
        return Duration.between(
            Instant.parse(session.path("last_used_at").asText()), Clock.systemUTC().instant());
      }
    }
    throw new AssertionError(sessions);
  }

  @Test
  void anotherAdminKeyFromOutsideEndsTheSessionsOfTheFormerOne() {
    var session = secret(doors.signIn(Doors.ADMIN_KEY));
    var link = signIn(doors.bean(Access.class), doors.bean(Access.class).newLogin(), "");
    var stored = secret(doors.signIn(doors.newKey("Ward 20", "staff").path("key").asText()));

    var rotated = access(Duration.ZERO, "another-admin-key-from-outside");
    assertThat(rotated.session(session, true)).isEmpty();
    assertThat(rotated.session(stored, true)).isPresent();
    assertThat(rotated.session(link.orElseThrow(), true)).isPresent();
    assertThat(later(Duration.ZERO).session(session, true)).isPresent();

    rotated.start(new ServerStartupEvent(doors.bean(EmbeddedServer.class)));
    assertThat(later(Duration.ZERO).session(session, true)).isEmpty();
    assertThat(rotated.session(stored, true)).isPresent();
  }

  @Test
  void whoeverSignsInAgainLeavesTheSessionTheyHad() {
    var before = doors.signIn(Doors.ADMIN_KEY);
    var again =
        doors
            .at("/login")
            .header("Cookie", before)
            .header("Origin", "http://" + doors.host())
            .form("secret", Doors.ADMIN_KEY)
            .cookie();
    assertThat(doors.at("/sending").header("Cookie", before).get().status()).isEqualTo(401);
    assertThat(doors.at("/sending").header("Cookie", again).get().status()).isEqualTo(200);
  }

  private static List<String> sessions(String cookie) {
    return doors
        .at("/sessions?limit=200")
        .header("Cookie", cookie)
        .get()
        .json()
        .path("result")
        .findValuesAsText("seq");
  }

  private static int end(String seq, String cookie) {
    return doors
        .at("/sessions/" + seq)
        .header("Cookie", cookie)
        .header("Origin", "http://" + doors.host())
        .send("DELETE", "")
        .status();
  }

  @Test
  void sessionsAreListedAndEndedByAdminsAndByThoseWhoseTheyAre() {
    var key = doors.newKey("Ward 21", "staff").path("key").asText();
    var one = doors.signIn(key);
    var other = doors.signIn(key);
    var stranger = doors.signIn(doors.newKey("Ward 22", "staff").path("key").asText());
    var admin = doors.signIn(Doors.ADMIN_KEY);

    var own = sessions(one);
    assertThat(own).hasSize(2);
    assertThat(sessions(stranger)).hasSize(1).doesNotContainAnyElementsOf(own);
    assertThat(sessions(admin)).containsAll(own).containsAll(sessions(stranger));

    assertThat(end(own.getFirst(), stranger)).isEqualTo(404);
    assertThat(end(own.getFirst(), one)).isEqualTo(200);
    assertThat(doors.at("/sending").header("Cookie", other).get().status()).isEqualTo(401);
    assertThat(end(own.getFirst(), one)).isEqualTo(404);

    var page = doors.at("/access/sessions").header("Cookie", admin).browser().get().text();
    assertThat(page).contains("Ward 21", "Ward 22", "this browser", "127.0.0.1");
    doors
        .at("/access/sessions/" + own.getLast() + "/end")
        .header("Cookie", admin)
        .header("Origin", "http://" + doors.host())
        .form("x", "");
    assertThat(doors.at("/sending").header("Cookie", one).get().status()).isEqualTo(401);
    assertThat(
            column(
                "SELECT concat(actor, ': ', action, ' ', subject) FROM audit_event WHERE action = 'session ended'"))
        .contains(
            "Ward 21: session ended session " + own.getFirst() + " of Ward 21",
            "admin: session ended session " + own.getLast() + " of Ward 21");
  }

  @Test
  void whoeverStopsAllSendingOnAPageUnderAccessComesBackToOneTheyMayOpen() {
    var staff = doors.signIn(doors.newKey("Ward 24", "staff").path("key").asText());
    for (var address : List.of("/access/sessions", "/access")) {
      var page = doors.at(address).header("Cookie", staff).browser().get().text();
      var back = page.replaceFirst("(?s).*name=\"back\" value=\"([^\"]*)\".*", "$1");
      var led =
          doors
              .at("/sending/stop/form")
              .header("Cookie", staff)
              .header("Origin", "http://" + doors.host())
              .header("Content-Type", "application/x-www-form-urlencoded")
              .send("POST", "reason=a+test&back=" + back);
      assertThat(led.status()).isEqualTo(303);
      assertThat(doors.at(led.header("Location")).header("Cookie", staff).browser().get().status())
          .as(led.header("Location"))
          .isEqualTo(200);
      assertThat(led.header("Location")).isEqualTo("/access/sessions");
      doors.at("/sending").key(Doors.ADMIN_KEY).send("PUT", "{\"sending\":true}");
    }
  }

  @Test
  void staffSignInWithTheirKeyAndResearchersDoNot() {
    var staff = doors.newKey("Ward 3", "staff").path("key").asText();
    var researcher = doors.newKey("a script", "researcher").path("key").asText();
    var cookie = doors.signIn(staff);
    assertThat(doors.at("/sending").header("Cookie", cookie).get().status()).isEqualTo(200);
    assertThat(doors.at("/keys").header("Cookie", cookie).get().status()).isEqualTo(403);
    assertThat(doors.at("/login").form("secret", researcher).status()).isEqualTo(401);
  }

  @Test
  void signingOutEndsTheSession() {
    var cookie = doors.signIn(Doors.ADMIN_KEY);
    var out =
        doors
            .at("/logout")
            .header("Cookie", cookie)
            .header("Origin", "http://" + doors.host())
            .form("x", "");
    assertThat(out.status()).isEqualTo(303);
    assertThat(out.header("Set-Cookie")).contains("Max-Age=0");
    assertThat(doors.at("/sending").header("Cookie", cookie).get().status()).isEqualTo(401);
  }

  @Test
  void aSessionIsNoKeyAndAKeyIsNoSession() {
    var session = secret(doors.signIn(Doors.ADMIN_KEY));
    assertThat(doors.at("/sending").key(session).get().status()).isEqualTo(401);
    assertThat(doors.at("/sending").key("session " + session).get().status()).isEqualTo(401);
    assertThat(
            doors
                .at("/sending")
                .header("Cookie", "habitline_session=" + Doors.ADMIN_KEY)
                .get()
                .status())
        .isEqualTo(401);
  }

  @Test
  void aRevokedKeyOpensNothingAndTakesItsSessionsAlong() {
    var made = doors.newKey("Ward 6", "staff");
    var key = made.path("key").asText();
    var cookie = doors.signIn(key);
    var other = doors.signIn(doors.newKey("Ward 7", "staff").path("key").asText());
    var path = "/keys/" + made.path("id").asText();

    assertThat(doors.at(path).key(Doors.ADMIN_KEY).send("DELETE", "").status()).isEqualTo(200);

    assertThat(doors.at("/sending").key(key).get().status()).isEqualTo(401);
    assertThat(doors.at("/sending").header("Cookie", cookie).get().status()).isEqualTo(401);
    assertThat(doors.at("/sending").header("Cookie", other).get().status()).isEqualTo(200);
    assertThat(doors.at(path).key(Doors.ADMIN_KEY).send("DELETE", "").status()).isEqualTo(404);
  }

  @Test
  void aKeyIsShownOnceAndKeptAsAHash() {
    var made = doors.newKey("kept", "researcher");
    var key = made.path("key").asText();
    var list = doors.at("/keys").key(Doors.ADMIN_KEY).get();
    assertThat(list.text()).contains(made.path("id").asText(), "\"created_at\":\"2");
    assertThat(list.text()).doesNotContain(key, Secrets.hash(key));
    assertThat(column("SELECT hash FROM api_key")).contains(Secrets.hash(key)).doesNotContain(key);
  }

  @Test
  void keysAreListedNewestFirstPageByPage() {
    var older = doors.newKey("an older one", "metrics").path("id").asText();
    var newer = doors.newKey("a newer one", "staff").path("id").asText();
    var page = doors.at("/keys?limit=1").key(Doors.ADMIN_KEY).get().json();
    assertThat(page.path("result").findValuesAsText("id")).containsExactly(newer);
    var next = page.path("next_cursor").asText();
    var second = doors.at("/keys?limit=1&cursor=" + next).key(Doors.ADMIN_KEY).get().json();
    assertThat(second.path("result").findValuesAsText("id")).containsExactly(older);
    assertThat(second.at("/result/0/role").asText()).isEqualTo("metrics");
    assertThat(doors.at("/keys?limit=0").key(Doors.ADMIN_KEY).get().status()).isEqualTo(400);
    assertThat(doors.at("/access?cursor=x").key(Doors.ADMIN_KEY).browser().get().status())
        .isEqualTo(400);
    assertThat(doors.at("/access?cursor=" + next).key(Doors.ADMIN_KEY).browser().get().text())
        .contains("an older one")
        .doesNotContain("a newer one");
  }

  @Test
  void makingAndRevokingAKeyIsAudited() {
    var made = doors.newKey("watched", "staff").path("id").asText();
    doors.at("/keys/" + made).key(Doors.ADMIN_KEY).send("DELETE", "");
    assertThat(
            column(
                "SELECT concat(actor, ' ', role, ' ', action) FROM audit_event WHERE subject = '"
                    + made
                    + "' ORDER BY seq"))
        .containsExactly("admin admin key created", "admin admin key revoked");
    assertThat(
            column(
                "SELECT old_value FROM audit_event WHERE action = 'key revoked' AND subject = '"
                    + made
                    + "'"))
        .containsExactly("watched, staff");
  }

  private static JsonNode made(String fields) {
    var answer = doors.at("/keys").key(Doors.ADMIN_KEY).json("{\"role\":\"staff\"," + fields + "}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    return answer.json().path("result");
  }

  /** When a key ends whose last day is this one. */
  private static String endOf(LocalDate lastDay) {
    return lastDay.plusDays(1) + "T00:00:00Z";
  }

  @Test
  void aNewKeyEndsAfterAYearUnlessAnotherDayOrNeverIsChosen() {
    var today = LocalDate.now(ZoneOffset.UTC);
    assertThat(made("\"name\":\"for a year\"").path("expires_at").asText())
        .isEqualTo(endOf(today.plusYears(1)));
    assertThat(
            made("\"name\":\"for a week\",\"expires_on\":\"%s\"".formatted(today.plusDays(7)))
                .path("expires_at")
                .asText())
        .isEqualTo(endOf(today.plusDays(7)));
    var never = made("\"name\":\"for ever\",\"expires_on\":\"never\"");
    assertThat(never.path("expires_at").isMissingNode()).isTrue();
    var listed = doors.at("/keys?limit=1").key(Doors.ADMIN_KEY).get().json().at("/result/0");
    assertThat(listed.path("name").asText()).isEqualTo("for ever");
    assertThat(listed.path("expires_at").isMissingNode()).isTrue();
    assertThat(listed.path("account_id").isMissingNode()).as("nobody's").isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2020-01-01", "9999-01-01", "tomorrow", "2026-02-30"})
  void aLastDayThatIsNoneIsRefusedBesideItsField(String day) {
    var rest =
        doors
            .at("/keys")
            .key(Doors.ADMIN_KEY)
            .json(
                "{\"name\":\"wrong day\",\"role\":\"staff\",\"expires_on\":\"%s\"}".formatted(day));
    assertThat(rest.status()).isEqualTo(400);
    assertThat(rest.message())
        .isEqualTo(
            "expires_on: expected a day from today on and at most ten years ahead, such as 2027-03-31, or never.");
    var page = onThePage("name=wrong+day&role=staff&owner=Pia&expires_on=" + day);
    assertThat(page.status()).isEqualTo(400);
    assertThat(page.text())
        .contains("id=\"expires_on-error\"", "Expected a day from today on", "value=\"Pia\"")
        .doesNotContain("hl_");
  }

  private static Doors.Answer onThePage(String form) {
    return doors
        .at("/access")
        .header("Cookie", doors.signIn(Doors.ADMIN_KEY))
        .header("Sec-Fetch-Site", "same-origin")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", form);
  }

  @Test
  void theFormOfAKeyProposesAYearAndOffersNever() {
    var inAYear = LocalDate.now(ZoneOffset.UTC).plusYears(1);
    assertThat(doors.at("/access").key(Doors.ADMIN_KEY).browser().get().text())
        .contains("value=\"" + inAYear + "\"", "name=\"never\"");
    assertThat(onThePage("name=left+blank&role=staff&expires_on=").status()).isEqualTo(200);
    assertThat(onThePage("name=ticked&role=staff&never=on&expires_on=" + inAYear).status())
        .isEqualTo(200);
    assertThat(
            column(
                "SELECT concat(name, ' ', CASE WHEN expires_at IS NULL THEN 'never' ELSE 'ends' END)"
                    + " FROM api_key WHERE name IN ('left blank', 'ticked') ORDER BY seq"))
        .containsExactly("left blank ends", "ticked never");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"role\":\"staff\"} | name: expected 1 to 200 characters.",
        "{\"name\":\" \",\"role\":\"staff\"} | name: expected 1 to 200 characters.",
        "{\"name\":\"x\u202Ey\",\"role\":\"staff\"} | name: contains invisible characters that change the writing direction, such as U+202E; remove them.",
        "{\"name\":\"x\"} | role: expected one of viewer, researcher, staff, safety, admin, metrics.",
        "{\"name\":\"x\",\"role\":\"root\"} | role: expected one of viewer, researcher, staff, safety, admin, metrics.",
        "{\"name\":\"x\",\"role\":\"deidentified\"} | role: expected one of viewer, researcher, staff, safety, admin, metrics.",
        "{\"name\":\"x\",\"role\":\"staff\",\"deidentified\":true} | deidentified: only a key with the role researcher can be limited to de-identified data."
      })
  void aKeyNeedsANameAndARole(String body, String sentence) {
    var answer = doors.at("/keys").key(Doors.ADMIN_KEY).json(body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).isEqualTo(sentence);
  }

  @Test
  void onlyAdminsSeeKeys() {
    var staff = doors.newKey("Ward 5", "staff").path("key").asText();
    assertThat(doors.at("/keys").key(staff).get().status()).isEqualTo(403);
  }

  @Test
  void secretsStandNowhereInTheDatabase() {
    var token = doors.bean(Access.class).newLogin();
    var session = secret(doors.signIn(token));
    assertThat(column("SELECT hash FROM login_token")).doesNotContain(token);
    assertThat(column("SELECT hash FROM session"))
        .contains(Secrets.hash(session))
        .doesNotContain(session);
  }

  private static List<String> column(String sql) {
    return transactions()
        .readWith(connection -> {
          try (var statement = connection.prepareStatement(sql);
              var rows = statement.executeQuery()) {
            var found = new ArrayList<String>();
            while (rows.next()) {
              found.add(rows.getString(1));
            }
            return found;
          }
        });
  }
}
