package org.habitline.messaging.twilio;

import static java.util.stream.Collectors.joining;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The fields of a form or a query in their order; names may repeat, values may be blank. */
public record FormFields(List<Field> fields) {

  /** One field, decoded. */
  public record Field(String name, String value) {}

  public FormFields {
    fields = List.copyOf(fields);
  }

  /** Names and values in turn. */
  public static FormFields of(String... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException("A field has a name and a value.");
    }
    var all = new ArrayList<Field>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      all.add(new Field(namesAndValues[i], namesAndValues[i + 1]));
    }
    return new FormFields(all);
  }

  /** Reads {@code a=1&b=2}; refuses a broken percent encoding. */
  public static FormFields parse(String encoded) {
    return new FormFields(
        Stream.of(encoded.split("&", -1))
            .filter(Predicate.not(String::isEmpty))
            .map(FormFields::parsed)
            .toList());
  }

  private static Field parsed(String pair) {
    int equals = pair.indexOf('=');
    return equals < 0
        ? new Field(decoded(pair), "")
        : new Field(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
  }

  /** The same fields with this value: in the place of the name's first field, or at the end. */
  public FormFields with(String name, String value) {
    var all = new ArrayList<>(fields);
    var place = all.stream().map(Field::name).toList().indexOf(name);
    all.removeIf(field -> field.name().equals(name));
    all.add(place < 0 ? all.size() : place, new Field(name, value));
    return new FormFields(all);
  }

  /** The same fields and one more, even if the name is there already. */
  public FormFields and(String name, String value) {
    return new FormFields(
        Stream.concat(fields.stream(), Stream.of(new Field(name, value))).toList());
  }

  public FormFields without(String name) {
    return new FormFields(fields.stream().filter(field -> !field.name().equals(name)).toList());
  }

  public List<String> all(String name) {
    return fields.stream().filter(field -> field.name().equals(name)).map(Field::value).toList();
  }

  public Optional<String> first(String name) {
    return all(name).stream().findFirst();
  }

  /** Returns the first value of a name, or an empty text. */
  public String text(String name) {
    return first(name).orElse("");
  }

  public SortedSet<String> names() {
    return fields.stream().map(Field::name).collect(TreeSet::new, TreeSet::add, TreeSet::addAll);
  }

  /** As it travels in a body or behind a question mark. */
  public String encoded() {
    return fields.stream()
        .map(field -> encoded(field.name()) + "=" + encoded(field.value()))
        .collect(joining("&"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
