package org.habitline.flows;

import java.util.Set;
import org.habitline.config.Section;

/** Tells a flow's reader which tools there are and what a flow may say about each. */
public interface KnownTools {

  Set<String> names();

  /** Returns the parts that a flow must have if one of its modules offers the tool. */
  Set<FlowPart> needs(String tool);

  /**
   * Reads the options of a tool; mistakes are added to the section.
   *
   * @param given the options, without keys if the flow gives none
   */
  ToolOptions options(String tool, Section given, FlowNames names);
}
