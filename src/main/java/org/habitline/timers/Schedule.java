package org.habitline.timers;

import java.time.Instant;

/**
 * A daily prompt of one participant, in that participant's zone.
 *
 * @param id {@code sch_…}
 * @param slot which of the participant's daily prompts it is, from 1: a local date has at most one
 *     occurrence of each slot
 */
public record Schedule(String id, int slot, DailyTime time, Instant createdAt) {}
