package org.habitline.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import org.habitline.study.exports.ExportScope;

/**
 * A study of 90 days in a database, written by SQL: messages of each participant, their turns,
 * model calls, texts, deliveries, charges, daily prompts and outcomes. The rows are as long as
 * Habitline's own. They are in the order of time, so that those of one participant are spread over
 * the whole table.
 */
final class SeededStudy {

  static final int MESSAGES_EACH = 2_000;

  private static final int DAYS = 90;

  /** The turns of each participant whose study has {@value #MESSAGES_EACH} messages of each. */
  static final int TURNS_EACH = MESSAGES_EACH / 2;

  /**
   * A table that an export reads.
   *
   * @param columns those that the export reads
   */
  record Exported(String name, String columns) {}

  private SeededStudy() {}

  /** Returns the tables with rows that an export of this scope reads. */
  static List<Exported> exported(ExportScope scope) {
    var text = scope == ExportScope.DEIDENTIFIED ? "CHAR_LENGTH(content)" : "content";
    return List.of(
        new Exported("participant", "id, status, flow, channel, language, consent, enrolled_at"),
        new Exported("pseudonym", "participant_id, word"),
        new Exported(
            "turn",
            "participant_id, number, kind, status, outcome, module, attempts, model_failure,"
                + " configuration, held_by_staff, started_at, completed_at"),
        new Exported(
            "message",
            "participant_id, seq, turn, role, author, channel, created_at, before_consent,"
                + " cleared_at, incident_id, "
                + text),
        new Exported(
            "iteration",
            "participant_id, turn, number, child, model, prompt_tokens, completion_tokens,"
                + " started_at, completed_at, tool_calls"),
        new Exported(
            "occurrence",
            "participant_id, local_date, slot, status, due_at, sent_at, reminded_at, responded_at,"
                + " asked_at, zone, outcome, turn"),
        new Exported(
            "outbox",
            "participant_id, seq, id, message_id, turn, kind, channel, status, failure, hold,"
                + " said_at, segments, encoding, attempts, retries, price, price_unit,"
                + " template_category"),
        new Exported(
            "outcome_change",
            "participant_id, seq, local_date, slot, old_outcome, new_outcome, recorded_by, turn,"
                + " recorded_at"),
        new Exported(
            "outcome_code",
            "participant_id, seq, local_date, slot, coder, coder_version, outcome_coded, texts"),
        new Exported("profile_change", "participant_id, seq, turn, field, changed_at"),
        new Exported("audit_event", "participant_id, seq, at, role, action, subject"),
        new Exported("deviation", "participant_id, seq, kind, local_date, slot, state"),
        new Exported(
            "charge",
            "participant_id, id, turn, iteration, child, outbox_id, kind, item, units_in,"
                + " units_cached, units_out, segments, price_in, price_cached, price_out,"
                + " price_message, cost, currency, confidence, at"));
  }

