package org.habitline.safety.alerts;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.habitline.Hashes;
import org.habitline.messaging.Channels;
import org.habitline.messaging.outbox.LaunchGate;
import org.habitline.participants.ChannelKind;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Sends test alerts and holds the real channels until one was acknowledged and had been sent by two
 * methods; as there is one method by Twilio, one of them is another. After the first one, a test is
 * sent every week. Real channels do not close again while the methods stay the same: the mail
 * server, the webhook, and whether alerts go by SMS. Safe for any number of threads.
 */
@Singleton
public final class TestAlerts implements LaunchGate {

  private static final String WEEKLY = "habitline";

  /** How long a test may stay without an acknowledgement before staff are warned. */
  static final Duration ACKNOWLEDGED_WITHIN = Duration.ofHours(24);

  /** How old the newest test that passed may be: a week, and a day to acknowledge it. */
  static final Duration STALE_AFTER = Duration.ofDays(8);

  private final Optional<AlertPlan> plan;
  private final String methods;
  private final JdbcAlertTests rows;
  private final JdbcAlerts alerts;
  private final Channels channels;
  private final Transactions transactions;
  private final Clock systemClock;

  /** Whether real channels are open; they do not close again. */
  private volatile boolean open;

  TestAlerts(
      StudyFile study,
      JdbcAlertTests rows,
      JdbcAlerts alerts,
      Channels channels,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.plan = study.safety();
    this.methods = study.safety().map(TestAlerts::fingerprint).orElse("");
    this.rows = rows;
    this.alerts = alerts;
    this.channels = channels;
    this.transactions = transactions;
    this.systemClock = systemClock;
    this.open = plan.isEmpty();
  }

  private static String fingerprint(AlertPlan plan) {
    var methods =
        plan.mailServer().map(it -> it.host() + ":" + it.port() + " " + it.from()).orElse("")
            + "\n"
            + plan.webhook().map(Object::toString).orElse("")
            + "\n"
            + plan.methods();
    return Hashes.sha256(methods);
  }

  @Override
  public boolean isClosed() {
    if (!open) {
      open = transactions.read(() -> rows.passed(methods)) > 0;
    }
    return !open;
  }

  /**
   * Plans a test alert for everybody on the rota; joins the running transaction.
   *
   * @throws AlertTestRefused if the study names nobody to alert
   */
  public AlertTest start(String by) {
    if (plan.isEmpty()) {
      throw new AlertTestRefused(
          StudyFile.NAME + " has no section safety, so there is no one to alert.");
    }
    return transactions.write(() -> start(plan.get(), by, null).orElseThrow());
  }

  private Optional<AlertTest> start(AlertPlan whom, String by, @Nullable Instant slot) {
    var id = Ids.next("tst");
    var now = systemClock.instant();
    if (rows.insert(id, now, by, slot, methods) == 0) {
      return Optional.empty();
    }
    for (int i = 0; i < whom.rota().size(); i++) {
      var person = whom.rota().get(i);
      for (var method : Alerting.methods(whom, person)) {
        // The place on the rota stands where alerts of incidents have their round.
        var _ = alerts.plan(Ids.next("alr"), id, null, i, method, person.name(), now);
      }
    }
    return rows.find(id).map(JdbcAlertTests.Row::test);
  }

  /**
   * Records that somebody saw a test alert.
   *
   * @return the test as it is now, or empty if there is none with this id
   * @throws AlertTestRefused if somebody acknowledged it before
   */
  public Optional<AlertTest> acknowledge(String id, String by) {
    return transactions.write(() -> {
      if (rows.find(id).isPresent() && rows.acknowledge(id, systemClock.instant(), by) == 0) {
        throw new AlertTestRefused("Someone has acknowledged this test already.");
      }
      return rows.find(id).map(JdbcAlertTests.Row::test);
    });
  }

  /**
   * Sends the weekly test if it is due, and marks a test that passed; called often.
   *
   * @param launch called in the transaction that marks it, so that what waited is sent
   */
  void look(Runnable launch) {
    if (plan.isEmpty()) {
      return;
    }
    var newest = transactions.read(() -> rows.newest());
    var due = plan.get().testDue(systemClock.instant());
    if (newest.filter(it -> it.startedAt().isBefore(due)).isPresent()) {
      transactions.write(() -> start(plan.get(), WEEKLY, due));
    }
    var passing = transactions.read(() -> rows.passing());
    passing.ifPresent(id ->
        transactions.write(() -> {
          rows.pass(id, systemClock.instant());
          launch.run();
        }));
  }

  /** Returns the newest test, if there is one. */
  public Optional<AlertTest> newest() {
    return transactions.read(() -> rows.newest()).map(JdbcAlertTests.Row::test);
  }

