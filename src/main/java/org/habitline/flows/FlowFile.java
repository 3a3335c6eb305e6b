package org.habitline.flows;

import java.util.Optional;

/**
 * The text of one flow file.
 *
 * @param at where it is, for messages, such as {@code config/flows/habit/flow.yaml}
 * @param folder the name of the flow's folder, or empty for a single file in {@code config/flows}
 */
record FlowFile(String at, Optional<String> folder, String yaml) {}
