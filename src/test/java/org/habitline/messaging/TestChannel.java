package org.habitline.messaging;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.PhoneNumber;

/**
 * A provider that does what a test says. What nobody scripted is accepted; what it was asked to
 * send is remembered, in order.
 */
public class TestChannel implements Channel {

  private final ChannelKind kind;
  private final OptionalDouble pace;
  private final List<OutboundMessage> attempts = new CopyOnWriteArrayList<>();
  private final List<OutboundMessage> lookedUp = new CopyOnWriteArrayList<>();
  private final Map<String, Queue<Function<OutboundMessage, Delivery>>> sends =
      new ConcurrentHashMap<>();
  private final Map<String, Queue<LookUp>> lookUps = new ConcurrentHashMap<>();
  private final Map<String, DeliveryReport> reports = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();

  public TestChannel(ChannelKind kind) {
    this(kind, OptionalDouble.empty());
  }

  private TestChannel(ChannelKind kind, OptionalDouble pace) {
    this.kind = kind;
    this.pace = pace;
  }

  /** A provider whose sender may send so many segments a second. */
  public static TestChannel at(ChannelKind kind, double pace) {
    return new TestChannel(kind, OptionalDouble.of(pace));
  }

  @Override
  public OptionalDouble pace() {
    return pace;
  }

  @Override
  public ChannelKind kind() {
    return kind;
  }

  /** The next sends to a participant go like this. */
  public void then(Participant to, Function<OutboundMessage, Delivery> delivery) {
    sends.computeIfAbsent(to.id(), id -> new ArrayDeque<>()).add(delivery);
  }

  public void refuse(Participant to, String reason) {
    then(to, message -> new Delivery.Refused(reason));
  }

  public void defer(Participant to, Duration pause) {
    then(to, message -> new Delivery.Deferred("busy", pause));
  }

  /** The next look-ups of texts to a participant find this. */
  public void found(Participant to, LookUp found) {
    lookUps.computeIfAbsent(to.id(), id -> new ArrayDeque<>()).add(found);
  }

  @Override
  public Delivery send(OutboundMessage message) {
    attempts.add(message);
    var scripted = sends.getOrDefault(message.participantId(), new ArrayDeque<>()).poll();
    return scripted == null ? accepted(message) : scripted.apply(message);
  }

  public static Delivery accepted(OutboundMessage message) {
    return new Delivery.Accepted("provider_" + message.id());
  }

  @Override
  public LookUp lookUp(OutboundMessage message, Attempt attempt) {
    lookedUp.add(message);
    var scripted = lookUps.getOrDefault(message.participantId(), new ArrayDeque<>()).poll();
    return scripted == null ? new LookUp.NotSent() : scripted;
  }

  /** What it says of a text that it took, when it is asked. */
  public void reports(DeliveryReport report) {
    reports.put(report.providerId(), report);
  }

  @Override
  public Optional<DeliveryReport> report(String providerId) {
    asked.add(providerId);
    return Optional.ofNullable(reports.get(providerId));
  }

  /** The ids it was asked about. */
  public List<String> asked() {
    return List.copyOf(asked);
  }

  /** Every body this channel was asked to send to a participant, once per attempt, in order. */
  public List<String> bodies(Participant to) {
    return of(attempts, to).stream().map(OutboundMessage::body).toList();
  }

  /** The numbers that those went to. */
  public List<PhoneNumber> numbers(Participant to) {
    return of(attempts, to).stream().map(OutboundMessage::to).toList();
  }

  /** Everything this channel was asked to send, in order. */
  public List<OutboundMessage> all() {
    return List.copyOf(attempts);
  }

  public int attempts(Participant to, String body) {
    return (int) bodies(to).stream().filter(body::equals).count();
  }

  /** What was looked up of a participant's texts, in order. */
  public List<OutboundMessage> lookedUp(Participant to) {
    return of(lookedUp, to);
  }

  public int lookUps(Participant to) {
    return of(lookedUp, to).size();
  }

  private static List<OutboundMessage> of(List<OutboundMessage> messages, Participant to) {
    return messages.stream().filter(message -> message.participantId().equals(to.id())).toList();
  }

  public void forget() {
    sends.clear();
    lookUps.clear();
    attempts.clear();
    lookedUp.clear();
  }
}
