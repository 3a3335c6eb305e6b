package org.habitline.safety.alerts;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.habitline.messaging.KeyedSerialExecutor;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.AlertPlan.OnCall;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Alerts the people on the rota of every crisis, within seconds, and the next one whenever nobody
 * has acknowledged it for a while. It looks at the incidents themselves, so that a crisis is never
 * without its alert, whenever a process dies. An alert that fails is tried again until somebody
 * acknowledges the incident; after a crash one may be sent twice, with the same id. An alert by SMS
 * is planned in the outbox in the transaction that takes it, and so exactly once. Test alerts are
 * sent in the same way.
 */
public final class Alerting {

  private static final Logger log = LoggerFactory.getLogger(Alerting.class);

  private static final Duration POLL = Duration.ofSeconds(1);

  /**
   * How long an alert belongs to the node that took it. The node renews this while it sends, so
   * that a slow server changes nothing; a node that stands still loses the alert to another.
   */
  static final Duration TAKEN = Duration.ofSeconds(30);

  private static final Duration RENEWED = Duration.ofSeconds(2);

  /** How long an alert by SMS is worth sending at least. */
  private static final Duration SMS_KEEPS = Duration.ofMinutes(5);

  /** How long a test alert is tried. */
  private static final Duration TEST_KEEPS = Duration.ofHours(24);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(2);
  private static final int AT_ONCE = 20;

  /** How long an alert may fail before health says so. */
  static final Duration FAILS_FOR = Duration.ofMinutes(2);

  private final Optional<AlertPlan> plan;
  private final Map<AlertChannel, AlertSender> channels;
  private final SmsAlerts sms;
  private final TestAlerts tests;
  private final boolean hasSms;
  private final Optional<String> gap;
  private final String publicUrl;
  private final JdbcAlerts rows;
  private final Transactions transactions;
  private final Clock systemClock;

  /** When the incidents were last looked at without a failure. */
  private volatile Instant looked = Instant.MIN;

  /** The alerts that this node is sending, with their attempt. */
  private final Map<String, Integer> inHands = new ConcurrentHashMap<>();

  private final KeyedSerialExecutor work = new KeyedSerialExecutor("alerts", this::step);

  Alerting(
      Optional<AlertPlan> plan,
      Map<AlertChannel, AlertSender> channels,
      SmsAlerts sms,
      TestAlerts tests,
      boolean hasSms,
      String publicUrl,
      JdbcAlerts rows,
      Transactions transactions,
      Clock systemClock) {
    this.plan = plan;
    this.channels = channels;
    this.sms = sms;
    this.tests = tests;
    this.hasSms = hasSms;
    this.gap = plan.flatMap(AlertPlan::gap);
    this.publicUrl = publicUrl;
    this.rows = rows;
    this.transactions = transactions;
    this.systemClock = systemClock;
  }

  /** Starts alerting, if the study says whom. */
  public void start() {
    warnings().forEach(log::warn);
    if (plan.isPresent()) {
      looked = systemClock.instant();
      work.open();
      work.every(POLL, this::look);
      work.every(RENEWED, this::renew);
    }
  }

  /** Stops after the alerts that are being sent. */
  public void stop(Duration patience) {
    work.stop(patience);
  }

  private void look() {
    var now = systemClock.instant();
    plan.ifPresent(it -> {
      var since = now.minus(it.escalateAfter());
      if (!transactions.read(() -> rows.due(since, 1)).isEmpty()) {
        transactions.write(() -> rows.due(since, AT_ONCE).forEach(due -> plan(it, due, now)));
      }
    });
    transactions
        .read(() -> rows.waiting(now, AT_ONCE))
        .forEach(id -> work.signal(id, Duration.ZERO));
    looked = now;
    // Last, so that a fault in it keeps no alert.
    tests.look(sms::launch);
  }

