package org.habitline.safety.gates;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.habitline.config.Mistakes;
import org.habitline.config.Section;
import org.habitline.config.YamlText;
import org.habitline.safety.rules.BrokenRules;
import org.habitline.safety.rules.Phrases;
import org.habitline.safety.rules.RuleFile;

/**
 * What the gates know of one language: the files of one folder in {@code config/gates}.
 *
 * @param id the name of its folder, such as {@code en}
 * @param commonWords words that most sentences have some of, in lower case, without accents
 * @param names how the language is called, in the languages of the study
 * @param dots how the dot in an address is said
 * @param hours how the hours of a clock are said, from one to twelve
 */
record GateLanguage(
    String id,
    Set<String> commonWords,
    Set<String> names,
    Set<String> dots,
    List<String> hours,
    Numbers numbers,
    List<Claim> claims,
    List<Medical> medical,
    Phrases exceptions) {

  private static final int HOURS = 12;
  private static final int LONGEST_WORD = 60;
  private static final int LONGEST_MEANING = 200;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,59}");

  /**
   * Words around a short number that make it a number to call or to text.
   *
   * @param dial words before it, such as "call"
   * @param filler words that may stand between, such as "the number"
   * @param line words after it, such as "helpline"
   * @param units words after a number that make it an amount, such as "steps"
   * @param emergency numbers that are always meant to be called, as digits
   */
  record Numbers(
      List<String> dial,
      List<String> filler,
      List<String> line,
      List<String> units,
      Set<String> emergency) {}

  /**
   * A claim of an action.
   *
   * @param means what the model claims, as the end of "your answer says that …"
   * @param backedBy the calls of which one must have succeeded, as in {@link Done#calls}
   * @param schedule whether an active schedule backs it too, if its time is the one that is named
   * @param untrue whether nothing can back it, whatever was called
   * @param except phrases that hide what they overlap
   */
  record Claim(
      String id,
      String means,
      Set<String> backedBy,
      boolean schedule,
      boolean untrue,
      Phrases phrases,
      Phrases except) {}

  /**
   * Medical advice.
   *
   * @param means what the model does, as the end of "your answer …"
   * @param unlessSaid whether the last word of a phrase may be repeated if the model was shown it
   */
  record Medical(String id, String means, boolean unlessSaid, Phrases phrases) {}

  /**
   * Reads all languages.
   *
   * @throws BrokenRules with every mistake if a file cannot be used
   */
  static List<GateLanguage> read(List<RuleFile> files) {
    var mistakes = new ArrayList<Mistakes>();
    var byLanguage = new TreeMap<String, List<Section>>();
    for (var file : files) {
      var its = new Mistakes(file.at());
      mistakes.add(its);
      YamlText.parse(file.yaml(), its)
          .ifPresent(root ->
              byLanguage.computeIfAbsent(file.language(), it -> new ArrayList<>()).add(root));
    }
    var languages = new ArrayList<GateLanguage>();
    byLanguage.forEach((id, roots) -> languages.add(read(id, roots)));
    var all = mistakes.stream().flatMap(its -> its.all().stream()).toList();
    if (!all.isEmpty()) {
      throw new BrokenRules(all);
    }
    return List.copyOf(languages);
  }

  private static GateLanguage read(String id, List<Section> roots) {
    var phrases = new Phrases.Reader(roots);
    var common = new HashSet<String>();
    var names = new HashSet<String>();
    var dots = new HashSet<String>();
    var hours = new ArrayList<String>();
    var claims = new LinkedHashMap<String, Claim>();
    var medical = new LinkedHashMap<String, Medical>();
    var exceptions = new ArrayList<Phrases>();
    var numbers = new ArrayList<Section>();
    for (var root : roots) {
      root.only(
          "sets",
          "common_words",
          "names",
          "dots",
          "hours",
          "numbers",
          "claims",
          "medical",
          "exceptions");
      common.addAll(words(root, "common_words"));
      names.addAll(words(root, "names"));
      dots.addAll(words(root, "dots"));
      hours.addAll(hours(root));
      root.optionalSection("numbers").ifPresent(numbers::add);
      root.optionalSection("claims").ifPresent(all -> claims(all, phrases, claims));
      root.optionalSection("medical").ifPresent(all -> medical(all, phrases, medical));
      root.optionalSection("exceptions").ifPresent(all -> exceptions(all, phrases, exceptions));
    }
    return new GateLanguage(
        id,
        Set.copyOf(common),
        Set.copyOf(names),
        Set.copyOf(dots),
        List.copyOf(hours),
        numbers(numbers),
        List.copyOf(claims.values()),
        List.copyOf(medical.values()),
        Phrases.joined(exceptions));
  }

  private static List<String> words(Section section, String key) {
    return section.optionalTexts(key, LONGEST_WORD).stream().map(Words::plain).toList();
  }

  /** Returns the words of the hours; none, or twelve in their order. */
  private static List<String> hours(Section section) {
    var hours = words(section, "hours");
    if (!hours.isEmpty() && hours.size() != HOURS) {
      section.refuse("hours", "expected the words from one to twelve, found " + hours.size());
    }
    return hours;
  }

  private static Numbers numbers(List<Section> sections) {
    var lists = new LinkedHashMap<String, List<String>>();
    for (var section : sections) {
      section.only("dial", "filler", "line", "units", "emergency");
      for (var key : section.keys()) {
        lists.computeIfAbsent(key, it -> new ArrayList<>()).addAll(words(section, key));
      }
    }
    return new Numbers(
        lists.getOrDefault("dial", List.of()),
        lists.getOrDefault("filler", List.of()),
        lists.getOrDefault("line", List.of()),
        lists.getOrDefault("units", List.of()),
        Set.copyOf(lists.getOrDefault("emergency", List.of())));
  }

  private static void claims(Section all, Phrases.Reader phrases, Map<String, Claim> claims) {
    all.sections()
        .forEach((id, claim) -> {
          named(all, id, claims.containsKey(id));
          claim.only("means", "backed_by", "schedule", "untrue", "phrases", "except");
          claims.put(
              id,
              new Claim(
                  id,
                  claim.text("means", LONGEST_MEANING),
                  Set.copyOf(claim.optionalTexts("backed_by", LONGEST_WORD)),
                  claim.flag("schedule", false),
                  claim.flag("untrue", false),
                  phrases.read(claim, "phrases"),
                  claim.has("except") ? phrases.read(claim, "except") : Phrases.NONE));
        });
  }

  private static void medical(Section all, Phrases.Reader phrases, Map<String, Medical> medical) {
    all.sections()
        .forEach((id, advice) -> {
          named(all, id, medical.containsKey(id));
          advice.only("means", "unless_said", "phrases");
          medical.put(
              id,
              new Medical(
                  id,
                  advice.text("means", LONGEST_MEANING),
                  advice.flag("unless_said", false),
                  phrases.read(advice, "phrases")));
        });
  }

  private static void exceptions(Section all, Phrases.Reader phrases, List<Phrases> exceptions) {
    all.sections()
        .forEach((id, exception) -> {
          named(all, id, false);
          exception.only("why", "phrases");
          exception.text("why", LONGEST_MEANING);
          exceptions.add(phrases.read(exception, "phrases"));
        });
  }

  private static void named(Section section, String id, boolean taken) {
    if (!NAME.matcher(id).matches()) {
      section.refuse(id, "expected a name in lower-case letters, digits and -");
    } else if (taken) {
      section.refuse(id, "another file has this name too; expected it once");
    }
  }
}
