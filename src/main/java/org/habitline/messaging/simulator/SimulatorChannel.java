package org.habitline.messaging.simulator;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Channel;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.DeliveryFailure;
import org.habitline.messaging.DeliveryReport;
import org.habitline.messaging.DeliveryStatus;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundMessage;
import org.habitline.messaging.outbox.DeliveryReports;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ParticipantListener;
import org.habitline.storage.Transactions;

/**
 * Delivers to simulated phones on the staff page. Like a provider, it keeps its own record of what
 * arrived and can be asked about it; and it fails where staff asked for that.
 */
@Singleton
final class SimulatorChannel implements Channel, ParticipantListener {

  /** The error code of a message that could not be delivered. */
  private static final String UNREACHABLE = "unreachable";

  private static final String BUSY = "the simulated carrier is busy";

  private final JdbcSimulatedPhones phones;
  private final JdbcSimulatedFaults faults;
  private final DeliveryReports reports;
  private final Transactions transactions;
  private final Clock clock;

  SimulatorChannel(
      JdbcSimulatedPhones phones,
      JdbcSimulatedFaults faults,
      DeliveryReports reports,
      Transactions transactions,
      Clock clock) {
    this.phones = phones;
    this.faults = faults;
    this.reports = reports;
    this.transactions = transactions;
    this.clock = clock;
  }

  @Override
  public ChannelKind kind() {
    return ChannelKind.SIMULATOR;
  }

  @Override
  public Delivery send(OutboundMessage message) {
    return transactions.write(() -> {
      var found = faults.inTheWayOf(message.id(), message.participantId());
      var met = found.stream().filter(fault -> fault.deliveryId() != null).findFirst();
      var fault = met.or(() -> next(message, found));
      if (fault.filter(SimulatorChannel::fails).isPresent()) {
        reports.accept(undelivered(message));
        return new Delivery.Accepted(providerId(message));
      }
      if (fault.isPresent() && met.isEmpty()) {
        return new Delivery.Deferred(BUSY, Duration.ofSeconds(fault.get().seconds()));
      }
      phones.insert(message.id(), message.participantId(), message.body(), clock.instant());
      return new Delivery.Accepted(providerId(message));
    });
  }

  /** Assigns the next fault to the message, which keeps it however often it is tried. */
  private Optional<JdbcSimulatedFaults.Row> next(
      OutboundMessage message, List<JdbcSimulatedFaults.Row> pending) {
    return pending.stream()
        .findFirst()
        .filter(fault -> faults.take(fault.seq(), message.id()) == 1);
  }

  private static boolean fails(JdbcSimulatedFaults.Row fault) {
    return fault.kind() == JdbcSimulatedFaults.Kind.FAILURE;
  }

  private static DeliveryReport undelivered(OutboundMessage message) {
    return new DeliveryReport(
        providerId(message),
        "undelivered",
        DeliveryStatus.UNDELIVERED,
        UNREACHABLE,
        DeliveryFailure.FINAL);
  }

  @Override
  public LookUp lookUp(OutboundMessage message, Attempt attempt) {
    return transactions.read(() ->
        phones.find(message.id()).isPresent()
                || faults.inTheWayOf(message.id(), message.participantId()).stream()
                    .anyMatch(fault -> fault.deliveryId() != null && fails(fault))
            ? new LookUp.Sent(providerId(message))
            : new LookUp.NotSent());
  }

  private static String providerId(OutboundMessage message) {
    return "sim_" + message.id();
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    phones.erase(participantId);
    faults.erase(participantId);
  }
}
