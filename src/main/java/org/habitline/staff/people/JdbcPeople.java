package org.habitline.staff.people;

import io.micronaut.data.jdbc.runtime.JdbcOperations;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.staff.web.HabitLine;
import org.habitline.study.figures.Participation;
import org.habitline.timers.PromptOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Searches participants across the tables of several packages. The statement contains only the
 * filters that are set, so that the database can use their indexes; what it computes of each
 * participant is found at one end of an index.
 */
@Singleton
class JdbcPeople {

  private static final String PARTICIPATION = Participation.OF_PARTICIPANT.replace(":version", "?");

  private static final String FOUND = "SELECT p.id, p.seq, " + PARTICIPATION + " AS taking_part";

  /** The newest text of a participant {@code p}, from the end of the index. */
  private static final String LAST_HEARD_AT =
      """
      (SELECT m.created_at FROM message m WHERE m.participant_id = p.id AND m.author = 'participant'
       ORDER BY m.participant_id DESC, m.author DESC, m.created_at DESC LIMIT 1)\
      """;

  private static final String LAST_PROMPT_AT =
      """
      (SELECT o.sent_at FROM occurrence o WHERE o.participant_id = p.id AND o.status = 'sent'
       ORDER BY o.participant_id DESC, o.status DESC, o.due_at DESC LIMIT 1)\
      """;

  private static final String NEXT_PROMPT_AT =
      "(SELECT MIN(o.due_at) FROM occurrence o WHERE o.participant_id = p.id AND o.status ="
          + " 'planned')";

  /** Which prompts count, and which of them are answered, as in the study's figures. */
  private static final String OF_SENT =
      " FROM occurrence o WHERE o.participant_id = p.id AND o.status = 'sent')";

  private final JdbcOperations jdbc;

  JdbcPeople(JdbcOperations jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * The filters; a {@code null} filter matches all.
   *
   * @param consentVersion the version of the consent text that counts, or empty if the study asks
   *     nobody
   * @param silentSince since when no text came of those who were enrolled before
   * @param fields lower-case values of the study's own fields, by name
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
      @Nullable Language language,
      @Nullable String channel,
      @Nullable String tag,
      @Nullable Instant silentSince,
      Map<String, String> fields,
      @Nullable Words words) {

    /** Returns the same filters, for all ways of taking part. */
    Sought inAnyWay() {
      return new Sought(
          consentVersion,
          null,
          null,
          flow,
          optedOut,
          consent,
          studyId,
          subState,
          language,
          channel,
          tag,
          silentSince,
          fields,
          words);
    }
  }

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
   * A filter by language.
   *
   * @param standardOf the flows whose own language it is: their participants have it if none was
   *     chosen for them
   */
  record Language(String code, List<String> standardOf) {}

  /**
   * The search words.
   *
   * @param phone the phone number that they are, or {@code null}
   * @param digits the last digits of a phone number that they may be, or {@code null}
   */
  record Words(String text, @Nullable String phone, @Nullable String digits) {}

  /** A participant found, with the sequence number to page by. */
  record Found(String id, long seq, Participation participation) {}

  /** What participants can be sorted by; those without a value come last. */
  enum SortKey {
    ENROLLED("p.seq"),
    NAME("LOWER(p.name)"),
    STUDY_ID("LOWER(p.study_id)"),
    STATUS("taking_part"),
    LAST_HEARD(LAST_HEARD_AT),
    LAST_PROMPT(LAST_PROMPT_AT),
    NEXT_PROMPT(NEXT_PROMPT_AT),
    ANSWER_RATE(
        "(SELECT CAST(COUNT(o.responded_at) AS double precision) / NULLIF(COUNT(*), 0)" + OF_SENT);

    private final String sql;

    SortKey(String sql) {
      this.sql = sql;
    }
  }

  /** An order of participants; those with the same value are in the order of their enrolment. */
  record Order(SortKey key, boolean descending) {

    static final Order NEWEST_FIRST = new Order(SortKey.ENROLLED, true);

    private String sql() {
      var direction = descending ? " DESC" : "";
      return key == SortKey.ENROLLED
          ? "p.seq" + direction
          : key.sql + direction + " NULLS LAST, p.seq DESC";
    }
  }

