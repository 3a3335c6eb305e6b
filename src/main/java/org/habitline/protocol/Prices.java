package org.habitline.protocol;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Currency;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.habitline.config.Mistakes;
import org.habitline.config.Section;
import org.habitline.config.YamlText;
import org.habitline.participants.ChannelKind;
import org.jspecify.annotations.Nullable;

/**
 * What models and messages cost, in one currency, by the day from which a price applies: {@code
 * config/prices.yaml}.
 *
 * @param currency ISO 4217
 * @param models the prices of models by name, each in the order of their days
 * @param messages the prices of messages by channel, each in the order of their days
 */
public record Prices(
    Currency currency,
    Map<String, List<ModelPrice>> models,
    Map<ChannelKind, List<MessagePrice>> messages) {

  /** The file in error messages. */
  public static final String NAME = "config/prices.yaml";

  private static final int LONGEST = 200;
  private static final int LONGEST_SOURCE = 1000;
  private static final int MOST = 2_000_000_000;
  private static final BigDecimal MILLION = BigDecimal.valueOf(1_000_000);

  public Prices {
    models = Map.copyOf(models);
    messages = Map.copyOf(messages);
  }

  /**
   * The days on which a price applies, both included.
   *
   * @param from {@code null} only if it is a mistake in the file
   * @param until {@code null} for every day from the first on
   */
  public record Days(@Nullable LocalDate from, @Nullable LocalDate until) {

    private boolean include(LocalDate day) {
      return (from == null || !day.isBefore(from)) && (until == null || !day.isAfter(until));
    }

    private String words() {
      return (from == null ? "" : " from " + from) + (until == null ? "" : " until " + until);
    }
  }

  /** A price of some days. */
  public sealed interface Price {
    Days days();
  }

  /**
   * The price of a model, for a million tokens.
   *
   * @param cached the price of input that the provider had cached; the input price if empty
   */
  public record ModelPrice(
      Days days, BigDecimal input, Optional<BigDecimal> cached, BigDecimal output)
      implements Price {

    /** A price for a million tokens is the price of one token in millionths. */
    private long inMillionths(long tokensIn, long tokensOut) {
      return rounded(
          input
              .multiply(BigDecimal.valueOf(tokensIn))
              .add(output.multiply(BigDecimal.valueOf(tokensOut))));
    }

    /**
     * Returns what a call cost, exactly.
     *
     * @param tokensCached how many of the tokens read the provider had cached
     */
    public BigDecimal of(long tokensIn, long tokensCached, long tokensOut) {
      return input
          .multiply(BigDecimal.valueOf(tokensIn - tokensCached))
          .add(cached.orElse(input).multiply(BigDecimal.valueOf(tokensCached)))
          .add(output.multiply(BigDecimal.valueOf(tokensOut)))
          .movePointLeft(6);
    }
  }

  /**
   * The price of a message.
   *
   * @param bySegment whether each segment costs this much, and not the message
   */
  public record MessagePrice(Days days, BigDecimal price, boolean bySegment) implements Price {

    /** Returns what a message of so many segments costs. */
    private BigDecimal of(int segments) {
      return price.multiply(BigDecimal.valueOf(bySegment ? segments : 1));
    }
  }

  /**
   * Reads {@code config/prices.yaml} of a home folder; empty if there is no such file.
   *
   * @throws BrokenStudy with every mistake if the file is there and cannot be used
   */
  static Optional<Prices> in(Path home) {
    var file = home.resolve("config").resolve("prices.yaml");
    if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    var mistakes = new Mistakes(NAME);
    var read = YamlText.parse(text(file), mistakes).map(Prices::read);
    if (!mistakes.all().isEmpty()) {
      throw new BrokenStudy(mistakes.all());
    }
    return read;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new BrokenStudy(List.of(NAME + ": expected text in UTF-8"));
    } catch (IOException e) {
      throw new BrokenStudy(
          List.of(NAME + ": the file exists but cannot be read; expected a readable text file"));
    }
  }

  private static Prices read(Section prices) {
    prices.only("currency", "models", "messages");
    var models = new LinkedHashMap<String, List<ModelPrice>>();
    prices
        .optionalSection("models")
        .ifPresent(
            all -> all.keys().forEach(name -> models.put(name, dated(all, name, Prices::ofModel))));
    var messages = new EnumMap<ChannelKind, List<MessagePrice>>(ChannelKind.class);
    prices
        .optionalSection("messages")
        .ifPresent(all -> {
          all.only(ChannelKind.SMS.word(), ChannelKind.WHATSAPP.word());
          Stream.of(ChannelKind.SMS, ChannelKind.WHATSAPP)
              .filter(channel -> all.has(channel.word()))
              .forEach(
                  channel -> messages.put(channel, dated(all, channel.word(), Prices::ofMessage)));
        });
    return new Prices(currency(prices), models, messages);
  }

  /** Reads the prices of one thing, whose days must follow each other. */
  private static <P extends Price> List<P> dated(
      Section all, String name, Function<Section, P> read) {
    var prices = new ArrayList<P>();
    var sections = all.each(name);
    for (int i = 0; i < sections.size(); i++) {
      var price = read.apply(sections.get(i));
      var place = i;
      if (i > 0) {
        fault(prices.getLast().days(), price.days())
            .ifPresent(fault -> all.refuse(name, place, fault));
      }
      prices.add(price);
    }
    if (prices.isEmpty()) {
      all.refuse(name, "expected at least one price with the day from which it applies");
    }
    return List.copyOf(prices);
  }

  /** Returns what is wrong with the days of a price after the one before it. */
  private static Optional<String> fault(Days before, Days after) {
    if (before.from() == null || after.from() == null) {
      return Optional.empty();
    }
    if (!after.from().isAfter(before.from())) {
      return Optional.of(
          "two prices apply from %s; expected valid_from later than %s, that of the price before"
              .formatted(before.from(), before.from()));
    }
    if (before.until() == null || after.from().equals(before.until().plusDays(1))) {
      return Optional.empty();
    }
    var expected =
        "; expected valid_from %s, the day after the price before ends"
            .formatted(before.until().plusDays(1));
    return Optional.of(
        after.from().isAfter(before.until())
            ? "no price applies from %s to %s"
                    .formatted(before.until().plusDays(1), after.from().minusDays(1))
                + expected
            : "two prices apply from %s to %s".formatted(after.from(), before.until()) + expected);
  }

  /** Reads the days of a price, and the source, which is for people only. */
  private static Days days(Section price) {
    var from = price.optionalDate("valid_from");
    if (!price.has("valid_from")) {
      price.refuse(
          "valid_from", "missing; expected the first day of the price, such as 2026-01-01");
    }
    var until = price.optionalDate("valid_until");
    if (from.isPresent() && until.isPresent() && until.get().isBefore(from.get())) {
      price.refuse(
          "valid_until", "expected " + from.get() + " or a later day, found " + until.get());
    }
    var _ = price.optionalText("source", LONGEST_SOURCE);
    return new Days(from.orElse(null), until.orElse(null));
  }

  private static ModelPrice ofModel(Section price) {
    price.only("valid_from", "valid_until", "input", "cached", "output", "source");
    return new ModelPrice(
        days(price),
        needed(price, "input"),
        price.optionalDecimal("cached", 0, MOST),
        needed(price, "output"));
  }

  private static MessagePrice ofMessage(Section price) {
    price.only("valid_from", "valid_until", "segment", "message", "source");
    if (price.has("segment") == price.has("message")) {
      price.refuse(
          "segment",
          "expected either segment, the price of one segment, or message, the price of one message");
    }
    var segment = price.optionalDecimal("segment", 0, MOST);
    var message = price.optionalDecimal("message", 0, MOST);
    return new MessagePrice(
        days(price), segment.or(() -> message).orElse(BigDecimal.ZERO), segment.isPresent());
  }

  private static BigDecimal needed(Section price, String key) {
    if (!price.has(key)) {
      price.refuse(key, "missing; expected the price of a million tokens, such as 0.15");
    }
    return price.optionalDecimal(key, 0, MOST).orElse(BigDecimal.ZERO);
  }

  private static Currency currency(Section prices) {
    var given = prices.text("currency", LONGEST);
    try {
      return Currency.getInstance(given);
    } catch (IllegalArgumentException e) {
      if (!given.isEmpty()) {
        prices.refuse(
            "currency", "expected a currency's code such as USD or EUR, found '" + given + "'");
      }
      return Currency.getInstance("XXX");
    }
  }

  /** Returns the price of a model on a day, or empty if it is unknown. */
  public Optional<ModelPrice> ofModel(String model, LocalDate day) {
    return on(models.getOrDefault(model, List.of()), day);
  }

  /** Returns the price of a message on a day, or empty if it is unknown. */
  public Optional<MessagePrice> ofMessage(ChannelKind channel, LocalDate day) {
    return on(messages.getOrDefault(channel, List.of()), day);
  }

  private static <P extends Price> Optional<P> on(List<P> prices, LocalDate day) {
    return prices.reversed().stream().filter(price -> price.days().include(day)).findFirst();
  }

  /**
   * Returns what a message counts against a budget, in millionths of the currency, rounded up. If
   * its price is unknown, it counts as much as the dearest.
   */
  long budgetedMessage(ChannelKind channel, int segments, LocalDate day) {
    return ofMessage(channel, day)
        .map(Stream::of)
        .orElseGet(() -> messages.values().stream().flatMap(List::stream))
        .map(price -> price.of(segments))
        .max(BigDecimal::compareTo)
        .map(cost -> rounded(cost.multiply(MILLION)))
        .orElse(0L);
  }

  /**
   * Returns what a model call counts against a budget, in millionths of the currency, rounded up.
   * If the model's price is unknown, it counts as much as the dearest one. Cached input counts at
   * the full price.
   */
  long budgetedTokens(String model, long input, long output, LocalDate day) {
    return ofModel(model, day)
        .map(Stream::of)
        .orElseGet(() -> models.values().stream().flatMap(List::stream))
        .mapToLong(price -> price.inMillionths(input, output))
        .max()
        .orElse(0);
  }

  private static long rounded(BigDecimal millionths) {
    return millionths.setScale(0, RoundingMode.CEILING).longValue();
  }

  /** Returns the prices in words. */
  String sentence() {
    var words = new ArrayList<String>();
    new TreeMap<>(messages)
        .forEach((channel, prices) ->
            prices.forEach(price ->
                words.add(
                    "%s by %s %s%s"
                        .formatted(
                            price.bySegment() ? "a segment" : "a message",
                            channel.title(),
                            price.price().toPlainString(),
                            price.days().words()))));
    new TreeMap<>(models)
        .forEach((name, prices) ->
            prices.forEach(price ->
                words.add(
                    "a million tokens of %s %s read%s and %s written%s"
                        .formatted(
                            name,
                            price.input().toPlainString(),
                            price
                                .cached()
                                .map(cached -> " (" + cached.toPlainString() + " if cached)")
                                .orElse(""),
                            price.output().toPlainString(),
                            price.days().words()))));
    return "Prices in "
        + currency.getCurrencyCode()
        + ": "
        + (words.isEmpty() ? "none" : String.join("; ", words))
        + ".";
  }
}
