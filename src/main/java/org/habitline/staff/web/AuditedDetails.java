package org.habitline.staff.web;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.habitline.participants.Participant;
import org.jspecify.annotations.Nullable;

/**
 * The details of a participant as the audit log keeps them, before or after a change. Only this
 * class knows how they are stored: as {@code status: active; name: Robin}, where a semicolon in a
 * value is doubled.
 *
 * @param values the stored values by key, in the order in which they are stored
 */
public record AuditedDetails(Map<String, String> values) {

  public AuditedDetails {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  private static final String BETWEEN = "; ";

  private static final String AFTER_KEY = ": ";

  private static final String OF_STUDY = "field.";

  /** The key of one of the study's own fields. */
  private static final Pattern STUDY_FIELD = Pattern.compile("field[.][a-z0-9_]+");

  /** The details that every study has; the stored key is the name in lower case. */
  private enum Key {
    STUDY_ID,
    STATUS,
    TIMEZONE,
    LANGUAGE,
    CONSENT,
    NAME,
    GENDER,
    ETHNICITY,
    BACKGROUND;

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the values are words of the program, such as {@code not_asked}. */
    private boolean hasWords() {
      return this == STATUS || this == CONSENT;
    }

    private String title() {
      return this == TIMEZONE ? "time zone" : word().replace('_', ' ');
    }

    private static Optional<Key> of(String word) {
      return Arrays.stream(values()).filter(key -> key.word().equals(word)).findFirst();
    }
  }

  /**
   * A detail that differs.
   *
   * @param what the detail in words, such as "time zone"
   * @param before the old value in words, or empty
   * @param after the new value in words, or empty
   */
  public record Change(String what, String before, String after) {}

  /** Returns the details of a participant. */
  public static AuditedDetails of(Participant participant, Map<String, String> fields) {
    var values = new LinkedHashMap<String, String>();
    put(values, Key.STUDY_ID, participant.studyId());
    fields.forEach((name, value) -> values.put(OF_STUDY + name, value));
    put(values, Key.STATUS, participant.status().word());
    put(values, Key.TIMEZONE, participant.zone().getId());
    put(values, Key.LANGUAGE, participant.language() == null ? "default" : participant.language());
    var consent = participant.consent();
    put(
        values,
        Key.CONSENT,
        consent.state().word() + (consent.version() == null ? "" : " (" + consent.version() + ")"));
    put(values, Key.NAME, participant.name());
    put(values, Key.GENDER, participant.gender());
    put(values, Key.ETHNICITY, participant.ethnicity());
    put(values, Key.BACKGROUND, participant.background());
    return new AuditedDetails(values);
  }

  private static void put(Map<String, String> values, Key key, @Nullable String value) {
    if (value != null && !value.isBlank()) {
      values.put(key.word(), value);
    }
  }

  /** Returns the details as they are stored. */
  public String text() {
    var parts = new ArrayList<String>();
    values.forEach((key, value) -> parts.add(key + AFTER_KEY + value.replace(";", ";;")));
    return String.join(BETWEEN, parts);
  }

  /** Reads stored details; none are stored as {@code null} or an empty text. */
  public static AuditedDetails read(@Nullable String text) {
    var values = new LinkedHashMap<String, String>();
    for (var part : parts(text == null ? "" : text)) {
      var end = part.indexOf(AFTER_KEY);
      if (end >= 0 && isKey(part.substring(0, end))) {
        values.put(part.substring(0, end), part.substring(end + AFTER_KEY.length()));
      }
    }
    return new AuditedDetails(values);
  }

  private static boolean isKey(String word) {
    return STUDY_FIELD.matcher(word).matches() || Key.of(word).isPresent();
  }

  /** Returns the parts between single semicolons, with doubled semicolons made single. */
  private static List<String> parts(String text) {
    var parts = new ArrayList<String>();
    var part = new StringBuilder();
    var at = 0;
    while (at < text.length()) {
      if (text.startsWith(";;", at)) {
        part.append(';');
        at += 2;
      } else if (text.startsWith(BETWEEN, at)) {
        parts.add(part.toString());
        part.setLength(0);
        at += BETWEEN.length();
      } else {
        part.append(text.charAt(at));
        at++;
      }
    }
    parts.add(part.toString());
    return parts;
  }

  /** Returns what differs in later details, in their order. */
  public List<Change> changesTo(AuditedDetails later) {
    var keys = new LinkedHashSet<>(values.keySet());
    keys.addAll(later.values.keySet());
    return keys.stream()
        .filter(key -> !inWords(key).equals(later.inWords(key)))
        .map(key -> new Change(title(key), inWords(key), later.inWords(key)))
        .toList();
  }

  private String inWords(String key) {
    var value = values.getOrDefault(key, "");
    if (Key.of(key).filter(Key::hasWords).isEmpty()) {
      return value;
    }
    // The version of the consent text that follows is no word of the program.
    var end = value.indexOf(" (");
    return end < 0
        ? value.replace('_', ' ')
        : value.substring(0, end).replace('_', ' ') + value.substring(end);
  }

  private static String title(String key) {
    return Key.of(key)
        .map(Key::title)
        .orElseGet(() -> key.substring(OF_STUDY.length()).replace('_', ' '));
  }
}
