package org.habitline.conversation.model;

import jakarta.inject.Singleton;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.habitline.llm.ModelFailure;
import org.habitline.llm.ModelReply;
import org.habitline.llm.Receipt;
import org.habitline.protocol.ModelPolicy;
import org.habitline.protocol.StudyFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices replies of another model than the one asked, and refuses them if the study does. Safe for
 * any number of threads.
 */
@Singleton
public final class PinnedModels {

  private static final Logger log = LoggerFactory.getLogger(PinnedModels.class);

  /** How many pairs of names are logged, each once: a server may answer like that every time. */
  private static final int MOST_LOGGED = 100;

  private final ModelPolicy policy;
  private final Set<String> logged = ConcurrentHashMap.newKeySet();
  private final LongAdder others = new LongAdder();

  PinnedModels(StudyFile study) {
    this.policy = study.models();
  }

  /**
   * Returns the reply, or a failure in its place if another model gave it and the study refuses
   * that.
   */
  public ModelReply checked(ModelReply reply) {
    var receipt = reply.receipt();
    if (!isOther(receipt)) {
      return reply;
    }
    others.increment();
    var refused = policy.action() == ModelPolicy.Action.REFUSE;
    if (logged.size() < MOST_LOGGED
        && logged.add(receipt.modelAsked() + " " + receipt.modelReturned())) {
      log.warn(
          "model {} was asked and {} answered; such replies are {}",
          receipt.modelAsked(),
          receipt.modelReturned(),
          refused ? "refused" : "used");
    }
    return refused
        ? new ModelReply.Failed(
            ModelFailure.OTHER_MODEL,
            "the server answered with the model %s instead of %s"
                .formatted(receipt.modelReturned(), receipt.modelAsked()),
            receipt)
        : reply;
  }

  /** Returns whether another model answered than the one asked. */
  boolean isOther(Receipt receipt) {
    return !policy.allows(receipt.modelAsked(), receipt.modelReturned());
  }

  /** Returns how many replies of other models this process got. */
  public long count() {
    return others.sum();
  }
}
