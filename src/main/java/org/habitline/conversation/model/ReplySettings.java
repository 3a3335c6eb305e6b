package org.habitline.conversation.model;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * Limits the length of a reply.
 *
 * @param segmentsAtMost {@code REPLY_SEGMENTS_AT_MOST}: if a reply would take more SMS segments,
 *     the model is asked once for a shorter one; 0 for no limit
 */
@ConfigurationProperties("reply")
record ReplySettings(int segmentsAtMost) {}