  /**
   * What is computed of a participant, apart from what is stored with them.
   *
   * @param lastHeardAt when they sent their newest text
   * @param lastPromptAt when their newest daily prompt was sent
   * @param nextPromptAt when their next daily prompt is due
   * @param sent daily prompts that a provider accepted
   * @param answered those of them with a reply
   * @param flags what the coach flagged and nobody has closed
   * @param mutedUntil until when staff reply instead of the coach, even if that is over
   */
  record Figures(
      @Nullable Instant lastHeardAt,
      @Nullable Instant lastPromptAt,
      @Nullable Instant nextPromptAt,
      long sent,
      long answered,
      long flags,
      @Nullable Instant mutedUntil) {

    static final Figures NONE = new Figures(null, null, null, 0, 0, 0, null);
  }

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

  private interface Reading<T> {
    T of(ResultSet rows) throws SQLException;
  }

  /**
   * Returns matching participants in an order.
   *
   * @param from the sequence number after which to begin in the order of enrolment, or {@code null}
   *     for the beginning
   * @param offset how many to leave out first
   */
  List<Found> find(Sought sought, Order order, @Nullable Long from, long offset, int most) {
    var conditions = conditions(sought);
    if (from != null) {
      conditions.add(Condition.of(order.descending() ? "p.seq < ?" : "p.seq > ?", from));
    }
    return all(
        FOUND
            + matching(conditions)
            + " ORDER BY "
            + order.sql()
            + " LIMIT "
            + most
            + " OFFSET "
            + offset,
        arguments(sought, conditions),
        JdbcPeople::found);
  }

  /**
   * Returns these participants, in no order.
   *
   * @param ids a few hundred at most
   */
  List<Found> these(String consentVersion, List<String> ids) {
    return all(
        FOUND + matching(List.of(Condition.of("p.id IN " + places(ids.size())))),
        Stream.concat(Stream.of(consentVersion), ids.stream()).toList(),
        JdbcPeople::found);
  }

  private static Found found(ResultSet row) throws SQLException {
    return new Found(row.getString(1), row.getLong(2), Participation.of(row.getString(3)));
  }

  /** Returns how many matching participants take part in each way. */
  Map<Participation, Long> count(Sought sought) {
    var conditions = conditions(sought);
    var counts = new EnumMap<Participation, Long>(Participation.class);
    all(
            "SELECT c.taking_part, COUNT(*) FROM (SELECT "
                + PARTICIPATION
                + " AS taking_part"
                + matching(conditions)
                + ") c GROUP BY c.taking_part",
            arguments(sought, conditions),
            row -> Map.entry(Participation.of(row.getString(1)), row.getLong(2)))
        .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
    return counts;
  }

  /**
   * Returns what is computed of these participants, by id.
   *
   * @param ids a few hundred at most
   */
  Map<String, Figures> figures(Collection<String> ids) {
    if (ids.isEmpty()) {
      return Map.of();
    }
    var figures = new HashMap<String, Figures>();
    all(
            "SELECT p.id, "
                + String.join(
                    ", ",
                    LAST_HEARD_AT,
                    LAST_PROMPT_AT,
                    NEXT_PROMPT_AT,
                    "(SELECT COUNT(*)" + OF_SENT,
                    "(SELECT COUNT(o.responded_at)" + OF_SENT,
                    "(SELECT COUNT(*) FROM staff_flag f WHERE f.participant_id = p.id AND f.status"
                        + " = 'open')",
                    "(SELECT s.muted_until FROM participant_state s WHERE s.participant_id = p.id)")
                + " FROM participant p WHERE p.id IN "
                + places(ids.size()),
            List.copyOf(ids),
            row ->
                Map.entry(
                    row.getString(1),
                    new Figures(
                        instant(row, 2),
                        instant(row, 3),
                        instant(row, 4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7),
                        instant(row, 8))))
        .forEach(entry -> figures.put(entry.getKey(), entry.getValue()));
    return figures;
  }

