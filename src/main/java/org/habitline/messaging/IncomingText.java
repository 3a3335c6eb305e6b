package org.habitline.messaging;

import org.habitline.participants.ChannelKind;
import org.habitline.participants.PhoneNumber;

/**
 * A text as it arrived.
 *
 * @param providerId the sender's own id of it, at most 128 characters; the same id is the same text
 * @param body the text, at most {@value Inbox#LONGEST_TEXT} characters
 */
public record IncomingText(String providerId, PhoneNumber from, ChannelKind channel, String body) {}
