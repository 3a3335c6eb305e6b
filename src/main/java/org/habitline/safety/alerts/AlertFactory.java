package org.habitline.safety.alerts;

import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Named;
import java.time.Clock;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.habitline.messaging.Channels;
import org.habitline.participants.ChannelKind;
import org.habitline.protocol.AlertPlan;
import org.habitline.protocol.BrokenStudy;
import org.habitline.protocol.StudyFile;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/** Provides the alerts with the channels that the study uses. */
@Factory
final class AlertFactory {

  /** Checks the secrets at startup, so that a missing one is not found out by a crisis. */
  @Context
  Alerting alerting(
      StudyFile study,
      AlertSettings settings,
      SmsAlerts sms,
      TestAlerts tests,
      Channels messaging,
      @Value("${habitline.public-url:}") String publicUrl,
      JdbcAlerts rows,
      Transactions transactions,
      @Named("system") Clock systemClock) {
    return new Alerting(
        study.safety(),
        study.safety().map(plan -> channels(plan, settings, systemClock)).orElse(Map.of()),
        sms,
        tests,
        messaging.of(ChannelKind.SMS).isPresent(),
        publicUrl.replaceFirst("/$", ""),
        rows,
        transactions,
        systemClock);
  }

  private static Map<AlertChannel, AlertSender> channels(
      AlertPlan plan, AlertSettings settings, Clock systemClock) {
    var channels = new EnumMap<AlertChannel, AlertSender>(AlertChannel.class);
    plan.mailServer()
        .ifPresent(server -> {
          var password = present(settings.smtpPassword());
          if ((server.user() == null) != password.isEmpty()) {
            throw broken(
                "safety.email.user and ALERT_SMTP_PASSWORD belong together: set both or neither");
          }
          channels.put(AlertChannel.EMAIL, new EmailSender(server, password.orElse(null)));
        });
    plan.webhook()
        .ifPresent(address -> {
          try {
            channels.put(
                AlertChannel.WEBHOOK,
                new WebhookSender(
                    address, present(settings.webhookSecret()).orElse(""), systemClock));
          } catch (IllegalArgumentException e) {
            throw broken(
                "safety.webhook needs ALERT_WEBHOOK_SECRET: whsec_ and at least 24 random bytes in"
                    + " Base64");
          }
        });
    return channels;
  }

  private static Optional<String> present(@Nullable String setting) {
    return Optional.ofNullable(setting).filter(it -> !it.isBlank());
  }

  private static BrokenStudy broken(String mistake) {
    return new BrokenStudy(List.of(StudyFile.NAME + ": " + mistake));
  }
}
