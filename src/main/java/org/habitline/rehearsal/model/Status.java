package org.habitline.rehearsal.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.habitline.llm.ModelMessage;
import org.habitline.llm.ModelRequest;
import org.habitline.llm.Section;

/**
 * The participant's status, as read from the request's status section. Unreadable values count as
 * unknown.
 *
 * @param participant the participant's id, if the module is shown it
 * @param writesPrompts whether the flow writes habit prompts
 * @param missing the fields that a habit prompt needs, or that the module needs in other flows
 * @param finished the modules whose part is complete
 * @param zone the participant's time zone
 * @param dailyPrompt the status of the newest daily prompt, or empty if there was none yet
 */
record Status(
    Optional<String> participant,
    Optional<String> module,
    Map<String, String> profile,
    boolean writesPrompts,
    List<String> missing,
    Set<String> finished,
    Optional<String> zone,
    List<Scheduled> schedules,
    Optional<String> dailyPrompt,
    Optional<String> lastPrompt) {

  /**
   * An active schedule.
   *
   * @param local its time as the scheduler writes it: {@code 08:15} or {@code 08:00-09:00}
   */
  record Scheduled(String id, String local) {}

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String PARTICIPANT = "Participant: ";
  private static final String MODULE = "Module: ";
  private static final String PROFILE = "Profile: ";
  private static final String SAVED_VALUES = "Saved values: ";
  private static final String MISSING_FOR_PROMPT = "Missing for a habit prompt: ";
  private static final String MISSING = "Missing: ";
  private static final String EARLIER = "Earlier modules: ";
  private static final String LOCAL_TIME = "Local time: ";
  private static final String SCHEDULES = "Active schedules: ";
  private static final String DAILY_PROMPT = "Daily prompt: ";
  private static final String LAST_PROMPT = "Last habit prompt: ";
  private static final Pattern SCHEDULED =
      Pattern.compile("^(\\S+) (?:fixed|random) (\\d\\d:\\d\\d(?:-\\d\\d:\\d\\d)?)(?:,.*)?$");

  static Status of(ModelRequest request) {
    var status = Section.STATUS.in(request).orElse("");
    return new Status(
        value(status, PARTICIPANT).map(text -> text.split(" ", 2)[0]),
        value(status, MODULE),
        value(status, PROFILE).map(Status::fields).orElse(Map.of()),
        value(status, MISSING_FOR_PROMPT).isPresent(),
        value(status, MISSING_FOR_PROMPT)
            .or(() -> value(status, MISSING))
            .filter(text -> !text.equals("nothing"))
            .map(text -> List.of(text.split(",\\s*", -1)))
            .orElse(List.of()),
        value(status, EARLIER).map(Status::finished).orElse(Set.of()),
        value(status, LOCAL_TIME).map(text -> text.substring(text.lastIndexOf(' ') + 1)),
        value(status, SCHEDULES).map(Status::schedules).orElse(List.of()),
        value(status, DAILY_PROMPT).filter(text -> !text.equals("none yet")),
        value(status, LAST_PROMPT).filter(text -> !text.equals("none")));
  }

  static List<String> systemTexts(ModelRequest request) {
    return request.messages().stream()
        .filter(ModelMessage.SystemText.class::isInstance)
        .map(ModelMessage.SystemText.class::cast)
        .map(ModelMessage.SystemText::content)
        .toList();
  }

  /** Returns the values of a form to be summarized, if the request asks for that. */
  static Optional<Map<String, String>> formOf(ModelRequest request) {
    return Section.STATUS
        .in(request)
        .flatMap(status -> value(status, SAVED_VALUES))
        .map(Status::fields);
  }

  boolean knows(String field) {
    return profile.containsKey(field);
  }

  String intensity() {
    return profile.getOrDefault(Field.INTENSITY, "normal");
  }

  private static Optional<String> value(String status, String label) {
    return Arrays.stream(status.split("\n", -1))
        .filter(line -> line.startsWith(label))
        .map(line -> line.substring(label.length()).strip())
        .filter(text -> !text.isEmpty())
        .findFirst();
  }

  /** Reads the modules whose part is complete; the status names them in lower case. */
  private static Set<String> finished(String json) {
    var finished = new TreeSet<String>();
    try {
      JSON.readTree(json)
          .properties()
          .forEach(part -> {
            if (part.getValue().has("completed_at")) {
              finished.add(part.getKey().toUpperCase(Locale.ROOT));
            }
          });
    } catch (JsonProcessingException e) {
      return Set.of();
    }
    return finished;
  }

  private static List<Scheduled> schedules(String line) {
    return Arrays.stream(line.split(";\\s*", -1))
        .map(SCHEDULED::matcher)
        .filter(Matcher::matches)
        .map(found -> new Scheduled(found.group(1), found.group(2)))
        .toList();
  }

  private static Map<String, String> fields(String json) {
    var fields = new TreeMap<String, String>();
    try {
      JSON.readTree(json)
          .properties()
          .forEach(field -> {
            if (field.getValue().isTextual() && !field.getValue().textValue().isBlank()) {
              fields.put(field.getKey(), field.getValue().textValue());
            }
          });
    } catch (JsonProcessingException e) {
      return Map.of();
    }
    return fields;
  }
}
