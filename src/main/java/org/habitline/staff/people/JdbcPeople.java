package org.habitline.staff.people;

import io.micronaut.data.jdbc.runtime.JdbcOperations;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.study.figures.Participation;
import org.jspecify.annotations.Nullable;

/**
 * Searches participants across the tables of several packages. The statement contains only the
 * filters that are set, so that the database can use their indexes.
 */
@Singleton
class JdbcPeople {

  private final JdbcOperations jdbc;

  JdbcPeople(JdbcOperations jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * The filters; a {@code null} filter matches all.
   *
   * @param consentVersion the version of the consent text that counts, or empty if the study asks
   *     nobody
   */
  record Sought(
      String consentVersion,
      @Nullable Participation participation,
      @Nullable String status,
      @Nullable String flow,
      @Nullable Boolean optedOut,
      @Nullable String consent,
      @Nullable String studyId,
      @Nullable SubState subState,
      @Nullable Words words) {}

  /**
   * A filter by module.
   *
   * @param flows all flows of the service; a participant of another flow is in the module stored
   *     last
   */
  record SubState(String word, List<OfFlow> flows) {

    /**
     * A flow's modules, and the one where its participants start. A participant whose stored module
     * the flow does not have counts as being there.
     */
    record OfFlow(String flow, List<String> knows, String begins) {}
  }

  /**
   * The search words.
   *
   * @param phone the phone number that they are, or {@code null}
   * @param digits the last digits of a phone number that they may be, or {@code null}
   */
  record Words(String text, @Nullable String phone, @Nullable String digits) {}

  /** A participant found, with the sequence number to page by. */
  record Found(String id, long seq, Participation participation) {}

  private static final String PARTICIPATION = Participation.OF_PARTICIPANT.replace(":version", "?");

  private record Condition(String sql, List<Object> arguments) {

    static Condition of(String sql, Object... arguments) {
      return new Condition(sql, List.of(arguments));
    }

    static Condition any(List<Condition> conditions) {
      return new Condition(
          conditions.stream().map(Condition::sql).collect(Collectors.joining(" OR ", "(", ")")),
          conditions.stream().flatMap(it -> it.arguments().stream()).toList());
    }
  }

  /** Returns the matching participants before a sequence number, newest first. */
  List<Found> newest(Sought sought, long before, int most) {
    var conditions = conditions(sought);
    conditions.add(Condition.of("p.seq < ?", before));
    var sql =
        "SELECT p.id, p.seq, "
            + PARTICIPATION
            + " FROM participant p JOIN address a ON a.id = p.address_id"
            + " LEFT JOIN state_data d ON d.participant_id = p.id AND d.data_key = 'conversationState'"
            + " WHERE p.erasing = 'no' AND p.contact = FALSE AND "
            + conditions.stream().map(Condition::sql).collect(Collectors.joining(" AND "))
            + " ORDER BY p.seq DESC LIMIT "
            + most;
    var arguments =
        Stream.concat(
                Stream.of(sought.consentVersion()),
                conditions.stream().flatMap(it -> it.arguments().stream()))
            .toList();
    return jdbc.prepareStatement(
        sql,
        statement -> {
          for (int i = 0; i < arguments.size(); i++) {
            statement.setObject(i + 1, arguments.get(i));
          }
          try (var rows = statement.executeQuery()) {
            var found = new ArrayList<Found>();
            while (rows.next()) {
              found.add(
                  new Found(
                      rows.getString(1), rows.getLong(2), Participation.of(rows.getString(3))));
            }
            return found;
          }
        });
  }

  private static List<Condition> conditions(Sought sought) {
    var conditions = new ArrayList<Condition>();
    if (sought.participation() != null) {
      conditions.add(
          Condition.of(
              PARTICIPATION + " = ?", sought.consentVersion(), sought.participation().word()));
    }
    if (sought.status() != null) {
      conditions.add(Condition.of("p.status = ?", sought.status()));
    }
    if (sought.flow() != null) {
      conditions.add(Condition.of("p.flow = ?", sought.flow()));
    }
    if (sought.optedOut() != null) {
      conditions.add(Condition.of("a.opted_out = ?", sought.optedOut()));
    }
    if (sought.consent() != null) {
      conditions.add(Condition.of("p.consent = ?", sought.consent()));
    }
    if (sought.studyId() != null) {
      conditions.add(Condition.of("p.study_id = ?", sought.studyId()));
    }
    if (sought.subState() != null) {
      conditions.add(in(sought.subState()));
    }
    if (sought.words() != null) {
      conditions.add(matching(sought.words()));
    }
    return conditions;
  }

  private static Condition in(SubState subState) {
    var word = subState.word();
    var alternatives = new ArrayList<Condition>();
    for (var flow : subState.flows()) {
      if (flow.knows().contains(word)) {
        alternatives.add(Condition.of("p.flow = ? AND d.data_value = ?", flow.flow(), word));
      }
      if (flow.begins().equals(word)) {
        var arguments = new ArrayList<Object>(List.of(flow.flow()));
        arguments.addAll(flow.knows());
        alternatives.add(
            new Condition(
                "p.flow = ? AND (d.data_value IS NULL OR d.data_value NOT IN "
                    + places(flow.knows().size())
                    + ")",
                arguments));
      }
    }
    var arguments = new ArrayList<Object>();
    subState.flows().forEach(flow -> arguments.add(flow.flow()));
    arguments.add(word);
    alternatives.add(
        new Condition(
            "p.flow NOT IN " + places(subState.flows().size()) + " AND d.data_value = ?",
            arguments));
    return Condition.any(alternatives);
  }

  private static String places(int count) {
    return String.join(", ", Collections.nCopies(count, "?")).transform(it -> "(" + it + ")");
  }

  private static Condition matching(Words words) {
    var text = literally(words.text());
    var alternatives = new ArrayList<Condition>();
    alternatives.add(
        Condition.of("LOWER(p.name) LIKE ? ESCAPE '!'", "%" + text.toLowerCase(Locale.ROOT) + "%"));
    // A database whose LOWER handles only ASCII finds other letters as they are written.
    alternatives.add(Condition.of("p.name LIKE ? ESCAPE '!'", "%" + text + "%"));
    alternatives.add(Condition.of("p.id LIKE ? ESCAPE '!'", text.toLowerCase(Locale.ROOT) + "%"));
    alternatives.add(
        Condition.of(
            "LOWER(p.study_id) LIKE ? ESCAPE '!'", "%" + text.toLowerCase(Locale.ROOT) + "%"));
    if (words.phone() != null) {
      alternatives.add(Condition.of("a.phone = ?", words.phone()));
    } else if (words.digits() != null) {
      alternatives.add(Condition.of("a.phone LIKE ?", "%" + words.digits()));
    }
    return Condition.any(alternatives);
  }

  /** Escapes the wildcards of {@code LIKE}. */
  private static String literally(String text) {
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
  }
}
