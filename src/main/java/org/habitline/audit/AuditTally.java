package org.habitline.audit;

import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records actions that may happen many times a second without flooding the log: the first one at
 * once, then once a minute how often it happened since, until a minute passes without it. If very
 * many different ones happen at once, the further ones are counted together. Counts are of this
 * process; those of the last minute are lost if it is killed.
 */
@Singleton
public final class AuditTally {

  /** How many different entries are counted separately at a time. */
  static final int APART = 100;

  private final AuditLog audit;

  /** How often each happened since it was last written. Guarded by this. */
  private final Map<AuditEntry, Long> since = new LinkedHashMap<>();

  AuditTally(AuditLog audit) {
    this.audit = audit;
  }

  /** Counts an action; equal entries are the same action. */
  public void count(AuditEntry entry) {
    var counted = told(entry);
    if (counted != null) {
      audit.record(counted);
    }
  }

  /** Returns the entry to write at once, or {@code null} if it is written with the next minute. */
  private synchronized @Nullable AuditEntry told(AuditEntry entry) {
    var one =
        since.containsKey(entry) || since.size() < APART
            ? entry
            : new AuditEntry(
                entry.actor(), entry.role(), entry.action(), null, "many others", null, null, null);
    if (since.containsKey(one)) {
      since.merge(one, 1L, Long::sum);
      return null;
    }
    since.put(one, 0L);
    return one;
  }

  /** Writes the counts since the last time; called once a minute. */
  public void write() {
    due().forEach(audit::record);
  }

  private synchronized List<AuditEntry> due() {
    var due = new ArrayList<AuditEntry>();
    since.values().removeIf(times -> times == 0);
    since.forEach((entry, times) -> due.add(entry.changed(null, times + " more within a minute")));
    since.replaceAll((entry, times) -> 0L);
    return due;
  }
}
