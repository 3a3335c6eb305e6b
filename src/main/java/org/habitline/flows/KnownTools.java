package org.habitline.flows;

import java.util.Set;

/** Provides the tool names that a flow file may list. */
@FunctionalInterface
public interface KnownTools {
  Set<String> names();
}
