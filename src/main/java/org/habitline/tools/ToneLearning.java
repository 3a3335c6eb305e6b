package org.habitline.tools;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Learns the tone that a participant prefers; pure functions.
 *
 * <p>What a participant asked for (explicit) counts at once and turns its opposite off. What was
 * only observed (implicit) counts slowly: every score moves towards the observation by {@value
 * #WEIGHT}, a tag turns on at {@value #ON} and off at {@value #OFF}, and in between it does not
 * change. Of two exclusive tags that would both be on, the lower drops to {@value #DROPPED}; {@code
 * no_emojis} beats {@code emojis_ok} whatever the scores.
 *
 * <p>Always true: scores are within 0 and 1, tags are known ones, never both of an exclusive pair
 * are on, a tag is on from {@value #ON} and off up to {@value #OFF}.
 */
final class ToneLearning {

  static final double ON = 0.7;
  static final double OFF = 0.4;
  static final double DROPPED = 0.39;
  static final double WEIGHT = 0.15;
  static final Duration IMPLICIT_INTERVAL = Duration.ofMinutes(3);

  static final String EXPLICIT = "explicit";
  static final String IMPLICIT = "implicit";

  private ToneLearning() {}

  /** Returns whether {@code now} is too soon after the last change for an implicit observation. */
  static boolean tooSoon(Tone before, Instant now) {
    var last = before.lastUpdatedAt();
    return last != null && now.isBefore(last.plus(IMPLICIT_INTERVAL));
  }

  /**
   * Turns the tags on and their opposites off. Returns {@code before} itself if that changes
   * nothing.
   *
   * @param confidence the score for the tags, raised to at least {@value #ON}, so that they are on
   */
  static Tone explicit(Tone before, Set<ToneTag> tags, double confidence, Instant now) {
    var scores = known(before);
    tags.forEach(tag -> scores.put(tag, Math.max(ON, clamped(confidence))));
    for (var pair : ToneTag.EXCLUSIVE) {
      if (tags.contains(pair.first()) && !tags.contains(pair.second())) {
        scores.computeIfPresent(pair.second(), (tag, score) -> Math.min(score, DROPPED));
      } else if (tags.contains(pair.second()) && !tags.contains(pair.first())) {
        scores.computeIfPresent(pair.first(), (tag, score) -> Math.min(score, DROPPED));
      }
    }
    return settled(before, scores, EXPLICIT, now);
  }

  /**
   * Applies one observation: every score decays, those observed rise towards {@code strength}. The
   * caller must check {@link #tooSoon} first.
   */
  static Tone implicit(Tone before, Set<ToneTag> observed, double strength, Instant now) {
    var scores = known(before);
    scores.replaceAll((tag, score) -> (1 - WEIGHT) * score);
    observed.forEach(tag -> scores.merge(tag, WEIGHT * clamped(strength), Double::sum));
    return settled(before, scores, IMPLICIT, now);
  }

  /** Removes all scores. Returns {@code before} itself if there were none. */
  static Tone forgotten(Tone before, Instant now) {
    return settled(before, new EnumMap<>(ToneTag.class), EXPLICIT, now);
  }

  private static Map<ToneTag, Double> known(Tone tone) {
    var scores = new EnumMap<ToneTag, Double>(ToneTag.class);
    tone.scores()
        .forEach((word, score) -> ToneTag.of(word).ifPresent(t -> scores.put(t, clamped(score))));
    return scores;
  }

  private static Tone settled(
      Tone before, Map<ToneTag, Double> scores, String source, Instant now) {
    var on = EnumSet.noneOf(ToneTag.class);
    scores.forEach((tag, score) -> {
      if (score >= ON || (score > OFF && wasOn(before, tag))) {
        on.add(tag);
      }
    });
    for (var pair : ToneTag.EXCLUSIVE) {
      if (on.contains(pair.first()) && on.contains(pair.second())) {
        var loser = loser(pair, before, scores);
        scores.put(loser, DROPPED);
        on.remove(loser);
      }
    }
    var tags = new TreeSet<String>();
    on.forEach(tag -> tags.add(tag.word()));
    var byWord = new TreeMap<String, Double>();
    scores.forEach((tag, score) -> byWord.put(tag.word(), clamped(score)));
    if (tags.equals(before.tags()) && byWord.equals(before.scores())) {
      return before;
    }
    return new Tone(
        Collections.unmodifiableSortedSet(tags), byWord, before.version() + 1, now, source);
  }

  private static ToneTag loser(ToneTag.Pair pair, Tone before, Map<ToneTag, Double> scores) {
    if (pair.firstAlways()) {
      return pair.second();
    }
    var order =
        Double.compare(
            scores.getOrDefault(pair.first(), 0.0), scores.getOrDefault(pair.second(), 0.0));
    if (order == 0) {
      return wasOn(before, pair.second()) ? pair.first() : pair.second();
    }
    return order < 0 ? pair.first() : pair.second();
  }

  private static boolean wasOn(Tone before, ToneTag tag) {
    return before.tags().contains(tag.word());
  }

  private static double clamped(double score) {
    return Double.isNaN(score) ? 0 : Math.clamp(score, 0.0, 1.0);
  }
}
