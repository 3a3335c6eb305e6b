package org.habitline.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import org.habitline.llm.openai.Scripted;
import org.habitline.llm.openai.StrictFakeServer;
import org.habitline.timers.AllowedHours;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A rehearsal uses nothing that is configured for real participants. */
@ExtendWith(LoudAgain.class)
@Isolated("It sets properties of the whole process.")
@ResourceLock(Resources.SYSTEM_ERR) // A rehearsal sets the log of the process up anew.
final class RehearsalSettingsTest {

  @BeforeAll
  static void asTheProgramDoes() {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
  }

  @Test
  void whatIsConfiguredForRealStudiesIsNotTouched() {
    var real =
        Map.of(
            "openai.api-key", "sk-real",
            "openai.base-url", "http://127.0.0.1:9/v1",
            "twilio.account-sid", "AC00000000000000000000000000000000",
            "twilio.auth-token", "real",
            "twilio.sms-from", "+15005550006",
            "database.url", "postgres://real:real@127.0.0.1:9/real",
            "datasources.default.url", "jdbc:postgresql://127.0.0.1:9/real");
    real.forEach(System::setProperty);
    var plan =
        new Plan(
            1,
            1,
            LocalDate.parse("2026-03-05"),
            ZoneId.of("America/New_York"),
            AllowedHours.WHOLE_DAY,
            AllowedHours.read("08:00-21:00").orElseThrow(),
            null,
            1);
    Path home;
    try (var line = RehearsalService.open(plan, Path.of("").toAbsolutePath(), false)) {
      home = line.home();
      assertThat(line.rehearsal().database()).startsWith("jdbc:h2:file:" + home);
      assertThat(line.rehearsal().play(plan).report().anomalies()).isEmpty();
      assertThat(Files.exists(home)).isTrue();
    } finally {
      real.keySet().forEach(System::clearProperty);
    }
    assertThat(Files.exists(home)).isFalse();
  }

  @Test
  void theModelRepliesIfTheCommandAsksForIt() {
    try (var fake = StrictFakeServer.start()) {
      fake.otherwise(asked -> Scripted.say("How did it go?"));
      System.setProperty("openai.base-url", fake.baseUrl());
      var out = new ByteArrayOutputStream();
      var code =
          RehearseCommand.run(
              List.of("--with-model", "--participants", "1", "--days", "2"),
              Path.of("").toAbsolutePath(),
              new PrintStream(out, true, StandardCharsets.UTF_8),
              System.err);
      // A model that never schedules anything leaves every day without a prompt.
      assertThat(code).isOne();
      assertThat(out.toString(StandardCharsets.UTF_8))
          .startsWith("Rehearsal of the flow habit: 1 participants, 2 days from 2026-03-01")
          .contains("no prompt was sent, and no reason is recorded");
      assertThat(fake.asked()).isNotEmpty();
    } finally {
      System.clearProperty("openai.base-url");
    }
  }

  @Test
  void withoutAModelThereIsNoneToRehearse() {
    var err = new ByteArrayOutputStream();
    var code =
        RehearseCommand.run(
            List.of("--with-model", "--participants", "1", "--days", "1"),
            Path.of("").toAbsolutePath(),
            System.out,
            new PrintStream(err, true, StandardCharsets.UTF_8));
    assertThat(code).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("Nothing was rehearsed. No model is configured; set OPENAI_API_KEY");
  }
}
