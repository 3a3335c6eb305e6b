package org.habitline.rehearsal.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.habitline.flows.Phrase;
import org.habitline.flows.PhraseTable;

/**
 * Plans what the phrases of a flow ask for: the calls of each phrase that the newest texts hold, in
 * order, and a reply that is given only if they all succeeded. A call for each item of a list is
 * planned when the result with the list is there.
 */
final class Phrasebook {

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{([^{}]*)}}");
  private static final String PARTICIPANT = "participant";
  private static final String TIMES = "times";
  private static final String NONE = "none";

  private final Scene scene;
  private final Outcomes outcomes;
  private final List<Act> acts = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();

  private Phrasebook(Scene scene, Outcomes outcomes) {
    this.scene = scene;
    this.outcomes = outcomes;
  }

  /** A text that fits a phrase, with what it says in place of each placeholder. */
  private record Said(Phrase phrase, Map<String, String> words) {}

  /**
   * The calls of one text.
   *
   * @param from the place of the first one in the plan
   * @param to the place after the last one
   * @param repeated how many of them are calls for items of a list
   * @param understood whether every argument could be taken from the text
   */
  private record Part(Said said, int from, int to, int repeated, boolean understood) {}

  /** Returns the plan for the newest texts, or empty if no phrase fits any of them. */
  static Optional<Plan> plan(PhraseTable table, Scene scene, Outcomes outcomes) {
    var said = scene.texts().stream().flatMap(text -> said(table, scene, text).stream()).toList();
    if (said.isEmpty()) {
      return Optional.empty();
    }
    var book = new Phrasebook(scene, outcomes);
    said.forEach(book::add);
    return Optional.of(new Plan(List.copyOf(book.acts), book::words));
  }

  /**
   * Returns the first phrase that fits a text and whose tools the module offers; one that fits word
   * for word comes before one with placeholders.
   */
  private static Optional<Said> said(PhraseTable table, Scene scene, String text) {
    return table.phrases().stream()
        .filter(phrase -> phrase.calls().stream().allMatch(call -> scene.tools().has(call.tool())))
        .flatMap(phrase -> phrase.in(text).map(words -> new Said(phrase, words)).stream())
        // The sort keeps the order of the table where it finds no difference.
        .min(Comparator.comparing(said -> !said.words().isEmpty()));
  }

  private void add(Said said) {
    var from = acts.size();
    var repeated = 0;
    var understood = true;
    for (var call : said.phrase().calls()) {
      if (call.each() == null) {
        var act = act(call, said.words(), MissingNode.getInstance());
        understood &= act.isPresent();
        act.ifPresent(acts::add);
      } else {
        var before = acts.size();
        for (var item : list(before - 1, call.each())) {
          act(call, said.words(), item)
              .map(act -> acts.size() == before ? act.inPassing() : act.inPassing().besides())
              .ifPresent(acts::add);
        }
        repeated += acts.size() - before;
        if (outcomes.all().size() < before) {
          break;
        }
      }
    }
    parts.add(new Part(said, from, acts.size(), repeated, understood));
  }

  /** Returns a list in the result of a call, empty as long as there is no result. */
  private JsonNode list(int call, String name) {
    return call < 0 || call >= outcomes.all().size()
        ? MissingNode.getInstance()
        : outcomes.all().get(call).result().path(name);
  }

  private Optional<Act> act(Phrase.Call call, Map<String, String> words, JsonNode item) {
    var values = new LinkedHashMap<String, JsonNode>();
    for (var argument : call.arguments().entrySet()) {
      var declared = scene.tools().arguments(call.tool()).get(argument.getKey());
      var text =
          filled(
              argument.getValue(),
              name ->
                  name.equals(PARTICIPANT)
                      ? scene.status().participant()
                      : Optional.ofNullable(words.get(name)).or(() -> value(item, name)));
      var value =
          declared == null
              ? Optional.<JsonNode>empty()
              : Blank.of(argument.getKey(), declared).in(text);
      if (value.isEmpty()) {
        return Optional.empty();
      }
      values.put(argument.getKey(), value.get());
    }
    return scene.tools().call(call.tool(), values);
  }

  private String words(Outcomes done) {
    return parts.stream()
        .map(part -> words(part, done))
        .distinct()
        .collect(Collectors.joining("\n"));
  }

  private static String words(Part part, Outcomes done) {
    if (!part.understood()) {
      return Lines.NOT_UNDERSTOOD;
    }
    var all = done.all();
    if (all.size() < part.to()) {
      return failure(all, part.from()).orElse(Lines.NOT_FINISHED);
    }
    var results = all.subList(part.from(), part.to());
    return failure(results, 0)
        .orElseGet(() ->
            filled(
                part.said().phrase().reply(),
                name -> {
                  if (name.equals(TIMES)) {
                    return Optional.of(Integer.toString(part.repeated()));
                  }
                  return Optional.ofNullable(part.said().words().get(name))
                      .or(() ->
                          results.reversed().stream()
                              .flatMap(result -> value(result.result(), name).stream())
                              .findFirst());
                }));
  }

  private static Optional<String> failure(List<Outcomes.Outcome> results, int from) {
    return results.stream()
        .skip(from)
        .filter(result -> !result.good())
        .findFirst()
        .map(result ->
            Lines.DID_NOT_WORK.formatted(result.result().path("message").asText(Lines.TRY_AGAIN)));
  }

  /** Returns a value in a result, for people; {@code a.b} is the value b in a. */
  private static Optional<String> value(JsonNode json, String name) {
    var value = json.at("/" + name.replace('.', '/'));
    return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(shown(value));
  }

  /** Returns a value of a result in words. */
  static String shown(JsonNode value) {
    if (value.isArray()) {
      return value.isEmpty()
          ? NONE
          : StreamSupport.stream(value.spliterator(), false)
              .map(Phrasebook::shown)
              .collect(Collectors.joining(", "));
    }
    if (value.isObject()) {
      return value.properties().stream()
          .filter(field -> !field.getValue().isBoolean() || field.getValue().booleanValue())
          .map(field ->
              field.getValue().isBoolean() ? "(" + field.getKey() + ")" : shown(field.getValue()))
          .collect(Collectors.joining(" "));
    }
    return value.asText();
  }

  /** Where the text of a placeholder comes from. */
  @FunctionalInterface
  private interface Source {
    Optional<String> text(String placeholder);
  }

  /** Fills in placeholders; one that has no text becomes empty. */
  private static String filled(String text, Source source) {
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(source.text(found.group(1)).orElse("")));
  }
}
