package org.habitline.safety.opinions;

/** Told of every second opinion, once it is recorded. */
public interface OpinionListener {
  void recorded(Opinion opinion);
}
