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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.habitline.participants.ChannelKind;

/** The roads to phones that this line has. */
@Singleton
public final class Channels {

  /** A code within the reason of a text that waits, or waited, because of its sender. */
  private static final Pattern WITHIN =
      Pattern.compile("(" + Senders.CONFIGURATION + ")(\\w+)((?:,.*)?)");

  private final Map<ChannelKind, Channel> byKind = new EnumMap<>(ChannelKind.class);

  Channels(List<Channel> channels) {
    channels.forEach(channel -> byKind.put(channel.kind(), channel));
  }

  Optional<Channel> of(ChannelKind kind) {
    return Optional.ofNullable(byKind.get(kind));
  }

  /** Those whose sender must not send faster than its pace. */
  List<Channel> paced() {
    return byKind.values().stream().filter(channel -> channel.pace().isPresent()).toList();
  }

  /** Returns how long a text is on its way to its provider at the most. */
  Duration longestSend() {
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
   * Returns an error of a provider as staff read it: its code and what that means, or the code
   * alone if nobody knows.
   *
   * @param channel the word of the channel, also of one that this line does not have any more
   */
  public String explained(String channel, String code) {
    var within = WITHIN.matcher(code);
    return within.matches()
        ? within.group(1) + explained(channel, within.group(2)) + within.group(3)
        : named(channel)
            .flatMap(it -> it.meaning(code))
            .map(words -> code + " (" + words + ")")
            .orElse(code);
  }

  private Optional<Channel> named(String channel) {
    return byKind.values().stream().filter(it -> it.kind().word().equals(channel)).findFirst();
  }

  /**
   * Returns what an error of a provider means for a text; empty if nobody knows.
   *
   * @param channel the word of the channel, also of one that this line does not have any more
   */
  public Optional<Fate> fate(String channel, String code) {
    var within = WITHIN.matcher(code);
    return within.matches()
        ? fate(channel, within.group(2))
            .filter(Fate.NEXT_DAY::equals)
            .or(() -> Optional.of(Fate.MISCONFIGURED))
        : named(channel).flatMap(it -> it.fate(code));
  }

  /** All of them in one line, for people. */
  public String describe() {
    return byKind.keySet().stream().map(ChannelKind::title).collect(Collectors.joining(", "));
  }
}
