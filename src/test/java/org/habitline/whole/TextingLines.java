package org.habitline.whole;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.habitline.messaging.twilio.TwilioAnswer;
import org.habitline.whole.TextingLine.Database;

/**
 * Lines that text by Twilio, up and idle, with a debugger's door open. A case takes one, kills it,
 * and leaves it up again; so it costs one start, and the lines of later cases have a past. Cases
 * may run beside each other.
 */
final class TextingLines implements AutoCloseable {

  private final Starter starter;
  private final AtomicInteger nextHome = new AtomicInteger();
  private final Map<Database, Queue<TextingLine>> idle = new ConcurrentHashMap<>();

  /** Starts a line on a database, in a home of this name. */
  interface Starter {
    TextingLine start(String home, Database database);
  }

  TextingLines(Starter starter) {
    this.starter = starter;
  }

  /** Runs a case on a line that is up; a case that fails takes its line with it. */
  void with(Database database, Consumer<TextingLine> test) {
    var lines = idle.computeIfAbsent(database, it -> new ConcurrentLinkedQueue<>());
    var taken = lines.poll();
    var line =
        taken == null ? starter.start("line-" + nextHome.incrementAndGet(), database) : taken;
    try {
      line.deployment().model().forget();
      line.twilio().forget();
      line.twilio().otherwise(posted -> TwilioAnswer.accept());
      test.accept(line);
    } catch (Throwable e) {
      line.close();
      throw e;
    }
    lines.add(line);
  }

  @Override
  public void close() {
    idle.values().forEach(lines -> lines.forEach(TextingLine::close));
  }
}