  /**
   * Fills Habitline's tables, which are empty, in a PostgreSQL database.
   *
   * @param turnsEach turns of each participant, {@value #DAYS} or more; each has two messages
   */
  static void fill(HikariDataSource database, int people, int turnsEach) throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      // Faster, and no longer true once the study is there.
      statement.execute("SET synchronous_commit = off");
      for (var sql : ROWS) {
        statement.executeUpdate(
            sql.replace(":people", String.valueOf(people))
                .replace(":turns", String.valueOf(turnsEach))
                .replace(":days", String.valueOf(DAYS)));
      }
      statement.execute(SEQUENCES);
      statement.execute("SET synchronous_commit = on");
      statement.execute("VACUUM ANALYZE");
      statement.execute("CHECKPOINT");
    }
  }

  /** Lets new rows be numbered after those with numbers of their own. */
  private static final String SEQUENCES =
      """
      DO $$ DECLARE c record; BEGIN
        FOR c IN SELECT table_name AS t, column_name AS n FROM information_schema.columns
            WHERE table_schema = current_schema() AND is_identity = 'YES' LOOP
          EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L),'
              || ' (SELECT COALESCE(MAX(%I), 0) + 1 FROM %I), FALSE)', c.t, c.n, c.n, c.t);
        END LOOP;
      END $$
      """;

  /** Returns the size of the database with its indexes, in bytes. */
  static long size(HikariDataSource database) throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement();
        var found = statement.executeQuery("SELECT pg_database_size(current_database())")) {
      found.next();
      return found.getLong(1);
    }
  }

  /**
   * Turns {@code n} of participants {@code i} in the order of time, with their ids and instants. A
   * participant has 11 turns a day; every fifth calls a tool.
   */
  private static final String TURNS =
      """
      (SELECT k, i, n, d, 'conv_' || substr(md5('p' || i), 1, 24) AS p,
          'msg_' || substr(md5('m' || 2 * k), 1, 24) AS said,
          'msg_' || substr(md5('m' || 2 * k + 1), 1, 24) AS replied,
          'dlv_' || substr(md5('d' || k), 1, 24) AS delivery,
          n % 5 = 0 AS tool,
          timestamptz '2026-03-01 06:00:00.123456Z' + d * interval '1 day'
              + (k / :people % (:turns / :days) * 70 + i % 60) * interval '1 minute' AS at
        FROM (SELECT k, k % :people + 1 AS i, k / :people + 1 AS n, k / :people * :days / :turns AS d
            FROM generate_series(0, :people * :turns - 1) k) x) t
      """;

  /** The daily prompts. */
  private static final String PROMPTS =
      """
      (SELECT k, i, d, 'conv_' || substr(md5('p' || i), 1, 24) AS p, d * :turns / :days + 1 AS n,
          timestamptz '2026-03-01 07:15:00Z' + d * interval '1 day' AS at,
          to_char(date '2026-03-01' + d, 'YYYY-MM-DD') AS day,
          (ARRAY['done', 'done', 'partly', 'not_done'])[1 + (k * 7 + d) % 4] AS came
        FROM (SELECT k, k % :people + 1 AS i, k / :people AS d
            FROM generate_series(0, :people * :days - 1) k) x) o
      """;

  private static final List<String> ROWS =
      List.of(
          """
          INSERT INTO address (id, phone)
          SELECT i, '+1206' || lpad(i::text, 7, '0') FROM generate_series(1, :people) i
          """,
          """
          INSERT INTO participant (id, address_id, name, timezone, zone_assumed, flow, channel, status,
              enrolled_at, enrolled_on, created_at, updated_at)
          SELECT 'conv_' || substr(md5('p' || i), 1, 24), i, 'Robin Example' || i,
              (ARRAY['America/New_York', 'America/Los_Angeles', 'Europe/Berlin'])[1 + i % 3], FALSE,
              'habit', 'sms', 'active', at, '2026-02-28', at, at
          FROM generate_series(1, :people) i,
              LATERAL (SELECT timestamptz '2026-02-28 12:00:00Z' + i * interval '1 second' AS at) e
          """,
          """
          INSERT INTO state_data (participant_id, data_key, data_value, updated_at)
          SELECT id, 'userProfile',
              '{"nickname":"Robin","prompt_anchor":"a cup of tea","success_count":40,"total_prompts":90}',
              updated_at
          FROM participant
          """,
          """
          INSERT INTO turn (participant_id, number, status, kind, module, attempts, pinned, outcome,
              started_at, completed_at, begun_at, configuration)
          SELECT p, n, 'done', 'said', CASE WHEN n < 12 THEN 'INTAKE' ELSE 'FEEDBACK' END, 1,
              '{"inbox":[' || k || '],"now":"' || at || '","module":"FEEDBACK","subState":"FEEDBACK",'
                  || '"prompts":{"files":{"intake_bot_system.txt":"'
                  || repeat('c769d434998f287f', 4) || '","prompt_generator_system.txt":"'
                  || repeat('5916f3e1dd2d0c75', 4) || '"},"rendered":{"intake_bot_system.txt":"'
                  || repeat('de0ec5045ccec70a', 4) || '","prompt_generator_system.txt":"'
                  || repeat('8d5781e0c3d5ae4f', 4) || '"}}}',
              'replied', at, at + interval '1.9 seconds', at, 1
          FROM
          """
              + TURNS,
          """
          INSERT INTO message (seq, id, participant_id, role, content, channel, turn,
              author, created_at)
          SELECT 2 * k + 1 + side, CASE side WHEN 0 THEN said ELSE replied END, p,
              CASE side WHEN 0 THEN 'user' ELSE 'assistant' END,
              CASE side
                WHEN 0 THEN 'I did it after my cup of tea today, Robin here, number ' || k % 997
                ELSE 'Well done on day ' || d + 1 || '. That makes ' || n || ', and the anchor of'
                    || ' a cup of tea works for you. Shall the next prompt come at the same time'
                    || ' tomorrow, or would "later" be better?'
              END,
              'sms', n, CASE side WHEN 0 THEN 'participant' ELSE 'bot' END, at + side * interval '2 s'
          FROM
          """
              + TURNS
              + ", generate_series(0, 1) side ORDER BY k, side",
          """
          INSERT INTO inbox (participant_id, kind, provider_id, channel, body, received_at, stored_at,
              status, turn)
          SELECT p, 'said', 'SM' || md5('s' || k), 'sms',
              'I did it after my cup of tea today, Robin here, number ' || k % 997, at, at, 'done', n
          FROM
          """
              + TURNS,
          """
          INSERT INTO iteration (participant_id, turn, number, child, request_hash, messages, answer,
              tool_calls, metadata, started_at, completed_at, model, prompt_tokens, completion_tokens,
              model_ms, request)
          SELECT p, n, number, 0, md5('r' || k) || md5('h' || k),
              '[{"role":"system","content":"' || substr(repeat(md5('c' || k), 22), 1, 700) || '"}]',
              '{"type":"says","text":"' || repeat(md5('a' || k), 4) || '","receipt":{"modelAsked":'
                  || '"gpt-4.1-mini","modelReturned":"gpt-4.1-mini-2025-04-14","finishReason":"stop"}}',
              CASE WHEN tool AND number = 1
                THEN '[{"id":"call_' || md5('t' || k) || '","name":"record_outcome","arguments":'
                    || '{"outcome":"done"},"result":"Recorded."}]'
                ELSE '[]'
              END,
              '{"gate_verdict":"pass","module":"FEEDBACK","prompt_rendered_sha256":"'
                  || repeat('de0ec5045ccec70a', 4) || '","prompt_sha256":"'
                  || repeat('c769d434998f287f', 4) || '"}',
              at + number * interval '0.8 s', at + number * interval '0.8 s' + interval '0.789012 s',
              'gpt-4.1-mini-2025-04-14', 2800 + k % 400, 20 + k % 60,
              789, '{"mustSpeak":false,"tools":"' || repeat('db670c0c93a3001d', 4)
                  || '","whole":false,"elsewhere":{"history":['
                  || array_to_string(ARRAY(SELECT 2 * k - h FROM generate_series(1, 28) h), ',') || ']}}'
          FROM
          """
              + TURNS
              + ", generate_series(1, 2) number WHERE number = 1 OR tool ORDER BY k, number",
          """
          INSERT INTO outbox (seq, id, participant_id, turn, message_id, kind, channel, body, status,
              open, attempts, provider_id, planned_at, sending_at, ended_at, attempted_at, segments,
              encoding, said_at, expires_at, price, price_unit, sent_from)
          SELECT k + 1, delivery, p, n, replied, 'reply', 'sms',
              'Well done on day ' || d + 1 || '. That makes ' || n || ', and the anchor of'
                  || ' a cup of tea works for you. Shall the next prompt come at the same time'
                  || ' tomorrow, or would "later" be better?',
              'delivered', FALSE, 1, 'SM' || md5('o' || k), at, at, at + interval '3 s', at, 2, 'GSM-7',
              at + interval '2 s', at + interval '1 day', 0.0158, 'USD', '+12065550100'
          FROM
          """
              + TURNS,
          """
          INSERT INTO charge (id, participant_id, turn, iteration, child, kind, item, units_in,
              units_cached, units_out, price_in, price_cached, price_out, cost, currency, confidence,
              price_valid_from, at)
          SELECT 'chg_' || substr(md5('c' || k || '-' || number), 1, 24), p, n, number, 0, 'model',
              'gpt-4.1-mini', 2800 + k % 400, 2048, 20 + k % 60, 0.4, 0.1, 1.6, 0.000512345, 'USD',
              'exact', date '2026-01-01', at + number * interval '0.8 s'
          FROM
          """
              + TURNS
              + ", generate_series(1, 2) number WHERE number = 1 OR tool ORDER BY k, number",
          """
          INSERT INTO charge (id, participant_id, turn, outbox_id, kind, item, segments, price_message,
              cost, currency, confidence, price_valid_from, at)
          SELECT 'chg_' || substr(md5('e' || k), 1, 24), p, n, delivery, 'message', 'sms', 2, 0.0079,
              0.0158, 'USD', 'exact', date '2026-01-01', at + interval '3 s'
          FROM
          """
              + TURNS,
          """
          INSERT INTO occurrence (participant_id, local_date, slot, schedule_id, wall_time, zone, due_at,
              status, turn, prompted_at, sent_at, pending, reminded_at, responded_at, outcome, asked_at)
          SELECT p, day, 1, 'daily', day || 'T08:15', 'Europe/Berlin', at, 'sent', n, at, at, FALSE,
              CASE WHEN came = 'not_done' THEN at + interval '4 hours' END, at + interval '5 minutes',
              came, at + interval '1 minute'
          FROM
          """
              + PROMPTS,
          """
          INSERT INTO outcome_change (participant_id, local_date, slot, new_outcome, recorded_by, turn,
              recorded_at)
          SELECT p, day, 1, came, 'model', n, at + interval '5 minutes' FROM
          """
              + PROMPTS,
          """
          INSERT INTO outcome_code (participant_id, local_date, slot, coder, coder_version,
              outcome_coded, texts, coded_at)
          SELECT p, day, 1, 'model', 'coder-1', came, 2, at + interval '20 hours' FROM
          """
              + PROMPTS,
          """
          INSERT INTO wakeup (id, participant_id, kind, due_at, wall_time, zone, guard, status,
              created_at, ended_at)
          SELECT 'wku_' || substr(md5('w' || k || kind), 1, 24), p, kind, at, day || 'T08:15:00',
              'Europe/Berlin', day || ' 1', 'done', at - interval '1 day', at
          FROM
          """
              + PROMPTS
              + ", unnest(ARRAY['daily_prompt', 'reminder', 'check_in']) kind",
          """
          INSERT INTO profile_change (participant_id, turn, field, old_value, new_value, changed_at)
          SELECT p, n, 'prompt_anchor', '"a cup of tea"', '"a cup of tea"', at FROM
          """
              + PROMPTS
              + " WHERE d % 5 = 0",
          """
          INSERT INTO audit_event (at, study_at, actor, role, action, participant_id)
          SELECT at, at, 'Kim', 'staff', 'participant read', p FROM
          """
              + PROMPTS
              + " WHERE d % 9 = 0",
          """
          INSERT INTO deviation (dedup_key, participant_id, kind, local_date, slot, state, found_at)
          SELECT 'late ' || k, p, 'prompt_late', day, 1, 'open', at FROM
          """
              + PROMPTS
              + " WHERE d % 30 = 0");
}
