package org.habitline.study.coding;

import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.habitline.Hashes;
import org.habitline.protocol.CodingPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.InBatches;
import org.habitline.storage.Transactions;
import org.habitline.timers.Occurrence;

/**
 * The random share of prompts that staff code, one at a time, seeing what the model's coder sees. A
 * keyed hash of the prompt decides whether it is in the share and when it comes: so the share is
 * the same for all, in the same random order, and stays when participants are added. The hash is
 * stored with the prompt and indexed, so that a page reads only the prompts that come next.
 */
@Singleton
public final class DoubleCoding {

  private static final String HASH = "HmacSHA256";

  /** How many hexadecimal digits of the hash name a prompt to a page. */
  private static final int DIGITS = 32;

  /** The first 13 digits of a hash are a number below this; a double holds it without loss. */
  private static final double ALL = 0x1p52;

  private static final int AT_A_TIME = 20;

  private final OutcomeWindows windows;
  private final OutcomeCodes codes;
  private final JdbcDraws rows;
  private final Transactions transactions;
  private final CodingPlan plan;

  DoubleCoding(
      OutcomeWindows windows,
      OutcomeCodes codes,
      JdbcDraws rows,
      Transactions transactions,
      StudyFile study) {
    this.windows = windows;
    this.codes = codes;
    this.rows = rows;
    this.transactions = transactions;
    this.plan = study.coding();
  }

  /**
   * A prompt to code.
   *
   * @param token names it, and tells nothing about it
   * @param participantId whose it is; not for the coder's eyes
   * @param said what this member of staff said of it before, or empty
   */
  public record Task(
      String token, String participantId, List<Seen> seen, Optional<CodedOutcome> said) {}

  /**
   * How far a member of staff is.
   *
   * @param coded how many prompts they coded
   * @param left how many are left at most: those whose texts were removed count until they come up
   * @param next the next prompt to code, if one is left
   */
  public record Progress(int coded, int left, Optional<Task> next) {}

  /** A prompt that was coded. */
  public record Coded(String participantId, Occurrence.Key prompt) {}

  /** Returns the share that staff code, from 0 to 1. */
  public double share() {
    return plan.share();
  }

  /**
   * The prompts that the share is taken from.
   *
   * @param answered prompts that got a reply and whose texts are complete
   * @param share how many of them staff code, drawn at random
   */
  public record Frame(long answered, long share) {}

  /** Returns how many prompts the share is taken from, and how many it has. */
  public Frame frame() {
    drawAll();
    var over = windows.over();
    var counted = transactions.read(() -> rows.frame(limit(), over));
    return new Frame(counted.answered(), Objects.requireNonNullElse(counted.sampled(), 0L));
  }

  /** Returns how far a member of staff is, with the next prompt to code. */
  public Progress progress(String who) {
    drawAll();
    var over = windows.over();
    var left = transactions.read(() -> rows.left("", limit(), over, who));
    return new Progress(
        codes.numberOfStaff(who), left, left == 0 ? Optional.empty() : next(who, over));
  }

  /** Returns the first prompt in the random order that this member of staff can code. */
  private Optional<Task> next(String who, Instant over) {
    var after = "";
    while (true) {
      var from = after;
      var some = transactions.read(() -> rows.next(from, limit(), over, who, AT_A_TIME));
      for (var row : some) {
        var task = task(key(row.participantId(), row.localDate(), row.slot()), Optional.empty());
        if (task.isPresent()) {
          return task;
        }
      }
      if (some.size() < AT_A_TIME) {
        return Optional.empty();
      }
      after = Objects.requireNonNull(some.getLast().codingToken());
    }
  }

  /**
   * Gives every prompt with a reply its place in the random order: all of them at the first call
   * and when the seed was changed, and later what is new.
   */
  private void drawAll() {
    var first = transactions.read(rows::first);
    if (first.filter(row -> !token(row).equals(row.codingToken())).isPresent()) {
      transactions.write(() -> rows.forget());
    }
    if (transactions.read(() -> rows.undrawn(Instant.EPOCH, 1)).isEmpty()) {
      return;
    }
    InBatches.of(transactions)
        .change(most -> {
          var undrawn = rows.undrawn(Instant.EPOCH, most);
          for (var row : undrawn) {
            rows.draw(row.participantId(), row.localDate(), row.slot(), token(row));
          }
          return undrawn.size();
        });
  }

  /** Returns the prompt that a member of staff coded last, if there is one. */
  public Optional<Task> last(String who) {
    return codes
        .lastOfStaff(who)
        .flatMap(row ->
            task(
                key(row.participantId(), row.localDate(), row.slot()),
                Optional.of(row.outcomeCoded())));
  }

  /**
   * Stores what a member of staff says of a prompt, in place of what they said before. Returns the
   * prompt, or empty if no prompt of the share has this token, or none any more. Joins the running
   * transaction.
   */
  public Optional<Coded> code(String who, String token, CodedOutcome outcome) {
    return transactions
        .read(() -> rows.find(token, limit()))
        .map(row -> key(row.participantId(), row.localDate(), row.slot()))
        .flatMap(key -> windows.of(key.participantId(), key.prompt()))
        .filter(window -> !window.textIds().isEmpty() && codes.ofStaff(window, who, outcome))
        .map(window -> new Coded(window.participantId(), window.key()));
  }

  private Optional<Task> task(OutcomeWindows.Key key, Optional<CodedOutcome> said) {
    return windows
        .of(key.participantId(), key.prompt())
        .filter(window -> !window.textIds().isEmpty())
        .flatMap(windows::seen)
        .map(seen -> new Task(token(key), key.participantId(), seen, said));
  }

  /** Returns the token at which the share ends; the letter g comes after every token. */
  private String limit() {
    var end = (long) Math.ceil(plan.share() * ALL);
    return end >= (long) ALL ? "g" : "%013x".formatted(end);
  }

  private String token(JdbcDraws.Row row) {
    return token(key(row.participantId(), row.localDate(), row.slot()));
  }

  private String token(OutcomeWindows.Key key) {
    return hash(key.participantId() + "#" + key.prompt().text()).substring(0, DIGITS);
  }

  private String hash(String text) {
    var seed = plan.seed().getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(Hashes.hmac(HASH, seed, text));
  }

  private static OutcomeWindows.Key key(String participantId, String localDate, int slot) {
    return new OutcomeWindows.Key(
        participantId, new Occurrence.Key(LocalDate.parse(localDate), slot));
  }
}
