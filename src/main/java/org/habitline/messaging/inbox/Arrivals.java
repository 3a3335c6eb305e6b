package org.habitline.messaging.inbox;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.habitline.participants.Participants;
import org.habitline.participants.PhoneNumber;

/**
 * Splits texts that arrived at the same time into plain ones, which only need a row, and the rest.
 * A text is not plain, and must be taken on its own, if its sender is unknown, if it raises an
 * alarm, if another text here has the same id, if it holds a consent keyword, if it comes from a
 * provider's list, or if it brings more to store than its words. The sender's other texts are then
 * not plain either, so that they stay in order.
 */
final class Arrivals {

  private final ConsentKeywords keywords;
  private final Map<PhoneNumber, Participants.Sender> senders;
  private final Map<String, String> names;
  private final Set<String> stored;
  private final Map<String, Known> plain;

  /**
   * Creates the split.
   *
   * @param senders the participants who text from the numbers, by number
   * @param names the participants known to providers by these names, by name
   * @param stored the ids that are in the inbox already
   */
  Arrivals(
      List<Screened> texts,
      ConsentKeywords keywords,
      Map<PhoneNumber, Participants.Sender> senders,
      Map<String, String> names,
      Set<String> stored) {
    this.keywords = keywords;
    this.senders = Map.copyOf(senders);
    this.names = Map.copyOf(names);
    this.stored = Set.copyOf(stored);
    this.plain = plain(texts);
  }

  /** A text of a known participant. */
  record Known(Participants.Sender sender, Screened screened) {
    IncomingText text() {
      return screened.text();
    }

    String body() {
      return screened.body();
    }
  }

  private boolean asksOfTheLine(Known known) {
    return known.text().told() != null
        || (known.screened().mayBeKeyword()
            && keywords.in(known.body(), known.sender().optedOut()).isPresent());
  }

  /** Returns the numbers that the texts came from. */
  static Set<PhoneNumber> numbers(List<Screened> texts) {
    return texts.stream()
        .map(it -> it.text().from())
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /** Returns the names that providers give the senders besides their numbers. */
  static Set<String> names(List<Screened> texts) {
    return texts.stream()
        .map(it -> it.text().more().userId())
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /** Returns the plain texts that are not stored yet, in the order they came. */
  List<Known> plain() {
    return List.copyOf(plain.values());
  }

  /** Returns a text's outcome after the plain ones are stored, or empty if it is not plain. */
  Optional<Acceptance> outcome(IncomingText text) {
    if (isRepeated(text)) {
      return Optional.of(new Acceptance.Repeated());
    }
    return Optional.ofNullable(plain.get(text.providerId()))
        .map(known -> new Acceptance.Stored(known.sender().id()));
  }

  private Map<String, Known> plain(List<Screened> texts) {
    var fresh = texts.stream().filter(it -> !isRepeated(it.text())).toList();
    var known = fresh.stream().flatMap(it -> known(it).stream()).toList();
    var twice = twice(fresh);
    var apart =
        known.stream()
            .filter(it ->
                asksOfTheLine(it)
                    || it.screened().alarm() != null
                    || it.text().sentAt() != null
                    || bringsMore(it)
                    || twice.contains(it.text().providerId()))
            .map(it -> it.sender().id())
            .collect(Collectors.toSet());
    var plain = new LinkedHashMap<String, Known>();
    known.stream()
        .filter(it -> !apart.contains(it.sender().id()))
        .forEach(it -> plain.put(it.text().providerId(), it));
    return plain;
  }

  /** Returns whether the text brings more to store than its words. */
  private boolean bringsMore(Known known) {
    var more = known.text().more();
    return more.cameTo() != null
        || more.data() != null
        || (more.userId() != null && !known.sender().id().equals(names.get(more.userId())));
  }

  /** Returns the ids that several texts have. */
  private static Set<String> twice(List<Screened> texts) {
    var once = new HashSet<String>();
    return texts.stream()
        .map(it -> it.text().providerId())
        .filter(id -> !once.add(id))
        .collect(Collectors.toSet());
  }

  private boolean isRepeated(IncomingText text) {
    return stored.contains(text.providerId()) && sender(text).isPresent();
  }

  private Optional<Known> known(Screened screened) {
    return sender(screened.text()).map(sender -> new Known(sender, screened));
  }

  private Optional<Participants.Sender> sender(IncomingText text) {
    return Optional.ofNullable(text.from()).flatMap(from -> Optional.ofNullable(senders.get(from)));
  }
}
