package org.habitline.messaging.inbox;

import java.time.Instant;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * An incoming text.
 *
 * @param providerId the provider's own id, at most 128 characters; the same id is the same text
 * @param sender the sender, as the provider names them
 * @param from the sender's number, or {@code null} if the provider gives another name
 * @param body the text, at most {@value Inbox#LONGEST_TEXT} characters
 * @param told the consent keyword that the provider reports; it takes precedence over the words
 * @param raw what the provider posted, kept for a limited time
 * @param more what only some texts come with
 * @param sentAt when the text was sent according to a provider's list, by our clock, or {@code
 *     null} if it came by webhook just now
 */
public record IncomingText(
    String providerId,
    String sender,
    @Nullable PhoneNumber from,
    ChannelKind channel,
    String body,
    @Nullable ConsentKeyword told,
    @Nullable String raw,
    More more,
    @Nullable Instant sentAt) {

  /**
   * Data that only some texts come with.
   *
   * @param userId the provider's name for the sender besides their number, in the form that it uses
   *     for senders who show no number
   * @param cameTo the sender of ours that the text came to, if it is not the default one: a reply
   *     is sent from it
   * @param data the answers of a form that the sender filled in, as JSON
   */
  public record More(@Nullable String userId, @Nullable String cameTo, @Nullable String data) {
    public static final More NONE = new More(null, null, null);
  }

  public IncomingText(
      String providerId,
      String sender,
      @Nullable PhoneNumber from,
      ChannelKind channel,
      String body,
      @Nullable ConsentKeyword told,
      @Nullable String raw) {
    this(providerId, sender, from, channel, body, told, raw, More.NONE);
  }

  public IncomingText(
      String providerId,
      String sender,
      @Nullable PhoneNumber from,
      ChannelKind channel,
      String body,
      @Nullable ConsentKeyword told,
      @Nullable String raw,
      More more) {
    this(providerId, sender, from, channel, body, told, raw, more, null);
  }

  /** Returns a copy of this text, marked as found in a provider's list. */
  IncomingText listed(Instant at) {
    return new IncomingText(providerId, sender, from, channel, body, told, raw, more, at);
  }

  public IncomingText(String providerId, PhoneNumber from, ChannelKind channel, String body) {
    this(providerId, from.e164(), from, channel, body, null, null);
  }
}
