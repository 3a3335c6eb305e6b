package org.habitline.whole;

import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Lines that are up and idle, with a debugger's door open. A case takes one, kills it, and leaves
 * it up again; so it costs one start, and the lines of later cases have a past. Cases may run
 * beside each other.
 */
final class Lines {

  private static final AtomicInteger NEXT_PHONE = new AtomicInteger(10_000_000);

  private final Path homes;
  private final AtomicInteger nextHome = new AtomicInteger();
  private final Queue<Deployment> idle = new ConcurrentLinkedQueue<>();

  Lines(Path homes) {
    this.homes = homes;
  }

  /** A number that nobody has yet. */
  static String nextPhone() {
    return "+49151" + NEXT_PHONE.incrementAndGet();
  }

  /** Runs a case on a line that is up; a case that fails takes its line with it. */
  void with(Consumer<Deployment> test) {
    var taken = idle.poll();
    var line = taken == null ? started() : taken;
    try {
      line.model().forget();
      test.accept(line);
    } catch (Throwable e) {
      line.close();
      throw e;
    }
    idle.add(line);
  }

  private Deployment started() {
    return new Deployment(homes.resolve("line-" + nextHome.incrementAndGet()), Map.of())
        .startWithDebugger();
  }

  /** Ends the lines and holds what they wrote against what must never be written. */
  void endDiscreetly(String... said) {
    for (var line : idle) {
      line.close();
      line.assertThatTheLogIsDiscreet(said);
    }
  }
}
