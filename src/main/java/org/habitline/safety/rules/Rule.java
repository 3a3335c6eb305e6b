package org.habitline.safety.rules;

import java.util.List;

/**
 * One rule.
 *
 * @param id with its language, such as {@code en/suicide-wish}
 * @param concernIf phrases near which the rule is only a concern
 */
record Rule(String id, Level level, RiskKind kind, List<Phrase> phrases, List<Phrase> concernIf) {}
