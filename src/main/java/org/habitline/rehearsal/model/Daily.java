package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The change that a turn makes to the daily prompt, and the words that report its result.
 *
 * @param acts the calls; empty if there is nothing to do or no tool for it
 * @param otherwise the words if there are no calls
 */
record Daily(Want want, List<Act> acts, String otherwise) {

  enum Want {
    NOTHING,
    A_TIME,
    NO_MORE
  }

  static final Daily NOTHING = new Daily(Want.NOTHING, List.of(), "");

  private static final DateTimeFormatter SPOKEN =
      DateTimeFormatter.ofPattern("EEEE, d MMMM", Locale.ENGLISH);
  private static final Pattern HOURS =
      Pattern.compile("(\\d{1,2}:\\d{2})\\s*(?:-|–|to|and|until)\\s*(\\d{1,2}:\\d{2})");
  private static final Pattern FOR_A_PERSON = Pattern.compile("[^_{}\\[\\]<>`\"]{1,200}");

  /** Returns a change to this time, or no change if the prompt already has this time and zone. */
  static Daily at(Scene scene, DailyTime told) {
    var time = told.where(scene.usual());
    var moved =
        scene.heard().zone().filter(zone -> !scene.status().zone().equals(Optional.of(zone)));
    var same =
        scene.status().schedules().stream().anyMatch(one -> one.local().equals(time.local()));
    if (same && moved.isEmpty()) {
      return new Daily(Want.NOTHING, List.of(), Lines.ALREADY);
    }
    return new Daily(
        Want.A_TIME, Plan.acts(List.of(scene.tools().schedule(time, scene.zone()))), "");
  }

  /** Returns a change that keeps the time but moves it to the place just named. */
  static Daily moved(Scene scene) {
    return scene.status().schedules().stream()
        .limit(1)
        .flatMap(active -> DailyTime.in(active.local()).stream())
        .map(time -> at(scene, time).silent())
        .findFirst()
        .orElse(NOTHING);
  }

  /** Returns a change that ends all daily prompts. */
  static Daily off(Scene scene) {
    var acts =
        scene.status().schedules().stream()
            .map(active -> scene.tools().unschedule(active.id()))
            .toList();
    return new Daily(Want.NO_MORE, Plan.acts(acts), Lines.NO_DAILY);
  }

  /**
   * Returns whether the coach's last message about the daily prompt says that there is none for
   * now.
   */
  static boolean leftAtNone(Scene scene) {
    return scene.said().stream()
        .filter(text -> none(text) || text.contains(SAID_WHEN_SET))
        .findFirst()
        .filter(Daily::none)
        .isPresent();
  }

  /** The words with which every confirmation begins. */
  static final String SAID_WHEN_SET = Lines.EVERY_DAY.substring(0, Lines.EVERY_DAY.indexOf('%'));

  private static boolean none(String said) {
    return said.contains(Lines.PROMPTS_OFF)
        || said.contains(Lines.NO_DAILY)
        || said.contains(Cue.OTHER_TIME.text());
  }

  boolean wanted() {
    return want != Want.NOTHING;
  }

  Daily silent() {
    return new Daily(want, acts, "");
  }

  /** Returns this change with calls that may fail without stopping the plan. */
  Daily inPassing() {
    return new Daily(want, acts.stream().map(Act::inPassing).toList(), otherwise);
  }

  /** Returns whether the calls should have set a time and did not. */
  boolean failed(Outcomes outcomes) {
    return want == Want.A_TIME && !acts.isEmpty() && !outcomes.did(Act.SCHEDULE);
  }

  /** Returns the words that report the result; after a refused time, they ask for another one. */
  String words(Outcomes outcomes) {
    var result = outcomes.newest(Act.SCHEDULE);
    if (acts.isEmpty()) {
      return otherwise;
    }
    if (want == Want.NO_MORE) {
      var off =
          outcomes.all().stream()
              .filter(outcome -> outcome.tool().equals(Act.SCHEDULE) && outcome.good())
              .count();
      return off == acts.size() ? Lines.PROMPTS_OFF : Lines.COULD_NOT_STOP;
    }
    return failed(outcomes)
        ? result.map(outcome -> refusal(outcome.result())).orElseGet(Daily::unknown)
        : result.map(outcome -> confirmation(outcome.result())).orElse("");
  }

  // --- the tool's result ---

  private static String confirmation(JsonNode result) {
    var local = result.path("local_time").asText("");
    if (local.isEmpty()) {
      return result.path("message").asText("");
    }
    return Lines.EVERY_DAY.formatted(
        time(local), zone(result.path("timezone").asText("")), next(result));
  }

  /** Returns a time in words: "at 08:15" or "between 08:00 and 09:00". */
  static String time(String local) {
    var window = local.split("-", 2);
    return window.length == 2
        ? Lines.BETWEEN.formatted(window[0].strip(), window[1].strip())
        : Lines.AT.formatted(local);
  }

  private static String zone(String id) {
    return id.isEmpty()
        ? "your time"
        : id.substring(id.lastIndexOf('/') + 1).replace('_', ' ') + " time";
  }

  private static String next(JsonNode result) {
    try {
      // The rest is the time, or the window of a random time.
      var next = LocalDate.parse(result.path("next_at_local").asText("").split(" ", 2)[0]);
      return Lines.NEXT_ON.formatted(SPOKEN.format(next));
    } catch (DateTimeParseException e) {
      return "";
    }
  }

  private String refusal(JsonNode result) {
    var message = result.path("message").asText("").strip();
    if (!result.path("field").asText("").equals("timezone")) {
      var hours = hours(result.path("valid_values").toString()).or(() -> hours(message));
      if (hours.isPresent()) {
        return Aside.join(hours.get(), Cue.OTHER_TIME.text());
      }
    }
    if (FOR_A_PERSON.matcher(message).matches()) {
      var sentence = message.matches(".*[.!?]$") ? message : message + ".";
      return Aside.join(Lines.NOT_ACCEPTED.formatted(sentence), Cue.OTHER_TIME.text());
    }
    return unknown();
  }

  /**
   * Returns a sentence with the accepted hours, if a refusal names hours other than the refused
   * window.
   */
  private Optional<String> hours(String text) {
    return HOURS
        .matcher(text)
        .results()
        .filter(found -> !refused(found.group(1), found.group(2)))
        .map((MatchResult found) -> Lines.OUTSIDE.formatted(found.group(1), found.group(2)))
        .findFirst();
  }

  private boolean refused(String start, String end) {
    return acts.stream()
        .map(Act::arguments)
        .anyMatch(asked ->
            asked.path("random_start_time").asText().equals(start)
                && asked.path("random_end_time").asText().equals(end));
  }

  private static String unknown() {
    return Aside.join(Lines.COULD_NOT_SCHEDULE, Cue.OTHER_TIME.followUp());
  }
}
