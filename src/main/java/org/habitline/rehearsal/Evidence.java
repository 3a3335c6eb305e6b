package org.habitline.rehearsal;

import java.util.List;

/**
 * The records of a finished rehearsal.
 *
 * @param iterations the calls of the model, in order
 * @param saved the fields that each participant has saved
 * @param accepted number of messages that Habitline counts as delivered
 */
record Evidence(
    List<JdbcEvidence.PhoneText> phones,
    List<JdbcEvidence.Said> said,
    List<JdbcEvidence.Planned> occurrences,
    List<JdbcEvidence.Turn> turns,
    List<JdbcEvidence.Asked> iterations,
    List<JdbcEvidence.Saved> saved,
    long accepted) {

  Evidence {
    phones = List.copyOf(phones);
    said = List.copyOf(said);
    occurrences = List.copyOf(occurrences);
    turns = List.copyOf(turns);
    iterations = List.copyOf(iterations);
    saved = List.copyOf(saved);
  }

  static Evidence read(JdbcEvidence rows) {
    return new Evidence(
        rows.phoneTexts(),
        rows.said(),
        rows.occurrences(),
        rows.turns(),
        rows.iterations(),
        rows.saved(),
        rows.accepted());
  }
}
