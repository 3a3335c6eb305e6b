package org.habitline.ops.start;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import net.logstash.logback.encoder.LogstashEncoder;
import org.slf4j.LoggerFactory;

/** How log lines are written: as text, as logback.xml says, or each as a JSON object. */
final class LogFormat {

  static final String KEY = "habitline.log-format";
  static final String JSON = "json";
  private static final String APPENDER = "stderr";

  private LogFormat() {}

  /** From now on lines are written like this; {@code text} changes nothing. */
  static void use(String format) {
    if (format.equals(JSON) && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
      if (root.getAppender(APPENDER) instanceof OutputStreamAppender<ILoggingEvent> appender) {
        appender.setEncoder(json(context));
      }
    }
  }

  /** Tells of a failure what {@link MessageFreeStackTrace} tells, and never its message. */
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
