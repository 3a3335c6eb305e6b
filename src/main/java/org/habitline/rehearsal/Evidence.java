package org.habitline.rehearsal;

import java.util.List;

/**
 * Everything that is known of a rehearsal that was played.
 *
 * @param accepted texts that the line holds for delivered
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
