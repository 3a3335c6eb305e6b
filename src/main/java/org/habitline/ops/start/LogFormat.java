package org.habitline.ops.start;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import net.logstash.logback.encoder.LogstashEncoder;
import org.slf4j.LoggerFactory;

/** Sets the format of log lines: text, as in logback.xml, or a JSON object per line. */
final class LogFormat {

  static final String KEY = "habitline.log-format";
  static final String JSON = "json";
  private static final String APPENDER = "stderr";

  private LogFormat() {}

  /** Switches to this format; {@code text} changes nothing. */
  static void use(String format) {
    if (format.equals(JSON) && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
      if (root.getAppender(APPENDER) instanceof OutputStreamAppender<ILoggingEvent> appender) {
        appender.setEncoder(json(context));
      }
    }
  }

  /**
   * Returns an encoder that writes failures as {@link MessageFreeStackTrace} does, without
   * messages.
   */
  static Encoder<ILoggingEvent> json(Context context) {
    var where = new MessageFreeStackTrace();
    where.start();
    var encoder = new LogstashEncoder();
    encoder.setContext(context);
    encoder.setThrowableConverter(where);
    encoder.setTimeZone("UTC");
    encoder.setIncludeMdc(false);
    encoder.setIncludeContext(false);
    encoder.setIncludeTags(false);
    encoder.setIncludeKeyValuePairs(false);
    encoder.setIncludeStructuredArguments(false);
    encoder.start();
    return encoder;
  }
}
