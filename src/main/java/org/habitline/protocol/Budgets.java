package org.habitline.protocol;

import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.habitline.config.Section;
import org.habitline.participants.ChannelKind;

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

  /** Returns what applies to a study that says nothing. */
  static Budgets usual(ZoneId zone, Optional<Prices> prices) {
    return new Budgets(
        zone, Limits.builtIn(OF_A_PARTICIPANT), Limits.builtIn(OF_THE_STUDY), prices, List.of());
  }

  /**
   * Reads the section.
   *
   * @param usual the zone of the study's day unless the section names one
   * @param prices those of {@code config/prices.yaml}, if there is one
   */
  static Budgets read(Section budgets, ZoneId usual, Optional<Prices> prices) {
    budgets.only("time_zone", "participant", "study", "countries");
    var read =
        new Budgets(
            zone(budgets, usual),
            limits(budgets, "participant", OF_A_PARTICIPANT),
            limits(budgets, "study", OF_THE_STUDY),
            prices,
            countries(budgets));
    if (read.limitsCost() && prices.isEmpty()) {
      budgets.refuse(
          "",
          "a limit of cost needs prices; expected the file "
              + Prices.NAME
              + " with currency, models and messages");
    } else if (read.limitsCost() && prices.get().messages().isEmpty()) {
      budgets.refuse(
          "",
          "a limit of cost needs the price of one segment, such as 0.008; expected messages.sms in "
              + Prices.NAME);
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
            Prices.NAME
                + ": models has no price for "
                + String.join(", ", missing)
                + ", which Habitline asks; a limit of cost needs one for each model: expected a line"
                + " such as "
                + missing.getFirst()
                + ": [{valid_from: 2026-01-01, input: 0.15, output: 0.60}]");
  }

  /**
   * Returns what a message counts against a budget of cost, in millionths, rounded up. If its price
   * is unknown, it counts as much as the dearest.
   */
  public long ofMessage(ChannelKind channel, int segments, LocalDate day) {
    return prices.map(it -> it.budgetedMessage(channel, segments, day)).orElse(0L);
  }

  /**
   * Returns what a model call counts against a budget of cost, in millionths, rounded up. If the
   * model's price is unknown, it counts as much as the dearest.
   */
  public long ofTokens(String model, long input, long output, LocalDate day) {
    return prices.map(it -> it.budgetedTokens(model, input, output, day)).orElse(0L);
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
