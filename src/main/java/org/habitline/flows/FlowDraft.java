package org.habitline.flows;

import java.util.List;

/**
 * What was read of one flow file.
 *
 * @param flow the flow; in the place of each mistake it has a harmless value
 * @param mistakes one sentence each; the flow can be used only if there is none
 */
record FlowDraft(Flow flow, List<String> mistakes) {
  FlowDraft {
    mistakes = List.copyOf(mistakes);
  }
}
