package org.habitline.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * What a call came to: the short JSON the model reads ({@code status} is success, noop or error)
 * and the effects it asks for. An error asks for none.
 */
public record ToolOutcome(ObjectNode result, List<Effect> effects) {}
