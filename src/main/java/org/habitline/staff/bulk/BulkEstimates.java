package org.habitline.staff.bulk;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import jakarta.inject.Singleton;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.budgets.Spending;
import org.habitline.budgets.Spent;
import org.habitline.messaging.outbox.LaunchGate;
import org.habitline.messaging.outbox.SendingHours;
import org.habitline.messaging.outbox.SendingStop;
import org.habitline.messaging.outbox.SmsSplitter;
import org.habitline.participants.ChannelKind;
import org.habitline.protocol.Budgets;
import org.habitline.protocol.Prices;
import org.habitline.storage.Transactions;

/** Says what a previewed message comes to: its segments, its price, and what holds it up. */
@Singleton
final class BulkEstimates {

  /** How many decimal places an amount in millionths has. */
  private static final int MILLIONTHS = 6;

  private final BulkChecks checks;
  private final JdbcBulk rows;
  private final Spending spending;
  private final SendingHours hours;
  private final SendingStop sendingStop;
  private final LaunchGate gate;
  private final Transactions transactions;

  BulkEstimates(
      BulkChecks checks,
      JdbcBulk rows,
      Spending spending,
      SendingHours hours,
      SendingStop sendingStop,
      LaunchGate gate,
      Transactions transactions) {
    this.checks = checks;
    this.rows = rows;
    this.spending = spending;
    this.hours = hours;
    this.sendingStop = sendingStop;
    this.gate = gate;
    this.transactions = transactions;
  }

  /**
   * What a previewed message would come to.
   *
   * @param segments of all messages together
   * @param longest the segments of the longest message; by SMS a message of several is charged as
   *     several
   * @param cost what all messages cost at today's prices, or empty if a price is unknown
   * @param currency ISO 4217
   * @param outsideHours how many it reaches only when their allowed hours begin
   * @param stopped whether all sending is stopped
   * @param beforeLaunch whether real channels wait for a test alert
   * @param tooMuch why today's budgets do not allow it, or empty if they do
   */
  record Estimate(
      int segments,
      int longest,
      Optional<BigDecimal> cost,
      String currency,
      int outsideHours,
      boolean stopped,
      boolean beforeLaunch,
      String tooMuch) {}

  /** Returns what a previewed message comes to, or empty if it has no words yet. */
  Optional<Estimate> of(BulkDesk.Action action, String by) {
    var words = action.words();
    return words == null || action.kind() != BulkKind.MESSAGE
        ? Optional.empty()
        : Optional.of(transactions.read(() -> of(receivers(action, by), words)));
  }

  private List<BulkChecks.Standing> receivers(BulkDesk.Action action, String by) {
    var ids =
        rows.waiting(action.id(), -1, BulkDesk.MOST).stream()
            .map(JdbcBulk.Target::participantId)
            .toList();
    return checks.of(action.kind(), action.tag(), by, ids);
  }

  private Estimate of(List<BulkChecks.Standing> receivers, String words) {
    var byChannel =
        receivers.stream().collect(groupingBy(BulkChecks.Standing::channel, counting()));
    var needed = needed(byChannel, words);
    return new Estimate(
        byChannel.entrySet().stream()
            .mapToInt(it -> (int) (it.getValue() * SmsSplitter.segments(it.getKey(), words)))
            .sum(),
        byChannel.keySet().stream().mapToInt(it -> SmsSplitter.segments(it, words)).max().orElse(0),
        byChannel.keySet().stream().allMatch(spending::knowsPriceOf)
            ? Optional.of(BigDecimal.valueOf(needed.cost(), MILLIONTHS))
            : Optional.empty(),
        spending
            .budgets()
            .prices()
            .map(Prices::currency)
            .map(it -> it.getCurrencyCode())
            .orElse(""),
        outsideHours(receivers),
        sendingStop.inForce().isPresent(),
        byChannel.keySet().stream().anyMatch(it -> !it.isSimulated()) && gate.isClosed(),
        tooMuch(needed));
  }

  /** Returns what the messages count against the budgets; each part is charged for itself. */
  private Spent needed(Map<ChannelKind, Long> byChannel, String words) {
    var needed = Spent.NOTHING;
    for (var each : byChannel.entrySet()) {
      for (var part : SmsSplitter.of(each.getKey(), words)) {
        var one = spending.ofSegments(part.segments(), each.getKey());
        var many = each.getValue();
        needed = needed.plus(new Spent(0, one.cost() * many, one.segments() * many));
      }
    }
    return needed;
  }

  private int outsideHours(List<BulkChecks.Standing> receivers) {
    return (int)
        receivers.stream()
            .filter(it ->
                it.channel().needsHours() && hours.untilAllowed(it.participant()).isPositive())
            .count();
  }

  /** Returns why today's budgets of the study do not allow the messages, or empty if they do. */
  private String tooMuch(Spent needed) {
    for (var kind : List.of(Budgets.Kind.SEGMENTS, Budgets.Kind.COST)) {
      var left = spending.studyLeft(kind);
      if (left.isPresent() && needed.of(kind) > left.get()) {
        return ("The messages need %s, but the study's budget for today has only %s left. Choose fewer"
                + " participants, or confirm after midnight (%s).")
            .formatted(
                spending.budgets().shown(kind, needed.of(kind)),
                spending.budgets().shown(kind, left.get()),
                spending.budgets().zone());
      }
    }
    return "";
  }
}
