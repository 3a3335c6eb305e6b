package org.habitline.staff.bulk;

import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Gatherers;
import org.habitline.budgets.AllowedCountries;
import org.habitline.messaging.Channels;
import org.habitline.messaging.ConsentGate;
import org.habitline.messaging.OutboundKind;
import org.habitline.messaging.outbox.FreeWords;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;
import org.habitline.participants.ParticipantStatus;
import org.habitline.participants.Participants;
import org.habitline.participants.Tags;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Says for whom a bulk action may be carried out now, and why not for the others. The preview asks
 * it, and then the run asks it again for each participant. All methods join a running transaction.
 */
@Singleton
final class BulkChecks {

  private static final int AT_ONCE = 500;

  private final JdbcBulk rows;
  private final Participants participants;
  private final ConsentGate consents;
  private final FreeWords freeWords;
  private final AllowedCountries countries;
  private final Channels channels;
  private final Tags tags;
  private final Transactions transactions;
  private final Clock clock;

  BulkChecks(
      JdbcBulk rows,
      Participants participants,
      ConsentGate consents,
      FreeWords freeWords,
      AllowedCountries countries,
      Channels channels,
      Tags tags,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.participants = participants;
    this.consents = consents;
    this.freeWords = freeWords;
    this.countries = countries;
    this.channels = channels;
    this.tags = tags;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * A participant, and whether the action may be carried out for them.
   *
   * @param channel by which a message of staff goes to them
   * @param why why they are left out, or empty if they are not
   */
  record Standing(Participant participant, ChannelKind channel, Optional<BulkReason> why) {}

  /**
   * Returns the participants with these ids, in their order; those who do not exist or are being
   * erased are missing.
   *
   * @param tag the tag to add or remove, or {@code null} if none is chosen yet
   * @param by the name of the staff member who acts
   */
  List<Standing> of(BulkKind kind, @Nullable String tag, String by, List<String> ids) {
    return ids.stream()
        .gather(Gatherers.windowFixed(AT_ONCE))
        .flatMap(some -> transactions.read(() -> some(kind, tag, by, some)).stream())
        .toList();
  }

  private List<Standing> some(BulkKind kind, @Nullable String tag, String by, List<String> ids) {
    var found =
        participants.these(ids).stream()
            .collect(Collectors.toMap(Participant::id, Function.identity()));
    var facts =
        rows.facts(ids).stream().collect(Collectors.toMap(JdbcBulk.Facts::id, Function.identity()));
    var tagged = kind.isTagging() ? tags.of(ids) : Map.<String, List<String>>of();
    var standings = new ArrayList<Standing>();
    for (var id : ids) {
      var participant = found.get(id);
      var fact = facts.get(id);
      if (participant != null && fact != null) {
        var channel = fact.lastChannel() == null ? participant.channel() : fact.lastChannel();
        standings.add(
            new Standing(
                participant,
                channel,
                switch (kind) {
                  case PAUSE -> whyNotPaused(participant.status());
                  case RESUME -> whyNotResumed(participant.status());
                  case MESSAGE -> whyNotMessaged(participant, fact, channel, by);
                  case TAG -> whyNotTagged(tagged.getOrDefault(id, List.of()), tag);
                  case UNTAG ->
                      tag == null || tagged.getOrDefault(id, List.of()).contains(tag)
                          ? Optional.empty()
                          : Optional.of(BulkReason.LACKS_TAG);
                }));
      }
    }
    return standings;
  }

  private static Optional<BulkReason> whyNotPaused(ParticipantStatus status) {
    return switch (status) {
      case ACTIVE -> Optional.empty();
      case PAUSED -> Optional.of(BulkReason.PAUSED);
      case COMPLETED -> Optional.of(BulkReason.COMPLETED);
      case WITHDRAWN -> Optional.of(BulkReason.WITHDRAWN);
    };
  }

  private static Optional<BulkReason> whyNotResumed(ParticipantStatus status) {
    return switch (status) {
      case PAUSED -> Optional.empty();
      case ACTIVE -> Optional.of(BulkReason.ALREADY_ACTIVE);
      case COMPLETED -> Optional.of(BulkReason.COMPLETED);
      case WITHDRAWN -> Optional.of(BulkReason.WITHDRAWN);
    };
  }

  private static Optional<BulkReason> whyNotTagged(List<String> has, @Nullable String tag) {
    if (tag != null && has.contains(tag)) {
      return Optional.of(BulkReason.HAS_TAG);
    }
    return has.size() >= Tags.MOST_OF_ONE
        ? Optional.of(BulkReason.TOO_MANY_TAGS)
        : Optional.empty();
  }

  private Optional<BulkReason> whyNotMessaged(
      Participant participant, JdbcBulk.Facts facts, ChannelKind channel, String by) {
    if (participant.status() != ParticipantStatus.ACTIVE) {
      return whyNotPaused(participant.status());
    }
    if (!OutboundKind.STAFF.mayGoTo(participant.status(), participant.optedOut())) {
      return Optional.of(BulkReason.OPTED_OUT);
    }
    if (facts.crises() > 0) {
      return Optional.of(BulkReason.INCIDENT);
    }
    if (consents.isMissing(participant)) {
      return Optional.of(BulkReason.NO_CONSENT);
    }
    if (isTakenOverByAnother(facts, by)) {
      return Optional.of(BulkReason.TAKEN_OVER);
    }
    if (countries.whyNot(participant.phone()).isPresent()) {
      return Optional.of(BulkReason.COUNTRY);
    }
    if (channels.of(channel).isEmpty()) {
      return Optional.of(BulkReason.CHANNEL_MISSING);
    }
    return freeWords.mayGo(channel, Optional.ofNullable(facts.lastStored()))
        ? Optional.empty()
        : Optional.of(BulkReason.WINDOW_CLOSED);
  }

  private boolean isTakenOverByAnother(JdbcBulk.Facts facts, String by) {
    return facts.mutedUntil() != null
        && facts.mutedUntil().isAfter(clock.instant())
        && !by.equals(facts.mutedBy());
  }
}
