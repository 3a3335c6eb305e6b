package org.habitline.protocol;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.net.URI;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.config.Section;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * Whom a study alerts of a crisis, and how: the section {@code safety} of {@code
 * config/study.yaml}.
 *
 * @param zone the time zone of the hours in the rota and of the coverage
 * @param escalateAfter how long an alert may stay without an acknowledgement before the next person
 *     on the rota is alerted
 * @param coverage when a person reads messages, for the texts to participants
 * @param clinician who decides about participants in danger
 * @param webhook where alerts are posted
 * @param mailServer which server sends the alerts by e-mail
 * @param rota everybody who can be alerted, in the order of the file; never empty
 */
public record AlertPlan(
    ZoneId zone,
    Duration escalateAfter,
    Optional<WeekHours> coverage,
    Optional<Clinician> clinician,
    Optional<URI> webhook,
    Optional<MailServer> mailServer,
    List<OnCall> rota) {

  private static final int LONGEST = 200;
  private static final int MOST_MINUTES = 24 * 60;
  private static final int USUAL_MINUTES = 15;
  private static final int LAST_PORT = 65_535;
  private static final int SUBMISSION_PORT = 587;

  /** When the weekly test alert is due on Mondays, if there is no coverage. */
  private static final LocalTime TEST_TIME = LocalTime.of(10, 0);

  /** Any Monday; the gaps of a rota are looked for in the week from there. */
  private static final LocalDateTime MONDAY = LocalDateTime.of(2024, 1, 1, 0, 0);

  static AlertPlan read(Section safety) {
    safety.only(
        "time_zone",
        "escalate_after",
        "coverage",
        "clinician",
        "webhook",
        "email",
        "rota",
        "retention",
        "second_opinion");
    var webhook = webhook(safety);
    var mail = safety.optionalSection("email").map(MailServer::read);
    var rota = new ArrayList<OnCall>();
    safety
        .named("rota")
        .forEach((name, keys) ->
            rota.add(OnCall.read(name, keys, safety.has("email"), safety.has("webhook"))));
    if (rota.isEmpty()) {
      safety.refuse("rota", "expected at least one person");
    }
    return new AlertPlan(
        zone(safety),
        Duration.ofMinutes(safety.integer("escalate_after", 1, MOST_MINUTES, USUAL_MINUTES)),
        safety.optionalSection("coverage").map(AlertPlan::coverage),
        safety.optionalSection("clinician").map(Clinician::read),
        webhook,
        mail,
        List.copyOf(rota));
  }

  private static WeekHours coverage(Section keys) {
    keys.only("days", "hours");
    return WeekHours.read(keys);
  }

  private static ZoneId zone(Section safety) {
    var name = safety.text("time_zone", LONGEST);
    try {
      return name.isEmpty() ? ZoneOffset.UTC : ZoneId.of(name);
    } catch (DateTimeException e) {
      safety.refuse(
          "time_zone", "expected a time zone such as Europe/Berlin, found '" + name + "'");
      return ZoneOffset.UTC;
    }
  }

  private static Optional<URI> webhook(Section safety) {
    var given = safety.optionalText("webhook", LONGEST * 5);
    if (given == null) {
      return Optional.empty();
    }
    try {
      var uri = URI.create(given);
      var local = uri.getHost() != null && uri.getHost().matches("localhost|127\\.0\\.0\\.1");
      if (uri.getHost() != null
          && uri.getPort() <= LAST_PORT
          && ("https".equals(uri.getScheme()) || (local && "http".equals(uri.getScheme())))) {
        return Optional.of(uri);
      }
    } catch (IllegalArgumentException e) {
      // Said below; the address may hold a secret, so it is not repeated.
    }
    safety.refuse("webhook", "expected an address that begins with https://");
    return Optional.empty();
  }

  /** How a connection to a mail server is encrypted. */
  public enum Security {
    /** From the first byte. */
    TLS,
    /** After a greeting; a server that cannot is not used. */
    STARTTLS,
    /** Not at all: only for a server on the same machine or network. */
    NONE;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A mail server.
   *
   * @param user the name to sign in with, if the server asks for one
   * @param from the sender's address
   */
  public record MailServer(
      String host, int port, Security security, @Nullable String user, String from) {

    private static MailServer read(Section email) {
      email.only("host", "port", "security", "user", "from");
      return new MailServer(
          email.text("host", LONGEST),
          email.integer("port", 1, LAST_PORT, SUBMISSION_PORT),
          security(email),
          email.optionalText("user", LONGEST),
          address(email, "from", email.text("from", LONGEST)));
    }

    private static Security security(Section email) {
      var given = email.optionalText("security", LONGEST);
      for (var one : Security.values()) {
        if (given == null || one.word().equals(given)) {
          return given == null ? Security.STARTTLS : one;
        }
      }
      email.refuse("security", "expected one of tls, starttls, none, found '" + given + "'");
      return Security.STARTTLS;
    }
  }

  private static String address(Section keys, String key, String given) {
    try {
      if (!given.isEmpty() && given.matches("[!-~]+@[!-~]+")) {
        new InternetAddress(given, true).validate();
      } else if (!given.isEmpty()) {
        refuseAddress(keys, key, given);
      }
    } catch (AddressException e) {
      refuseAddress(keys, key, given);
    }
    return given;
  }

  private static void refuseAddress(Section keys, String key, String given) {
    keys.refuse(
        key,
        "expected one e-mail address of letters a to z, digits and signs, found '" + given + "'");
  }

  /**
   * Somebody on the rota.
   *
   * @param name how people call them; a name of a duty is enough
   * @param email their address, if they get alerts by e-mail
   * @param phone their number, if they get alerts by SMS
   * @param hours when they are on duty
   */
  public record OnCall(
      String name, Optional<String> email, Optional<PhoneNumber> phone, WeekHours hours) {

    /** Returns somebody who is reached at this address at any time. */
    public static OnCall at(String address) {
      return new OnCall(address, Optional.of(address), Optional.empty(), WeekHours.ALWAYS);
    }

    /** Reads a person; a method of theirs that the study does not have is a mistake. */
    private static OnCall read(String name, Section keys, boolean byMail, boolean byWebhook) {
      keys.only("email", "phone", "days", "hours");
      var email = Optional.ofNullable(keys.optionalText("email", LONGEST));
      email.ifPresent(it -> address(keys, "email", it));
      if (email.isPresent() && !byMail) {
        keys.refuse("email", "expected the mail server in safety.email as well");
      }
      var phone = phone(keys);
      if (!keys.has("email") && !keys.has("phone") && !byWebhook) {
        keys.refuse("", "expected " + (byMail ? "email, phone or both" : "phone"));
      }
      return new OnCall(name, email, phone, WeekHours.read(keys));
    }

    private static Optional<PhoneNumber> phone(Section keys) {
      var given = keys.optionalText("phone", LONGEST);
      if (given == null) {
        return Optional.empty();
      }
      var number = PhoneNumber.of(given.replaceAll("[ ()./-]", ""));
      if (number.isEmpty()) {
        keys.refuse(
            "phone",
            "expected a number with a plus sign and its country code, such as +12065550100");
      }
      return number;
    }
  }

  /**
   * Who decides about participants in danger, for the pages.
   *
   * @param contact how to reach them, in words
   */
  public record Clinician(String name, @Nullable String contact) {

    private static final String SIGNS = "[ ()./-]";

    /** A whole contact that is a number, or a number with its country code in other words. */
    private static final Pattern NUMBER =
        Pattern.compile("^\\(?\\d[\\d ()./-]{4,}\\d$|\\+\\d[\\d ()./-]{4,}\\d");

    /** Returns the number to call, with digits and a plus sign only, or empty if there is none. */
    public Optional<String> telephone() {
      return contact == null
          ? Optional.empty()
          : NUMBER
              .matcher(contact)
              .results()
              .map(found -> found.group().replaceAll(SIGNS, ""))
              .findFirst();
    }

    private static Clinician read(Section keys) {
      keys.only("name", "contact");
      return new Clinician(keys.text("name", LONGEST), keys.optionalText("contact", LONGEST));
    }
  }

  /** Returns whether alerts go by SMS. */
  public boolean bySms() {
    return rota.stream().anyMatch(person -> person.phone().isPresent());
  }

  /** Returns whether alerts go by e-mail. */
  public boolean byMail() {
    return rota.stream().anyMatch(person -> person.email().isPresent());
  }

  /** Returns the methods by which alerts go, in words such as "e-mail and SMS". */
  public List<String> methods() {
    return Stream.of(
            byMail() ? "e-mail" : "", webhook.isPresent() ? "webhook" : "", bySms() ? "SMS" : "")
        .filter(method -> !method.isEmpty())
        .toList();
  }

  /** Returns a sentence if a test alert can never be sent by two methods, or empty. */
  public Optional<String> lacksAMethod() {
    return methods().size() > 1
        ? Optional.empty()
        : Optional.of(
            "Alerts go by "
                + methods().getFirst()
                + " only. Real channels stay off until a test alert was sent by two methods, at least one of which is not Twilio. Add a webhook, or an email or phone for someone on the rota.");
  }

  /**
   * Returns the last time at or before this one at which the weekly test alert is due: when the
   * first coverage of the week begins, or on Monday at 10:00 without coverage.
   */
  public Instant testDue(Instant now) {
    var day = coverage.map(it -> it.days().getFirst()).orElse(DayOfWeek.MONDAY);
    var time = coverage.map(WeekHours::from).orElse(TEST_TIME);
    var local = LocalDateTime.ofInstant(now, zone);
    var due = local.toLocalDate().with(TemporalAdjusters.previousOrSame(day)).atTime(time);
    return (due.isAfter(local) ? due.minusWeeks(1) : due).atZone(zone).toInstant();
  }

  /**
   * Returns whom to alert, in this order, and then again from the first: those who are on duty. If
   * nobody is, everybody is alerted in turn, because somebody must be.
   */
  public List<OnCall> onDuty(Instant at) {
    var found = rota.stream().filter(person -> isOnDuty(person, at)).toList();
    return found.isEmpty() ? rota : found;
  }

  /** Returns whether somebody on the rota is on duty at this time. */
  public boolean isOnDuty(OnCall person, Instant at) {
    return person.hours().covers(LocalDateTime.ofInstant(at, zone));
  }

  /** Returns a sentence about the first time of the week at which nobody is on duty, if any. */
  public Optional<String> gap() {
    for (var at = MONDAY; at.isBefore(MONDAY.plusWeeks(1)); at = at.plusMinutes(1)) {
      var local = at;
      if (rota.stream().noneMatch(person -> person.hours().covers(local))) {
        return Optional.of(
            "No one on the rota of "
                + StudyFile.NAME
                + " is on duty on "
                + at.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH)
                + " at "
                + at.toLocalTime()
                + ". At such times, everyone on the rota is alerted in turn.");
      }
    }
    return Optional.empty();
  }
}
