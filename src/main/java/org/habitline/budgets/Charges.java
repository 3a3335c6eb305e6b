package org.habitline.budgets;

import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Optional;
import org.habitline.budgets.Charge.Confidence;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ParticipantListener;
import org.habitline.protocol.Budgets;
import org.habitline.protocol.Prices.MessagePrice;
import org.habitline.protocol.Prices.ModelPrice;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Ids;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Records what each model call and each message cost, at the price of its day (UTC, study time). An
 * unknown price stays unknown. What a provider says that it charged replaces what the table of
 * prices says.
 */
@Singleton
public final class Charges implements ParticipantListener {

  private static final int LONGEST_ITEM = 200;

  /** How far back rows are looked for that an erasure missed. */
  private static final Duration BACK = Duration.ofDays(2);

  private final Budgets budgets;
  private final JdbcCharges rows;
  private final Transactions transactions;
  private final Clock clock;

  Charges(StudyFile study, JdbcCharges rows, Transactions transactions, Clock clock) {
    this.budgets = study.budgets();
    this.rows = rows;
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Returns whether the table of prices has a price of this model for today. */
  public boolean hasPrice(String model) {
    return budgets.prices().flatMap(it -> it.ofModel(model, today())).isPresent();
  }

  private static Confidence confidence(@Nullable BigDecimal cost, boolean estimated) {
    if (cost == null) {
      return Confidence.UNKNOWN;
    }
    return estimated ? Confidence.ESTIMATED : Confidence.EXACT;
  }

  private @Nullable String currency() {
    return budgets.prices().map(it -> it.currency().getCurrencyCode()).orElse(null);
  }

  private LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }

  /** Writes charges with one statement, at today's prices; joins the running transaction. */
  public void write(Collection<Charge> charges) {
    if (!charges.isEmpty()) {
      var _ = rows.saveAll(charges.stream().map(this::row).toList());
    }
  }

  private JdbcCharges.Row row(Charge charge) {
    var price = budgets.prices().flatMap(it -> it.ofModel(charge.model(), today()));
    if (charge.free()) {
      price = Optional.empty();
    }
    var cached = charge.cached() == null ? 0 : Math.min(charge.cached(), charge.input());
    var cost =
        charge.free()
            ? BigDecimal.ZERO
            : price.map(it -> it.of(charge.input(), cached, charge.output())).orElse(null);
    return new JdbcCharges.Row(
        Ids.ordered("chg"),
        charge.participantId(),
        charge.turn(),
        charge.iteration(),
        charge.child(),
        null,
        Charge.Kind.MODEL,
        charge.model().substring(0, Math.min(LONGEST_ITEM, charge.model().length())),
        charge.input(),
        charge.cached(),
        charge.output(),
        null,
        price.map(ModelPrice::input).orElse(null),
        price.map(it -> it.cached().orElse(it.input())).orElse(null),
        price.map(ModelPrice::output).orElse(null),
        null,
        cost,
        price.isPresent() ? currency() : null,
        confidence(cost, charge.estimated()),
        price.map(it -> it.days().from()).orElse(null),
        charge.at());
  }

  /**
   * Writes the charge for a message that a provider accepted, at today's price; joins the running
   * transaction. A second charge for the same message is ignored.
   */
  public void message(String outboxId, ChannelKind channel) {
    var price = budgets.prices().flatMap(it -> it.ofMessage(channel, today()));
    var each =
        channel.isSimulated() ? BigDecimal.ZERO : price.map(MessagePrice::price).orElse(null);
    var _ =
        rows.insertMessage(
            outboxId,
            each,
            price.map(MessagePrice::bySegment).orElse(true),
            price.isPresent() ? currency() : null,
            channel.isSimulated() ? Confidence.EXACT : confidence(each, true),
            price.map(it -> it.days().from()).orElse(null),
            clock.instant());
  }

  /** Records what a provider charged for a message; joins the running transaction. */
  public void charged(String providerId, BigDecimal cost, @Nullable String currency) {
    var _ = rows.charged(providerId, cost, currency);
  }

  /** Deletes what an erasure may have left, because a turn was still ending. */
  void forget() {
    transactions.write(() -> rows.eraseLeftOvers(clock.instant().minus(BACK)));
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    rows.erase(participantId);
  }
}