  /**
   * Returns the daily prompts that were sent to these participants since a date, by id.
   *
   * @param ids a few hundred at most
   * @param since a local date, about two weeks ago: there are one or two prompts a day
   */
  Map<String, List<HabitLine.Prompt>> prompts(Collection<String> ids, LocalDate since) {
    if (ids.isEmpty()) {
      return Map.of();
    }
    return all(
            "SELECT o.participant_id, o.local_date, o.responded_at, o.outcome FROM occurrence o"
                + " WHERE o.status = 'sent' AND o.local_date >= ? AND o.participant_id IN "
                + places(ids.size()),
            Stream.concat(Stream.of(since.toString()), ids.stream()).toList(),
            row ->
                Map.entry(
                    row.getString(1),
                    new HabitLine.Prompt(
                        LocalDate.parse(row.getString(2)),
                        instant(row, 3) != null,
                        PromptOutcome.of(Objects.requireNonNullElse(row.getString(4), ""))
                            .orElse(null))))
        .stream()
        .collect(
            Collectors.groupingBy(
                Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
  }

  private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
    var at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }

  private <T> List<T> all(String sql, List<?> arguments, Reading<T> reading) {
    return jdbc.prepareStatement(
        sql,
        statement -> {
          for (int i = 0; i < arguments.size(); i++) {
            statement.setObject(i + 1, arguments.get(i));
          }
          try (var rows = statement.executeQuery()) {
            var found = new ArrayList<T>();
            while (rows.next()) {
              found.add(reading.of(rows));
            }
            return found;
          }
        });
  }

  private static String matching(List<Condition> conditions) {
    return " FROM participant p JOIN address a ON a.id = p.address_id"
        + " LEFT JOIN state_data d ON d.participant_id = p.id AND d.data_key = 'conversationState'"
        + " WHERE p.erasing = 'no' AND p.contact = FALSE"
        + conditions.stream().map(it -> " AND " + it.sql()).collect(Collectors.joining());
  }

  private static List<Object> arguments(Sought sought, List<Condition> conditions) {
    return Stream.concat(
            Stream.of(sought.consentVersion()),
            conditions.stream().flatMap(it -> it.arguments().stream()))
        .toList();
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
    if (sought.language() != null) {
      conditions.add(speaking(sought.language()));
    }
    if (sought.channel() != null) {
      conditions.add(Condition.of("p.channel = ?", sought.channel()));
    }
    if (sought.tag() != null) {
      conditions.add(
          Condition.of(
              "EXISTS (SELECT 1 FROM participant_tag t WHERE t.participant_id = p.id AND t.tag ="
                  + " ?)",
              sought.tag()));
    }
    if (sought.silentSince() != null) {
      var since = sought.silentSince().atOffset(ZoneOffset.UTC);
      conditions.add(
          Condition.of(
              "p.enrolled_at < ? AND NOT EXISTS (SELECT 1 FROM message m WHERE m.participant_id ="
                  + " p.id AND m.author = 'participant' AND m.created_at >= ?)",
              since,
              since));
    }
    sought
        .fields()
        .forEach((name, value) ->
            conditions.add(
                Condition.of(
                    "EXISTS (SELECT 1 FROM participant_field f WHERE f.participant_id = p.id"
                        + " AND f.name = ? AND LOWER(f.field_value) = ?)",
                    name,
                    value)));
    if (sought.words() != null) {
      conditions.add(matching(sought.words()));
    }
    return conditions;
  }

  private static Condition speaking(Language language) {
    var chosen = Condition.of("p.language = ?", language.code());
    return language.standardOf().isEmpty()
        ? chosen
        : Condition.any(
            List.of(
                chosen,
                new Condition(
                    "p.language IS NULL AND p.flow IN " + places(language.standardOf().size()),
                    List.copyOf(language.standardOf()))));
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
    var lower = "%" + text.toLowerCase(Locale.ROOT) + "%";
    var alternatives = new ArrayList<Condition>();
    alternatives.add(Condition.of("LOWER(p.name) LIKE ? ESCAPE '!'", lower));
    // A database whose LOWER handles only ASCII finds other letters as they are written.
    alternatives.add(Condition.of("p.name LIKE ? ESCAPE '!'", "%" + text + "%"));
    alternatives.add(Condition.of("p.id LIKE ? ESCAPE '!'", text.toLowerCase(Locale.ROOT) + "%"));
    alternatives.add(Condition.of("LOWER(p.study_id) LIKE ? ESCAPE '!'", lower));
    alternatives.add(
        Condition.of(
            "EXISTS (SELECT 1 FROM participant_tag t WHERE t.participant_id = p.id"
                + " AND t.tag LIKE ? ESCAPE '!')",
            lower));
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
