package org.habitline.safety.alerts;

import io.micronaut.context.annotation.ConfigurationProperties;
import org.jspecify.annotations.Nullable;

/**
 * The secrets for alerts; everything else is in {@code config/study.yaml}.
 *
 * @param smtpPassword {@code ALERT_SMTP_PASSWORD}
 * @param webhookSecret {@code ALERT_WEBHOOK_SECRET}
 */
@ConfigurationProperties("alert")
public record AlertSettings(@Nullable String smtpPassword, @Nullable String webhookSecret) {}
