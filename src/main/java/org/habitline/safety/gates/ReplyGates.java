package org.habitline.safety.gates;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.Hashes;
import org.habitline.protocol.GatePlan;
import org.habitline.protocol.ReplyGate;
import org.habitline.safety.rules.BrokenRules;
import org.habitline.safety.rules.RuleFile;
import org.habitline.safety.rules.RuleFiles;

/** The gates that a study uses. Immutable, and safe for any number of threads. */
public final class ReplyGates {

  /** The folder of the gates' files in {@code config}. */
  static final String FOLDER = "gates";

  /** Changes whenever the code of a gate changes what it decides. */
  private static final String CODE = "5";

  /** What was read lately: it takes a while, and the next start often reads the same. */
  private static final Cache<List<RuleFile>, List<GateLanguage>> READ =
      Caffeine.newBuilder().maximumSize(4).build();

  private final List<Gate> gates;
  private final LanguageGate languages;
  private final String version;

  private ReplyGates(List<Gate> gates, LanguageGate languages, String version) {
    this.gates = List.copyOf(gates);
    this.languages = languages;
    this.version = version;
  }

  /**
   * Reads the gates: the packaged files, and those in {@code config/gates} of the home folder,
   * which replace packaged files of the same name.
   *
   * @throws BrokenRules with every mistake if a file cannot be used
   */
  public static ReplyGates of(Path home, GatePlan plan) {
    var files = RuleFiles.read(home, FOLDER);
    var languages = READ.get(files, GateLanguage::read);
    var language = new LanguageGate(languages);
    var all =
        Stream.<Gate>of(
                new ContactsGate(languages),
                new MedicalGate(languages),
                new InstructionsGate(),
                new ClaimsGate(languages),
                language)
            .filter(gate -> plan.isOn(gate.gate()))
            .toList();
    return new ReplyGates(all, language, version(files, plan));
  }

  /**
   * Returns a word that changes whenever the code, the files or the gates in use change, to be
   * recorded with a verdict.
   */
  public String version() {
    return version;
  }

  /** Returns whether any gate is in use. */
  public boolean areOn() {
    return !gates.isEmpty();
  }

  /**
   * Returns what the gates in use say about a text: the first objection, in the order of {@link
   * ReplyGate}. Takes a few milliseconds, and never waits.
   */
  public Verdict check(Candidate candidate) {
    for (var gate : gates) {
      var objection = gate.objection(candidate);
      if (objection.isPresent()) {
        return new Verdict.Blocked(gate.gate(), objection.get());
      }
    }
    return new Verdict.Pass();
  }

  /**
   * Returns the language in which somebody wrote these texts, if it is clear; also while no gate is
   * in use.
   */
  public Optional<String> languageOf(List<String> texts) {
    return languages.of(texts);
  }

  /**
   * Returns the first contact of a text that nobody gave the model, in words; empty if the gate for
   * contacts is off.
   */
  public Optional<String> inventedContact(Candidate candidate) {
    return gates.stream()
        .flatMap(
            gate -> gate instanceof ContactsGate contacts ? Stream.of(contacts) : Stream.empty())
        .findFirst()
        .flatMap(contacts -> contacts.invented(candidate));
  }

  private static String version(List<RuleFile> files, GatePlan plan) {
    var hashed = new StringBuilder(plan.off().toString());
    files.forEach(file -> hashed.append(file.at() + "\n" + file.yaml() + "\n"));
    return CODE + "-" + Hashes.sha256(hashed.toString()).substring(0, 12);
  }
}
