package org.habitline.bench;

import io.micronaut.runtime.server.EmbeddedServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.habitline.TestBean;
import org.habitline.participants.ChannelKind;
import org.habitline.participants.Participant;

/** The way in which texts reach Habitline over HTTP. */
interface Road {

  /** Returns the channel of the participants who text. */
  ChannelKind channel();

  /** Returns the settings that Habitline needs to accept the texts. */
  Map<String, Object> settings();

  /** Starts Habitline on a fresh database, with a model and without limits and quiet period. */
  default EmbeddedServer start(Map<String, Object> database, ModelProcess model, Object... beans) {
    var settings = new HashMap<>(database);
    settings.putAll(settings());
    settings.putAll(
        Map.of(
            "habitline.port",
            "0",
            "openai.base-url",
            model.baseUrl(),
            "turn.quiet-period",
            "0s",
            "turns.per-minute",
            "0",
            "habitline.requests-per-minute",
            "0"));
    return TestBean.program(settings, List.of(beans)).run(EmbeddedServer.class);
  }

  /** Returns the HTTP status that confirms a stored text. */
  int stored();

  /** Returns the request that sends the nth text of the run, from this participant. */
  Post text(Participant from, int number);
}
