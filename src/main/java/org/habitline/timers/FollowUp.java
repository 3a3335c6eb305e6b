package org.habitline.timers;

/** What became of the reminder of a daily prompt, or of the later question about its outcome. */
public enum FollowUp {
  /** It is planned, or it was given to the provider and is not accepted yet. */
  DUE,
  /** The provider accepted it. */
  SENT,
  /** A newer prompt came before its time, and takes its place. */
  REPLACED,
  /** It is no longer wanted: an outcome was recorded, or the participant gets no messages. */
  NOT_WANTED,
  /** Its time came and it did not go out. */
  LOST
}
