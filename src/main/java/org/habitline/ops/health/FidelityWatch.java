package org.habitline.ops.health;

import io.micronaut.context.annotation.Context;
import io.micronaut.scheduling.annotation.Scheduled;
import org.habitline.study.fidelity.Fidelity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets each day be compared with its plan once it is over. */
@Context
final class FidelityWatch {

  private static final Logger log = LoggerFactory.getLogger(FidelityWatch.class);

  private final Fidelity fidelity;

  FidelityWatch(Fidelity fidelity) {
    this.fidelity = fidelity;
  }

  @Scheduled(initialDelay = "2m", fixedDelay = "5m")
  void look() {
    try {
      fidelity.lookAtMissedDays();
    } catch (RuntimeException e) {
      log.warn(
          "The day cannot be compared with its plan now; this is tried again: {}",
          e.getClass().getName());
    }
  }
}
