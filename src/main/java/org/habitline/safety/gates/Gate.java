package org.habitline.safety.gates;

import java.util.Optional;
import org.habitline.protocol.ReplyGate;

/** One check of what a model wrote. Safe for any number of threads. */
interface Gate {

  ReplyGate gate();

  /** Returns what is wrong, as an instruction for the model, or empty if nothing is. */
  Optional<String> objection(Candidate candidate);
}
