package org.habitline.study.coding;

import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.habitline.protocol.CodingPlan;
import org.habitline.protocol.StudyFile;
import org.habitline.timers.Occurrence;

/**
 * The random share of prompts that staff code, one at a time, seeing what the model's coder sees. A
 * keyed hash of the prompt decides whether it is in the share and when it comes: so the share is
 * the same for all, in the same random order, and stays when participants are added.
 */
@Singleton
public final class DoubleCoding {

  private static final String HASH = "HmacSHA256";

  /** How many hexadecimal digits of the hash name a prompt to a page. */
  private static final int DIGITS = 32;

  /** The first digits of a hash are a number; this many of them fit into a double without loss. */
  private static final int DIGITS_OF_NUMBER = 13;

  private static final double ALL = 0x1p52;

  private final OutcomeWindows windows;
  private final OutcomeCodes codes;
  private final CodingPlan plan;

  DoubleCoding(OutcomeWindows windows, OutcomeCodes codes, StudyFile study) {
    this.windows = windows;
    this.codes = codes;
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

  /** Returns how far a member of staff is, with the next prompt to code. */
  public Progress progress(String who) {
    var coded =
        codes.ofStaff(who).stream()
            .map(row -> drawn(key(row)).token())
            .collect(Collectors.toUnmodifiableSet());
    var left = sample().stream().filter(drawn -> !coded.contains(drawn.token())).toList();
    return new Progress(
        coded.size(),
        left.size(),
        left.stream().flatMap(drawn -> task(drawn, Optional.empty()).stream()).findFirst());
  }

  /** Returns the prompt that a member of staff coded last, if there is one. */
  public Optional<Task> last(String who) {
    return codes.ofStaff(who).stream()
        .findFirst()
        .flatMap(row -> task(drawn(key(row)), Optional.of(row.outcomeCoded())));
  }

  /**
   * Stores what a member of staff says of a prompt, in place of what they said before. Returns the
   * prompt, or empty if no prompt of the share has this token, or none any more. Joins the running
   * transaction.
   */
  public Optional<Coded> code(String who, String token, CodedOutcome outcome) {
    return sample().stream()
        .filter(drawn -> drawn.token().equals(token))
        .findFirst()
        .map(Drawn::key)
        .flatMap(key -> windows.of(key.participantId(), key.prompt()))
        .filter(window -> !window.textIds().isEmpty() && codes.ofStaff(window, who, outcome))
        .map(window -> new Coded(window.participantId(), window.key()));
  }

  private Optional<Task> task(Drawn drawn, Optional<CodedOutcome> said) {
    return windows
        .of(drawn.key().participantId(), drawn.key().prompt())
        .filter(window -> !window.textIds().isEmpty())
        .flatMap(windows::seen)
        .map(seen -> new Task(drawn.token(), drawn.key().participantId(), seen, said));
  }

  /** A prompt with its place in the random order, as a share of 1. */
  private record Drawn(OutcomeWindows.Key key, String token, double place) {}

  /** Returns the share of the prompts with a reply, in random order. */
  private List<Drawn> sample() {
    var drawn = new ArrayList<Drawn>();
    windows.forParticipants(ids ->
        windows.replied(ids).stream()
            .map(this::drawn)
            .filter(it -> it.place() < plan.share())
            .forEach(drawn::add));
    drawn.sort(Comparator.comparing(Drawn::token));
    return drawn;
  }

  private Drawn drawn(OutcomeWindows.Key key) {
    var hash = hash(key.participantId() + "#" + key.prompt().text());
    return new Drawn(
        key, hash.substring(0, DIGITS), Long.parseLong(hash, 0, DIGITS_OF_NUMBER, 16) / ALL);
  }

  private String hash(String text) {
    try {
      var mac = Mac.getInstance(HASH);
      mac.init(new SecretKeySpec(plan.seed().getBytes(StandardCharsets.UTF_8), HASH));
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("Java has no " + HASH + ".", e);
    }
  }

  private static OutcomeWindows.Key key(JdbcOutcomeCodes.Row row) {
    return new OutcomeWindows.Key(
        row.participantId(), new Occurrence.Key(LocalDate.parse(row.localDate()), row.slot()));
  }
}
