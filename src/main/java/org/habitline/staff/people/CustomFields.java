package org.habitline.staff.people;

import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.text.Normalizer;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.habitline.audit.AuditAction;
import org.habitline.audit.AuditEntry;
import org.habitline.audit.AuditLog;
import org.habitline.messaging.inbox.PlainText;
import org.habitline.participants.ParticipantChange.NewText;
import org.habitline.protocol.StudyField;
import org.habitline.protocol.StudyField.Checked;
import org.habitline.protocol.StudyFields;
import org.habitline.protocol.StudyFile;
import org.habitline.staff.web.Actor;
import org.habitline.staff.web.ApiProblem;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * The study's own fields, as people enter and see them: one check for enrolments and changes over
 * REST, for CSV files and for pages. A refusal names the field as {@code field.<name>}, which is
 * also its column in a CSV file and its name in a form.
 */
@Singleton
public final class CustomFields {

  private static final String PREFIX = "field.";

  /** More than these are never added; the study file accepts 50 itself. */
  private static final int MOST_ADDED = 200;

  private static final int LONGEST_NAME = 40;
  private static final int LONGEST_LABEL = 100;
  private static final Pattern NOT_OF_A_NAME = Pattern.compile("[^a-z0-9]+");

  private final StudyFields study;
  private final JdbcAddedFields added;
  private final AuditLog audit;
  private final Transactions transactions;
  private final Clock systemClock;

  /** Fields are never removed, so what was read once stays right; another node may add more. */
  private volatile StudyFields known;

  CustomFields(
      StudyFile study,
      JdbcAddedFields added,
      AuditLog audit,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    this.study = study.fields();
    this.added = added;
    this.audit = audit;
    this.transactions = transactions;
    this.systemClock = systemClock;
    this.known = study.fields();
  }

  /** Reads the fields of the study file, and those that staff added on any node. */
  StudyFields all() {
    var more =
        transactions.read(() -> added.all(MOST_ADDED)).stream()
            .filter(row -> study.find(row.name()).isEmpty())
            .map(row ->
                new StudyField(
                    row.name(),
                    row.label(),
                    StudyField.Type.TEXT,
                    List.of(),
                    false,
                    Optional.empty()));
    var all = new StudyFields(Stream.concat(study.all().stream(), more).toList());
    known = all;
    return all;
  }

  /**
   * A field that staff added.
   *
   * @param name as scripts and exports name it
   * @param by the name of the staff member
   */
  public record Added(String name, String label, String by, Instant at) {}

  /** Returns the fields that staff added, the oldest first. */
  public List<Added> added() {
    return transactions.read(() -> added.all(MOST_ADDED)).stream()
        .map(row -> new Added(row.name(), row.label(), row.addedBy(), row.addedAt()))
        .toList();
  }

  /** Returns the field of this name, also if another node has just added it. */
  Optional<StudyField> find(String name) {
    return known.find(name).or(() -> all().find(name));
  }

  /**
   * Returns the column of a new field for a column of a file, or that of the field which has such a
   * name already.
   *
   * @param taken columns that it must not be
   */
  public String columnFor(String heading, Collection<String> taken) {
    var plain =
        NOT_OF_A_NAME
            .matcher(
                Normalizer.normalize(heading.toLowerCase(Locale.ROOT), Normalizer.Form.NFKD)
                    .replaceAll("\\p{M}", ""))
            .replaceAll("_")
            .replaceAll("^_+|_+$", "");
    var word = plain.isEmpty() || !Character.isLetter(plain.charAt(0)) ? "field_" + plain : plain;
    var name = word.substring(0, Math.min(LONGEST_NAME - 3, word.length()));
    var column = PREFIX + name;
    for (int i = 2; taken.contains(column); i++) {
      column = PREFIX + name + "_" + i;
    }
    return column;
  }

  /**
   * Adds a field that accepts any text on one line; does nothing if there is one. Joins the running
   * transaction.
   *
   * @param column its column in a file
   * @throws ApiProblem 400 if there are too many
   */
  public void add(Actor actor, String column, String label) {
    var name = column.substring(PREFIX.length());
    // Asks the table: what this transaction adds must not be known before it commits.
    var there = added.all(MOST_ADDED);
    if (study.find(name).isPresent() || there.stream().anyMatch(row -> row.name().equals(name))) {
      return;
    }
    if (study.all().size() + there.size() >= MOST_ADDED) {
      throw ApiProblem.bad("The study has " + MOST_ADDED + " fields; no more can be added.");
    }
    var shown = PlainText.storable(label.substring(0, Math.min(LONGEST_LABEL, label.length())));
    if (added.insert(name, shown, actor.name(), systemClock.instant()) > 0) {
      audit.record(
          AuditEntry.of(actor.name(), actor.role(), AuditAction.FIELD_ADDED)
              .about(name)
              .changed(null, shown));
    }
  }

  /**
   * A field in a form.
   *
   * @param value as it is stored or was entered, or empty
   * @param problem why it was refused, or empty
   */
  public record Input(StudyField field, String value, String problem) {

    /** Returns its name in a form, and in the ids of its elements. */
    public String name() {
      return PREFIX + field.name();
    }
  }

  /**
   * A stored value.
   *
   * @param label the field's label, or its name if the study no longer has it
   * @param gone whether the study no longer has the field
   */
  public record Stored(String label, String value, boolean gone) {}

  /** Returns the columns of a CSV file. */
  public List<String> columns() {
    return all().names().stream().map(PREFIX::concat).toList();
  }

