package org.habitline.ops.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.commons.codec.binary.Base32;
import org.habitline.ops.database.Doors;
import org.habitline.staff.web.ApiProblem;
import org.habitline.staff.web.Passes;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** People of the staff: invited, signed in with two factors, and shown out again. */
@Order(1)
class AccountsTest {

  private static final String PASSWORD = "seven wet umbrellas dance";
  private static final Pattern KEY = Pattern.compile("id=\"factor-key\">([A-Z2-7 ]+)<");
  private static final Pattern CODES =
      Pattern.compile("[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}");
  private static final Pattern TOKEN = Pattern.compile("name=\"token\" value=\"([^\"]+)\"");
  private static final AtomicInteger PEOPLE = new AtomicInteger();

  private static Doors doors;

  @BeforeAll
  static void open() {
    doors = Doors.open(Map.of("habitline.proxy-header", "X-Test-Source"));
  }

  @AfterAll
  static void close() {
    doors.close();
  }

  /** Somebody with an account, and what they know and have. */
  private record Person(
      String id, String name, String email, String secret, List<String> recovery, String cookie) {}

  private static String form(String... pairs) {
    var form = new StringBuilder();
    for (int i = 0; i < pairs.length; i += 2) {
      form.append(i == 0 ? "" : "&")
          .append(pairs[i])
          .append('=')
          .append(URLEncoder.encode(pairs[i + 1], StandardCharsets.UTF_8));
    }
    return form.toString();
  }

  /** Each call comes from a new address, so that the brake per address is not in the way. */
  private static Doors.Call at(String path) {
    return doors.at(path).header("X-Test-Source", "192.0.2." + PEOPLE.incrementAndGet() % 250);
  }

