package org.habitline.bench;

import java.util.Map;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;

/** The way a text takes into the line over HTTP. */
interface Road {

  /** The channel of the participants who text. */
  ChannelKind channel();

  /** What the line must be told to accept the texts. */
  Map<String, Object> settings();

  /** The status that says the text is stored. */
  int stored();

  /** The nth text of the run, from this participant. */
  Post text(Participant from, int number);
}
