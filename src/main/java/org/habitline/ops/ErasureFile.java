package org.habitline.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.habitline.participants.ErasureRecord;
import org.habitline.staff.ApiProblem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code erasures.jsonl} in the home folder: a line of JSON for each erasure that this
 * process carried out, with the participant's id and the time. It stands outside the data and the
 * backups, so that it is still there when an older database is put back. Each line is on the disk
 * before the erasure begins.
 */
@Singleton
final class ErasureFile implements ErasureRecord {

  static final String NAME = "erasures.jsonl";

  private static final Logger log = LoggerFactory.getLogger(ErasureFile.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;
  private final ReentrantLock one = new ReentrantLock();

  ErasureFile(@Value("${habitline.home}") String home) {
    this.file = Path.of(home, NAME);
  }

  /** An erasure that was written down. */
  record Entry(String participantId, Instant at, boolean keepTranscript) {}

  @Override
  public void add(String participantId, Instant at, boolean keepTranscript) {
    try {
      append(List.of(new Entry(participantId, at, keepTranscript)));
    } catch (IOException e) {
      log.warn(
          "{} cannot be written; no participant is erased until it can be: {}", NAME, e.toString());
      throw new ApiProblem(
          HttpStatus.CONFLICT,
          "No participant was erased: the file "
              + NAME
              + " in the home folder cannot be written. Give the user that runs the line write access, check"
              + " that there is free space, and try again.");
    }
  }

  /** Writes these down as well; they are on the disk when this returns. */
  void append(Collection<Entry> entries) throws IOException {
    one.lock();
    try {
      var isNew = !Files.exists(file);
      try (var channel =
          PrivateFiles.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        // Another process may share the home.
        try (var _ = channel.lock()) {
          var text = new StringBuilder(endsInALine(channel) ? "" : "\n");
          for (var entry : entries) {
            text.append(line(entry)).append('\n');
          }
          var bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
          channel.position(channel.size());
          while (bytes.hasRemaining()) {
            channel.write(bytes);
          }
          channel.force(true);
        }
      }
      if (isNew) {
        syncFolder();
      }
    } finally {
      one.unlock();
    }
  }

  /** Otherwise a line was cut off by a crash, and the next one must not continue it. */
  private static boolean endsInALine(FileChannel channel) throws IOException {
    if (channel.size() == 0) {
      return true;
    }
    var last = ByteBuffer.allocate(1);
    channel.read(last, channel.size() - 1);
    return last.get(0) == '\n';
  }

  private void syncFolder() throws IOException {
    // In a container it is a link to a volume.
    var folder = file.toRealPath().getParent();
    if (folder != null) {
      try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private static String line(Entry entry) throws JsonProcessingException {
    var fields = new LinkedHashMap<String, Object>();
    fields.put("id", entry.participantId());
    fields.put("at", entry.at().toString());
    fields.put("keep_transcript", entry.keepTranscript());
    return JSON.writeValueAsString(fields);
  }

  /** Returns what the home's own file says; nothing if there is none. */
  Map<String, Entry> read() throws IOException {
    return Files.exists(file) ? union(List.of(file)) : Map.of();
  }

  /**
   * Returns what these files say together, by participant. A line that was cut off by a crash, or
   * is no entry, is left out with a warning.
   */
  static Map<String, Entry> union(List<Path> files) throws IOException {
    var found = new LinkedHashMap<String, Entry>();
    for (var file : files) {
      var number = 0;
      for (var line :
          new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList()) {
        number++;
        if (!line.isBlank()) {
          try {
            var entry = entry(JSON.readTree(line));
            // Whoever was erased once with the transcript and once without it left nothing.
            found.merge(
                entry.participantId(), entry, (one, other) -> one.keepTranscript() ? other : one);
          } catch (JsonProcessingException | RuntimeException e) {
            log.warn(
                "Line {} of {} is not an erasure and was skipped.", number, file.getFileName());
          }
        }
      }
    }
    return found;
  }

  private static Entry entry(JsonNode line) {
    var id = line.path("id").asText();
    if (id.isBlank()) {
      throw new IllegalArgumentException("There is no id.");
    }
    return new Entry(
        id, Instant.parse(line.path("at").asText()), line.path("keep_transcript").asBoolean());
  }

  /** Returns which of these the home's own file does not name. */
  List<Entry> missing(Collection<Entry> entries) throws IOException {
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
