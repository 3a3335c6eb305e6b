package org.habitline.timers.quartz;

import org.quartz.impl.jdbcjobstore.JobStoreTX;

/**
 * Every scheduler of the line, in whatever process, works on the same bells, though Quartz wants
 * another name for each in one process. Public, because Quartz calls it by reflection.
 */
public final class OneStore extends JobStoreTX {

  @Override
  public void setInstanceName(String name) {
    super.setInstanceName(QuartzSweepTrigger.GROUP);
  }
}
