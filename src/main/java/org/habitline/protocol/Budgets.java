package org.habitline.protocol;

import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Currency;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.habitline.config.Section;

/**
 * What a study may spend on one day, and the countries that it may text: the section {@code
 * budgets} of {@code config/study.yaml}. Without it, or for what it leaves out, limits apply that
 * an ordinary study never reaches.
 *
 * @param zone the time zone of the study's day
 * @param participant the limits of one participant and day
 * @param study the limits of all participants together on one day
 * @param prices what models and messages cost, if costs are counted
 * @param countries the countries whose numbers may be texted (ISO 3166 alpha-2), in the order of
 *     the file; empty if all may be
 */
public record Budgets(
    ZoneId zone,
    Limits participant,
    Limits study,
    Optional<Prices> prices,
    List<String> countries) {

  private static final int LONGEST = 200;
  private static final int MOST = 2_000_000_000;
  private static final BigDecimal MILLION = BigDecimal.valueOf(1_000_000);
  private static final String OFF = "off";

  /** The limits of a participant that a study does not set: about 100 replies on one day. */
  static final Map<Kind, Long> OF_A_PARTICIPANT =
      Map.of(Kind.TOKENS, 1_000_000L, Kind.SEGMENTS, 100L);

  /** The limits that a study does not set for all participants together. */
  static final Map<Kind, Long> OF_THE_STUDY =
      Map.of(Kind.TOKENS, 50_000_000L, Kind.SEGMENTS, 20_000L);

  /** What is counted. */
  public enum Kind {
    /** Tokens that models read and wrote. */
    TOKENS,
    /** The price of tokens and messages, in millionths of the currency. */
    COST,
    /** Segments of messages that were handed to a provider. */
    SEGMENTS;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A limit of one day.
   *
   * @param most the amount at which it is used up; of {@link Kind#COST}, in millionths
   * @param builtIn whether the study did not set it
   */
  public record Limit(long most, boolean builtIn) {}

  /** The limits by kind; a kind without one has no limit. */
  public record Limits(Map<Kind, Limit> byKind) {

    public Limits {
      byKind = Map.copyOf(byKind);
    }

    public Optional<Limit> of(Kind kind) {
      return Optional.ofNullable(byKind.get(kind));
    }

    private static Limits builtIn(Map<Kind, Long> usual) {
      var limits = new EnumMap<Kind, Limit>(Kind.class);
      usual.forEach((kind, most) -> limits.put(kind, new Limit(most, true)));
      return new Limits(limits);
    }

    private static Limits read(Section limits, Map<Kind, Long> usual) {
      limits.only("tokens", "cost", "segments");
      var read = new EnumMap<Kind, Limit>(Kind.class);
      for (var kind : Kind.values()) {
        var unit = kind == Kind.COST ? MILLION : BigDecimal.ONE;
        var most = limits.decimalOr(OFF, kind.word(), BigDecimal.ONE.divide(unit), MOST);
        if (most.isPresent()) {
          read.put(kind, new Limit(most.get().multiply(unit).longValueExact(), false));
        } else if (!limits.has(kind.word()) && usual.containsKey(kind)) {
          read.put(kind, new Limit(usual.get(kind), true));
        }
      }
      return new Limits(read);
    }
  }

  /**
   * Prices in one currency.
   *
   * @param currency ISO 4217
   * @param segment the price of one segment of a message
   * @param models the prices of models by name
   */
  public record Prices(
      Currency currency, Optional<BigDecimal> segment, Map<String, ModelPrice> models) {

    private static Prices read(Section prices) {
      prices.only("currency", "segment", "models");
      var models = new LinkedHashMap<String, ModelPrice>();
      prices
          .optionalSection("models")
          .ifPresent(
              all -> all.sections().forEach((name, it) -> models.put(name, ModelPrice.read(it))));
      return new Prices(
          currency(prices), prices.optionalDecimal("segment", 0, MOST), Map.copyOf(models));
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

    private String sentence() {
      var words = new ArrayList<String>();
      segment.ifPresent(price -> words.add("a segment " + price.toPlainString()));
      new TreeMap<>(models)
          .forEach((name, price) ->
              words.add(
                  "a million tokens of %s %s read and %s written"
                      .formatted(
                          name, price.input().toPlainString(), price.output().toPlainString())));
      return "Prices in "
          + currency.getCurrencyCode()
          + ": "
          + (words.isEmpty() ? "none" : String.join("; ", words))
          + ".";
    }

    /** Returns what segments cost, in millionths of the currency, rounded up. */
    public long ofSegments(long segments) {
      return segment
          .map(price -> rounded(price.multiply(BigDecimal.valueOf(segments)).multiply(MILLION)))
          .orElse(0L);
    }

    /**
     * Returns what a model call costs, in millionths of the currency, rounded up. A model without a
     * price costs as much as the dearest one with a price.
     */
    public long ofTokens(String model, long input, long output) {
      return Optional.ofNullable(models.get(model))
          .map(price -> price.of(input, output))
          .orElseGet(() ->
              models.values().stream().mapToLong(price -> price.of(input, output)).max().orElse(0));
    }

    private static long rounded(BigDecimal millionths) {
      return millionths
          .setScale(0, millionths.signum() < 0 ? RoundingMode.FLOOR : RoundingMode.CEILING)
          .longValue();
    }
  }

  /** The price of a model, for a million tokens that it reads and writes. */
  public record ModelPrice(BigDecimal input, BigDecimal output) {

    private static ModelPrice read(Section price) {
      price.only("input", "output");
      return new ModelPrice(needed(price, "input"), needed(price, "output"));
    }

    private static BigDecimal needed(Section price, String key) {
      if (!price.has(key)) {
        price.refuse(key, "missing; expected the price of a million tokens, such as 0.15");
      }
      return price.optionalDecimal(key, 0, MOST).orElse(BigDecimal.ZERO);
    }

    /** A price for a million tokens is the price of one token in millionths. */
    private long of(long tokensIn, long tokensOut) {
      return Prices.rounded(
          input
              .multiply(BigDecimal.valueOf(tokensIn))
              .add(output.multiply(BigDecimal.valueOf(tokensOut))));
    }
  }

  /** Returns what applies to a study that says nothing. */
  static Budgets usual(ZoneId zone) {
    return new Budgets(
        zone,
        Limits.builtIn(OF_A_PARTICIPANT),
        Limits.builtIn(OF_THE_STUDY),
        Optional.empty(),
        List.of());
  }

  /**
   * Reads the section.
   *
   * @param usual the zone of the study's day unless the section names one
   */
  static Budgets read(Section budgets, ZoneId usual) {
    budgets.only("time_zone", "participant", "study", "prices", "countries");
    var read =
        new Budgets(
            zone(budgets, usual),
            limits(budgets, "participant", OF_A_PARTICIPANT),
            limits(budgets, "study", OF_THE_STUDY),
            budgets.optionalSection("prices").map(Prices::read),
            countries(budgets));
    if (read.limitsCost() && read.prices().isEmpty()) {
      budgets.refuse(
          "prices",
          "missing; a limit of cost needs prices: currency, segment, and models with the input and"
              + " output price of a million tokens");
    } else if (read.limitsCost() && read.prices().get().segment().isEmpty()) {
      budgets.refuse(
          "prices.segment",
          "missing; a limit of cost needs the price of one segment, such as 0.008");
    }
    return read;
  }

  private static Limits limits(Section budgets, String key, Map<Kind, Long> usual) {
    return budgets
        .optionalSection(key)
        .map(it -> Limits.read(it, usual))
        .orElseGet(() -> Limits.builtIn(usual));
  }

  private static ZoneId zone(Section budgets, ZoneId usual) {
    var name = budgets.optionalText("time_zone", LONGEST);
    try {
      return name == null ? usual : ZoneId.of(name);
    } catch (DateTimeException e) {
      budgets.refuse(
          "time_zone", "expected a time zone such as Europe/Berlin, found '" + name + "'");
      return usual;
    }
  }

  private static List<String> countries(Section budgets) {
    var known = Set.of(Locale.getISOCountries());
    var countries = budgets.optionalTexts("countries", LONGEST);
    if (budgets.has("countries") && countries.isEmpty()) {
      budgets.refuse(
          "countries",
          "expected at least one country such as [US, GB], found none; leave the key out to allow"
              + " all countries");
    }
    for (int i = 0; i < countries.size(); i++) {
      if (!known.contains(countries.get(i))) {
        budgets.refuse(
            "countries",
            i,
            "expected a country's two letters (ISO 3166) such as US, GB or ES, found '"
                + countries.get(i)
                + "'");
      }
    }
    return countries;
  }

  /** Returns whether costs are limited, so that prices must be known. */
  public boolean limitsCost() {
    return participant.of(Kind.COST).isPresent() || study.of(Kind.COST).isPresent();
  }

  /**
   * Returns the mistake that these models have no price although costs are limited, or empty if
   * nothing is missing.
   */
  public Optional<String> modelsWithoutPrice(List<String> inUse) {
    var missing = new ArrayList<>(new HashSet<>(inUse));
    missing.removeAll(prices.map(it -> it.models().keySet()).orElse(Set.of()));
    missing.sort(String::compareTo);
    return !limitsCost() || missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            StudyFile.NAME
                + ": budgets.prices.models has no price for "
                + String.join(", ", missing)
                + ", which Habitline asks; a limit of cost needs one for each model: expected a line"
                + " such as "
                + missing.getFirst()
                + ": {input: 0.15, output: 0.60}");
  }

  /** Returns an amount as people write it, such as 2.50 USD or 1,000 tokens. */
  public String shown(Kind kind, long amount) {
    if (kind != Kind.COST) {
      return "%,d %s".formatted(amount, kind.word());
    }
    var cost = BigDecimal.valueOf(amount).divide(MILLION);
    return cost.setScale(Math.max(2, Math.min(4, cost.scale())), RoundingMode.UP).toPlainString()
        + prices.map(it -> " " + it.currency().getCurrencyCode()).orElse("");
  }

  /** Returns what applies, one sentence each. */
  public List<String> sentences() {
    var sentences = new ArrayList<String>();
    sentences.add("Budget of a participant and day: " + words(participant) + ".");
    sentences.add("Budget of the study and day (" + zone + "): " + words(study) + ".");
    sentences.add(
        countries.isEmpty()
            ? "Numbers of all countries can be texted."
            : "Numbers of these countries can be texted: " + String.join(", ", countries) + ".");
    prices.ifPresent(it -> sentences.add(it.sentence()));
    return sentences;
  }

  private String words(Limits limits) {
    var words =
        Arrays.stream(Kind.values())
            .flatMap(kind ->
                limits.of(kind).stream()
                    .map(limit ->
                        shown(kind, limit.most()) + (limit.builtIn() ? " (built in)" : "")))
            .toList();
    return words.isEmpty() ? "no limit" : String.join(", ", words);
  }
}
