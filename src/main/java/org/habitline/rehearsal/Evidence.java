package org.habitline.rehearsal;

import java.util.List;

/**
 * The records of a finished rehearsal.
 *
 * @param accepted number of messages that Habitline counts as delivered
 */
record Evidence(
    List<JdbcEvidence.PhoneText> phones,
    List<JdbcEvidence.Said> said,
    List<JdbcEvidence.Planned> occurrences,
    List<JdbcEvidence.Turn> turns,
    long accepted) {

  Evidence {
    phones = List.copyOf(phones);
    said = List.copyOf(said);
    occurrences = List.copyOf(occurrences);
    turns = List.copyOf(turns);
  }

  static Evidence read(JdbcEvidence rows) {
    return new Evidence(
        rows.phoneTexts(), rows.said(), rows.occurrences(), rows.turns(), rows.accepted());
  }
}
