package org.habitline.messaging;

import org.jspecify.annotations.Nullable;

/**
 * What a provider says became of a text.
 *
 * @param status the provider's own word
 * @param rank how far the text came by that word
 * @param errorCode the provider's code, if the text failed
 * @param fate what that code means, if there is one
 */
public record DeliveryReport(
    String providerId,
    String status,
    DeliveryStatus rank,
    @Nullable String errorCode,
    @Nullable DeliveryFailure fate) {}
