package org.habitline.timers.quartz;

import org.quartz.Job;
import org.quartz.JobExecutionContext;

/**
 * Holds the job under the name that databases store. Quartz on a node of another version loads the
 * job by this name; a name that it does not know puts the sweep's trigger into an error state for
 * all nodes, so these two names never change.
 */
final class QuartzBells {

  private QuartzBells() {}

  /** Runs the sweep. */
  static final class Look implements Job {

    private final Runnable sweep;

    Look(Runnable sweep) {
      this.sweep = sweep;
    }

    @Override
    public void execute(JobExecutionContext context) {
      sweep.run();
    }
  }
}
