package org.habitline.timers.quartz;

import org.quartz.impl.jdbcjobstore.JobStoreTX;

/**
 * Makes all schedulers, in whatever process, share the same triggers, although Quartz requires a
 * different name for each scheduler in one process. Public, because Quartz calls it by reflection.
 */
public final class OneStore extends JobStoreTX {

  @Override
  public void setInstanceName(String name) {
    super.setInstanceName(QuartzSweepTrigger.GROUP);
  }
}
