package org.habitline.ops.health;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.habitline.staff.people.CustomFields;
import org.habitline.staff.today.ServiceHealth;
import org.habitline.staff.web.PageFrame;

/**
 * The contents of the system page.
 *
 * @param complaint why a request was refused, or empty
 * @param queues the queues; empty if the database cannot be read
 * @param wrong what an operator should act on; without a stop of all sending, which staff chose
 * @param backupPossible whether the database is a file
 * @param backups the newest backups; only for admins
 * @param added fields of participants that staff added, besides those of the study's file
 * @param retention how long data is kept that the study's file names
 */
public record SystemPage(
    PageFrame frame,
    String complaint,
    List<Part> parts,
    List<ServiceHealth.Sign> wrong,
    List<Queue> queues,
    boolean backupPossible,
    List<Copy> backups,
    List<CustomFields.Added> added,
    List<Kept> retention,
    List<Configured> settings) {

  /** A part of the service and its status, as in {@code /health}. */
  public record Part(String name, String word) {

    /** Returns whether the part works. */
    public boolean good() {
      return word.equals("up");
    }
  }

  /**
   * A queue.
   *
   * @param since how long the oldest item has been waiting, in words, or empty
   */
  public record Queue(String what, String count, String since) {}

  /** A backup of the database file. */
  public record Copy(String file, String size, String at) {}

  /**
   * How long data is kept.
   *
   * @param last when data was last removed or looked at, and how much, or empty
   */
  public record Kept(String what, String time, String last) {}

  /** A setting with its present value. */
  public record Configured(String variable, String value, String source, String meaning) {
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]+)\\]\\([^)]+\\)");
    private static final Pattern BACKTICK = Pattern.compile("`");

    /** Returns the meaning, which is Markdown, in parts; a link becomes its label. */
    public List<Phrase> phrases() {
      var phrases = new ArrayList<Phrase>();
      var code = false;
      for (var text : BACKTICK.split(LINK.matcher(meaning).replaceAll("$1"), -1)) {
        phrases.add(new Phrase(text, code));
        code = !code;
      }
      return List.copyOf(phrases);
    }
  }

  /** A part of a sentence, in plain type or as code. */
  public record Phrase(String text, boolean code) {}
}
