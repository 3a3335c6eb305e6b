package org.habitline.safety.rules;

/**
 * The text of one file of rules or of gates.
 *
 * @param language the name of its folder, such as {@code en}
 * @param at where it is, for messages, such as {@code config/safety/en/abuse.yaml}
 */
public record RuleFile(String language, String at, String yaml) {}
