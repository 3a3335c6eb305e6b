package org.habitline.ops.start;

import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Writes a logged failure as its types and places, on the line of its event and without messages:
 * those of databases, JSON and model clients quote what participants wrote. The pattern word is
 * {@code %where}.
 */
public final class MessageFreeStackTrace extends ThrowableHandlingConverter {

  private static final int PLACES = 6;
  private static final int CAUSES = 5;

  @Override
  public String convert(ILoggingEvent event) {
    var text = new StringBuilder();
    var failure = event.getThrowableProxy();
    for (int i = 0; failure != null && i < CAUSES; i++, failure = failure.getCause()) {
      text.append(i == 0 ? " | " : " | caused by ").append(one(failure));
    }
    return text.toString();
  }

  private static String one(IThrowableProxy failure) {
    return failure.getClassName()
        + Arrays.stream(failure.getStackTraceElementProxyArray())
            .limit(PLACES)
            .map(place -> place.getStackTraceElement())
            .map(place ->
                place.getClassName() + "." + place.getMethodName() + ":" + place.getLineNumber())
            .collect(Collectors.joining(" < ", " at ", ""));
  }
}
