package org.habitline.messaging.simulator;

import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.time.Clock;
import org.habitline.messaging.Attempt;
import org.habitline.messaging.Channel;
import org.habitline.messaging.Delivery;
import org.habitline.messaging.LookUp;
import org.habitline.messaging.OutboundMessage;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.ParticipantListener;

/**
 * Delivers to phones that are only drawn on the staff page. Like a provider it keeps its own record
 * of what arrived, and can be asked about it.
 */
@Singleton
final class SimulatorChannel implements Channel, ParticipantListener {

  private final JdbcSimulatedPhones phones;
  private final TransactionOperations<Connection> transactions;
  private final Clock clock;

  SimulatorChannel(
      JdbcSimulatedPhones phones, TransactionOperations<Connection> transactions, Clock clock) {
    this.phones = phones;
    this.transactions = transactions;
    this.clock = clock;
  }

  @Override
  public ChannelKind kind() {
    return ChannelKind.SIMULATOR;
  }

  @Override
  public Delivery send(OutboundMessage message) {
    transactions.executeWrite(status ->
        phones.insert(message.id(), message.participantId(), message.body(), clock.instant()));
    return new Delivery.Accepted(providerId(message));
  }

  @Override
  public LookUp lookUp(OutboundMessage message, Attempt attempt) {
    return transactions.executeRead(status -> phones.find(message.id())).isPresent()
        ? new LookUp.Sent(providerId(message))
        : new LookUp.NotSent();
  }

  private static String providerId(OutboundMessage message) {
    return "sim_" + message.id();
  }

  @Override
  public void erased(String participantId, boolean keepTranscript) {
    phones.erase(participantId);
  }
}
