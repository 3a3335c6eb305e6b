package org.habitline.flows;

import io.micronaut.context.annotation.ConfigurationProperties;

/**
 * The home folder and the default flow.
 *
 * @param home {@code HABITLINE_HOME}: the folder that holds {@code config} and {@code prompts}; a
 *     relative path starts from the working directory
 * @param flow {@code HABITLINE_FLOW}: the flow of participants who are enrolled without naming one
 */
@ConfigurationProperties("habitline")
record FlowSettings(String home, String flow) {}
