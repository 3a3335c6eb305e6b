package org.habitline.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/**
 * The mean cost of one turn, in milliseconds.
 *
 * @param wall the time that all turns took together, divided by their number
 * @param cpu CPU time of this process, without the model and a database server, divided by the
 *     number of turns
 */
record Cost(double wall, double cpu) {

  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** A turn of one conversation. */
  @FunctionalInterface
  interface Turn {
    void of(int conversation) throws Exception;
  }

  /**
   * Runs the turns and returns their mean cost. The turns of one conversation run one after the
   * other on the same thread.
   *
   * @param turns a multiple of {@code conversations}
   */
  static Cost of(Turn turn, int turns, int conversations, int threads) throws Exception {
    var work = new ArrayList<Callable<Boolean>>();
    for (int thread = 0; thread < threads; thread++) {
      var first = thread;
      work.add(() -> {
        for (int done = 0; done < turns; done += conversations) {
          for (int i = first; i < conversations; i += threads) {
            turn.of(i);
          }
        }
        return true;
      });
    }
    try (var executor = Executors.newFixedThreadPool(threads)) {
      var began = System.nanoTime();
      var cpu = PROCESS.getProcessCpuTime();
      for (var done : executor.invokeAll(work)) {
        done.get();
      }
      return new Cost(
          (System.nanoTime() - began) / 1e6 / turns,
          (PROCESS.getProcessCpuTime() - cpu) / 1e6 / turns);
    }
  }
}