  /** Returns whether real channels are off, or no test passed for too long. */
  public boolean isUntested() {
    if (plan.isEmpty()) {
      return false;
    }
    var last = transactions.read(() -> Optional.ofNullable(rows.lastPassed(methods)));
    var old = systemClock.instant().minus(STALE_AFTER);
    return isClosed() || last.filter(it -> !it.isBefore(old)).isEmpty();
  }

  /** Returns what staff must do about test alerts, in a sentence, or empty. */
  public Optional<String> warning() {
    if (plan.isEmpty()) {
      return Optional.empty();
    }
    var incomplete = incomplete();
    if (isClosed()) {
      return Optional.of(
          incomplete
              .map(it ->
                  (usesRealChannels() ? "Messages by " + realChannels() + " wait. " : "") + it)
              .orElseGet(this::firstTest));
    }
    if (incomplete.isPresent()) {
      return incomplete;
    }
    var late = systemClock.instant().minus(ACKNOWLEDGED_WITHIN);
    return newest()
        .filter(it -> it.acknowledgedAt() == null && it.startedAt().isBefore(late))
        .map(it ->
            "No one has acknowledged the last test alert. If it did not arrive, alerts of a crisis"
                + " will not arrive either. Open the page Safety.")
        .or(() ->
            isUntested()
                ? Optional.of(
                    "No test alert has passed for more than "
                        + STALE_AFTER.toDays()
                        + " days. Send one on the page Safety.")
                : Optional.empty());
  }

  private String firstTest() {
    return (usesRealChannels()
            ? "Messages by " + realChannels() + " wait until a test alert is acknowledged."
            : "No test alert has been acknowledged yet.")
        + " Send one on the page Safety, and acknowledge it there once it has arrived by two"
        + " methods, one of them not Twilio.";
  }

  /** Returns what an acknowledged newest test by the present methods lacks, if it did not pass. */
  private Optional<String> incomplete() {
    return transactions
        .read(() -> rows.newest())
        .filter(row -> row.methods().equals(methods) && row.acknowledgedAt() != null)
        .map(row -> missing(row.test()))
        .filter(gaps -> !gaps.isEmpty())
        .map(gaps -> "The last test alert was acknowledged, but has not passed. " + says(gaps));
  }

  /** Returns what a test lacks; empty once it passed. */
  public List<AlertTestGap> missing(AlertTest test) {
    if (test.passedAt() != null) {
      return List.of();
    }
    var sent =
        transactions.read(() -> alerts.of(test.id())).stream()
            .filter(alert -> alert.status() == AlertStatus.SENT)
            .map(JdbcAlerts.Row::channel)
            .collect(Collectors.toSet());
    var gaps = new ArrayList<AlertTestGap>();
    if (test.acknowledgedAt() == null) {
      gaps.add(AlertTestGap.ACKNOWLEDGEMENT);
    }
    if (sent.isEmpty()) {
      gaps.add(AlertTestGap.TWO_METHODS);
    } else if (sent.size() == 1) {
      gaps.add(
          sent.contains(AlertChannel.SMS)
              ? AlertTestGap.METHOD_OTHER_THAN_TWILIO
              : AlertTestGap.SECOND_METHOD);
    }
    return List.copyOf(gaps);
  }

  /** Returns what is missing in a sentence, or an empty text if nothing is. */
  public static String says(List<AlertTestGap> gaps) {
    return gaps.isEmpty()
        ? ""
        : "Still missing: "
            + gaps.stream().map(AlertTestGap::title).collect(Collectors.joining(" and "))
            + ".";
  }

  /** Returns what the banner of the pages says about alerting, or empty: only for real channels. */
  public Optional<String> banner() {
    if (!usesRealChannels()) {
      return Optional.empty();
    }
    return unalerted().or(this::warning);
  }

  /** Returns what staff must know and do if the study names nobody to alert, or empty. */
  public Optional<String> unalerted() {
    return plan.isPresent()
        ? Optional.empty()
        : Optional.of(
            UNALERTED
                + (usesRealChannels()
                    ? " Set them up now"
                    : " Set them up before you connect real phones")
                + ": in "
                + StudyFile.NAME
                + ", add the section safety, which says whom to alert and how, and restart"
                + " Habitline.");
  }

  /** What it means for staff if the study names nobody to alert. */
  private static final String UNALERTED =
      "Crisis alerts are not set up: Habitline alerts no one. Staff see a crisis only on Habitline's pages.";

  /** Returns whether people can be reached by anything but the simulator. */
  public boolean usesRealChannels() {
    return channels.kinds().stream().anyMatch(kind -> !kind.isSimulated());
  }

  private String realChannels() {
    return channels.kinds().stream()
        .filter(kind -> !kind.isSimulated())
        .map(ChannelKind::title)
        .collect(Collectors.joining(" and "));
  }
}
