package org.habitline.bench;

import java.util.Map;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;

/** The way in which texts reach Habitline over HTTP. */
interface Road {

  /** Returns the channel of the participants who text. */
  ChannelKind channel();

  /** Returns the settings that Habitline needs to accept the texts. */
  Map<String, Object> settings();

  /** Returns the HTTP status that confirms a stored text. */
  int stored();

  /** Returns the request that sends the nth text of the run, from this participant. */
  Post text(Participant from, int number);
}
