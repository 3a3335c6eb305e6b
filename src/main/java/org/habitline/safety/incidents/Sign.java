package org.habitline.safety.incidents;

import org.habitline.safety.rules.Verdict;

/**
 * What a turn found in its texts besides what the rules find.
 *
 * @param finding the level, the kind and what found it; its rule begins with the language of the
 *     fixed text, such as {@code en/second-opinion}
 * @param how what the incident says about it
 * @param urgent whether staff are alerted although it is no crisis
 */
public record Sign(Verdict.Finding finding, EntryKind how, boolean urgent) {}
