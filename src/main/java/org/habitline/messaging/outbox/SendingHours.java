package org.habitline.messaging.outbox;

import java.time.Duration;
import org.habitline.participants.Participant;

/**
 * The hours in which someone may be messaged without having asked. Declared here, implemented by a
 * package above. Safe for any number of threads.
 */
public interface SendingHours {

  /** Returns how long it is until the receiver may be messaged; zero if they may be now. */
  Duration untilAllowed(Participant receiver);

  /** Returns the same for a daily prompt, which follows the zone of its date. */
  Duration untilPromptAllowed(Participant receiver);

  /** Returns how long it is until the allowed hours of the receiver's next local day begin. */
  Duration untilNextDay(Participant receiver);
}
