package org.habitline.safety.check;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.habitline.safety.check.Example.Label;
import org.habitline.safety.rules.CrisisRules;
import org.habitline.safety.rules.Level;
import org.habitline.safety.rules.RiskKind;
import org.habitline.safety.rules.Verdict;

/**
 * The verdicts on labelled examples, and how good they are. A hit is the level crisis. Never shows
 * a text.
 */
public record SafetyReport(List<Judged> judged) {

  /** An example and what the rules say about it. */
  public record Judged(Example example, Verdict verdict) {
    boolean isHit() {
      return verdict.level() == Level.CRISIS;
    }

    private boolean has(Label label) {
      return example.label() == label;
    }
  }

  public SafetyReport {
    judged = List.copyOf(judged);
  }

  /** Judges every example by itself, without history. */
  public static SafetyReport of(CrisisRules rules, List<Example> examples) {
    return new SafetyReport(
        examples.stream()
            .map(example -> new Judged(example, rules.judge(example.text())))
            .toList());
  }

  /** Returns the report for one language. */
  public SafetyReport in(String language) {
    return only(it -> it.example().language().equals(language));
  }

  private SafetyReport only(Predicate<Judged> wanted) {
    return new SafetyReport(judged.stream().filter(wanted).toList());
  }

  /** Returns how many examples with this label are hit. */
  public Rate hits(Label label) {
    var labelled = judged.stream().filter(it -> it.has(label)).toList();
    return new Rate((int) labelled.stream().filter(Judged::isHit).count(), labelled.size());
  }

  /** Returns how many crisis examples of each kind are hit, in the order of the kinds' names. */
  public Map<String, Rate> recallByKind() {
    return judged.stream()
        .filter(it -> it.has(Label.CRISIS))
        .collect(
            Collectors.groupingBy(
                it -> it.example().kind(),
                TreeMap::new,
                Collectors.collectingAndThen(
                    Collectors.toList(), list -> new SafetyReport(list).hits(Label.CRISIS))));
  }

  /**
   * Returns the examples on which the verdict is wrong: missed crises, and hits on others. Whether
   * a verdict is {@code concern} or {@code none} makes none wrong, and neither does its kind.
   */
  public List<Judged> wrong() {
    return judged.stream().filter(it -> it.has(Label.CRISIS) != it.isHit()).toList();
  }

  /** Prints the rates of each language, recall by kind, and every wrong verdict by id and kind. */
  public void print(PrintStream out) {
    out.println("Rates with 95 % intervals (Wilson score). A hit is the verdict crisis.");
    out.println("A verdict is wrong if a crisis text is no hit, or a watch or none text is one.");
    for (var language :
        judged.stream()
            .map(it -> it.example().language())
            .collect(Collectors.toCollection(TreeSet::new))) {
      in(language).print(language, out);
    }
  }

  private void print(String language, PrintStream out) {
    out.println();
    out.println(language + ": " + judged.size() + (judged.size() == 1 ? " example" : " examples"));
    out.println("  recall (crisis texts that are hit)      " + hits(Label.CRISIS));
    out.println("  false alarms (none texts that are hit)  " + hits(Label.NONE));
    out.println("  watch texts that are hit                " + hits(Label.WATCH));
    out.println("  watch texts marked as a concern         " + concerns(Label.WATCH));
    out.println("  none texts marked as a concern          " + concerns(Label.NONE));
    out.println("  recall by kind");
    recallByKind().forEach((kind, rate) -> out.printf("    %-36s  %s%n", kind, rate));
    out.println("  named kinds of the crisis texts that are hit");
    namedKinds().forEach((kinds, count) -> out.printf("    %-60s  %d%n", kinds, count));
    var wrong = wrong();
    out.println(wrong.isEmpty() ? "  no wrong verdict" : "  wrong verdicts");
    for (var it : wrong) {
      out.printf(
          "    %-12s  %-28s  label %s, verdict %s%s%n",
          it.example().id(),
          it.example().kind(),
          it.example().label().word(),
          it.verdict().level().word(),
          it.isHit() ? " (" + it.verdict().findings().getFirst().rule() + ")" : "");
    }
  }

  private Rate concerns(Label label) {
    var labelled = judged.stream().filter(it -> it.has(label)).toList();
    return new Rate(
        (int) labelled.stream().filter(it -> it.verdict().level() == Level.CONCERN).count(),
        labelled.size());
  }

  private Map<String, Long> namedKinds() {
    return judged.stream()
        .filter(it -> it.has(Label.CRISIS) && it.isHit())
        .collect(
            Collectors.groupingBy(
                it ->
                    it.example().kind()
                        + " as "
                        + it.verdict().kind().map(RiskKind::word).orElseThrow(),
                TreeMap::new,
                Collectors.counting()));
  }
}
