package org.habitline.messaging;

import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.habitline.participants.ChannelKind;

/** The channels that this installation has configured. */
@Singleton
public final class Channels {

  private final Map<ChannelKind, Channel> byKind = new EnumMap<>(ChannelKind.class);

  Channels(List<Channel> channels) {
    channels.forEach(channel -> byKind.put(channel.kind(), channel));
  }

  public Optional<Channel> of(ChannelKind kind) {
    return Optional.ofNullable(byKind.get(kind));
  }

  /** Returns the channels whose sender has a maximum pace. */
  public List<Channel> paced() {
    return byKind.values().stream().filter(channel -> channel.pace().isPresent()).toList();
  }

  /** Returns the longest time that a send takes on any channel. */
  public Duration longestSend() {
    return byKind.values().stream()
        .map(Channel::sendsWithin)
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  /** Returns the configured kinds of channel, real ones before the simulator. */
  public SequencedSet<ChannelKind> kinds() {
    return Collections.unmodifiableSequencedSet(new TreeSet<>(byKind.keySet()));
  }

  /** Returns the default channel of a new participant: a real one if there is one. */
  public ChannelKind usual() {
    return kinds().getFirst();
  }

  /**
   * Returns a provider's error code for staff, followed by its meaning if the channel is configured
   * and knows it.
   */
  public String explained(ChannelKind kind, String code) {
    return explained(kind, code, code);
  }

  /** Returns a sentence followed by the meaning of the error code in it, if that is known. */
  public String explained(ChannelKind kind, String sentence, String code) {
    return of(kind)
        .flatMap(channel -> channel.meaning(code))
        .map(words -> sentence + " (" + words + ")")
        .orElse(sentence);
  }

  /** Returns the titles of all channels, separated by commas. */
  public String describe() {
    return byKind.keySet().stream().map(ChannelKind::title).collect(Collectors.joining(", "));
  }
}
