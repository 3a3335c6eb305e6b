package org.habitline.study.report;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.conversation.configuration.ConfigurationVersions;
import org.habitline.messaging.ConsentGate;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Snapshots;
import org.habitline.storage.Transactions;
import org.habitline.study.exports.ExportFailure;
import org.habitline.study.exports.StudyExports;
import org.habitline.study.report.Figure.Kind;
import org.habitline.study.report.Report.Fact;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the publication bundle: pages, the numbers that they show as CSV, and the queries that the
 * numbers came from. All numbers are read from one snapshot. The folder has its name only once it
 * is complete, and only its owner can read it.
 */
@Singleton
public final class PublicationBundle {

  private static final Logger log = LoggerFactory.getLogger(PublicationBundle.class);

  private static final String UNFINISHED = ".unfinished-";

  /** Fewer participants than this may be recognised by those who know them. */
  private static final int SMALL = 5;

  private final Snapshots snapshots;
  private final ConfigurationHistory configurations;
  private final ConsentGate consents;
  private final StudyFile studyFile;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock clock;
  private final TemplateEngine templates = TemplateEngine.createPrecompiled(ContentType.Html);

  PublicationBundle(
      Snapshots snapshots,
      ConfigurationHistory configurations,
      ConsentGate consents,
      StudyFile studyFile,
      AuditLog audit,
      Transactions transactions,
      Clock clock) {
    this.snapshots = snapshots;
    this.configurations = configurations;
    this.consents = consents;
    this.studyFile = studyFile;
    this.audit = audit;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * A bundle to write.
   *
   * @param folder a new folder, or an empty one
   * @param rehearsal the report of a rehearsal as JSON, to include
   * @param actor the name of whoever asks, for the audit log
   */
  public record Wanted(Path folder, Optional<Path> rehearsal, String actor, String role) {}

  /** How much was written. */
  public record Written(int files, int figures) {}

  /** The bundle was not written; the message says why in a sentence. */
  public static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failed(String sentence, @Nullable Throwable cause) {
      super(sentence, cause);
    }
  }

  /**
   * Writes a bundle.
   *
   * @throws Failed if it cannot be written; nothing is left of it then
   */
  public Written write(Wanted wanted) {
    var folder = wanted.folder().toAbsolutePath().normalize();
    refuseWhatIsThere(folder);
    var rehearsal = wanted.rehearsal().map(PublicationBundle::rehearsal);
    transactions.write(() ->
        audit.record(
            AuditEntry.of(wanted.actor(), wanted.role(), AuditAction.STUDY_REPORT_MADE)
                .about("a folder of the command")));
    var files = files(rehearsal);
    store(folder, files);
    return new Written(
        files.size(),
        (int) files.keySet().stream().filter(name -> name.startsWith("queries/")).count());
  }

  private static void refuseWhatIsThere(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (var inside = Files.list(folder)) {
      if (inside.findAny().isPresent()) {
        throw new Failed(
            folder + " is not empty. Choose a new folder, or empty this one first.", null);
      }
    } catch (IOException e) {
      throw new Failed(folder + " is no folder that can be read. Choose a new folder.", e);
    }
  }

  private static RehearsalReport rehearsal(Path file) {
    try {
      return RehearsalReport.read(file)
          .orElseThrow(() ->
              new Failed(
                  file + " is not the report of a rehearsal. Make one with rehearse --json FILE.",
                  null));
    } catch (IOException e) {
      throw new Failed(file + " cannot be read.", e);
    }
  }

  // --- contents ---

  /** Returns the files of the bundle by their names. */
  private Map<String, byte[]> files(Optional<RehearsalReport> rehearsal) {
    var now = clock.instant();
    var counted = counted(now);
    var codebook = StudyExports.codebook();
    var report = report(now, counted, codebook, rehearsal);
    var files = new LinkedHashMap<String, byte[]>();
    page(files, Report.INDEX, "report/index.jte", report);
    page(files, Report.TABLES, "report/tables.jte", report);
    page(files, Report.CONFIGURATION, "report/configuration.jte", report);
    page(files, "checklists.html", "report/checklists.jte", report);
    page(files, "codebook.html", "report/codebook.jte", report);
    report
        .rehearsed()
        .ifPresent(it -> {
          page(files, "rehearsal.html", "report/rehearsal.jte", report);
          files.put("rehearsal.json", bytes(it.json()));
        });
    files.put("datapackage.json", codebook);
    for (var exhibit : report.exhibits()) {
      files.put(exhibit.csv(), bytes(exhibit.numbers().csv()));
      files.put(exhibit.query(), bytes(query(exhibit.figure())));
    }
    return files;
  }

  private static String query(Figure figure) {
    return "-- "
        + figure.title()
        + ": numbers/"
        + figure.name()
        + ".csv\n-- As it was run; also runs on H2 and PostgreSQL by itself.\n"
        + figure.sql().stripTrailing()
        + ";\n";
  }

  /** The numbers of one snapshot, and the time zones that they were counted with. */
  private record Counted(List<Numbers> numbers, DatabaseZones zones) {}

  private Counted counted(Instant now) {
    try {
      return snapshots.read(snapshot -> read(snapshot, now));
    } catch (SQLException e) {
      log.warn("The numbers of a report cannot be read: SQLSTATE {}", e.getSQLState());
      throw new Failed("The database could not be read to the end. The log says why.", e);
    }
  }

