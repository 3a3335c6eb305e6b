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
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditTally;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts refused sign-ins, keys and tokens, and records their source in the audit log: at once the
 * first time, then once a minute for each source. The refused secret is never recorded.
 */
@Singleton
public final class RefusedEntries {

  private static final Logger log = LoggerFactory.getLogger(RefusedEntries.class);

  /** What the refused attempt was for. */
  public enum Door {
    /** The sign-in page. */
    PAGE(AuditAction.SIGN_IN_REFUSED),
    /** The REST API, with a key. */
    KEY(AuditAction.API_KEY_REFUSED),
    /** The web chat, with a token. */
    CHAT(AuditAction.CHAT_TOKEN_REFUSED);

    private final AuditAction fact;

    Door(AuditAction fact) {
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
   * Records a refused attempt.
   *
   * @param source where it came from, as {@link LoginBrake#source} returns it
   */
  public void refused(Door door, String source) {
    counts.getOrDefault(door, new AtomicLong()).incrementAndGet();
    tally.count(AuditEntry.of("unknown", "none", door.fact).about(source));
  }

  /** Returns the number of refusals of one kind since this process started. */
  public long count(Door door) {
    return counts.getOrDefault(door, new AtomicLong()).get();
  }

  /** Returns the number of refusals since this process started. */
  public long count() {
    return counts.values().stream().mapToLong(AtomicLong::get).sum();
  }

  @Scheduled(initialDelay = "1m", fixedDelay = "1m")
  void write() {
    tally.write();
  }

  @EventListener
  void write(ShutdownEvent event) {
    try {
      tally.write();
    } catch (RuntimeException e) {
      log.warn(
          "The last refused calls could not be counted in the audit log: {}",
          e.getClass().getName());
    }
  }
}
