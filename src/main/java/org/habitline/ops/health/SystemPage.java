package org.habitline.ops.health;

import java.util.List;
import org.habitline.staff.today.ServiceHealth;
import org.habitline.staff.web.PageFrame;

/**
 * How the line stands.
 *
 * @param complaint why what was asked for was not done, or empty
 * @param queues what waits; empty if the database cannot be read
 * @param wrong what an operator should act on; a stop of all sending is the staff's own act
 * @param backupPossible whether the database is a file
 * @param backups the newest copies; only for admins
 */
public record SystemPage(
    PageFrame frame,
    String complaint,
    List<Part> parts,
    List<ServiceHealth.Sign> wrong,
    List<Queue> queues,
    boolean backupPossible,
    List<Copy> backups,
    List<Configured> settings) {

  /** A part of the line, as {@code /health} has it. */
  public record Part(String name, String word) {

    /** Whether nobody need look at it. */
    public boolean good() {
      return word.equals("up");
    }
  }

  /**
   * Something that waits.
   *
   * @param since how long the oldest waits, in words, or empty
   */
  public record Queue(String what, String count, String since) {}

  /** A copy of the database file. */
  public record Copy(String file, String size, String at) {}

  /** A setting in force. */
  public record Configured(String variable, String value, String source, String meaning) {}
}
