package org.habitline.ops.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.icegreen.greenmail.store.FolderException;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.GreenMailUtil;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.codec.binary.Base32;
import org.habitline.MailServer;
import org.habitline.ops.database.Doors;
import org.habitline.storage.Transactions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever has the role safety hears of it when another gets it. */
final class SafetyGrantsTest {

  private static final Access.Who ADMIN = new Access.Who("Ada Root", KeyKind.ADMIN);
  private static final String NOBODY_IS_MAILED =
      "No one is mailed when it is granted, because config/study.yaml names no mail server (safety.email).";

  private static GreenMail mail;
  private static Doors doors;

  @BeforeAll
  static void open() throws IOException {
    mail = MailServer.start();
    var home = Doors.freshHome();
    Files.writeString(
        Files.createDirectories(home.resolve("config")).resolve("study.yaml"),
        """
        safety:
          time_zone: UTC
          email: {host: 127.0.0.1, port: %d, security: none, from: line@example.org}
          rota:
            - on call: {email: rota@example.org}
        """
            .formatted(mail.getSmtp().getPort()));
    doors = Doors.open(Map.of("habitline.home", home.toString()));
  }

  @AfterAll
  static void close() {
    doors.close();
    mail.stop();
  }

  /** Every test begins with nobody who has safety, and no mail. */
  @BeforeEach
  void begin() throws FolderException {
    mail.purgeEmailFromAllMailboxes();
  }

  @AfterEach
  void end() {
    await().until(() -> count("SELECT COUNT(*) FROM alert WHERE status = 'planned'") == 0);
    for (var account : accounts().list(Long.MAX_VALUE, 100)) {
      accounts().change(ADMIN, account.id(), new Accounts.Change(null, false, null));
    }
  }

  private static Accounts accounts() {
    return doors.bean(Accounts.class);
  }

  private static long count(String sql) {
    return doors
        .bean(Transactions.class)
        .readWith(connection -> {
          try (var statement = connection.prepareStatement(sql);
              var rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
          }
        });
  }

  private static Accounts.Invited invited(String name, boolean safety) {
    var rights = new Accounts.Rights(AccountRole.STAFF, safety);
    return accounts().invite(ADMIN, name, email(name), rights).orElseThrow();
  }

  private static String email(String name) {
    return name.replace(' ', '.') + "@study.example";
  }

  /** Somebody with an account that is active; returns its id. */
  private static String active(String name, boolean safety) {
    var invited = invited(name, safety);
    var factor = accounts().accept(invited.token(), "seven wet umbrellas dance").orElseThrow();
    var step = Instant.now().getEpochSecond() / 30;
    var code = OneTimeCodes.code(new Base32().decode(factor.secret()), step);
    assertThat(accounts().confirmInvitation(invited.token(), code, null, null)).isPresent();
    return invited.account().id();
  }

  private static void grant(String id) {
    accounts().change(ADMIN, id, new Accounts.Change(null, true, null));
  }

  private static List<String> mailedTo() {
    return Stream.of(mail.getReceivedMessages())
        .map(message -> {
          try {
            return message.getRecipients(Message.RecipientType.TO)[0].toString();
          } catch (MessagingException e) {
            throw new IllegalStateException(e);
          }
        })
        .sorted()
        .toList();
  }

  private static void mailed(String... names) {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() ->
            assertThat(mailedTo())
                .containsExactlyElementsOf(Stream.of(names).map(SafetyGrantsTest::email).toList()));
  }

  @Test
  void everyoneWithSafetyIsMailedWhoGrantedItToWhomAndWhen() {
    active("Bea Safe", true);
    var cem = active("Cem New", false);
    grant(cem);
    mailed("Bea Safe", "Cem New");
    assertThat(GreenMailUtil.getBody(mail.getReceivedMessages()[0]))
        .contains(
            "Ada Root granted the role safety to Cem New on "
                + LocalDate.now(ZoneOffset.UTC)
                + " at ")
        .contains(" UTC.");
    accounts().change(ADMIN, cem, new Accounts.Change(AccountRole.VIEWER, true, null));
    assertThat(count("SELECT COUNT(*) FROM alert_grant WHERE granted_to = 'Cem New'"))
        .as("they had it already")
        .isEqualTo(1);
  }

  @Test
  void anInvitationWithSafetyAndAKeyThatHasItAreMailed() {
    active("Dan Safe", true);
    invited("Eli Asked", true);
    mailed("Dan Safe");
    var access = doors.bean(Access.class);
    access.createKey(ADMIN, new Access.Wanted("of staff", KeyKind.STAFF, "Ada", null));
    access.createKey(ADMIN, new Access.Wanted("of metrics", KeyKind.METRICS, "Ada", null));
    access.createKey(ADMIN, new Access.Wanted("of an admin", KeyKind.ADMIN, "Ada", null));
    mailed("Dan Safe", "Dan Safe");
    assertThat(Stream.of(mail.getReceivedMessages()).map(GreenMailUtil::getBody))
        .anySatisfy(body ->
            assertThat(body)
                .contains("Ada Root granted the role safety to the key of an admin on "));
    assertThat(count("SELECT COUNT(*) FROM alert_grant WHERE granted_to LIKE 'the key %'"))
        .isEqualTo(1);
  }

  @Test
  void aMailIsPlannedWithTheGrantAndOnlyWithIt() {
    active("Fay Safe", true);
    var gus = active("Gus Undone", false);
    assertThatThrownBy(() ->
            doors
                .bean(Transactions.class)
                .write(() -> {
                  grant(gus);
                  assertThat(
                          count(
                              "SELECT COUNT(*) FROM alert a JOIN alert_grant g ON g.id = a.incident_id"
                                  + " WHERE g.granted_to = 'Gus Undone'"))
                      .as("to Fay and to Gus")
                      .isEqualTo(2);
                  throw new IllegalStateException("undone");
                }))
        .hasMessage("undone");
    assertThat(count("SELECT COUNT(*) FROM alert_grant WHERE granted_to = 'Gus Undone'")).isZero();
  }

  @Test
  void thePagesSayWhetherAnyoneIsMailed() {
    for (var path : List.of("/access/people", "/access")) {
      assertThat(doors.at(path).key(Doors.ADMIN_KEY).browser().get().text())
          .contains("Everyone whose account has safety is mailed when it is granted.");
    }
    try (var without = Doors.open(Map.of())) {
      for (var path : List.of("/access/people", "/access")) {
        assertThat(without.at(path).key(Doors.ADMIN_KEY).browser().get().text())
            .contains(NOBODY_IS_MAILED);
      }
      var rights = new Accounts.Rights(AccountRole.STAFF, true);
      var invited = without.bean(Accounts.class).invite(ADMIN, "Hal", "hal@study.example", rights);
      assertThat(invited).isPresent();
      var planned =
          without
              .bean(Transactions.class)
              .readWith(connection -> {
                try (var statement = connection.prepareStatement("SELECT id FROM alert_grant");
                    var rows = statement.executeQuery()) {
                  return rows.next();
                }
              });
      assertThat(planned).isFalse();
    }
  }
}
