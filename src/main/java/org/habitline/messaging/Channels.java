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

/** The roads to phones that this line has. */
@Singleton
public final class Channels {

  private final Map<ChannelKind, Channel> byKind = new EnumMap<>(ChannelKind.class);

  Channels(List<Channel> channels) {
    channels.forEach(channel -> byKind.put(channel.kind(), channel));
  }

  public Optional<Channel> of(ChannelKind kind) {
    return Optional.ofNullable(byKind.get(kind));
  }

  /** Those whose sender must not send faster than its pace. */
  public List<Channel> paced() {
    return byKind.values().stream().filter(channel -> channel.pace().isPresent()).toList();
  }

  /** Returns how long a text is on its way to its provider at the most. */
  public Duration longestSend() {
    return byKind.values().stream()
        .map(Channel::sendsWithin)
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  /** Real ones before the simulator. */
  public SequencedSet<ChannelKind> kinds() {
    return Collections.unmodifiableSequencedSet(new TreeSet<>(byKind.keySet()));
  }

  /** The one that a participant gets when nobody names one: a real one if there is one. */
  public ChannelKind usual() {
    return kinds().getFirst();
  }

  /**
   * Returns an error code of a provider as staff read it: with what it means beside it, if that is
   * known and this line has the channel.
   */
  public String explained(ChannelKind kind, String code) {
    return explained(kind, code, code);
  }

  /** Returns a sentence with what the code in it means beside it, if that is known. */
  public String explained(ChannelKind kind, String sentence, String code) {
    return of(kind)
        .flatMap(channel -> channel.meaning(code))
        .map(words -> sentence + " (" + words + ")")
        .orElse(sentence);
  }

  /** All of them in one line, for people. */
  public String describe() {
    return byKind.keySet().stream().map(ChannelKind::title).collect(Collectors.joining(", "));
  }
}
