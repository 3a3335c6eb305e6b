package org.habitline.study.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The reporting checklists, filled as far as the record knows. What they ask is in the resource
 * {@value #RESOURCE}, in words of our own; the checklists themselves have the exact ones.
 *
 * @param pages what the pages that are evidence are called
 */
public record Checklists(Map<String, String> pages, List<Checklist> checklists) {

  static final String RESOURCE = "/report/checklists.yaml";

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)\\.(\\w+)}");

  /**
   * A checklist.
   *
   * @param source where it was published
   */
  public record Checklist(String id, String name, String source, String note, List<Item> items) {}

  /**
   * An item.
   *
   * @param asks what it asks for, in short
   * @param record what the record says about it, with {@code {figure.column}} for numbers
   * @param see figures and pages of the bundle that are evidence
   * @param authors what only people know; {@code null} if the record answers the item
   */
  public record Item(
      String number,
      String topic,
      String asks,
      @JsonProperty("record") @Nullable String record,
      @Nullable List<String> see,
      @Nullable String authors) {

    /** Returns the names of the evidence. */
    public List<String> evidence() {
      return see == null ? List.of() : see;
    }
  }

  /** A place in the bundle. */
  public record Link(String label, String href) {}

  /** An item as it is shown. */
  public record Filled(Item item, String says, List<Link> links) {}

  static Checklists read() {
    try (var yaml = Objects.requireNonNull(Checklists.class.getResourceAsStream(RESOURCE))) {
      return new YAMLMapper().readValue(yaml, Checklists.class);
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " cannot be read.", e);
    }
  }

  /**
   * Returns the items of a checklist with the numbers of this study.
   *
   * @param numbers the figures by their names
   */
  List<Filled> filled(
      Checklist checklist, Map<String, Numbers> numbers, List<Report.Exhibit> exhibits) {
    return checklist.items().stream()
        .map(item ->
            new Filled(
                item,
                said(Objects.requireNonNullElse(item.record(), ""), numbers),
                item.evidence().stream().map(name -> link(name, exhibits)).toList()))
        .toList();
  }

  private static String said(String sentence, Map<String, Numbers> numbers) {
    return PLACEHOLDER
        .matcher(sentence)
        .replaceAll(found ->
            Matcher.quoteReplacement(value(known(numbers, found.group(1)), found.group(2))));
  }

  private static Numbers known(Map<String, Numbers> numbers, String figure) {
    return Objects.requireNonNull(
        numbers.get(figure), () -> "There is no figure " + figure + "; see " + RESOURCE);
  }

  private static String value(Numbers numbers, String column) {
    var kind = numbers.figure().columns().get(numbers.figure().place(column)).kind();
    var values = numbers.values(column);
    return values.isEmpty()
        ? "none"
        : values.stream()
            .map(value -> Numbers.shown(value, kind))
            .collect(Collectors.joining(", "));
  }

  private Link link(String name, List<Report.Exhibit> exhibits) {
    var page = pages.get(name);
    if (page != null) {
      return new Link(page, name);
    }
    var exhibit =
        exhibits.stream()
            .filter(each -> each.figure().name().equals(name))
            .findFirst()
            .orElseThrow(() ->
                new IllegalArgumentException("There is no evidence " + name + "; see " + RESOURCE));
    return new Link("Table " + exhibit.table() + ", " + exhibit.figure().title(), exhibit.place());
  }
}
