package org.habitline.conversation.configuration;

import java.util.SortedMap;

/** Knows the settings that this process runs with. */
@FunctionalInterface
public interface SettingsInForce {

  /**
   * Returns the value of every setting that a study depends on, by its name. Of a secret, it only
   * says whether it is set.
   */
  SortedMap<String, String> settings();
}