  /** Returns the name of a field in a form or an address, or its column in a CSV file. */
  static String parameter(String field) {
    return PREFIX + field;
  }

  /** Returns the name of the field that a parameter is about, or empty if it is about none. */
  static Optional<String> named(String parameter) {
    return parameter.startsWith(PREFIX)
        ? Optional.of(parameter.substring(PREFIX.length()))
        : Optional.empty();
  }

  /** Returns the fields among those of a form or of a row of a CSV file, by name. */
  public static Map<String, String> in(Map<String, String> form) {
    var given = new LinkedHashMap<String, String>();
    form.forEach((name, value) -> {
      if (name.startsWith(PREFIX)) {
        given.put(name.substring(PREFIX.length()), value);
      }
    });
    return given;
  }

  /** Returns the fields of a JSON object, where null stands for a blank value. */
  static Map<String, String> ofJson(@Nullable Map<String, @Nullable String> given) {
    var said = new LinkedHashMap<String, String>();
    if (given != null) {
      given.forEach((name, value) -> said.put(name, Objects.requireNonNullElse(value, "")));
    }
    return said;
  }

  /** Returns the fields of a form, with what was entered and why it was refused. */
  public List<Input> inputs(Map<String, String> given, List<ApiProblem> problems) {
    return all().all().stream()
        .map(field ->
            new Input(
                field,
                given.getOrDefault(field.name(), ""),
                problems.stream()
                    .filter(it -> it.field().equals(Optional.of(PREFIX + field.name())))
                    .map(ApiProblem::besideField)
                    .findFirst()
                    .orElse("")))
        .toList();
  }

  /** Returns stored values in the order of the study's fields, those of removed fields last. */
  public List<Stored> shown(Map<String, String> stored) {
    var fields = stored.isEmpty() ? known : all();
    return Stream.concat(
            fields.all().stream()
                .filter(field -> stored.containsKey(field.name()))
                .map(field ->
                    new Stored(field.label(), stored.getOrDefault(field.name(), ""), false)),
            stored.entrySet().stream()
                .filter(value -> fields.find(value.getKey()).isEmpty())
                .map(value -> new Stored(value.getKey(), value.getValue(), true)))
        .toList();
  }

  /**
   * Returns the values of an enrolment as they are to be stored.
   *
   * @param needsAll whether the required fields must be there; who texted first cannot give them
   * @throws ApiProblem 400 for the first value that is not accepted
   */
  Map<String, String> enrolled(Map<String, String> given, boolean needsAll) {
    var values = new LinkedHashMap<String, String>();
    given.forEach((name, value) -> {
      var read = read(name, value, Set.of());
      if (read != null) {
        values.put(name, read);
      }
    });
    if (needsAll) {
      missing(given)
          .findFirst()
          .ifPresent(problem -> {
            throw problem;
          });
    }
    return values;
  }

  /** Returns every problem of an enrolment's values, at most one for each field. */
  List<ApiProblem> problems(Map<String, String> given) {
    return Stream.concat(problems(given, Set.of()).stream(), missing(given)).toList();
  }

  private Stream<ApiProblem> missing(Map<String, String> given) {
    return study.all().stream()
        .filter(field -> field.required() && given.getOrDefault(field.name(), "").isBlank())
        .map(field ->
            ApiProblem.bad(
                PREFIX + field.name() + ": missing; an enrolment needs " + accepted(field) + "."));
  }

  private static String accepted(StudyField field) {
    return switch (field.type()) {
      case TEXT -> "a text";
      case NUMBER -> "a number";
      case DATE -> "a date such as 2026-03-31";
      case CHOICE -> "one of " + String.join(", ", field.choices());
    };
  }

  /**
   * Returns the changes to the stored values. A blank value clears the field, also one that the
   * study no longer has.
   *
   * @throws ApiProblem 400 for the first value that is not accepted
   */
  Map<String, NewText> changes(Map<String, String> given, Set<String> stored) {
    var changes = new LinkedHashMap<String, NewText>();
    given.forEach((name, value) -> changes.put(name, new NewText(read(name, value, stored))));
    return changes;
  }

  /** Returns every problem of a change, at most one for each field. */
  List<ApiProblem> problems(Map<String, String> given, Set<String> stored) {
    var problems = new ArrayList<ApiProblem>();
    given.forEach((name, value) -> {
      try {
        var _ = read(name, value, stored);
      } catch (ApiProblem problem) {
        problems.add(problem);
      }
    });
    return problems;
  }

  /**
   * Returns a value as it is to be stored, or {@code null} if it is blank.
   *
   * @param stored fields that can be cleared although the study no longer has them
   */
  private @Nullable String read(String name, String value, Set<String> stored) {
    var field = find(name);
    if (field.isEmpty()) {
      if (stored.contains(name) && value.isBlank()) {
        return null;
      }
      throw unknown();
    }
    var text = EnrolmentDesk.text(PREFIX + name, value, StudyField.LONGEST, false);
    if (text == null) {
      return null;
    }
    return switch (field.get().check(text)) {
      case Checked.Accepted accepted -> accepted.value();
      case Checked.Refused refused ->
          throw ApiProblem.bad(PREFIX + name + ": " + refused.expected());
    };
  }

  /** The name is not repeated: it may be a person's data. */
  ApiProblem unknown() {
    var fields = known;
    return ApiProblem.bad(
        fields.all().isEmpty()
            ? "fields: "
                + StudyFile.NAME
                + " names no fields; expected none. A value of a removed field can only be cleared."
            : "fields: unknown field; expected one of " + String.join(", ", fields.names()) + ".");
  }
}
