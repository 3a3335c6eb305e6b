package org.habitline.ops.access;

import io.micronaut.context.event.ShutdownEvent;
import io.micronaut.runtime.event.annotation.EventListener;
import io.micronaut.scheduling.annotation.Scheduled;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditTally;

/**
 * Counts who was not let in, and writes down from where: once at the first time, then once a minute
 * for each source. What they showed is written nowhere.
 */
@Singleton
public final class RefusedEntries {

  /** Where they tried. */
  public enum Door {
    /** The page for signing in. */
    PAGE("sign-in refused"),
    /** REST, with a key. */
    KEY("API key refused"),
    /** The web chat, with a token. */
    CHAT("chat token refused");

    private final String fact;

    Door(String fact) {
      this.fact = fact;
    }

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final AuditTally tally;
  private final Map<Door, AtomicLong> counts = new EnumMap<>(Door.class);

  RefusedEntries(AuditTally tally) {
    this.tally = tally;
    Arrays.stream(Door.values()).forEach(door -> counts.put(door, new AtomicLong()));
  }

  /**
   * Somebody was not let in.
   *
   * @param source where they came from, as {@link LoginBrake#source} has it
   */
  public void refused(Door door, String source) {
    counts.getOrDefault(door, new AtomicLong()).incrementAndGet();
    tally.count(AuditEntry.of("unknown", "none", door.fact).about(source));
  }

  /** Returns how many there were at a door since this process started. */
  public long count(Door door) {
    return counts.getOrDefault(door, new AtomicLong()).get();
  }

  /** Returns how many there were since this process started. */
  public long count() {
    return counts.values().stream().mapToLong(AtomicLong::get).sum();
  }

  @Scheduled(initialDelay = "1m", fixedDelay = "1m")
  void write() {
    tally.write();
  }

  @EventListener
  void write(ShutdownEvent event) {
    tally.write();
  }
}
