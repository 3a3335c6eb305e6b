package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page on which staff move a participant to another flow.
 *
 * @param name the participant
 * @param flow the flow that they have
 * @param others the flows to choose from
 * @param chosen the flow that was chosen, or empty
 * @param effects what a move to it does, each one sentence
 * @param reason what was entered as the reason
 * @param problem why the reason was refused, or empty
 * @param complaint why the form was refused otherwise, or empty
 */
public record FlowPage(
    PageFrame frame,
    String id,
    String name,
    String flow,
    List<String> others,
    String chosen,
    List<String> effects,
    String reason,
    String problem,
    String complaint) {

  public FlowPage {
    others = List.copyOf(others);
    effects = List.copyOf(effects);
  }
}
