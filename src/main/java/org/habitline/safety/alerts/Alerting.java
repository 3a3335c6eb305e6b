package org.habitline.safety.alerts;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
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

  /** How long a test alert or the mail of a grant is tried. */
  private static final Duration TEST_KEEPS = Duration.ofHours(24);

  private static final DateTimeFormatter DAY_AND_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd 'at' HH:mm 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(2);
  private static final int AT_ONCE = 20;

  /** How long an alert may fail before health says so. */
  static final Duration FAILS_FOR = Duration.ofMinutes(2);

  /** What staff must know if alerts cannot hold a link. */
  public static final String NO_LINK =
      "HABITLINE_PUBLIC_URL is not set, so alerts hold no link to the incident. They say: "
          + AlertWords.WHERE;

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
    warnings().forEach(warning -> log.warn(warning.sentence()));
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
    var person = next(plan, due.incidentId(), now);
    // What the new alerts replace would only arrive together with them.
    var _ = rows.endBefore(due.incidentId(), due.rounds());
    methods(plan, person)
        .forEach(channel -> {
          var _ =
              rows.plan(
                  Ids.next("alr"),
                  due.incidentId(),
                  due.opening(),
                  due.rounds(),
                  channel,
                  person.name(),
                  now);
        });
  }

  /** Returns whom an incident alerts at this time: the first on duty who was alerted least. */
  private OnCall next(AlertPlan plan, String incidentId, Instant at) {
    var before = rows.recipients(incidentId);
    return plan.onDuty(at).stream()
        .min(Comparator.comparingInt(it -> Collections.frequency(before, it.name())))
        .orElseThrow();
  }

  /** Returns the methods by which somebody is alerted. */
  static Set<AlertChannel> methods(AlertPlan plan, OnCall person) {
    var methods = EnumSet.noneOf(AlertChannel.class);
    if (person.email().isPresent()) {
      methods.add(AlertChannel.EMAIL);
    }
    if (plan.webhook().isPresent()) {
      methods.add(AlertChannel.WEBHOOK);
    }
    if (person.phone().isPresent()) {
      methods.add(AlertChannel.SMS);
    }
    return methods;
  }

  /** Returns whether the study names a mail server, so that grants are mailed. */
  public boolean mailsGrants() {
    return channels.containsKey(AlertChannel.EMAIL);
  }

  /**
   * Plans a mail to each of these addresses that the role safety was granted, in the running
   * transaction, so that a crash loses none. Without a mail server it does nothing.
   */
  public void mailGrant(String by, String to, List<String> addresses) {
    if (!mailsGrants() || addresses.isEmpty()) {
      return;
    }
    var id = Ids.next("grt");
    var now = systemClock.instant();
    rows.insertGrant(id, by, to, now);
    for (int i = 0; i < addresses.size(); i++) {
      // The place in the list stands where alerts of incidents have their round.
      var _ = rows.plan(Ids.next("alr"), id, null, i, AlertChannel.EMAIL, addresses.get(i), now);
    }
  }

  private KeyedSerialExecutor.Next step(String id) {
    var taken = transactions.write(() -> take(id));
    // A node that stood still since then leaves the alert to another.
    if (taken.isPresent() && systemClock.instant().isBefore(taken.get().nextAt())) {
      var row = taken.get();
      inHands.put(id, row.attempts());
      try {
        var failure = send(row);
        transactions.write(() -> record(row, failure));
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
      var _ = rows.end(id);
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
        || (row.plannedAt().plus(TEST_KEEPS).isAfter(now)
            && (rows.isNewestTest(row.incidentId()) > 0
                || rows.grant(row.incidentId()).isPresent()));
  }

  /** Plans an alert by SMS in the outbox; its delivery then says what becomes of it. */
  private void handOver(JdbcAlerts.Row row) {
    var escalates = plan.map(AlertPlan::escalateAfter).orElse(SMS_KEEPS);
    var keeps = escalates.compareTo(SMS_KEEPS) > 0 ? escalates : SMS_KEEPS;
    var fault =
        hasSms
            ? person(row)
                .flatMap(OnCall::phone)
                .map(number -> sms.plan(words(row), number, keeps))
                .orElse(Optional.of(AlertFault.MISCONFIGURED))
            : Optional.of(AlertFault.NO_SENDER);
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

  private static AlertWords words(JdbcAlerts.Row row, JdbcAlerts.Grant grant) {
    var sentence =
        "%s granted the role safety to %s on %s."
            .formatted(
                grant.grantedBy(), grant.grantedTo(), DAY_AND_TIME.format(grant.grantedAt()));
    return new AlertWords(row.id(), sentence, 0, AlertWords.Why.GRANT, null);
  }

  private AlertWords words(JdbcAlerts.Row row) {
    var why = why(row.incidentId());
    var page = why == AlertWords.Why.TEST ? "" : "/" + row.incidentId();
    return new AlertWords(
        row.id(),
        row.incidentId(),
        row.roundNo(),
        why,
        publicUrl.isEmpty() ? null : publicUrl + "/safety" + page);
  }

  private AlertWords.Why why(String about) {
    if (rows.isTest(about) > 0) {
      return AlertWords.Why.TEST;
    }
    return rows.isCrisis(about) > 0 ? AlertWords.Why.DANGER : AlertWords.Why.URGENT_FLAG;
  }

  /** Sends an alert; returns why it failed, or empty if it was sent. */
  private Optional<AlertFailed> send(JdbcAlerts.Row row) {
    var channel = channels.get(row.channel());
    var grant = transactions.read(() -> rows.grant(row.incidentId()));
    var person = grant.map(it -> OnCall.at(row.recipient())).or(() -> person(row));
    if (channel == null || person.isEmpty()) {
      return Optional.of(new AlertFailed(AlertFault.MISCONFIGURED));
    }
    try {
      channel.send(
          grant.map(it -> words(row, it)).orElseGet(() -> transactions.read(() -> words(row))),
          person.get());
      return Optional.empty();
    } catch (AlertFailed e) {
      return Optional.of(e);
    } catch (RuntimeException e) {
      log.error(
          "An alert about {} could not be sent: {}", row.incidentId(), e.getClass().getName());
      return Optional.of(new AlertFailed(AlertFault.MISCONFIGURED));
    }
  }

  private void record(JdbcAlerts.Row row, Optional<AlertFailed> failure) {
    var now = systemClock.instant();
    failure.ifPresentOrElse(
        why -> {
          log.warn(
              "An alert about {} by {} failed ({}) and is tried again",
              row.incidentId(),
              row.channel().word(),
              why.getMessage());
          var _ =
              rows.failed(
                  row.id(),
                  row.attempts(),
                  why.fault(),
                  why.httpStatus(),
                  now,
                  now.plus(pause(row.attempts())));
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
    return transactions.read(() -> rows.of(incidentId).stream().map(this::alert).toList());
  }

  /** Returns an alert with the tries of the outbox if it goes by SMS; joins the transaction. */
  private Alert alert(JdbcAlerts.Row row) {
    return row.channel() == AlertChannel.SMS ? row.alert(rows.bySms(row.id())) : row.alert();
  }

  /** Returns the name on the rota of whom an alert is for, if there is one with this id. */
  public Optional<String> recipient(String alertId) {
    return transactions.read(() -> rows.find(alertId)).map(JdbcAlerts.Row::recipient);
  }

  /**
   * The alert that an open incident sends unless somebody acknowledges it before.
   *
   * @param recipient the name on the rota
   * @param at system time
   * @param left time until then; zero if the alert is sent within seconds
   */
  public record NextAlert(String recipient, Instant at, Duration left) {}

  /**
   * Returns the next alert of an incident that alerts staff and is open, or empty if the study says
   * nothing about whom to alert.
   */
  public Optional<NextAlert> next(String incidentId) {
    return plan.map(it ->
        transactions.read(() -> {
          var now = systemClock.instant();
          var at =
              rows.lastPlanned(incidentId).map(last -> last.plannedAt().plus(it.escalateAfter()));
          var when = at.filter(now::isBefore).orElse(now);
          return new NextAlert(
              next(it, incidentId, when).name(), when, Duration.between(now, when));
        }));
  }

  /** Returns the names of those who are on duty now, in the order of the rota; perhaps nobody. */
  public List<String> onDuty() {
    var now = systemClock.instant();
    return plan.stream()
        .flatMap(it -> it.rota().stream().filter(person -> it.isOnDuty(person, now)))
        .map(OnCall::name)
        .toList();
  }

  /** Returns whether the study says whom to alert. */
  public boolean isConfigured() {
    return plan.isPresent();
  }

  /** Returns what is wrong with the alerts; empty if the study says of nobody whom to alert. */
  public List<AlertWarning> warnings() {
    // Read in any case, so that a caller learns that the database is away.
    var failing = failing();
    if (plan.isEmpty()) {
      return List.of();
    }
    var warnings = new ArrayList<AlertWarning>();
    failing.forEach(sentence -> warnings.add(warning(AlertProblem.ALERT_FAILING, sentence)));
    warnings.addAll(aboutSms(plan.get()));
    if (publicUrl.isEmpty()) {
      warnings.add(warning(AlertProblem.PUBLIC_URL_MISSING, NO_LINK));
    }
    gap.ifPresent(it -> warnings.add(warning(AlertProblem.NOBODY_ON_DUTY, it)));
    plan.flatMap(AlertPlan::lacksAMethod)
        .ifPresent(it -> warnings.add(warning(AlertProblem.SECOND_METHOD_MISSING, it)));
    tests.warning().ifPresent(it -> warnings.add(warning(AlertProblem.TEST_ALERT_MISSING, it)));
    return List.copyOf(warnings);
  }

  private static AlertWarning warning(AlertProblem problem, String sentence) {
    return new AlertWarning(problem, sentence);
  }

  private List<AlertWarning> aboutSms(AlertPlan whom) {
    var warnings = new ArrayList<AlertWarning>();
    if (!hasSms && whom.bySms()) {
      var onlyBySms =
          whom.rota().stream()
              .filter(person -> methods(whom, person).equals(EnumSet.of(AlertChannel.SMS)))
              .map(OnCall::name)
              .collect(Collectors.joining(", "));
      warnings.add(
          warning(
              AlertProblem.SMS_SENDER_MISSING,
              "Alerts by SMS cannot be sent, because no sender for SMS is configured (see"
                  + " TWILIO_SMS_FROM)."
                  + (onlyBySms.isEmpty()
                      ? ""
                      : " No alert reaches these people, who have no other method: "
                          + onlyBySms
                          + ".")));
    }
    whom.rota().stream()
        .filter(person -> person.phone().filter(sms::isOptedOut).isPresent())
        .map(person ->
            warning(
                AlertProblem.NUMBER_OPTED_OUT,
                "The number of "
                    + person.name()
                    + " in "
                    + StudyFile.NAME
                    + " opted out and gets no alerts by SMS. Ask them to text START."))
        .forEach(warnings::add);
    return warnings;
  }

  /**
   * Returns a sentence for each method by which an alert of an open incident failed for good, or
   * was not sent for {@link #FAILS_FOR}, and one if nobody has looked at the incidents since then.
   */
  private List<String> failing() {
    var late = systemClock.instant().minus(FAILS_FOR);
    var newest = new EnumMap<AlertChannel, Alert>(AlertChannel.class);
    transactions
        .read(() -> rows.failing(late, AT_ONCE).stream().map(this::alert).toList())
        .forEach(alert -> newest.putIfAbsent(alert.channel(), alert));
    var sentences = new ArrayList<String>();
    if (!looked.equals(Instant.MIN) && looked.isBefore(late)) {
      sentences.add(
          "Habitline has not looked for new incidents for more than "
              + FAILS_FOR.toMinutes()
              + " minutes, so no alert is sent. Look at the open incidents, and at the log.");
    }
    newest.values().forEach(alert -> sentences.add(sentence(alert)));
    return sentences;
  }

  private static String sentence(Alert alert) {
    var which =
        "An alert of a crisis to " + alert.recipient() + " by " + alert.channel().title() + " ";
    var what =
        alert.why().isEmpty()
            ? "has not been sent for more than " + FAILS_FOR.toMinutes() + " minutes"
            : (alert.attempts() == 0
                    ? "cannot be sent: "
                    : "has not arrived after " + alert.tries() + ": ")
                + alert.why();
    return which + what + ". Open the incident now.";
  }

  /** Returns whether alerts of open incidents do not arrive, or nobody has looked for incidents. */
  boolean isFailing() {
    return plan.isPresent() && !failing().isEmpty();
  }
}