  private Counted read(Connection snapshot, Instant now) throws SQLException {
    var all = new ArrayList<Numbers>();
    var zones = DatabaseZones.of(snapshot, now);
    var catalogue =
        new FigureCatalogue(
            now,
            consents.version().orElse(""),
            studyFile.monitoring().silentAfterDays(),
            zones.replaced());
    for (var figure : catalogue.figures()) {
      all.add(Numbers.read(figure, snapshot));
    }
    return new Counted(all, zones);
  }

  private Report report(
      Instant now, Counted counted, byte[] codebook, Optional<RehearsalReport> rehearsal) {
    var all = counted.numbers();
    var byName =
        all.stream()
            .collect(Collectors.toMap(numbers -> numbers.figure().name(), Function.identity()));
    var study = named(byName, "study");
    var byFlow = named(byName, "participants_by_flow");
    var versions = named(byName, "configuration_versions");
    // What was recorded after the snapshot is not part of the report.
    var history =
        configurations.upTo(
            versions.values("version").stream().mapToLong(Long::parseLong).max().orElse(0));
    var exhibits = Report.exhibits(all);
    var checklists = Checklists.read();
    return new Report(
        facts(now, study, versions, history),
        Stream.concat(warnings(byFlow), counted.zones().warnings()).toList(),
        FlowDiagram.of(study, byFlow, consents.version().isPresent()),
        exhibits,
        history,
        checklists.checklists().stream()
            .map(list -> new Report.Filled(list, checklists.filled(list, byName, exhibits)))
            .toList(),
        Codebook.of(codebook),
        rehearsal.orElse(null));
  }

  private static Numbers named(Map<String, Numbers> numbers, String name) {
    return Objects.requireNonNull(numbers.get(name));
  }

  private List<Fact> facts(
      Instant now, Numbers study, Numbers versions, ConfigurationHistory.History history) {
    var programs = new ArrayList<>(history.programs());
    var from = String.join("", study.values("first_enrolled"));
    var to = String.join("", study.values("last_message"));
    return List.of(
        new Fact("Study", "To be completed by the authors: title, registry and number"),
        new Fact(
            "Period",
            from.isEmpty()
                ? "No participant has been enrolled yet"
                : from
                    + " (first enrolment) to "
                    + (to.isEmpty() ? "today" : to)
                    + (to.isEmpty() ? "" : " (last message)")),
        new Fact(
            "Version of the study",
            versions.rows().isEmpty()
                ? "No configuration is recorded yet"
                : "Configuration versions %s to %s"
                    .formatted(
                        versions.values("version").getFirst(),
                        versions.values("version").getLast())),
        new Fact(
            "Consent text",
            consents
                .version()
                .map(version -> "Version " + version)
                .orElse("Consent is not asked in Habitline")),
        new Fact(
            "Software",
            "Habitline "
                + (programs.isEmpty()
                    ? ConfigurationVersions.program()
                    : String.join(", ", programs))
                + " during the study; this report was made with version "
                + ConfigurationVersions.program()),
        new Fact("Made at", now.truncatedTo(ChronoUnit.SECONDS) + " (study time, UTC)"),
        new Fact(
            "Scope",
            "De-identified: counts, shares and words of the configuration. No name, no text and no"
                + " pseudonym of a participant is in this bundle. All numbers were read from one"
                + " snapshot of the database."));
  }

  /** Returns a sentence for each flow that few participants share. */
  private static Stream<String> warnings(Numbers byFlow) {
    return byFlow.rows().stream()
        .filter(row -> Numbers.count(byFlow.figure(), row, "enrolled") < SMALL)
        .map(row ->
            "Only %s participants have the flow %s. Someone who knows them may recognise them in its rows."
                .formatted(
                    Numbers.count(byFlow.figure(), row, "enrolled"),
                    Numbers.shown(row.values().getFirst(), Kind.NAME)));
  }

  private void page(Map<String, byte[]> files, String name, String template, Report report) {
    var html = new StringOutput();
    templates.render(template, report, html);
    files.put(name, bytes(html.toString()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  // --- files ---

  private static void store(Path folder, Map<String, byte[]> files) {
    var parent = Objects.requireNonNull(folder.getParent());
    @Nullable Path unfinished = null;
    try {
      unfinished =
          Files.createTempDirectory(
              parent, folder.getFileName() + UNFINISHED, StudyExports.ownersOnly("rwx------"));
      for (var file : files.entrySet()) {
        var path = unfinished.resolve(file.getKey());
        Files.createDirectories(
            Objects.requireNonNull(path.getParent()), StudyExports.ownersOnly("rwx------"));
        write(path, file.getValue());
      }
      Files.deleteIfExists(folder);
      Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (DirectoryNotEmptyException e) {
      throw new Failed(folder + " is not empty any more. Choose a new folder.", e);
    } catch (IOException e) {
      throw new Failed(why(e, parent), e);
    } finally {
      if (unfinished != null) {
        deleteQuietly(unfinished);
      }
    }
  }

  private static String why(IOException failure, Path parent) {
    return switch (ExportFailure.of(failure, parent)) {
      case DISK_FULL -> "The disk is full. Free some space, and make the report again.";
      case NOT_WRITTEN, NOT_READ, INTERRUPTED ->
          "The folder "
              + parent
              + " cannot be written. Create it, or give the user that runs Habitline write access.";
    };
  }

  private static void write(Path file, byte[] content) throws IOException {
    try (var channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            StudyExports.ownersOnly("rw-------"))) {
      var bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** Deletes a folder that did not become the bundle; does nothing if it did. */
  private static void deleteQuietly(Path unfinished) {
    if (!Files.exists(unfinished)) {
      return;
    }
    try (var inside = Files.walk(unfinished)) {
      for (var path : inside.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      log.warn("{} could not be deleted", unfinished.getFileName());
    }
  }
}
