package org.habitline.messaging.twilio;

import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.habitline.messaging.Senders;
import org.reactivestreams.Publisher;

/**
 * What staff must know of Twilio, in the details of {@code /health}: whether it takes our account
 * and senders as they are configured, and how many webhook calls were not signed. The line stays
 * up: its texts wait.
 */
@Singleton
final class TwilioHealth implements HealthIndicator {

  private final AtomicLong refusedSignatures = new AtomicLong();
  private final Senders senders;

  TwilioHealth(Senders senders) {
    this.senders = senders;
  }

  void refusedSignature() {
    refusedSignatures.incrementAndGet();
  }

  @Override
  public Publisher<HealthResult> getResult() {
    var details = new LinkedHashMap<String, Object>();
    details.put("refused_signatures", refusedSignatures.get());
    try {
      senders
          .stopped()
          .forEach(stopped -> details.put("stopped_" + stopped.channel(), stopped.code()));
    } catch (RuntimeException e) {
      details.put("senders", "not known while the database cannot be read");
    }
    return Publishers.just(
        HealthResult.builder("twilio", HealthStatus.UP).details(details).build());
  }
}
