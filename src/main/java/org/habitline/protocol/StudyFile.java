package org.habitline.protocol;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.habitline.config.Mistakes;
import org.habitline.config.YamlText;

/**
 * What {@code config/study.yaml} in the home folder says. Every part is optional, and so is the
 * file. {@code docs/safety.md} describes it.
 *
 * @param safety whom to alert of a crisis
 * @param incidents how long the words of incidents are kept; empty if for good
 * @param budgets what may be spent on one day
 * @param consent how people are asked whether they take part
 * @param contact the person whom participants can reach
 * @param secondOpinion who gives a second opinion about texts
 * @param gates which checks of a model's words are in use
 * @param coding which daily prompts staff code besides the coder
 * @param fields the study's own fields of a participant
 * @param models what is done with the reply of another model than the one asked
 * @param monitoring when a difference from the plan counts
 * @param retention how long data is kept
 * @param target how many participants the study is to enrol
 */
public record StudyFile(
    Optional<AlertPlan> safety,
    Optional<IncidentRetention> incidents,
    Budgets budgets,
    Optional<ConsentPlan> consent,
    Optional<StudyContact> contact,
    Optional<SecondOpinionPlan> secondOpinion,
    GatePlan gates,
    CodingPlan coding,
    StudyFields fields,
    ModelPolicy models,
    MonitoringPlan monitoring,
    RetentionPlan retention,
    Optional<EnrolmentTarget> target) {

  /** A study that says nothing about itself. */
  private static final StudyFile EMPTY =
      new StudyFile(
          Optional.empty(),
          Optional.empty(),
          Budgets.usual(ZoneId.of("UTC"), Optional.empty()),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          GatePlan.all(),
          CodingPlan.usual(),
          StudyFields.NONE,
          ModelPolicy.usual(),
          MonitoringPlan.usual(),
          RetentionPlan.none(),
          Optional.empty());

  /** The file in error messages. */
  public static final String NAME = "config/study.yaml";

  private static final String CONSENT = "config/consent";

  /**
   * Reads the file, and the prices beside it.
   *
   * @throws BrokenStudy with every mistake if a file is there and cannot be used
   */
  public static StudyFile read(Path home) {
    var prices = Prices.in(home);
    var file = home.resolve("config").resolve("study.yaml");
    if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
      return EMPTY.with(Budgets.usual(ZoneId.of("UTC"), prices));
    }
    var mistakes = new Mistakes(NAME);
    var root = YamlText.parse(text(file), mistakes);
    root.ifPresent(keys ->
        keys.only(
            "safety",
            "budgets",
            "consent",
            "contact",
            "gates",
            "coding",
            "fields",
            "model_policy",
            "model_snapshots",
            "monitoring",
            "retention",
            "target"));
    var section = root.flatMap(keys -> keys.optionalSection("safety"));
    var safety = section.map(AlertPlan::read);
    var retention = section.flatMap(IncidentRetention::read);
    var secondOpinion = section.flatMap(SecondOpinionPlan::read);
    var zone = safety.map(AlertPlan::zone).orElse(ZoneId.of("UTC"));
    var budgets =
        root.flatMap(keys -> keys.optionalSection("budgets"))
            .map(keys -> Budgets.read(keys, zone, prices))
            .orElseGet(() -> Budgets.usual(zone, prices));
    var consent =
        root.flatMap(keys -> keys.optionalSection("consent"))
            .map(asked ->
                ConsentPlan.read(asked, WordFiles.read(home, CONSENT, ConsentLanguage::read)));
    var contact = root.flatMap(keys -> keys.optionalSection("contact")).map(StudyContact::read);
    var gates = root.flatMap(keys -> keys.optionalSection("gates")).map(GatePlan::read);
    var coding = root.flatMap(keys -> keys.optionalSection("coding")).map(CodingPlan::read);
    var fields = root.map(StudyFields::read).orElse(StudyFields.NONE);
    var models = root.map(ModelPolicy::read);
    var monitoring =
        root.flatMap(keys -> keys.optionalSection("monitoring"))
            .map(MonitoringPlan::read)
            .orElseGet(MonitoringPlan::usual);
    var kept = root.flatMap(keys -> keys.optionalSection("retention")).map(RetentionPlan::read);
    var target = root.flatMap(keys -> keys.optionalSection("target")).map(EnrolmentTarget::read);
    if (!mistakes.all().isEmpty()) {
      throw new BrokenStudy(mistakes.all());
    }
    return new StudyFile(
        safety,
        retention,
        budgets,
        consent,
        contact,
        secondOpinion,
        gates.orElseGet(GatePlan::all),
        coding.orElseGet(CodingPlan::usual),
        fields,
        models.orElseGet(ModelPolicy::usual),
        monitoring,
        kept.orElseGet(RetentionPlan::none),
        target);
  }

  private StudyFile with(Budgets others) {
    return new StudyFile(
        safety,
        incidents,
        others,
        consent,
        contact,
        secondOpinion,
        gates,
        coding,
        fields,
        models,
        monitoring,
        retention,
        target);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw broken("expected text in UTF-8");
    } catch (IOException e) {
      throw broken("the file exists but cannot be read; expected a readable text file");
    }
  }

  private static BrokenStudy broken(String expected) {
    return new BrokenStudy(List.of(NAME + ": " + expected));
  }
}
