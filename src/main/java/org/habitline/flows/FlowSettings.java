package org.habitline.flows;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * Where flows are read from.
 *
 * @param home {@code HABITLINE_HOME}: the folder that holds {@code config} and {@code prompts}; a
 *     relative one is seen from the working directory
 * @param flow {@code HABITLINE_FLOW}: the flow of participants who are enrolled without naming one
 */
@ConfigurationProperties("habitline")
record FlowSettings(String home, String flow) {}
