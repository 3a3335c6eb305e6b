package org.habitline.rehearsal;

import java.util.List;

/**
 * The records of a finished rehearsal.
 *
 * @param iterations the calls of the model, in order
 * @param saved the fields that each participant has saved
 * @param incidents the incidents, in the order in which they opened
 * @param entries what happened in them, in order
 * @param flags what the coach showed staff
 * @param consents what was asked and answered about consent
 * @param accepted number of messages that Habitline counts as delivered
 */
record Evidence(
    List<JdbcEvidence.PhoneText> phones,
    List<JdbcEvidence.Said> said,
    List<JdbcEvidence.Planned> occurrences,
    List<JdbcEvidence.Turn> turns,
    List<JdbcEvidence.Asked> iterations,
    List<JdbcEvidence.Saved> saved,
    List<JdbcEvidence.Opened> incidents,
    List<JdbcEvidence.Entry> entries,
    List<JdbcEvidence.Flagged> flags,
    List<JdbcEvidence.Step> consents,
    long accepted) {

  Evidence {
    phones = List.copyOf(phones);
    said = List.copyOf(said);
    occurrences = List.copyOf(occurrences);
    turns = List.copyOf(turns);
    iterations = List.copyOf(iterations);
    saved = List.copyOf(saved);
    incidents = List.copyOf(incidents);
    entries = List.copyOf(entries);
    flags = List.copyOf(flags);
    consents = List.copyOf(consents);
  }

  static Evidence read(JdbcEvidence rows) {
    return new Evidence(
        rows.phoneTexts(),
        rows.said(),
        rows.occurrences(),
        rows.turns(),
        rows.iterations(),
        rows.saved(),
        rows.incidents(),
        rows.entries(),
        rows.flags(),
        rows.consents(),
        rows.accepted());
  }
}
