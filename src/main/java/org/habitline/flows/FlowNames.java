package org.habitline.flows;

import java.util.List;
import java.util.Set;

/**
 * The names in a flow that the options of a module's tool may refer to.
 *
 * @param module the module whose tool it is
 * @param modules all modules, in the order of the file
 */
public record FlowNames(String module, Set<String> modules, List<ProfileField> profile) {}
