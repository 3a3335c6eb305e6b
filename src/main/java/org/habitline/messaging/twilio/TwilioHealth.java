package org.habitline.messaging.twilio;

import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What staff must know of Twilio, in the details of {@code /health}: whether it takes our account
 * and senders as they are configured, and how many webhook calls were not signed. The line stays
 * up: its texts wait.
 */
@Singleton
final class TwilioHealth implements HealthIndicator {

  private static final Logger log = LoggerFactory.getLogger(TwilioHealth.class);

  private final AtomicReference<@Nullable String> misconfigured = new AtomicReference<>();
  private final AtomicLong refusedSignatures = new AtomicLong();

  void accepted() {
    if (misconfigured.getAndSet(null) != null) {
      log.info("Twilio takes texts again");
    }
  }

  void misconfigured(String code) {
    if (!code.equals(misconfigured.getAndSet(code))) {
      log.error(
          "Twilio refuses to send for this account or sender ({}); texts wait until that is put right",
          code);
    }
  }

  void refusedSignature() {
    refusedSignatures.incrementAndGet();
  }

  @Override
  public Publisher<HealthResult> getResult() {
    var details = new LinkedHashMap<String, Object>();
    details.put("refused_signatures", refusedSignatures.get());
    var code = misconfigured.get();
    if (code != null) {
      details.put("configuration_error", code);
    }
    return Publishers.just(
        HealthResult.builder("twilio", HealthStatus.UP).details(details).build());
  }
}
