package org.habitline.messaging.twilio;

import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.stream.Collectors;
import org.habitline.messaging.ProviderClock;
import org.habitline.messaging.RefusedCalls;
import org.habitline.messaging.outbox.Senders;
import org.reactivestreams.Publisher;

/**
 * Reports Twilio's state in the details of {@code /health}: whether it accepts our account and
 * senders, how many webhook calls were refused, whether texts may be missing that are not fetched
 * yet, up to when its list was read, and how far its clock is ahead of ours. The status stays UP,
 * because messages wait while Twilio fails.
 */
@Singleton
final class TwilioHealth implements HealthIndicator {

  private final Senders senders;
  private final RefusedCalls refused;
  private final CatchUp catchUp;
  private final ProviderClock providerClock;

  TwilioHealth(
      Senders senders, RefusedCalls refused, CatchUp catchUp, ProviderClock providerClock) {
    this.senders = senders;
    this.refused = refused;
    this.catchUp = catchUp;
    this.providerClock = providerClock;
  }

  @Override
  public Publisher<HealthResult> getResult() {
    var details = new LinkedHashMap<String, Object>();
    details.put("refused_signatures", refused.count());
    details.put("refused_not_ours", refused.countNotOurs());
    details.put("clock_ahead_seconds", providerClock.ahead().toSeconds());
    details.put("catch_up_pending", catchUp.isPending());
    try {
      catchUp.readUpTo().ifPresent(at -> details.put("list_read_up_to", at.toString()));
      var stopped = senders.stopped();
      stopped.forEach(sender -> details.put("stopped_" + sender.channel().word(), sender.code()));
      if (!stopped.isEmpty()) {
        details.put(
            "trouble",
            "accepts no messages by "
                + stopped.stream()
                    .map(it -> it.channel().title())
                    .collect(Collectors.joining(", ")));
      }
    } catch (RuntimeException e) {
      details.put("senders", "not known while the database cannot be read");
    }
    return Publishers.just(
        HealthResult.builder("twilio", HealthStatus.UP).details(details).build());
  }
}
