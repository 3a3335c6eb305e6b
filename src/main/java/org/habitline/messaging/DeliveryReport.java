package org.habitline.messaging;

import org.jspecify.annotations.Nullable;

/**
 * A provider's report on a message.
 *
 * @param status the provider's own word for the status
 * @param rank the status that the word stands for
 * @param errorCode the provider's code, if the message failed
 * @param fate what the error code means, if there is one
 */
public record DeliveryReport(
    String providerId,
    String status,
    DeliveryStatus rank,
    @Nullable String errorCode,
    @Nullable DeliveryFailure fate) {}
