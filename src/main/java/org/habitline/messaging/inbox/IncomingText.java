package org.habitline.messaging.inbox;

import java.time.Instant;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;
import org.jspecify.annotations.Nullable;

/**
 * A text as it arrived.
 *
 * @param providerId the sender's own id of it, at most 128 characters; the same id is the same text
 * @param sender who sent it, as the provider names them
 * @param from their number, or {@code null} if they are named by something else
 * @param body the text, at most {@value Inbox#LONGEST_TEXT} characters
 * @param told what the provider says the text asks for; it decides, and the words do not
 * @param raw what the provider posted, kept for a while
 * @param more what only some texts come with
 * @param sentAt when a provider's list says it was sent, by our clock, or {@code null} if it is not
 *     from a list: it came just now then
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
   * What only some texts come with.
   *
   * @param userId what the provider calls the sender besides their number, in the form in which it
   *     names senders who show none
   * @param cameTo the sender of ours that it came to, if that is not the usual one: an answer
   *     leaves from it
   * @param data what a form that the sender filled in holds, as JSON
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

  /** Returns this text as a provider's list has it. */
  IncomingText listed(Instant at) {
    return new IncomingText(providerId, sender, from, channel, body, told, raw, more, at);
  }

  public IncomingText(String providerId, PhoneNumber from, ChannelKind channel, String body) {
    this(providerId, from.e164(), from, channel, body, null, null);
  }
}
