package org.habitline.rehearsal;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.messaging.OutboundKind;
import org.habitline.participants.ConsentStep;
import org.habitline.protocol.AlertPlan;
import org.habitline.safety.incidents.EntryKind;
import org.habitline.safety.incidents.IncidentStatus;
import org.habitline.safety.rules.Level;
import org.habitline.tools.FlagKind;

/**
 * What happened in an episode. It holds the words of the coach, and none of the participant.
 *
 * @param episode such as {@code crisis at night}
 * @param happened in the order of time
 * @param anomalies one sentence for each thing that should have been otherwise
 */
public record EpisodeReport(
    String episode, String phone, List<Happening> happened, List<String> anomalies) {

  public EpisodeReport {
    happened = List.copyOf(happened);
    anomalies = List.copyOf(anomalies);
  }

  /**
   * One event.
   *
   * @param at local time of the participant
   */
  public record Happening(String at, String what) {}

  /** Returns the anomalies with the number of the participant. */
  Stream<String> found() {
    return anomalies.stream().map(it -> "%s, %s: %s.".formatted(phone, episode, it));
  }

  static EpisodeReport of(
      Episode episode,
      String participantId,
      Diary diary,
      Plan plan,
      Evidence evidence,
      Optional<AlertPlan> alerts) {
    return new Reader(episode, participantId, diary, plan, evidence, alerts).report();
  }

  /** Reads an episode out of the records. */
  private static final class Reader {

    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final DateTimeFormatter LOCAL =
        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

    private final Episode episode;
    private final Diary diary;
    private final Plan plan;
    private final Optional<AlertPlan> alerts;
    private final List<JdbcEvidence.PhoneText> phone;
    private final List<JdbcEvidence.Opened> incidents;
    private final List<JdbcEvidence.Entry> entries;
    private final List<JdbcEvidence.Flagged> flags;
    private final List<JdbcEvidence.Step> consents;

    /** How often a model was asked for the participant. */
    private final long asked;

    private final List<String> anomalies = new ArrayList<>();

    Reader(
        Episode episode,
        String id,
        Diary diary,
        Plan plan,
        Evidence evidence,
        Optional<AlertPlan> alerts) {
      this.episode = episode;
      this.diary = diary;
      this.plan = plan;
      this.alerts = alerts;
      this.phone = evidence.phones().stream().filter(it -> it.participantId().equals(id)).toList();
      this.incidents =
          evidence.incidents().stream().filter(it -> it.participantId().equals(id)).toList();
      this.entries =
          evidence.entries().stream().filter(it -> it.participantId().equals(id)).toList();
      this.flags = evidence.flags().stream().filter(it -> it.participantId().equals(id)).toList();
      this.consents =
          evidence.consents().stream().filter(it -> it.participantId().equals(id)).toList();
      this.asked =
          evidence.iterations().stream().filter(it -> it.participantId().equals(id)).count();
    }

    EpisodeReport report() {
      switch (episode) {
        case CRISIS_AT_NIGHT, CRISIS_DURING_TAKEOVER -> {
          aCrisisWasOpenedAndReleased();
          arrivesAt(OutboundKind.CRISIS, scene(Episode.Does.IS_IN_DANGER), "the fixed text");
          arrivesAt(OutboundKind.STAFF, scene(Episode.Does.IS_RELEASED), "the first message");
        }
        case CRISIS_AFTER_STOP -> {
          aCrisisWasOpenedAndReleased();
          if (entries.stream().noneMatch(it -> it.kind() == EntryKind.NOT_SENT)) {
            anomalies.add("the incident does not say that no text was sent");
          }
        }
        case LOW_MOOD -> {
          if (incidents.size() != 1 || incidents.getFirst().level() != Level.CONCERN) {
            anomalies.add("expected one concern");
          }
          var texted = scene(Episode.Does.TEXTS);
          arrivesAt(OutboundKind.CRISIS, texted, "the text with resources");
          arrivesAt(OutboundKind.REPLY, texted, "the coach's reply");
        }
        case IDIOMS -> {
          if (!incidents.isEmpty()) {
            anomalies.add("an incident was opened for an idiom");
          }
        }
        case ADVERSE_EVENT -> {
          if (flags.stream().noneMatch(it -> it.kind() == FlagKind.ADVERSE_EVENT)) {
            anomalies.add("the coach showed staff no adverse event");
          }
          arrivesAt(OutboundKind.REPLY, scene(Episode.Does.TEXTS), "the coach's reply");
        }
        case CONSENT_DECLINED -> nothingFollowedTheNo();
      }
      return new EpisodeReport(episode.title(), diary.phone().e164(), happened(), anomalies);
    }

    private void nothingFollowedTheNo() {
      if (consents.stream().noneMatch(it -> it.step() == ConsentStep.NO)) {
        anomalies.add("the no is not recorded");
      }
      if (asked > 0) {
        anomalies.add("a model was asked " + asked + " times without consent");
      }
      var after = scene(Episode.Does.DECLINES).plus(A_MINUTE);
      if (phone.stream().anyMatch(it -> it.arrivedAt().isAfter(after))) {
        anomalies.add("a message was sent after the thanks");
      }
    }

    private Instant scene(Episode.Does does) {
      return episode.when(does, plan).orElseThrow();
    }

    private void aCrisisWasOpenedAndReleased() {
      if (incidents.size() != 1 || incidents.getFirst().level() != Level.CRISIS) {
        anomalies.add("expected one crisis, found " + incidents.size() + " incidents");
      } else if (incidents.getFirst().status() != IncidentStatus.RELEASED) {
        anomalies.add("the incident is not released");
      }
    }

    private void arrivesAt(OutboundKind kind, Instant at, String what) {
      var came = arrived(kind, at).count();
      if (came != 1) {
        anomalies.add(what + " came " + came + " times within a minute of " + local(at));
      }
    }

    private String local(Instant at) {
      return LOCAL.format(at.atZone(diary.at(at).zone()));
    }

    private record Event(Instant at, String what) {}

    private List<Happening> happened() {
      var events = new ArrayList<Event>();
      episode.scenes().stream()
          .filter(scene -> scene.does() != Episode.Does.IS_LOOKED_AFTER)
          .filter(scene -> scene.does() != Episode.Does.IS_RELEASED)
          .forEach(scene -> events.add(new Event(scene.instant(plan), said(scene.does()))));
      entries.forEach(entry -> told(entry).ifPresent(it -> events.add(new Event(entry.at(), it))));
      flags.forEach(it -> events.add(new Event(it.raisedAt(), "the coach shows it to staff")));
      consents.forEach(it -> events.add(new Event(it.at(), "consent: " + it.step().word())));
      incidents.stream()
          .filter(it -> it.level() == Level.CRISIS)
          .forEach(it -> events.add(new Event(it.openedAt(), alert(it.openedAt()))));
      phone.stream()
          .filter(JdbcEvidence.PhoneText::byPeople)
          .forEach(it ->
              events.add(
                  new Event(
                      it.arrivedAt(),
                      it.kind() == OutboundKind.CRISIS
                          ? fixedText()
                          : "a message of staff arrives")));
      episode.scenes().stream()
          .filter(scene -> !scene.does().byStaff())
          .flatMap(scene -> arrived(OutboundKind.REPLY, scene.instant(plan)))
          .forEach(it ->
              events.add(
                  new Event(
                      it.arrivedAt(), "the coach replies: " + it.body().replaceAll("\\s+", " "))));
      episode
          .when(Episode.Does.IS_RELEASED, plan)
          .flatMap(at ->
              phone.stream()
                  .filter(it -> it.kind() == OutboundKind.PROMPT && it.arrivedAt().isAfter(at))
                  .findFirst())
          .ifPresent(it -> events.add(new Event(it.arrivedAt(), "the next daily prompt arrives")));
      if (incidents.isEmpty()) {
        events.add(new Event(plan.after().atStartOfDay(plan.zone()).toInstant(), "no incident"));
      }
      return events.stream()
          .sorted(Comparator.comparing(Event::at))
          .map(it -> new Happening(local(it.at()), it.what()))
          .toList();
    }

    private String fixedText() {
      return incidents.stream().anyMatch(it -> it.level() == Level.CRISIS)
          ? "the fixed text arrives"
          : "the text with resources arrives";
    }

    /** Returns the messages of a kind that arrive within a minute. */
    private Stream<JdbcEvidence.PhoneText> arrived(OutboundKind kind, Instant from) {
      return phone.stream()
          .filter(it -> it.kind() == kind)
          .filter(it -> !it.arrivedAt().isBefore(from))
          .filter(it -> it.arrivedAt().isBefore(from.plus(A_MINUTE)));
    }

    private static String said(Episode.Does does) {
      return switch (does) {
        case TEXTS, IS_IN_DANGER -> "the participant texts";
        case DECLINES -> "the participant declines";
        case STOPS -> "the participant texts STOP";
        case IS_TAKEN_OVER -> "staff take over";
        case IS_LOOKED_AFTER, IS_RELEASED -> "";
      };
    }

    private static Optional<String> told(JdbcEvidence.Entry entry) {
      return switch (entry.kind()) {
        case TEXT -> Optional.of("a rule applies: " + entry.rule());
        case NOT_SENT -> Optional.of("no text may be sent: staff have to call");
        case ACKNOWLEDGED -> Optional.of("staff acknowledge the incident");
        case CONTACT -> Optional.of("staff record a contact");
        case RELEASED -> Optional.of("staff release the incident");
        default -> Optional.empty();
      };
    }

    private String alert(Instant at) {
      return alerts
          .map(plan -> "the alert would go to " + plan.onDuty(at).getFirst().name())
          .orElse("nobody would be alerted: config/study.yaml has no section safety");
    }
  }
}
