package org.habitline.ops.database;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.habitline.participants.ErasureRecord;
import org.habitline.staff.web.ApiProblem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes and reads {@code erasures.jsonl} in the home folder: a line of JSON for each erasure
 * requested of this process, with the participant's id, the time and hashes of their senders. The
 * file is outside the data and the backups, so restoring an older database keeps it. Each line is
 * on the disk before the erasure begins.
 *
 * <p>An erasure that is then refused or rolled back gets a second line, which withdraws the line
 * with the same id and time. If the process is killed between the two, an authorised client had
 * requested the erasure and got no error, so the next start carries it out if the database still
 * holds the participant. The same applies if the transaction's outcome is unknown.
 */
@Singleton
public final class ErasureFile implements ErasureRecord {

  public static final String NAME = "erasures.jsonl";

  private static final Logger log = LoggerFactory.getLogger(ErasureFile.class);

  /** Marks the line of an erasure that was refused or rolled back. */
  private static final String WITHDRAWN = "not_carried_out";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;
  private final ReentrantLock one = new ReentrantLock();

  ErasureFile(@Value("${habitline.home}") String home) {
    this.file = Path.of(home, NAME);
  }

  @Override
  public void add(Entry entry) {
    try {
      append(List.of(entry));
    } catch (IOException e) {
      log.warn(
          "{} cannot be written; no participant is erased until it can be: {}", NAME, e.toString());
      throw ApiProblem.conflict(
          "No participant was erased: the file "
              + NAME
              + " in the home folder cannot be written. Give the user that runs the service write"
              + " access, check that there is free space, and try again.");
    }
  }

  @Override
  public void withdraw(Entry entry) {
    try {
      write(List.of(line(entry, true)));
    } catch (IOException | RuntimeException e) {
      log.warn(
          "{} cannot be written, so participant {} will be erased at the next start, although the"
              + " erasure was refused: {}",
          NAME,
          entry.participantId(),
          e.toString());
    }
  }

  @Override
  public Collection<Entry> entries() {
    try {
      return read().values();
    } catch (IOException e) {
      throw new UncheckedIOException(NAME + " in the home folder cannot be read.", e);
    }
  }

  /** Appends these entries; they are on the disk when this returns. */
  public void append(Collection<Entry> entries) throws IOException {
    var lines = new ArrayList<String>();
    for (var entry : entries) {
      lines.add(line(entry, false));
    }
    write(lines);
  }

  private void write(Collection<String> lines) throws IOException {
    one.lock();
    try {
      var isNew = !Files.exists(file);
      try (var channel =
          PrivateFiles.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        // Another process may use the same home folder.
        try (var _ = channel.lock()) {
          var text = new StringBuilder(endsInALine(channel) ? "" : "\n");
          lines.forEach(line -> text.append(line).append('\n'));
          var bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
          channel.position(channel.size());
          while (bytes.hasRemaining()) {
            channel.write(bytes);
          }
          channel.force(true);
        }
      }
      if (isNew) {
        PrivateFiles.forceFolder(PrivateFiles.folderOf(file));
      }
    } finally {
      one.unlock();
    }
  }

  /**
   * Returns whether the file ends with a complete line. If a crash cut the last one off, the next
   * must not continue it.
   */
  private static boolean endsInALine(FileChannel channel) throws IOException {
    if (channel.size() == 0) {
      return true;
    }
    var last = ByteBuffer.allocate(1);
    channel.read(last, channel.size() - 1);
    return last.get(0) == '\n';
  }

  private static String line(Entry entry, boolean withdrawn) throws JsonProcessingException {
    var fields = new LinkedHashMap<String, Object>();
    fields.put("id", entry.participantId());
    fields.put("at", entry.at().toString());
    if (withdrawn) {
      fields.put(WITHDRAWN, true);
    } else {
      fields.put("keep_transcript", entry.keepTranscript());
      fields.put("senders", entry.senders());
    }
    return JSON.writeValueAsString(fields);
  }

  /**
   * Returns the entries of this home folder's own file that were not withdrawn, by participant;
   * empty if there is no file.
   */
  Map<String, Entry> read() throws IOException {
    return Files.exists(file) ? union(List.of(file)) : Map.of();
  }

  /** Identifies one erasure. */
  private record Asked(String participantId, Instant at) {}

  /**
   * Returns the erasures of all these files that were not withdrawn, by participant, regardless of
   * the order of the files. A line that a crash cut off, or that is no entry, is skipped with a
   * warning.
   */
  public static Map<String, Entry> union(List<Path> files) throws IOException {
    var entries = new ArrayList<Entry>();
    var withdrawn = new HashSet<Asked>();
    for (var file : files) {
      var number = 0;
      for (var line :
          new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList()) {
        number++;
        if (!line.isBlank()) {
          try {
            var json = JSON.readTree(line);
            var entry = entry(json);
            if (json.path(WITHDRAWN).asBoolean()) {
              withdrawn.add(new Asked(entry.participantId(), entry.at()));
            } else {
              entries.add(entry);
            }
          } catch (JsonProcessingException | RuntimeException e) {
            log.warn(
                "Line {} of {} is not an erasure and was skipped.", number, file.getFileName());
          }
        }
      }
    }
    var found = new LinkedHashMap<String, Entry>();
    for (var entry : entries) {
      if (!withdrawn.contains(new Asked(entry.participantId(), entry.at()))) {
        // Of two erasures of a participant, the one without the transcript counts: nothing was
        // kept.
        found.merge(
            entry.participantId(), entry, (one, other) -> one.keepTranscript() ? other : one);
      }
    }
    return found;
  }

  private static Entry entry(JsonNode line) {
    var id = line.path("id").asText();
    if (id.isBlank()) {
      throw new IllegalArgumentException("The entry has no id.");
    }
    var senders = new ArrayList<String>();
    line.path("senders").forEach(sender -> senders.add(sender.asText()));
    return new Entry(
        id,
        Instant.parse(line.path("at").asText()),
        line.path("keep_transcript").asBoolean(),
        senders);
  }

  /** Returns the entries among these that this home folder's own file lacks. */
  public List<Entry> missing(Collection<Entry> entries) throws IOException {
    var here = read();
    var missing = new ArrayList<Entry>();
    for (var entry : entries) {
      if (!here.containsKey(entry.participantId())) {
        missing.add(entry);
      }
    }
    return missing;
  }
}
