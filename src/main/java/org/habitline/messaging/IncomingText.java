package org.habitline.messaging;

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
 */
public record IncomingText(
    String providerId,
    String sender,
    @Nullable PhoneNumber from,
    ChannelKind channel,
    String body,
    @Nullable Wish told,
    @Nullable String raw) {

  public IncomingText(String providerId, PhoneNumber from, ChannelKind channel, String body) {
    this(providerId, from.e164(), from, channel, body, null, null);
  }
}
