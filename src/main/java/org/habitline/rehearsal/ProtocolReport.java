package org.habitline.rehearsal;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.habitline.timers.Occurrence;

/**
 * The results of a rehearsal. The same plan gives the same report, except for the seconds.
 *
 * @param cancelled prompts that were cancelled by a STOP, another time or time zone, or the end of
 *     the study
 * @param notSent number of missed and refused prompts by the reason that Habitline recorded
 * @param answered prompts that were replied to
 * @param turns number of turns by outcome
 * @param asked how often each field was asked for
 * @param saved how many participants have saved each field
 * @param moved number of moves by module left and reached
 * @param calls number of tool calls by tool and status
 * @param checked number of texts of the model by what the gates decided
 * @param prompted whether the flow sends daily prompts
 * @param episodes the episodes of safety, if they were played
 * @param anomalies one sentence for each anomaly
 * @param seconds duration of the rehearsal
 */
public record ProtocolReport(
    String flow,
    int participants,
    int days,
    String from,
    String timezone,
    long seed,
    long planned,
    long sent,
    long missed,
    long refused,
    long cancelled,
    SortedMap<String, Long> notSent,
    long answered,
    long reminders,
    long textsIn,
    long textsOut,
    SortedMap<String, Long> turns,
    SortedMap<String, Long> asked,
    SortedMap<String, Long> saved,
    SortedMap<String, Long> moved,
    SortedMap<String, Long> calls,
    SortedMap<String, Long> checked,
    boolean prompted,
    List<EpisodeReport> episodes,
    List<String> anomalies,
    double seconds) {

  public ProtocolReport {
    notSent = Collections.unmodifiableSortedMap(new TreeMap<>(notSent));
    turns = Collections.unmodifiableSortedMap(new TreeMap<>(turns));
    asked = Collections.unmodifiableSortedMap(new TreeMap<>(asked));
    saved = Collections.unmodifiableSortedMap(new TreeMap<>(saved));
    moved = Collections.unmodifiableSortedMap(new TreeMap<>(moved));
    calls = Collections.unmodifiableSortedMap(new TreeMap<>(calls));
    checked = Collections.unmodifiableSortedMap(new TreeMap<>(checked));
    episodes = List.copyOf(episodes);
    anomalies = List.copyOf(anomalies);
  }

  static ProtocolReport of(
      Plan plan,
      FlowWords words,
      Evidence evidence,
      Doings doings,
      List<EpisodeReport> episodes,
      List<String> anomalies,
      double seconds) {
    var occurrences =
        evidence.occurrences().stream()
            .collect(Collectors.groupingBy(JdbcEvidence.Planned::status, Collectors.counting()));
    return new ProtocolReport(
        words.flow(),
        plan.participants(),
        plan.days(),
        plan.from().toString(),
        plan.zone().getId(),
        plan.seed(),
        evidence.occurrences().size(),
        count(occurrences, Occurrence.Status.SENT),
        count(occurrences, Occurrence.Status.MISSED),
        count(occurrences, Occurrence.Status.REFUSED),
        count(occurrences, Occurrence.Status.CANCELLED),
        evidence.occurrences().stream()
            .filter(it ->
                it.status() == Occurrence.Status.MISSED || it.status() == Occurrence.Status.REFUSED)
            .collect(
                Collectors.groupingBy(
                    it -> it.reason() == null ? "no reason is recorded" : it.reason(),
                    TreeMap::new,
                    Collectors.counting())),
        evidence.occurrences().stream().filter(it -> it.respondedAt() != null).count(),
        evidence.phones().stream()
            .filter(it -> words.prompted() && it.body().equals(words.reminder()))
            .count(),
        evidence.said().size(),
        evidence.phones().size(),
        evidence.turns().stream()
            .collect(
                Collectors.groupingBy(
                    it -> it.outcome() == null ? it.status().word() : it.outcome().word(),
                    TreeMap::new,
                    Collectors.counting())),
        doings.asked(),
        doings.saved(),
        doings.moved(),
        doings.calls(),
        doings.checked(),
        words.prompted(),
        episodes,
        anomalies,
        seconds);
  }

  /** Returns this report with a duration of 0, so that reports can be compared. */
  ProtocolReport untimed() {
    return new ProtocolReport(
        flow,
        participants,
        days,
        from,
        timezone,
        seed,
        planned,
        sent,
        missed,
        refused,
        cancelled,
        notSent,
        answered,
        reminders,
        textsIn,
        textsOut,
        turns,
        asked,
        saved,
        moved,
        calls,
        checked,
        prompted,
        episodes,
        anomalies,
        0);
  }

  private static long count(Map<Occurrence.Status, Long> occurrences, Occurrence.Status status) {
    return occurrences.getOrDefault(status, 0L);
  }

  /** Prints the report as text. */
  void print(PrintStream out) {
    out.println(
        "Rehearsal of the flow %s: %d participants, %d days from %s, %s, seed %d"
            .formatted(flow, participants, days, from, timezone, seed));
    out.println();
    rows().forEach(row -> out.println("  %-40s%8d".formatted(row.name(), row.count())));
    out.println();
    if (!notSent.isEmpty()) {
      out.println("  Why prompts were missed or refused; only one without a reason is an anomaly:");
      notSent.forEach((reason, count) -> out.println("    %d: %s".formatted(count, reason)));
      out.println();
    }
    episodes.forEach(episode -> {
      out.println("  %s (%s)".formatted(episode.episode(), episode.phone()));
      episode.happened().forEach(it -> out.println("    %s  %s".formatted(it.at(), it.what())));
      out.println();
    });
    out.println(anomalies.isEmpty() ? "No anomalies." : "Anomalies: " + anomalies.size());
    anomalies.forEach(anomaly -> out.println("  " + anomaly));
    out.println("Duration: %.1f s".formatted(seconds));
    out.flush();
  }

  private record Row(String name, long count) {}

  private List<Row> rows() {
    var rows = new ArrayList<Row>();
    if (prompted) {
      rows.add(new Row("prompts planned", planned));
      rows.add(new Row("  sent", sent));
      rows.add(new Row("  missed", missed));
      rows.add(new Row("  refused", refused));
      rows.add(new Row("  cancelled", cancelled));
      rows.add(new Row("prompts answered", answered));
      rows.add(new Row("reminders", reminders));
    }
    rows.add(new Row("texts from participants", textsIn));
    rows.add(new Row("messages to participants", textsOut));
    rows.add(new Row("turns", turns.values().stream().mapToLong(Long::longValue).sum()));
    turns.forEach((outcome, count) -> rows.add(new Row("  " + outcome.replace('_', ' '), count)));
    counted(rows, "questions", asked);
    counted(rows, "fields saved", saved);
    counted(rows, "moves", moved);
    counted(rows, "tool calls", calls);
    counted(rows, "texts checked by gates", checked);
    return rows;
  }

  /** Adds the sum of counts and a row for each; nothing if there are none. */
  private static void counted(List<Row> rows, String name, SortedMap<String, Long> counts) {
    if (!counts.isEmpty()) {
      rows.add(new Row(name, counts.values().stream().mapToLong(Long::longValue).sum()));
      counts.forEach((what, count) -> rows.add(new Row("  " + what, count)));
    }
  }
}
