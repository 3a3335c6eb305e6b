package org.habitline.messaging.twilio;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.habitline.messaging.twilio.MessageRules.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * One page of Twilio's message list. The comparisons are {@code <=} and {@code >=}: the equals sign
 * that ends the name of the parameter belongs to them. A message that has not been sent yet has no
 * date, so that no filter by date finds it. There is no way back to the page before.
 *
 * @param path of the list, without a query
 */
record MessageListing(String accountSid, String path, FormFields query) {

  static final int DEFAULT_PAGE_SIZE = 50;
  static final int LARGEST_PAGE_SIZE = 1000;

  private static final JsonMapper JSON = new JsonMapper();
  private static final List<String> DATES = List.of("DateSent", "DateSent<", "DateSent>");
  private static final Set<String> PARAMETERS =
      Set.of("To", "From", "DateSent", "DateSent<", "DateSent>", "PageSize", "Page", "PageToken");

  /** Returns why Twilio refuses to list, or empty if it lists. */
  Optional<Refusal> refusal() {
    for (var name : DATES) {
      if (query.all(name).stream().anyMatch(date -> earliest(date) == null)) {
        return Optional.of(Refusal.badRequest(20001, "Invalid date in " + name + "."));
      }
    }
    if (number("PageSize", DEFAULT_PAGE_SIZE) < 1 || number("Page", 0) < 0) {
      return Optional.of(Refusal.badRequest(20001, "Invalid page or page size."));
    }
    return number("Page", 0) > 0 && !query.text("PageToken").startsWith("PA")
        ? Optional.of(Refusal.badRequest(70002, "Paged requests must include a PageToken"))
        : Optional.empty();
  }

  /** What Twilio passes over in silence, though it can only be a mistake. */
  List<String> passedOver() {
    var all =
        query.names().stream()
            .filter(name -> !PARAMETERS.contains(name) || query.all(name).size() > 1)
            .map(name -> "Twilio does not know the parameter " + name + ", or it is there twice.");
    var tooMany =
        number("PageSize", DEFAULT_PAGE_SIZE) > LARGEST_PAGE_SIZE
            ? Stream.of("A page holds at most 1000 messages.")
            : Stream.<String>empty();
    return Stream.concat(all, tooMany).toList();
  }

  /** The page asked for, of these messages, newest first. */
  ObjectNode page(List<TwilioMessage> newestFirst) {
    int size = Math.min(number("PageSize", DEFAULT_PAGE_SIZE), LARGEST_PAGE_SIZE);
    int page = number("Page", 0);
    var found = rest(newestFirst).stream().filter(this::wanted).limit(size + 1L).toList();
    var shown = found.subList(0, Math.min(size, found.size()));

    var root = JSON.createObjectNode();
    root.put("first_page_uri", uri(size, 0, ""));
    root.put("end", Math.max(0, page * size + shown.size() - 1));
    root.putNull("previous_page_uri");
    var messages = root.putArray("messages");
    shown.forEach(message -> messages.add(message.json(accountSid)));
    root.put("uri", uri(size, page, query.text("PageToken")));
    root.put("page_size", size);
    root.put("start", page * size);
    root.put(
        "next_page_uri",
        found.size() > size ? uri(size, page + 1, "PA" + shown.getLast().sid()) : null);
    root.put("page", page);
    return root;
  }

  /** A page goes on behind the last message of the page before, whatever has come in since. */
  private List<TwilioMessage> rest(List<TwilioMessage> newestFirst) {
    var token = query.text("PageToken");
    if (token.isEmpty()) {
      return newestFirst;
    }
    var last = newestFirst.stream().map(TwilioMessage::sid).toList().indexOf(token.substring(2));
    return newestFirst.subList(last + 1, newestFirst.size());
  }

  private boolean wanted(TwilioMessage message) {
    return query.first("To").map(message.to()::equals).orElse(true)
        && query.first("From").map(from -> from.equals(message.from())).orElse(true)
        && (DATES.stream().noneMatch(name -> query.first(name).isPresent())
            || sentWhenWanted(message.sentAt()));
  }

  private boolean sentWhenWanted(@Nullable Instant sentAt) {
    if (sentAt == null) {
      return false;
    }
    var sent = sentAt.truncatedTo(ChronoUnit.SECONDS);
    return query.first("DateSent").map(day -> reaches(sent, day) && within(sent, day)).orElse(true)
        && query.first("DateSent>").map(from -> reaches(sent, from)).orElse(true)
        && query.first("DateSent<").map(until -> within(sent, until)).orElse(true);
  }

  private static boolean reaches(Instant sent, String date) {
    var earliest = earliest(date);
    return earliest != null && !sent.isBefore(earliest);
  }

  /** A day ends with its last second; a time is a second. */
  private static boolean within(Instant sent, String date) {
    var earliest = earliest(date);
    return earliest != null
        && sent.isBefore(earliest.plus(1, isDay(date) ? ChronoUnit.DAYS : ChronoUnit.SECONDS));
  }

  private static boolean isDay(String date) {
    return date.length() == "2026-01-01".length();
  }

  /** Dates and times are GMT; a time may say so with a Z. */
  private static @Nullable Instant earliest(String date) {
    try {
      return isDay(date)
          ? LocalDate.parse(date).atStartOfDay(ZoneOffset.UTC).toInstant()
          : LocalDateTime.parse(date.endsWith("Z") ? date.substring(0, date.length() - 1) : date)
              .toInstant(ZoneOffset.UTC);
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  private int number(String name, int otherwise) {
    try {
      return query.first(name).map(Integer::parseInt).orElse(otherwise);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private String uri(int size, int page, String token) {
    var asked =
        query
            .without("Page")
            .without("PageToken")
            .with("PageSize", Integer.toString(size))
            .and("Page", Integer.toString(page));
    return path + "?" + (token.isEmpty() ? asked : asked.and("PageToken", token)).encoded();
  }
}
