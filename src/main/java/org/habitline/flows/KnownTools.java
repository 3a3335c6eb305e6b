package org.habitline.flows;

import java.util.Set;

/** The names a flow file may list as tools. */
@FunctionalInterface
public interface KnownTools {
  Set<String> names();
}
