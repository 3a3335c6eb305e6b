package org.habitline.study.coding;

import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.storage.Snapshots;
import org.jspecify.annotations.Nullable;

/**
 * Exports the outcomes of all daily prompts that were sent, recorded and coded, as CSV: a row for
 * each prompt and version of the coder, or one row without a version. It holds no words.
 */
@Singleton
public final class OutcomeExport {

  private static final int ROWS_AT_A_TIME = 500;

  private static final String END = "\r\n";

  private static final String HEADER =
      "participant_id,date,number,outcome_recorded,outcome_coded,coder_version,staff_codes" + END;

  private static final Pattern SPECIAL = Pattern.compile("[\",\r\n]");

  private static final String PARTICIPANTS =
      "SELECT id FROM participant WHERE erasing = 'no' AND contact = FALSE ORDER BY id";

  private static final String PROMPTS =
      "SELECT o.local_date AS local_date, o.slot AS slot, "
          + JdbcOutcomeCodes.RECORDED
          + """
           AS recorded,
          c.coder AS coder, c.coder_version AS coder_version, c.coded_by AS coded_by, c.outcome_coded AS outcome_coded
          FROM occurrence o LEFT JOIN outcome_code c
            ON c.participant_id = o.participant_id AND c.local_date = o.local_date AND c.slot = o.slot
          WHERE o.participant_id = ? AND o.status = 'sent'
          ORDER BY o.local_date, o.slot, c.coder, c.seq\
          """;

  private final Snapshots snapshots;

  OutcomeExport(Snapshots snapshots) {
    this.snapshots = snapshots;
  }

  /**
   * Returns the table as a stream to be read once, as it was at one moment. It is written one
   * participant at a time to a file that is deleted when the stream is closed, so no connection is
   * held while it is read.
   */
  public InputStream open() {
    try {
      var file = Files.createTempFile("habitline-export-", ".csv");
      try {
        snapshots.read(snapshot -> {
          write(snapshot, file);
          return true;
        });
        return Files.newInputStream(file);
      } finally {
        // The open stream stays readable, and nothing is left on disk whatever happens.
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The export of outcomes cannot be written.", e);
    } catch (SQLException e) {
      throw new IllegalStateException(
          "The export of outcomes cannot be read: SQLSTATE " + e.getSQLState());
    }
  }

  private static void write(Connection snapshot, Path file) throws SQLException {
    try (var out = Files.newBufferedWriter(file);
        var participants = snapshot.prepareStatement(PARTICIPANTS);
        var prompts = snapshot.prepareStatement(PROMPTS)) {
      out.write(HEADER);
      participants.setFetchSize(ROWS_AT_A_TIME);
      prompts.setFetchSize(ROWS_AT_A_TIME);
      try (var ids = participants.executeQuery()) {
        while (ids.next()) {
          var id = ids.getString(1);
          prompts.setString(1, id);
          Line line = null;
          try (var rows = prompts.executeQuery()) {
            while (rows.next()) {
              var date = rows.getString("local_date");
              var slot = rows.getInt("slot");
              if (line == null || !line.isOf(date, slot)) {
                print(line, out);
                line = new Line(id, date, slot, rows.getString("recorded"));
              }
              line.add(
                  rows.getString("coder"),
                  rows.getString("coder_version"),
                  rows.getString("coded_by"),
                  rows.getString("outcome_coded"));
            }
          }
          print(line, out);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The export of outcomes cannot be written.", e);
    }
  }

  private static void print(@Nullable Line line, Writer out) throws IOException {
    if (line != null) {
      line.print(out);
    }
  }

  private record OfModel(@Nullable String outcome, @Nullable String version) {}

  /** What is known of one prompt. */
  private static final class Line {
    private final String participantId;
    private final String date;
    private final int slot;
    private final @Nullable String recorded;
    private final List<OfModel> ofModels = new ArrayList<>();
    private final List<String> ofStaff = new ArrayList<>();

    Line(String participantId, String date, int slot, @Nullable String recorded) {
      this.participantId = participantId;
      this.date = date;
      this.slot = slot;
      this.recorded = recorded;
    }

    boolean isOf(String otherDate, int otherSlot) {
      return date.equals(otherDate) && slot == otherSlot;
    }

    void add(
        @Nullable String coder,
        @Nullable String version,
        @Nullable String who,
        @Nullable String outcome) {
      if (coder == null) {
        return;
      }
      switch (Coder.valueOf(coder.toUpperCase(Locale.ROOT))) {
        case MODEL -> ofModels.add(new OfModel(outcome, version));
        // The code comes first, so that a spreadsheet takes no name for a formula.
        case STAFF -> ofStaff.add(outcome + ": " + who);
      }
    }

    void print(Writer out) throws IOException {
      var staff = String.join("; ", ofStaff);
      if (ofModels.isEmpty()) {
        print(out, new OfModel(null, null), staff);
      }
      for (var model : ofModels) {
        print(out, model, staff);
      }
    }

    private void print(Writer out, OfModel model, String staff) throws IOException {
      out.write(
          Stream.of(
                  participantId,
                  date,
                  String.valueOf(slot),
                  orEmpty(recorded),
                  orEmpty(model.outcome()),
                  orEmpty(model.version()),
                  staff)
              .map(OutcomeExport::quoted)
              .collect(Collectors.joining(",", "", END)));
    }
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  /** Returns a field as RFC 4180 wants it. */
  private static String quoted(String text) {
    return SPECIAL.matcher(text).find() ? '"' + text.replace("\"", "\"\"") + '"' : text;
  }
}