  private void plan(AlertPlan plan, JdbcAlerts.Due due, Instant now) {
    var before = rows.recipients(due.incidentId());
    // The first of those on duty who were alerted least.
    var person =
        plan.onDuty(now).stream()
            .min(Comparator.comparingInt(it -> Collections.frequency(before, it.name())))
            .orElseThrow();
    // What the new alerts replace would only arrive together with them.
    var _ = rows.dropBefore(due.incidentId(), due.rounds());
    roads(plan, person)
        .forEach(channel -> {
          var _ =
              rows.plan(
                  Ids.next("alr"), due.incidentId(), due.rounds(), channel, person.name(), now);
        });
  }

  /** Returns the roads by which somebody is alerted. */
  static Set<AlertChannel> roads(AlertPlan plan, OnCall person) {
    var roads = EnumSet.noneOf(AlertChannel.class);
    if (person.email().isPresent()) {
      roads.add(AlertChannel.EMAIL);
    }
    if (plan.webhook().isPresent()) {
      roads.add(AlertChannel.WEBHOOK);
    }
    if (person.phone().isPresent()) {
      roads.add(AlertChannel.SMS);
    }
    return roads;
  }

  private KeyedSerialExecutor.Next step(String id) {
    var taken = transactions.write(() -> take(id));
    // A node that stood still since then leaves the alert to another.
    if (taken.isPresent() && systemClock.instant().isBefore(taken.get().nextAt())) {
      var row = taken.get();
      inHands.put(id, row.attempts());
      try {
        var fault = send(row);
        transactions.write(() -> record(row, fault));
      } finally {
        inHands.remove(id);
      }
    }
    return new KeyedSerialExecutor.Next.Rest();
  }

  /** Keeps the alerts that this node is sending. */
  private void renew() {
    if (!inHands.isEmpty()) {
      var until = systemClock.instant().plus(TAKEN);
      transactions.write(() -> inHands.forEach((id, attempt) -> rows.renew(id, attempt, until)));
    }
  }

  private Optional<JdbcAlerts.Row> take(String id) {
    var now = systemClock.instant();
    if (rows.take(id, now.plus(TAKEN), now) == 0) {
      return Optional.empty();
    }
    var row = rows.find(id).orElseThrow();
    if (!isWanted(row, now)) {
      var _ = rows.drop(id);
      return Optional.empty();
    }
    if (row.channel() == AlertChannel.SMS) {
      handOver(row);
      return Optional.empty();
    }
    return Optional.of(row);
  }

  private boolean isWanted(JdbcAlerts.Row row, Instant now) {
    return rows.isOpen(row.incidentId()) > 0
        || (rows.isNewestTest(row.incidentId()) > 0
            && row.plannedAt().plus(TEST_KEEPS).isAfter(now));
  }

  /** Plans an alert by SMS in the outbox; its delivery then says what becomes of it. */
  private void handOver(JdbcAlerts.Row row) {
    var escalates = plan.map(AlertPlan::escalateAfter).orElse(SMS_KEEPS);
    var keeps = escalates.compareTo(SMS_KEEPS) > 0 ? escalates : SMS_KEEPS;
    var fault =
        person(row)
            .flatMap(OnCall::phone)
            .map(number -> sms.plan(words(row), number, keeps))
            .orElse(Optional.of(AlertFault.MISCONFIGURED));
    fault.ifPresentOrElse(
        why -> {
          log.warn("An alert about {} by SMS cannot be sent ({})", row.incidentId(), why.word());
          var _ = rows.ended(row.id(), why);
        },
        () -> {
          var _ = rows.handedOver(row.id());
        });
  }

  private Optional<OnCall> person(JdbcAlerts.Row row) {
    return plan.stream()
        .flatMap(it -> it.rota().stream())
        .filter(it -> it.name().equals(row.recipient()))
        .findFirst();
  }

  private AlertWords words(JdbcAlerts.Row row) {
    var test = rows.isTest(row.incidentId()) > 0;
    return new AlertWords(
        row.id(),
        row.incidentId(),
        row.roundNo(),
        test,
        publicUrl + "/safety" + (test ? "" : "/" + row.incidentId()));
  }

