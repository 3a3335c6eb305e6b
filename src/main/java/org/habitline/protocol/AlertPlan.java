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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.habitline.config.Section;
import org.jspecify.annotations.Nullable;

/**
 * Whom a study alerts of a crisis, and how: the section {@code safety} of {@code
 * config/study.yaml}.
 *
 * @param zone the time zone of the hours in the rota
 * @param escalateAfter how long an alert may stay without an acknowledgement before the next person
 *     on the rota is alerted
 * @param webhook where alerts are posted
 * @param mailServer which server sends the alerts by e-mail
 * @param rota everybody who can be alerted, in the order of the file; never empty
 */
public record AlertPlan(
    ZoneId zone,
    Duration escalateAfter,
    Optional<URI> webhook,
    Optional<MailServer> mailServer,
    List<OnCall> rota) {

  private static final int LONGEST = 200;
  private static final int MOST_MINUTES = 24 * 60;
  private static final int USUAL_MINUTES = 15;
  private static final int LAST_PORT = 65_535;
  private static final int SUBMISSION_PORT = 587;

  /** Any Monday; the gaps of a rota are looked for in the week from there. */
  private static final LocalDateTime MONDAY = LocalDateTime.of(2024, 1, 1, 0, 0);

  static AlertPlan read(Section safety) {
    safety.only("time_zone", "escalate_after", "webhook", "email", "rota");
    var webhook = webhook(safety);
    var mail = safety.optionalSection("email").map(MailServer::read);
    var rota = new ArrayList<OnCall>();
    safety
        .named("rota")
        .forEach((name, keys) -> rota.add(OnCall.read(name, keys, mail.isPresent())));
    if (rota.isEmpty()) {
      safety.refuse("rota", "expected at least one person");
    }
    if (webhook.isEmpty() && mail.isEmpty()) {
      safety.refuse("", "expected webhook, email or both: without one, nobody is alerted");
    }
    return new AlertPlan(
        zone(safety),
        Duration.ofMinutes(safety.integer("escalate_after", 1, MOST_MINUTES, USUAL_MINUTES)),
        webhook,
        mail,
        List.copyOf(rota));
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
   * @param email their address, if alerts go by e-mail
   * @param days the days on which their hours begin
   * @param from when their hours begin, local
   * @param to when their hours end, local; at or before {@code from}, it is on the next day
   */
  public record OnCall(
      String name, Optional<String> email, List<DayOfWeek> days, LocalTime from, LocalTime to) {

    private static final String EXPECTED_DAYS =
        "expected days such as [mon, tue, wed, thu, fri, sat, sun]";

    private static OnCall read(String name, Section keys, boolean byMail) {
      keys.only("email", "days", "hours");
      var email = byMail ? keys.text("email", LONGEST) : keys.optionalText("email", LONGEST);
      if (email != null) {
        address(keys, "email", email);
      }
      var hours = hours(keys);
      return new OnCall(name, Optional.ofNullable(email), days(keys), hours[0], hours[1]);
    }

    private static List<DayOfWeek> days(Section keys) {
      if (!keys.has("days")) {
        return List.of(DayOfWeek.values());
      }
      var days = new ArrayList<DayOfWeek>();
      if (keys.optionalTexts("days", LONGEST).isEmpty()) {
        keys.refuse("days", EXPECTED_DAYS + ", found none");
      }
      for (var given : keys.optionalTexts("days", LONGEST)) {
        var before = days.size();
        for (var day : DayOfWeek.values()) {
          if (word(day).equals(given)) {
            days.add(day);
          }
        }
        if (days.size() == before) {
          keys.refuse("days", EXPECTED_DAYS + ", found " + given);
        }
      }
      return List.copyOf(days);
    }

    private static String word(DayOfWeek day) {
      return day.getDisplayName(TextStyle.SHORT, Locale.ENGLISH).toLowerCase(Locale.ENGLISH);
    }

    private static LocalTime[] hours(Section keys) {
      var given = keys.optionalText("hours", LONGEST);
      if (given != null) {
        var ends = given.replaceFirst("-24:00$", "-00:00").split("-", -1);
        try {
          if (ends.length == 2) {
            return new LocalTime[] {LocalTime.parse(ends[0]), LocalTime.parse(ends[1])};
          }
        } catch (DateTimeException e) {
          // Said below.
        }
        keys.refuse("hours", "expected hours such as \"08:00-20:00\", found '" + given + "'");
      }
      return new LocalTime[] {LocalTime.MIDNIGHT, LocalTime.MIDNIGHT};
    }

    private boolean isOnDuty(LocalDateTime at) {
      var time = at.toLocalTime();
      var today = days.contains(at.getDayOfWeek());
      if (from.isBefore(to)) {
        return today && !time.isBefore(from) && time.isBefore(to);
      }
      var yesterday = days.contains(at.getDayOfWeek().minus(1));
      return (today && !time.isBefore(from)) || (yesterday && time.isBefore(to));
    }
  }

  /**
   * Returns whom to alert, in this order, and then again from the first: those who are on duty. If
   * nobody is, everybody is alerted in turn, because somebody must be.
   */
  public List<OnCall> onDuty(Instant at) {
    var local = LocalDateTime.ofInstant(at, zone);
    var found = rota.stream().filter(person -> person.isOnDuty(local)).toList();
    return found.isEmpty() ? rota : found;
  }

  /** Returns a sentence about the first time of the week at which nobody is on duty, if any. */
  public Optional<String> gap() {
    for (var at = MONDAY; at.isBefore(MONDAY.plusWeeks(1)); at = at.plusMinutes(1)) {
      var local = at;
      if (rota.stream().noneMatch(person -> person.isOnDuty(local))) {
        return Optional.of(
            "Nobody on the rota of "
                + StudyFile.NAME
                + " is on duty on "
                + at.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH)
                + " at "
                + at.toLocalTime()
                + ": everybody on it is alerted in turn then.");
      }
    }
    return Optional.empty();
  }
}
