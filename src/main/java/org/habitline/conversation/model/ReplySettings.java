package org.habitline.conversation.model;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * How long a reply may be.
 *
 * @param segmentsAtMost {@code REPLY_SEGMENTS_AT_MOST}: a model whose reply would take more SMS
 *     segments is asked once for a shorter one; 0 for no bound
 */
@ConfigurationProperties("reply")
record ReplySettings(int segmentsAtMost) {}