  /** Sends an alert; returns why it failed, or empty if it was sent. */
  private Optional<AlertFault> send(JdbcAlerts.Row row) {
    var channel = channels.get(row.channel());
    var person = person(row);
    if (channel == null || person.isEmpty()) {
      return Optional.of(AlertFault.MISCONFIGURED);
    }
    try {
      channel.send(transactions.read(() -> words(row)), person.get());
      return Optional.empty();
    } catch (AlertFailed e) {
      return Optional.of(e.fault());
    } catch (RuntimeException e) {
      log.error(
          "An alert about {} could not be sent: {}", row.incidentId(), e.getClass().getName());
      return Optional.of(AlertFault.MISCONFIGURED);
    }
  }

  private void record(JdbcAlerts.Row row, Optional<AlertFault> fault) {
    var now = systemClock.instant();
    fault.ifPresentOrElse(
        why -> {
          log.warn(
              "An alert about {} by {} failed ({}) and is tried again",
              row.incidentId(),
              row.channel().word(),
              why.word());
          var _ = rows.failed(row.id(), row.attempts(), why, now.plus(pause(row.attempts())));
        },
        () -> {
          var _ = rows.sent(row.id(), now);
        });
  }

  private static Duration pause(int attempts) {
    var pause = FIRST_PAUSE.multipliedBy(1L << Math.min(attempts - 1, 10));
    return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
  }

  /** Returns the alerts of an incident or a test, oldest first. */
  public List<Alert> of(String incidentId) {
    return transactions.read(() -> rows.of(incidentId)).stream()
        .map(JdbcAlerts.Row::alert)
        .toList();
  }

  /** Returns whether the study says whom to alert. */
  public boolean isConfigured() {
    return plan.isPresent();
  }

  /** Returns what is wrong with the alerts, in sentences for staff. */
  public List<String> warnings() {
    var warnings = new ArrayList<String>();
    if (isConfigured() && publicUrl.isEmpty()) {
      warnings.add("Alerts of crises hold no link that works. Set HABITLINE_PUBLIC_URL.");
    }
    gap.ifPresent(warnings::add);
    plan.flatMap(AlertPlan::lacksARoad).ifPresent(warnings::add);
    plan.filter(AlertPlan::bySms).ifPresent(it -> warnings.addAll(aboutSms(it)));
    tests.warning().ifPresent(warnings::add);
    if (isFailing()) {
      warnings.add(
          "An alert of a crisis has not been sent for more than "
              + FAILS_FOR.toMinutes()
              + " minutes. Look at the open incidents, and check the servers for alerts.");
    }
    return List.copyOf(warnings);
  }

  private List<String> aboutSms(AlertPlan whom) {
    var warnings = new ArrayList<String>();
    if (!hasSms) {
      warnings.add(
          "Alerts by SMS cannot be sent: no sender for SMS is configured. See TWILIO_SMS_FROM.");
    }
    whom.rota().stream()
        .filter(person -> person.phone().filter(sms::isOptedOut).isPresent())
        .map(person ->
            "The number of "
                + person.name()
                + " in "
                + StudyFile.NAME
                + " opted out and gets no alerts by SMS. Ask them to text START.")
        .forEach(warnings::add);
    return warnings;
  }

  /**
   * Returns whether an alert has not been sent for more than {@link #FAILS_FOR}, or nobody has
   * looked for crises since then.
   */
  public boolean isFailing() {
    var since = transactions.read(() -> Optional.ofNullable(rows.failingSince()));
    if (plan.isEmpty()) {
      return false;
    }
    var late = systemClock.instant().minus(FAILS_FOR);
    return (!looked.equals(Instant.MIN) && looked.isBefore(late))
        || since.filter(it -> it.isBefore(late)).isPresent();
  }
}
