package org.habitline.safety.rules;

/**
 * The text of one rule file.
 *
 * @param at where it is, for messages, such as {@code config/safety/en/abuse.yaml}
 */
record RuleFile(String language, String at, String yaml) {}