  private static Doors.Answer post(String path, String cookie, String... pairs) {
    var call =
        at(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Sec-Fetch-Site", "same-origin");
    return (cookie.isEmpty() ? call : call.header("Cookie", cookie)).send("POST", form(pairs));
  }

  private static Doors.Answer get(String path, String cookie) {
    return at(path).header("Cookie", cookie).browser().get();
  }

  private static Doors.Answer accounts(String method, String path, String body) {
    return doors
        .at("/accounts" + path)
        .key(Doors.ADMIN_KEY)
        .header("Content-Type", "application/json")
        .send(method, body);
  }

  private static JsonNode invited(String name, String role, boolean safety) {
    var answer =
        accounts(
            "POST",
            "",
            "{\"name\":\"%s\",\"email\":\"%s@study.example\",\"role\":\"%s\",\"safety\":%s}"
                .formatted(name, name.replace(' ', '.'), role, safety));
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    return answer.json().path("result");
  }

  private static String token(JsonNode invitation) {
    return invitation.path("link").asText().replaceFirst(".*#token=", "");
  }

  private static Person person(String name, String role) {
    return person(name, role, false);
  }

  private static Person person(String name, String role, boolean safety) {
    var unlike = name + " " + PEOPLE.incrementAndGet();
    return accepted(invited(unlike, role, safety));
  }

  /** Sets a password and a second factor by the link. */
  private static Person accepted(JsonNode invitation) {
    var token = token(invitation);
    var shown = post("/invitation", "", "token", token, "password", PASSWORD);
    assertThat(shown.status()).as(shown.text()).isEqualTo(200);
    var secret = found(KEY, shown.text()).replace(" ", "");
    var done = post("/invitation/code", "", "token", token, "code", now(secret));
    assertThat(done.status()).as(done.text()).isEqualTo(200);
    var account = invitation.path("account");
    return new Person(
        account.path("id").asText(),
        account.path("name").asText(),
        account.path("email").asText(),
        secret,
        CODES.matcher(done.text()).results().map(it -> it.group()).toList(),
        done.cookie());
  }

  private static String found(Pattern pattern, String text) {
    var matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  private static long step() {
    return Instant.now().getEpochSecond() / 30;
  }

  private static String now(String secret) {
    return OneTimeCodes.code(new Base32().decode(secret), step());
  }

  /** The next code, which counts too; the one of now was used when the factor was confirmed. */
  private static String next(String secret) {
    return OneTimeCodes.code(new Base32().decode(secret), step() + 1);
  }

  private static Doors.Answer enter(String email, String password) {
    return post("/login/account", "", "email", email, "password", password);
  }

  private static Doors.Answer code(Doors.Answer afterPassword, String code) {
    return post("/login/code", "", "token", found(TOKEN, afterPassword.text()), "code", code);
  }

  private static int status(String path, String cookie) {
    return doors.at(path).header("Cookie", cookie).get().status();
  }

  private static List<String> audit(String action) {
    var entries = doors.at("/audit?limit=200").key(Doors.ADMIN_KEY).get().json().path("result");
    return entries.findParents("action").stream()
        .filter(entry -> entry.path("action").asText().equals(action))
        .map(entry -> entry.path("actor").asText())
        .toList();
  }

  private static void write(String sql, Object... values) {
    doors
        .bean(Transactions.class)
        .writeWith(connection -> {
          try (var statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
              statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
          }
        });
  }

  @Test
  void aPersonIsInvitedSetsBothFactorsAndSignsInWithThem() {
    var ada = person("Ada Marsh", "staff");
    assertThat(ada.recovery()).hasSize(10).doesNotHaveDuplicates();
    assertThat(status("/sending", ada.cookie())).isEqualTo(200);
    assertThat(get("/account", ada.cookie()).text()).contains(ada.name(), ada.email(), "10 left");

    var half = enter(" " + ada.email().toUpperCase(Locale.ROOT), PASSWORD);
    assertThat(half.status()).isEqualTo(200);
    assertThat(half.header("Set-Cookie")).isEmpty();
    var wrong = code(half, "000000");
    assertThat(wrong.status()).isEqualTo(401);
    assertThat(wrong.text()).contains("This code is wrong");
    var second = next(ada.secret());
    var right = code(half, second);
    assertThat(right.status()).isEqualTo(303);
    assertThat(right.header("Location")).isEqualTo("/");
    assertThat(status("/sending", right.cookie())).isEqualTo(200);
    assertThat(status("/keys", right.cookie())).isEqualTo(403);
    assertThat(audit("signed in")).contains(ada.name());
    assertThat(audit("invitation accepted")).contains(ada.name());

    // Neither the code nor what the password gave counts twice.
    assertThat(code(half, second).status()).isEqualTo(401);
    assertThat(code(enter(ada.email(), PASSWORD), second).status()).isEqualTo(401);
  }

  @Test
  void aRecoveryCodeCountsOnceInsteadOfTheSecondFactor() {
    var ben = person("Ben Alder", "viewer");
    var code = ben.recovery().getFirst();
    assertThat(code(enter(ben.email(), PASSWORD), code.replace("-", " ")).status()).isEqualTo(303);
    assertThat(code(enter(ben.email(), PASSWORD), code).status()).isEqualTo(401);
    assertThat(audit("recovery code used")).contains(ben.name());
    assertThat(get("/account", ben.cookie()).text()).contains("9 left");
  }

  @Test
  void anUnknownAddressIsAnsweredAsAWrongPasswordIs() {
    var cora = person("Cora Finch", "staff");
    var wrong = enter(cora.email(), "not the password");
    var nobody = enter("nobody@study.example", "not the password");
    assertThat(wrong.status()).isEqualTo(401);
    assertThat(nobody.status()).isEqualTo(401);
    assertThat(wrong.text()).contains("The e-mail address or the password is wrong.");
    assertThat(nobody.text().replace("nobody@study.example", cora.email())).isEqualTo(wrong.text());
    assertThat(accounts("GET", "", "").json().path("result").findParents("failed_sign_ins"))
        .anySatisfy(account -> {
          assertThat(account.path("id").asText()).isEqualTo(cora.id());
          assertThat(account.path("failed_sign_ins").asInt()).isEqualTo(1);
        });
    assertThat(audit("sign-in refused")).isNotEmpty();
  }

  @Test
  void guessesAtOneAccountAreBrakedFromWhereverTheyCome() {
    var dora = person("Dora Quill", "staff");
    for (int i = 0; i < 10; i++) {
      assertThat(enter(dora.email(), "guess " + i).status()).isEqualTo(401);
    }
    var braked = enter(dora.email(), PASSWORD);
    assertThat(braked.status()).isEqualTo(429);
    assertThat(braked.text()).contains("Too many attempts. Wait 15 minutes");
  }

  private static Doors.Answer enterFrom(String source, String email, String password) {
    return postFrom(source, "/login/account", form("email", email, "password", password));
  }

  private static Doors.Answer postFrom(String source, String path, String form) {
    return doors
        .at(path)
        .header("X-Test-Source", source)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Sec-Fetch-Site", "same-origin")
        .send("POST", form);
  }

  private static void guessUntilBraked(String email) {
    for (int i = 0; i < 10; i++) {
      enter(email, "guess " + i);
    }
    assertThat(enter(email, PASSWORD).status()).isEqualTo(429);
  }

  @Test
  void whoGuessesElsewhereKeepsNobodyOutWhereTheyCameInBefore() {
    var home = "198.51.100.7";
    var rob = person("Rob Teal", "staff");
    var half = enterFrom(home, rob.email(), PASSWORD);
    var signedIn =
        postFrom(
            home,
            "/login/code",
            form("token", found(TOKEN, half.text()), "code", next(rob.secret())));
    assertThat(signedIn.status()).isEqualTo(303);

    guessUntilBraked(rob.email());
    assertThat(enterFrom(home, rob.email(), PASSWORD).status()).isEqualTo(200);
    assertThat(enterFrom("198.51.100.8", rob.email(), PASSWORD).status()).isEqualTo(429);
    var wanted = "two rafts behind a green wall";
    var changed =
        post(
            "/account/password",
            signedIn.cookie(),
            "present_password",
            PASSWORD,
            "password",
            wanted);
    assertThat(changed.status()).as(changed.text()).isEqualTo(200);

    for (int i = 0; i < 10; i++) {
      enterFrom(home, rob.email(), "guess " + i);
    }
    assertThat(enterFrom(home, rob.email(), wanted).status()).as("there, too").isEqualTo(429);
  }

  @Test
  void guessesAtAnAddressKeepNobodyFromAcceptingAnInvitation() {
    var invitation = invited("Sol Wick", "staff", false);
    guessUntilBraked(invitation.path("account").path("email").asText());
    assertThat(accepted(invitation).recovery()).hasSize(10);
  }

  @Test
  void guessesInASessionAreBraked() {
    var tim = person("Tim Oak", "staff");
    for (int i = 0; i < 10; i++) {
      assertThat(post("/account/recovery-codes", tim.cookie(), "code", "000000").status())
          .isEqualTo(400);
    }
    assertThat(post("/account/recovery-codes", tim.cookie(), "code", next(tim.secret())).status())
        .isEqualTo(429);
  }

  @Test
  void anAddressWithControlCharactersIsAWrongOne() {
    assertThat(enter("some\u0000body@study.example", PASSWORD).status()).isEqualTo(401);
    var invited =
        accounts(
            "POST", "", "{\"name\":\"y\",\"email\":\"y\\u0000@study.example\",\"role\":\"staff\"}");
    assertThat(invited.status()).isEqualTo(400);
  }

  @Test
  void aSignInThatWaitsForItsCodeEndsWithAChange() {
    var uma = person("Uma Frost", "staff");
    var beforeRole = enter(uma.email(), PASSWORD);
    assertThat(accounts("PUT", "/" + uma.id(), "{\"role\":\"viewer\"}").status()).isEqualTo(200);
    assertThat(code(beforeRole, next(uma.secret())).status()).isEqualTo(401);

    var cookie = code(enter(uma.email(), PASSWORD), next(uma.secret())).cookie();
    assertThat(status("/participants", cookie)).isEqualTo(200);
    assertThat(status("/sending", cookie)).isEqualTo(403);
    var beforePassword = enter(uma.email(), PASSWORD);
    post(
        "/account/password",
        cookie,
        "present_password",
        PASSWORD,
        "password",
        "nine owls over the harbour");
    assertThat(code(beforePassword, uma.recovery().getFirst()).status()).isEqualTo(401);
  }

  @Test
  void aChangeOfARoleOfAnInvitedPersonKeepsTheirLink() {
    var invitation = invited("Val Gray", "staff", false);
    var id = invitation.path("account").path("id").asText();
    assertThat(accounts("PUT", "/" + id, "{\"role\":\"viewer\"}").status()).isEqualTo(200);
    var changed = accounts("PUT", "/" + id, "{\"safety\":true}").json().path("result");
    assertThat(changed.path("role").asText()).isEqualTo("viewer");
    assertThat(changed.path("safety").asBoolean()).isTrue();
    assertThat(accounts("PUT", "/" + id, "{\"role\":\"deidentified\"}").status()).isEqualTo(400);
    assertThat(status("/safety", accepted(invitation).cookie())).isEqualTo(200);
  }

  @Test
  void twoChangesAtOnceAreBothKept() throws Exception {
    var by = new Access.Who("admin", KeyKind.ADMIN);
    var accounts = doors.bean(Accounts.class);
    for (int i = 0; i < 10; i++) {
      var id =
          invited("Will Both " + PEOPLE.incrementAndGet(), "staff", false)
              .path("account")
              .path("id")
              .asText();
      try (var both = Executors.newVirtualThreadPerTaskExecutor()) {
        var role =
            both.submit(
                () -> accounts.change(by, id, new Accounts.Change(AccountRole.VIEWER, null, null)));
        var safety =
            both.submit(() -> accounts.change(by, id, new Accounts.Change(null, true, null)));
        role.get();
        safety.get();
      }
      var account = accounts.find(id).orElseThrow();
      assertThat(account.role()).isEqualTo(AccountRole.VIEWER);
      assertThat(account.safety()).isTrue();
    }
  }

  @Test
  void aConfirmationThatComesTooLateMakesNobodyActive() {
    var invitation = invited("Xena Ford", "staff", false);
    var id = invitation.path("account").path("id").asText();
    var rows = doors.bean(JdbcAccounts.class);
    post("/invitation", "", "token", token(invitation), "password", PASSWORD);
    var sealed =
        Objects.requireNonNull(doors.bean(Accounts.class).find(id).orElseThrow().totpPending());
    assertThat(accounts("PUT", "/" + id, "{\"state\":\"disabled\"}").status()).isEqualTo(200);
    var confirmed =
        doors
            .bean(Transactions.class)
            .write(() -> rows.confirm(id, sealed, step(), AccountState.INVITED));
    assertThat(confirmed).isZero();
    assertThat(post("/invitation/code", "", "token", token(invitation), "code", "000000").status())
        .isEqualTo(410);
  }

  @Test
  void aNewSecondFactorIsConfirmedInTheSessionThatAskedAndSoon() {
    var yan = person("Yan Elm", "staff");
    var elsewhere = code(enter(yan.email(), PASSWORD), yan.recovery().getFirst()).cookie();
    var shown = post("/account/second-factor", yan.cookie(), "present_password", PASSWORD);
    var secret = found(KEY, shown.text()).replace(" ", "");

    var other = post("/account/second-factor/code", elsewhere, "code", now(secret));
    assertThat(other.status()).isEqualTo(400);
    assertThat(other.text()).contains("That took too long.").doesNotContain("id=\"factor-key\"");

    write(
        "UPDATE account_pass SET expires_at = ? WHERE account_id = ?",
        OffsetDateTime.now(Clock.systemUTC()).minusSeconds(1),
        yan.id());
    var late = post("/account/second-factor/code", yan.cookie(), "code", now(secret));
    assertThat(late.status()).isEqualTo(400);
    assertThat(late.text()).contains("That took too long.").doesNotContain("id=\"factor-key\"");
    assertThat(code(enter(yan.email(), PASSWORD), next(yan.secret())).status()).isEqualTo(303);
  }

  @Test
  void aLinkWorksOnceAndForAWeek() {
    var invitation = invited("Eli Brook", "staff", false);
    accepted(invitation);
    var again = post("/invitation", "", "token", token(invitation), "password", PASSWORD);
    assertThat(again.status()).isEqualTo(410);
    assertThat(again.text()).contains("This link was used, has expired, or is incomplete.");

    var late = invited("Eli Late", "staff", false);
    write(
        "UPDATE account_pass SET expires_at = ? WHERE hash = ?",
        OffsetDateTime.now(Clock.systemUTC()).minusSeconds(1),
        Secrets.hash(token(late)));
    assertThat(post("/invitation", "", "token", token(late), "password", PASSWORD).status())
        .isEqualTo(410);

    var renewed =
        accounts("POST", "/" + late.path("account").path("id").asText() + "/invitation", "");
    assertThat(renewed.status()).isEqualTo(201);
    assertThat(accepted(renewed.json().path("result")).recovery()).hasSize(10);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "short | Expected 12 to 200 characters.",
        "passwordpassword | Easy to guess",
        "qwertyuiop12 | Easy to guess",
        "Faye Winter 1 | Easy to guess"
      })
  void aPasswordThatIsEasyToGuessIsRefusedBesideItsField(String password, String sentence) {
    var name = "Faye Winter " + PEOPLE.incrementAndGet();
    var answer =
        post(
            "/invitation", "", "token", token(invited(name, "staff", false)), "password", password);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("id=\"password-error\"", sentence);
  }

  @Test
  void aViewerLooksAndChangesNothing() {
    var participant =
        doors
            .at("/conversation/participants")
            .key(Doors.ADMIN_KEY)
            .json(
                "{\"phone_number\":\"+15550100188\",\"name\":\"Rae Stone\",\"channel\":\"simulator\"}")
            .json()
            .path("result")
            .path("id")
            .asText();
    var gil = person("Gil Marrow", "viewer");
    var page = "/participants/" + participant;
    for (var address : List.of("/", "/participants", page, "/study", "/system", "/simulator")) {
      var shown = get(address, gil.cookie());
      assertThat(shown.status()).as(address).isEqualTo(200);
      assertThat(shown.text())
          .as(address)
          .doesNotContain("5550100188")
          .doesNotContain("Stop all sending")
          .contains("action=\"/logout\"");
      // Everyone signs out, and chooses the columns of their own list.
      assertThat(shown.text().replace("action=\"/logout\"", ""))
          .as(address)
          .doesNotContainPattern(
              "<form[^>]*method=\"post\" action=\"(?!/account|/participants/columns|\")");
    }
    var seen = doors.at("/conversation" + page).header("Cookie", gil.cookie()).get();
    assertThat(seen.json().path("result").path("phone_number").asText()).isEqualTo("••• 0188");
    assertThat(get("/participants?q=0188", gil.cookie()).text()).contains("Rae Stone");
    for (var whole : List.of("5550100188", "+1555010018٨", "+١٥٥٥٠١٠٠١٨٨", "＋１５５５０１００１８８")) {
      var asked = "/participants?q=" + URLEncoder.encode(whole, StandardCharsets.UTF_8);
      assertThat(get(asked, gil.cookie()).status()).as(whole).isEqualTo(403);
    }

    var refused = post(page + "/messages", gil.cookie(), "text", "hello");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.message())
        .isEqualTo(
            "This needs the role staff; your account has viewer. An admin can change your role on"
                + " the page People.");
    assertThat(post("/participants", gil.cookie(), "phone_number", "+15550100199").status())
        .isEqualTo(403);
    assertThat(status("/safety", gil.cookie())).isEqualTo(403);
    assertThat(status("/conversation" + page + "/state", gil.cookie())).isEqualTo(403);
    assertThat(audit("conversation read")).contains(gil.name());
  }

  @Test
  void aResearcherEnrolsOnThePagesAndSeesNoControlOfStaff() {
    var hugo = person("Hugo Vale", "researcher");
    var list = get("/participants", hugo.cookie()).text();
    assertThat(list).contains("action=\"/participants\"", "/participants/import");
    var enrolled =
        post(
            "/participants",
            hugo.cookie(),
            "phone_number",
            "+15550100177",
            "name",
            "Noa Field",
            "channel",
            "simulator");
    assertThat(enrolled.status()).as(enrolled.text()).isEqualTo(303);
    var page = get(enrolled.header("Location"), hugo.cookie());
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text())
        .contains("/study\"")
        .doesNotContain("/messages\"")
        .doesNotContain("/erase\"")
        .doesNotContain("Stop all sending");
    assertThat(post(enrolled.header("Location") + "/messages", hugo.cookie(), "text", "x").status())
        .isEqualTo(403);
  }

  @Test
  void aDeidentifiedResearcherSeesTheFiguresOnly() {
    var ines = person("Ines Park", "deidentified");
    var half = enter(ines.email(), PASSWORD);
    assertThat(code(half, next(ines.secret())).header("Location")).isEqualTo("/study");
    assertThat(get("/study", ines.cookie()).text()).doesNotContain("href=\"/participants\"");
    assertThat(status("/study/data-package", ines.cookie())).isEqualTo(200);
    var refused = doors.at("/participants").header("Cookie", ines.cookie()).get();
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.message()).startsWith("Your account is limited to de-identified data");

    var staff = person("Uma Reed", "staff");
    var enrolled =
        post(
            "/participants",
            staff.cookie(),
            "phone_number",
            "+15550100178",
            "name",
            "Dana Fictional",
            "channel",
            "simulator");
    var phone = enrolled.header("Location") + "/simulator/texts";
    var _ = post(phone, staff.cookie(), "text", "I want to kill myself tonight");
    await()
        .untilAsserted(() ->
            assertThat(get("/account", staff.cookie()).text())
                .contains("Dana Fictional may be in danger."));
    assertThat(get("/account", ines.cookie()).text())
        .contains("Someone may be in danger.")
        .doesNotContain("Dana Fictional");
  }

  @Test
  void safetyStandsBesideARole() {
    var jo = person("Jo Heron", "viewer", true);
    assertThat(status("/safety", jo.cookie())).isEqualTo(200);
    assertThat(status("/sending", jo.cookie())).isEqualTo(403);
    var admin = person("Kim Lark", "admin");
    assertThat(status("/keys", admin.cookie())).isEqualTo(200);
    assertThat(status("/safety", admin.cookie())).isEqualTo(403);
    var both =
        accounts(
            "POST",
            "",
            "{\"name\":\"x\",\"email\":\"x@study.example\",\"role\":\"deidentified\",\"safety\":true}");
    assertThat(both.status()).isEqualTo(400);
    assertThat(both.message()).startsWith("safety: not with the role deidentified");
  }

  @Test
  void aChangeOfRoleAndDisablingEndTheSessions() {
    var lea = person("Lea Moss", "staff");
    assertThat(accounts("PUT", "/" + lea.id(), "{\"role\":\"researcher\"}").status())
        .isEqualTo(200);
    assertThat(status("/account", lea.cookie())).isEqualTo(401);
    var again = code(enter(lea.email(), PASSWORD), next(lea.secret())).cookie();
    assertThat(status("/sending", again)).isEqualTo(403);
    assertThat(status("/conversation/participants/import", again)).isEqualTo(200);

    // What an open event stream or chat holds is found to have ended.
    var pass = IssuedPasses.session(Secrets.hash(again.substring(again.indexOf('=') + 1)));
    assertThat(doors.bean(Passes.class).ended(Set.of(pass))).isEmpty();
    assertThat(accounts("PUT", "/" + lea.id(), "{\"state\":\"disabled\"}").status()).isEqualTo(200);
    assertThat(doors.bean(Passes.class).ended(Set.of(pass))).containsExactly(pass);
    assertThat(status("/account", again)).isEqualTo(401);
    assertThat(enter(lea.email(), PASSWORD).status()).isEqualTo(401);
    assertThat(accounts("PUT", "/" + lea.id(), "{\"state\":\"active\"}").status()).isEqualTo(200);
    assertThat(enter(lea.email(), PASSWORD).status()).isEqualTo(200);
  }

  @Test
  void anAdminResetsASignInAndTheFormerOneWorksNoMore() {
    var max = person("Max Reed", "staff");
    var link = accounts("POST", "/" + max.id() + "/invitation", "").json().path("result");
    assertThat(status("/account", max.cookie())).isEqualTo(401);
    assertThat(enter(max.email(), PASSWORD).status()).isEqualTo(401);
    var again = accepted(link);
    assertThat(code(enter(max.email(), PASSWORD), max.recovery().getFirst()).status())
        .isEqualTo(401);
    assertThat(code(enter(max.email(), PASSWORD), again.recovery().getFirst()).status())
        .isEqualTo(303);
  }

  @Test
  void peopleChangeTheirOwnPasswordSecondFactorAndCodes() {
    var nia = person("Nia Dale", "viewer");
    var elsewhere = code(enter(nia.email(), PASSWORD), nia.recovery().getFirst()).cookie();
    var wanted = "a lamp under nine blue stairs";
    var wrong =
        post("/account/password", nia.cookie(), "present_password", "no", "password", wanted);
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.text()).contains("Wrong.");
    var changed =
        post("/account/password", nia.cookie(), "present_password", PASSWORD, "password", wanted);
    assertThat(changed.status()).as(changed.text()).isEqualTo(200);
    assertThat(status("/account", elsewhere)).isEqualTo(401);
    assertThat(status("/account", nia.cookie())).isEqualTo(200);
    assertThat(enter(nia.email(), PASSWORD).status()).isEqualTo(401);

    var shown = post("/account/second-factor", nia.cookie(), "present_password", wanted);
    var secret = found(KEY, shown.text()).replace(" ", "");
    var refused = post("/account/second-factor/code", nia.cookie(), "code", "000000");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("id=\"factor-key\"", "id=\"code-error\"");
    var confirmed = post("/account/second-factor/code", nia.cookie(), "code", now(secret));
    assertThat(confirmed.status()).as(confirmed.text()).isEqualTo(200);
    assertThat(CODES.matcher(confirmed.text()).results().count()).isEqualTo(10);
    assertThat(code(enter(nia.email(), wanted), next(nia.secret())).status()).isEqualTo(401);

    var renewed = post("/account/recovery-codes", nia.cookie(), "code", next(secret));
    assertThat(renewed.status()).as(renewed.text()).isEqualTo(200);
    assertThat(CODES.matcher(renewed.text()).results().count()).isEqualTo(10);
    assertThat(audit("password changed")).contains(nia.name());
    assertThat(audit("second factor changed")).contains(nia.name());

    var seq =
        found(
            Pattern.compile("action=\"/account/sessions/(\\d+)/end\""),
            get("/account", nia.cookie()).text());
    assertThat(post("/account/sessions/" + seq + "/end", nia.cookie()).status()).isEqualTo(303);
    assertThat(status("/account", nia.cookie())).isEqualTo(401);
  }

  private static JsonNode madeKey(Doors.Call call, String name, String role) {
    var answer =
        call.header("Sec-Fetch-Site", "same-origin")
            .json("{\"name\":\"%s\",\"role\":\"%s\"}".formatted(name, role));
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    return answer.json().path("result");
  }

  private static int statusWith(JsonNode key, String path) {
    return at(path).key(key.path("key").asText()).get().status();
  }

  private static List<String> revoked(String actor) {
    var entries = doors.at("/audit?limit=200").key(Doors.ADMIN_KEY).get().json().path("result");
    return entries.findParents("action").stream()
        .filter(entry -> entry.path("action").asText().equals("key revoked"))
        .filter(entry -> entry.path("actor").asText().equals(actor))
        .map(entry -> entry.path("old_value").asText() + ": " + entry.path("reason").asText())
        .toList();
  }

  /** The keys of an admin: one of their session, one made with that, one of the pages' session. */
  private record Made(JsonNode own, JsonNode byKey, JsonNode bySession, String cookie) {
    private static Made by(Person admin) {
      var name = admin.name();
      var own = madeKey(at("/keys").header("Cookie", admin.cookie()), name + " own", "admin");
      var secret = own.path("key").asText();
      var byKey = madeKey(at("/keys").key(secret), name + " by key", "researcher");
      var cookie = doors.signIn(secret);
      var bySession = madeKey(at("/keys").header("Cookie", cookie), name + " by page", "metrics");
      return new Made(own, byKey, bySession, cookie);
    }

    private List<Integer> answers() {
      return List.of(
          statusWith(own, "/keys"),
          statusWith(byKey, "/conversation/participants/import"),
          statusWith(bySession, "/prometheus"),
          status("/keys", cookie));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Ana Root | {\"role\":\"staff\"} | {\"role\":\"admin\"}",
        "Bob Root | {\"state\":\"disabled\"} | {\"state\":\"active\"}"
      })
  void theKeysOfAnAdminEndWithTheirRoleForGood(String who, String change, String back) {
    var admin = person(who, "admin");
    var keys = Made.by(admin);
    var others = doors.newKey("not of " + admin.name(), "admin");
    assertThat(keys.answers()).containsOnly(200);
    var ends = List.of(admin.name() + " own", admin.name() + " by key", admin.name() + " by page");
    var root = doors.signIn(Doors.ADMIN_KEY);
    assertThat(get("/access/people", root).text())
        .containsSubsequence(
            "id=\"" + admin.id(),
            "These keys end for good",
            ends.get(0),
            ends.get(1),
            ends.get(2),
            "Change role");
    assertThat(doors.at("/keys?limit=200").key(Doors.ADMIN_KEY).get().json().path("result"))
        .filteredOn(key -> key.path("account_id").asText().equals(admin.id()))
        .extracting(key -> key.path("name").asText())
        .containsExactlyInAnyOrderElementsOf(ends);

    assertThat(accounts("PUT", "/" + admin.id(), change).status()).isEqualTo(200);
    assertThat(keys.answers()).containsOnly(401);
    assertThat(statusWith(others, "/keys")).isEqualTo(200);
    assertThat(revoked("admin"))
        .contains(
            ends.get(0) + ", admin: The account with which it ends is no longer an active admin.",
            ends.get(1)
                + ", researcher: The account with which it ends is no longer an active admin.",
            ends.get(2)
                + ", metrics: The account with which it ends is no longer an active admin.");

    assertThat(accounts("PUT", "/" + admin.id(), back).status()).isEqualTo(200);
    assertThat(keys.answers()).as("not revived").containsOnly(401);
    assertThat(get("/access/people", root).text()).doesNotContain(ends.get(0));
  }

  @Test
  void aResetOfASignInEndsNoKeyButDisablingAfterwardsDoes() {
    var admin = person("Cal Root", "admin");
    var keys = Made.by(admin);
    assertThat(accounts("POST", "/" + admin.id() + "/invitation", "").status()).isEqualTo(201);
    assertThat(keys.answers()).containsOnly(200);
    assertThat(accounts("PUT", "/" + admin.id(), "{\"safety\":true}").status()).isEqualTo(200);
    assertThat(keys.answers()).as("still an admin").containsOnly(200);
    assertThat(accounts("PUT", "/" + admin.id(), "{\"state\":\"disabled\"}").status())
        .isEqualTo(200);
    assertThat(keys.answers()).containsOnly(401);
  }

  @Test
  void aKeyEndsWithAnAccountThatIsErased() {
    var admin = person("Dee Root", "admin");
    var keys = Made.by(admin);
    write("DELETE FROM account_pass WHERE account_id = ?", admin.id());
    write("DELETE FROM recovery_code WHERE account_id = ?", admin.id());
    write("DELETE FROM account WHERE id = ?", admin.id());
    assertThat(keys.answers()).containsOnly(401);
    assertThat(status("/account", admin.cookie())).isEqualTo(401);
  }

  @Test
  void whoeverStoppedBeingAnAdminMeanwhileMakesNoKey() {
    var admin = person("Eve Root", "admin");
    var by = new Access.Who(admin.name(), KeyKind.ADMIN, false, null, admin.id(), 1L);
    assertThat(accounts("PUT", "/" + admin.id(), "{\"role\":\"staff\"}").status()).isEqualTo(200);
    assertThatThrownBy(() ->
            doors
                .bean(Access.class)
                .createKey(by, new Access.Wanted("too late", KeyKind.ADMIN, "Eve", null)))
        .isInstanceOf(ApiProblem.class)
        .hasMessageContaining("no longer an active admin");
  }

  @Test
  void theLastAdminStaysUnlessAKeyIsLeft() {
    try (var locked = Doors.open(Map.of("habitline.admin-key", ""))) {
      var admin = locked.bean(Accounts.class);
      var by = new Access.Who("login link", KeyKind.ADMIN);
      var invited =
          admin
              .invite(
                  by,
                  "Only Admin",
                  "only@study.example",
                  new Accounts.Rights(AccountRole.ADMIN, false))
              .orElseThrow();
      var factor = admin.accept(invited.token(), PASSWORD).orElseThrow();
      var session =
          admin
              .confirmInvitation(invited.token(), now(factor.secret()), null, null)
              .orElseThrow()
              .session();
      var cookie = "habitline_session=" + session;
      var page = "/access/people/" + invited.account().id();
      var refused =
          locked
              .at(page)
              .header("Cookie", cookie)
              .header("Sec-Fetch-Site", "same-origin")
              .form("state", "disabled");
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.text()).contains("This is the last admin.");

      var own =
          locked
              .at("/keys")
              .header("Cookie", cookie)
              .header("Sec-Fetch-Site", "same-origin")
              .json("{\"name\":\"a key that ends too\",\"role\":\"admin\"}");
      assertThat(own.status()).isEqualTo(201);
      assertThat(
              locked
                  .at(page)
                  .header("Cookie", cookie)
                  .header("Sec-Fetch-Site", "same-origin")
                  .form("state", "disabled")
                  .status())
          .isEqualTo(409);

      var spare = new Access.Wanted("a spare key", KeyKind.ADMIN, "nobody", null);
      assertThat(locked.bean(Access.class).createKey(by, spare)).isPresent();
      assertThat(
              locked
                  .at(page)
                  .header("Cookie", cookie)
                  .header("Sec-Fetch-Site", "same-origin")
                  .form("state", "disabled")
                  .status())
          .isEqualTo(303);
    }
  }

  @Test
  void anAdminInvitesOnThePageAndIsToldWhatIsWrongBesideTheField() {
    var admin = doors.signIn(Doors.ADMIN_KEY);
    var wrong = post("/access/people", admin, "name", "Oda Ray", "email", "oda", "role", "viewer");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.text())
        .contains("id=\"email-error\"", "Expected an e-mail address", "Oda Ray");
    var made =
        post(
            "/access/people",
            admin,
            "name",
            "Oda Ray",
            "email",
            "oda@study.example",
            "role",
            "viewer");
    assertThat(made.status()).isEqualTo(200);
    assertThat(made.text()).contains("/invitation#token=", "invited");
    assertThat(get("/access/people", admin).text()).contains("Oda Ray").doesNotContain("#token=");
    var taken =
        post(
            "/access/people",
            admin,
            "name",
            "ODA RAY",
            "email",
            "other@study.example",
            "role",
            "viewer");
    assertThat(taken.status()).isEqualTo(409);
    assertThat(taken.text()).contains("already used");
    assertThat(
            doors
                .at("/keys")
                .key(Doors.ADMIN_KEY)
                .json("{\"name\":\"oda ray\",\"role\":\"staff\"}")
                .status())
        .isEqualTo(409);
  }

  @Test
  void aKeyHasAnOwnerALastUseAndALastDay() {
    var today = LocalDate.now(ZoneOffset.UTC);
    var made =
        doors
            .at("/keys")
            .key(Doors.ADMIN_KEY)
            .json(
                "{\"name\":\"expiring\",\"role\":\"staff\",\"owner\":\"Pia Stern\",\"expires_on\":\"%s\"}"
                    .formatted(today))
            .json()
            .path("result");
    var key = made.path("key").asText();
    assertThat(doors.at("/sending").key(key).get().status()).isEqualTo(200);
    var pass = IssuedPasses.key(Secrets.hash(key));
    assertThat(doors.bean(Passes.class).ended(Set.of(pass))).isEmpty();
    var listed = doors.at("/keys").key(Doors.ADMIN_KEY).get().json().path("result").path(0);
    assertThat(listed.path("owner").asText()).isEqualTo("Pia Stern");
    assertThat(Instant.parse(listed.path("expires_at").asText()))
        .isEqualTo(today.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant());
    assertThat(listed.path("last_used_at").asText()).startsWith(today.toString());

    write(
        "UPDATE api_key SET expires_at = ? WHERE id = ?",
        OffsetDateTime.parse("2026-03-01T00:00:00Z"),
        made.path("id").asText());
    var expired = doors.at("/sending").key(key).get();
    assertThat(expired.status()).isEqualTo(401);
    assertThat(expired.message()).startsWith("This key expired on 2026-03-01.");
    var refusals = doors.bean(RefusedEntries.class).count(RefusedEntries.Door.PAGE);
    var page = post("/login", "", "secret", key);
    assertThat(page.status()).isEqualTo(401);
    assertThat(page.text()).contains("This key expired on 2026-03-01.", "Sign in");
    assertThat(doors.bean(RefusedEntries.class).count(RefusedEntries.Door.PAGE))
        .isEqualTo(refusals + 1);
    assertThat(doors.bean(Passes.class).ended(Set.of(pass))).containsExactly(pass);

    var late =
        doors
            .at("/keys")
            .key(Doors.ADMIN_KEY)
            .json("{\"name\":\"late\",\"role\":\"staff\",\"expires_on\":\"2020-01-01\"}");
    assertThat(late.status()).isEqualTo(400);
    assertThat(late.message()).startsWith("expires_on: expected a day from today on");
  }

  @Test
  void aSessionOfAKeyEndsWithTheKey() {
    var made = doors.newKey("ends soon", "staff");
    var end = OffsetDateTime.now(Clock.systemUTC()).plusHours(1).truncatedTo(ChronoUnit.SECONDS);
    write("UPDATE api_key SET expires_at = ? WHERE id = ?", end, made.path("id").asText());
    var cookie = doors.signIn(made.path("key").asText());
    var sessions = doors.at("/sessions").header("Cookie", cookie).get().json().path("result");
    assertThat(sessions).hasSize(1);
    assertThat(Instant.parse(sessions.path(0).path("expires_at").asText()))
        .isEqualTo(end.toInstant());
  }

  @Test
  void secretsAreNeitherStoredReadableNorLogged() throws Exception {
    var quin = person("Quin Ash", "staff");
    var rows =
        doors
            .bean(Transactions.class)
            .readWith(connection -> {
              try (var statement =
                  connection.prepareStatement(
                      "SELECT password_hash, totp_secret FROM account WHERE id = ?")) {
                statement.setString(1, quin.id());
                try (var found = statement.executeQuery()) {
                  found.next();
                  return List.of(found.getString(1), found.getString(2));
                }
              }
            });
    assertThat(rows.getFirst()).startsWith("$argon2id$").doesNotContain(PASSWORD);
    assertThat(rows.getLast()).doesNotContain(quin.secret());
    var home = Path.of(doors.context().getRequiredProperty("habitline.home", String.class));
    assertThat(Files.readString(home.resolve("accounts.key")).strip()).hasSize(64);
  }
}
